"""May a judge's labels be taken as they are? A verdict on each label, by a rule that is fixed in advance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from agreement.ceiling import HumanCeiling
from agreement.confusion import JudgeAgreement
from agreement.result import Agreement
from audit_app.actions.wording import with_interval
from audit_app.language import _, joined, mark
from audit_app.reasons import bare

Word = Literal["trusted", "not trusted", "cannot be told"]

FLOOR = 0.7
"""Least sensitivity and specificity. At .7 each, undoing the errors multiplies the variance by 1 / .4**2, about six."""

MARGIN = 0.1
"""How much less often than a second person a judge may agree with a person: as far as two raters may differ."""

APART = mark("its agreement with a person less a second person's")

RULE = mark(
    "Trusted: sensitivity and specificity are 70 % or more, accuracy is above that of always "
    "saying the same, and the judge agrees with a person at most 10 points less often than a "
    "second person does (where two labelled), all by their whole intervals. Not trusted: one "
    "of these is missed by its whole interval. Otherwise it cannot be told."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What may be said of a judge on one label."""

    label: str
    word: Word
    reason: str
    """Which figure decided, or stands in the way; empty where the judge is trusted."""
    more: int | None = None
    """Labels still needed, about, if the figures stay as they are; None where that is no question of labels."""


def verdicts(
    labels: Mapping[str, JudgeAgreement], ceilings: Mapping[str, HumanCeiling], n_frame: int
) -> tuple[Verdict, ...]:
    """The verdict on every label; people's agreement with each other is asked about where two of them labelled."""
    return tuple(_verdict(name, found, ceilings.get(name), n_frame) for name, found in labels.items())


def _verdict(name: str, found: JudgeAgreement, ceiling: HumanCeiling | None, n_frame: int) -> Verdict:
    if not found.n:
        return Verdict(label=name, word="cannot be told", reason=_("nobody has labelled a response that it scored"))
    asked = list(_asked(found, ceiling))
    below = [
        _("{said} is below {what}").format(said=_said(one), what=what)
        for one, least, what in asked
        if one.high is not None and one.high < least
    ]
    if below:
        return Verdict(label=name, word="not trusted", reason=_(", ").join(below))
    unknown = [bare(figure.why_undefined) for figure, _least, _what in asked if figure.value is None]
    if unknown:
        return Verdict(label=name, word="cannot be told", reason=_(", ").join(dict.fromkeys(unknown)))
    around = [one for one in asked if one[0].low is None or one[0].low < one[1]]
    if not around:
        return Verdict(label=name, word="trusted", reason="")
    more = max(_more(figure, least, found.n, n_frame) for figure, least, _what in around)
    # Semicolons part the labels from each other.
    reason = _(", ").join(
        _("{said} may lie on either side of {what}").format(said=_said(figure), what=what)
        for figure, _least, what in around
    )
    return Verdict(label=name, word="cannot be told", reason=reason, more=more)


def _asked(found: JudgeAgreement, ceiling: HumanCeiling | None) -> Iterator[tuple[Agreement, float, str]]:
    """What is looked at, the least it has to be, and that in words."""
    trivial = max(found.always_yes.value or 0.0, found.always_no.value or 0.0)
    yield found.sensitivity, FLOOR, _("the floor of 70 %")
    yield found.specificity, FLOOR, _("the floor of 70 %")
    yield found.accuracy, trivial, _("the {trivial:.1f} % of always saying the same").format(trivial=100 * trivial)
    if ceiling is not None and ceiling.percent_agreement.difference.value is not None:
        yield replace(ceiling.percent_agreement.difference, name=APART), -MARGIN, _("-10 points")


def _said(figure: Agreement) -> str:
    if figure.name == APART:
        value, low, high = (100 * (end or 0.0) for end in (figure.value, figure.low, figure.high))
        return _("{apart} ({value:+.1f} points, {low:+.1f} to {high:+.1f})").format(
            apart=_(APART), value=value, low=low, high=high
        )
    return f"{_(figure.name)} {with_interval(figure.value, figure.low, figure.high)}"


def _more(figure: Agreement, least: float, n: int, n_frame: int) -> int:
    """Labels until the interval no longer holds what is asked, as its width shrinks with the root of their number."""
    value, low, high = figure.value or 0.0, figure.low or 0.0, figure.high or 0.0
    reach, apart = (value - low, value - least) if value > least else (high - value, least - value)
    times = (reach / apart) ** 2 if apart > 0 else float("inf")
    return min(max(1, n_frame - n), ceil(min(n * times, n_frame + n)) - n + 1)


def verdict_sentence(judge: str, found: Sequence[Verdict], n: Mapping[str, int], n_frame: int) -> str:
    """Which labels of a judge may be trusted, which not, and of which that cannot be told.

    >>> verdict_sentence("j", [Verdict(label="D", word="trusted", reason="")], {"D": 9}, 10)
    'Judge j may be trusted on D.'
    """
    trusted = [one.label for one in found if one.word == "trusted"]
    said = [_("may be trusted on {trusted}").format(trusted=joined(trusted))] if trusted else []
    said += [
        _("not on {label}, as {reason}").format(label=one.label, reason=one.reason)
        for one in found
        if one.word == "not trusted"
    ]
    for one in found:
        if one.word == "cannot be told":
            said.append(
                _("whether on {label} cannot be told, as {reason}{needed}").format(
                    label=one.label, reason=one.reason, needed=_needed(one, n[one.label], n_frame)
                )
            )
    semicolons = _("; ").join(said)
    head = _("Judge {judge} {said}.") if trusted else _("Judge {judge} may be trusted on no label: {said}.")
    return head.format(judge=judge, said=semicolons)


def _needed(one: Verdict, n: int, n_frame: int) -> str:
    if one.more is None:
        return ""
    if n + one.more >= n_frame:
        return _(" (labels of all {n_frame} responses would be needed)").format(n_frame=n_frame)
    return _(" (about {more} more labels needed)").format(more=one.more)
