"""Sentences of the rooms below in the reader's language: why a figure does not exist, what a metric is.

Those rooms know of no language, so that a finished English sentence comes from them. Here is the pattern of each, as
it is in their source, and what stands in it may be such a sentence itself. What has no pattern the walk of the tests
finds on the screens.
"""

import re
from collections.abc import Iterable
from functools import cache

from audit_app.language import _, current, joined, mark
from metrics.definitions import METRICS

TOLD = (
    mark("undefined: {why}"),
    mark("refused: {why}"),
    mark("not known: {why}"),
    mark("not identified: {why}"),
    mark("no interval: {why}"),
    mark("{one}; {others}"),
    mark("not {value}"),
    mark("undefined"),
    # Of people and judges beside each other.
    mark("there are no rows"),
    mark("there are no items"),
    mark("there are no units"),
    mark("there are no outcomes"),
    mark("none of the {n} rows has a label of people and of the judge"),
    mark("none of the {n} items has labels of two people and of the judge"),
    mark("none of the {n} of people's labels is {value}"),
    mark("none of the {n} of the judge's labels is {value}"),
    mark("neither people nor the judge said {value} on any of {n} rows"),
    mark("the judge said {value} on all {n} rows"),
    mark("people said {value} on all {n} rows"),
    mark("the judge said {value} on all {n} items"),
    mark("people said {value} on all {n} items"),
    mark("all {n} labels are one rater's, agreement needs two"),
    mark("all {n} labels were given at the same time"),
    mark("all {n} labels are {value}"),
    mark("all labels are one rater's, agreement needs two"),
    mark("all labels were given at the same time"),
    mark("all labels are {value}"),
    mark("none of the {n} units has a label"),
    mark("none of the {n} units has labels of two raters ({labels} labels of {raters} raters)"),
    mark("the first rater gave {value} to all {n} units, kappa cannot differ from 0"),
    mark("the second rater gave {value} to all {n} units, kappa cannot differ from 0"),
    mark("{n} independent units with a time; a trend needs {needed}"),
    mark("all {n} outcomes are {value}, so a trend cannot be told from chance"),
    mark("all outcomes are {value}, so a trend cannot be told from chance"),
    mark("the times differ in one task only"),
    mark("1 annotator tells too little of annotators like these; {needed} are needed"),
    mark("{n} annotators tell too little of annotators like these; {needed} are needed"),
    mark("nothing varied inside any annotator's share, which leaves nothing to measure annotators against"),
    mark("all {n} outcomes are one annotator's"),
    mark("all {n} outcomes are {value}"),
    mark("all outcomes are one annotator's"),
    mark("all outcomes are {value}"),
    mark("{annotators} annotators have {n} items in {strata} strata; each needs several"),
    mark("{annotators} annotators have {n} clusters in {strata} strata; each needs several"),
    mark("{n} known values, too few to bound a median"),
    mark("this annotator answered no hidden repeat"),
    mark("none of this annotator's units has another's label"),
    mark(
        "no item has labels of {people} people and of the judge; have a random core of 60 to 100 items labelled by "
        "everybody"
    ),
    mark("annotator {who} has {n} items with labels of {people} people; the test needs {needed} of every annotator"),
    mark("{raters} raters, and with fewer than 3 any error rates fit; the votes say it all"),
    mark("no item was read by 3 raters, so nobody's errors can be told from the others'"),
    mark("the readings fall into {n} groups that share neither items nor raters"),
    mark("{n} readings for {parameters} error rates and shares; label more items"),
    mark("a category has less than one item, so nobody's errors on it can be estimated"),
    # Of metrics.
    mark("{n} labels in the denominator, {needed} needed; label about {more} more"),
    mark("{n} settled labels in the denominator, {needed} needed; settle about {more} more"),
    mark("{n} labels in the denominator to borrow from, {needed} needed"),
    mark("{n} of the {parts} parts to average have fewer than 2 labels in the denominator; label more"),
    mark("{n} of the {parts} parts to average have nothing in the denominator"),
    mark("none of the {n} judged responses counts in the denominator"),
    mark("none of the {n} labelled responses counts in the denominator"),
    mark("no response has a usable judge label"),
    mark("no response is in the slice"),
    mark("the estimated denominator is not above 0"),
    mark("the estimated denominator is not above 0; label more responses of this slice"),
    mark("no two annotators share a stratum, so that people cannot be told from strata"),
    mark("all responses are of one task, which says nothing about other tasks"),
    mark("all pairs are of one task, which says nothing about other tasks; compare at least 2 tasks"),
    mark("first slice {one}; second slice {other}"),
    mark("first slice {why}"),
    mark("second slice {why}"),
    mark("none of the {n} pairs has both scores"),
    mark("none of the {n} pairs has both answers"),
    mark("none of the {n} pairs counts in the denominator of the first"),
    mark("none of the {n} pairs counts in the denominator of the second"),
    mark("a denominator is 0 in {n} of {of} resamples of the tasks"),
    mark("{models} models on {tasks} tasks that differ under both judges; an order needs two of each"),
    mark("{n} of {of} resamples of the tasks have no order"),
    mark("borrowed; whether the judge errs alike everywhere could not be tested ({why})"),
    mark("borrowed; the judge's errors in {n} groups differ: do not trust this number (p = {p})"),
    mark("borrowed; the judge's errors in {n} groups show no difference (p = {p})"),
    mark("no judge pattern with any error has rows in two groups"),
    mark(
        "{share} of the variance rests on three labels (limit {limit}), {one} of the slice is in a stratum with one "
        "outcome (limit {most}), one answer moves the estimate by up to {moved} standard errors (limit {errors})"
    ),
    # Of budgets.
    mark("±{width} points; nothing that could be bought is known to shrink it"),
    mark("{buy} would shrink the interval from ±{now} to ±{then} points; {others}"),
    mark("{buy} would shrink the interval from ±{now} to ±{then} points"),
    mark("{buy} to ±{width}"),
    mark("{buy} alone would not shrink it"),
    mark("doubling the labels"),
    mark("doubling the tasks"),
    mark("doubling the runs"),
    mark("having the same labels from twice as many annotators"),
    mark("a second verdict of the judge on everything"),
    mark("no variation was seen that could be divided"),
    mark("no variance was seen"),
    mark("with the runs, which the data do not tell apart"),
    mark("the interval is for these responses: others would be another population"),
    mark("who labelled which response is not given"),
    mark("every response has one verdict; what the judge misses is in the labels"),
    mark("which responses are runs of one question is not given"),
    mark("every question was answered once; more runs of it would tell"),
    mark("{n} pairs of runs of one question are labelled, {needed} are needed"),
    # Of tests of judges, as they are recorded.
    mark("{name} leaks: {changes}."),
    mark("{name} does not look at what it has to: {changes}."),
    mark("{name}: too few samples to tell ({parts}), {n} more samples needed."),
    mark("{name}: noise too large to tell ({parts}), {n} more samples needed."),
    mark("{name} is wired correctly: {parts} moves it by no more than {most} points."),
    mark(
        "{name} is wired correctly: {parts} moves it by no more than {most} points, and without {other_parts} it "
        "changes."
    ),
    mark("{parts} ({change}: {points} points)"),
    mark("{number} ({low} to {high})"),
    mark("{number} (exact)"),
    mark("question"),
    mark("response"),
    mark("passages"),
    mark("gold answer"),
    mark("blank"),
    mark("of another task"),
    mark("false"),
    mark("nothing was recorded yet"),
    mark("a new baseline was asked for"),
    mark("the set has changed since that of {date}"),
    mark("the record is of {name}"),
    mark("This run is the baseline of {name} ({who}): {why}. It scores {share} % on {n} canaries."),
    mark(
        "This run is the baseline of {name} ({who}): {why}. It scores {share} % on {n} canaries. {grounded} of them "
        "are called grounded although no passage establishes them: try `evidence-audit judge ablate`, it may be shown "
        "the gold answer."
    ),
    mark(
        "{name} finds more grounded than it did: {share} % on {n} canaries, {before} % in the baseline of {date} "
        "({number} points, its noise reaches {noise}). Higher: {others}."
    ),
    mark(
        "{name} finds no more grounded than it did: {share} % on {n} canaries, {before} % in the baseline of {date} "
        "({number} points, its noise reaches {noise})."
    ),
    # Of leaks.
    mark("the score is raw: a calibration needs {needed} labelled contexts and has {n}"),
    mark("the score is raw: a calibration needs {n} leaks and {more} others among the labels"),
    mark("the score is raw: contexts that score higher are not called leaks more often"),
    mark("the score is raw: calibrated it would err no less ({brier} mean squared error, {raw} raw)"),
    # Of the study.
    mark("{path} cannot be written ({why}); check the permissions of its folder"),
    mark("{path} is not a readable database ({why}); restore it from a copy"),
    mark("{path} was written by a newer version (it has {others}); update evidence-audit to open it"),
    mark("no sample {name}; samples are {others}"),
    mark("nothing is drawn yet; draw a sample with `evidence-audit sample draw`"),
    mark("nothing to sample yet; import tasks, contexts and responses first (evidence-audit import …)"),
)
"""What is told, the more special before what would match it too."""

DEFINED = (
    mark("Accuracy"),
    mark("Share of responses whose final answer is correct."),
    mark("Silent evidence shift"),
    mark("Share of responses that answer beyond their context without saying so."),
    mark("Silent evidence shift among correct answers"),
    mark("Share of the correct responses that answer beyond their context without saying so."),
    mark("Evidence-shift disclosure"),
    mark("Share of the answers beyond their context that say so."),
    mark("Accuracy less silent shifts"),
    mark("Share of responses that are correct and not a silent evidence shift."),
    mark("Accuracy, grounded or disclosed"),
    mark("Share of responses that are correct and grounded or disclosed; differs from BAS where A = 0."),
    mark("Grounded and correct"),
    mark("Share of responses with a correct answer that the context establishes."),
    mark("Ungrounded but correct"),
    mark("Share of responses with a correct answer that the context does not establish."),
    mark("Grounded but wrong"),
    mark("Share of responses with a wrong answer that the context establishes."),
    mark("Ungrounded and wrong"),
    mark("Share of responses with a wrong answer that the context does not establish."),
    mark("Abstention"),
    mark("Share of responses that give no substantive answer, and none that is correct."),
    mark("Ambiguous"),
    mark("Share of responses that are correct without a substantive answer, or lack a label that would place them."),
    mark("Grounded among correct answers"),
    mark("Share of the correct responses with an answer that the context establishes."),
    mark("Ungrounded among correct answers"),
    mark("Share of the correct responses with an answer that the context does not establish."),
    mark("Warranted abstention"),
    mark("Share of responses that give no answer where the context, as audited, establishes none."),
    mark("Unwarranted abstention"),
    mark("Share of responses that give no answer though the context, as audited, establishes one."),
)
"""The titles and definitions of metrics."""

WORDS = ("why", "value", "who", "buy", "one", "other", "others", "name", "change", "points", "path")
"""Placeholders that stand for words, which may be told themselves; the others are numbers."""

LISTS = ("parts", "other_parts", "changes")
"""Placeholders that stand for several such words or sentences."""

PREFIX = "undefined: "


def told(sentence: str | None) -> str:
    """A sentence of another room in the reader's language; as it is where it is none of them, empty for None.

    >>> told("undefined: there are no rows"), told(None)
    ('undefined: there are no rows', '')
    """
    if not sentence or current() == "en":
        return sentence or ""
    known = _(sentence)
    if known != sentence:
        return known
    for pattern, template in _patterns():
        found = pattern.fullmatch(sentence)
        if found:
            return _(template).format(**{name: _each(name, value) for name, value in found.groupdict().items()})
    return sentence


def _each(name: str, value: str) -> str:
    if name not in LISTS:
        return told(value)
    if name == "changes":
        return _("; ").join(map(told, value.split("; ")))
    return joined(map(told, re.split(", | and | or ", value)))


def bare(why: str | None) -> str:
    """The reason alone, without the word that there is none.

    >>> bare("undefined: there are no rows")
    'there are no rows'
    """
    return told((why or "").removeprefix(PREFIX))


def titled(metric: str) -> str:
    """What a metric is called."""
    return told(METRICS[metric].title)


def described(metrics: Iterable[str]) -> dict[str, str]:
    """By the name and title of each metric, what it is in a sentence."""
    title = _("{name} ({what})")
    return {title.format(name=name, what=titled(name)): told(METRICS[name].sentence) for name in metrics}


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """The general ones, that only say "undefined" and the like, last."""
    general, special = TOLD[:7], TOLD[7:]
    return [(_pattern(template), template) for template in (*special, *general) if "{" in template]


def _pattern(template: str) -> re.Pattern[str]:
    """A placeholder stands for as little as fits; for one word or number unless it is one of `WORDS`."""
    parts = re.split(r"\{(\w+)\}", template)
    whole = (
        f"(?P<{part}>{'.+?' if part in (*WORDS, *LISTS) else r'[^ ;]+'})" if n % 2 else re.escape(part)
        for n, part in enumerate(parts)
    )
    return re.compile("".join(whole), re.DOTALL)
