"""What is known of a judge, as rows of text."""

from collections.abc import Iterable, Iterator
from textwrap import shorten

from agreement.confusion import JudgeAgreement
from agreement.result import Agreement
from audit_app.actions.judging import JudgeCheck, JudgeSlice
from audit_app.actions.wording import coefficient, dashed, p_value, percent, slice_name, with_interval
from audit_app.language import _, joined, mark
from audit_app.reasons import told

Row = dict[str, str]


READ = {"strict": mark("G (established = yes)"), "lenient": mark("G (established or contradicted = yes)")}
"""G has four decision values; beside a judge it is yes or no."""

CORE = mark("Draw a core that everybody labels with `evidence-audit sample draw --name core --core 60`.")


def called(check: JudgeCheck, name: str) -> str:
    """A label, with how it is read where that can be read in two ways."""
    return _(READ[check.grounding]) if name == "G" else name


def judge_rows(check: JudgeCheck) -> list[Row]:
    """One row per label (and slice): how the judge stands to people, and what two people reach with each other."""
    return [
        {
            "label": called(check, name),
            **_slice(check, part),
            "sensitivity": share(found.sensitivity),
            "specificity": share(found.specificity),
            "accuracy": share(found.accuracy),
            "always yes": share(found.always_yes),
            "always no": share(found.always_no),
            "kappa": dashed(found.kappa),
            "two people's kappa": dashed(part.ceilings[name].kappa.people) if name in part.ceilings else "–",
            "n": str(found.n),
            "dropped": str(found.n_dropped),
            "note": "; ".join(filter(None, ["tuned on the audit" if name in check.tuned else "", _note(found)])),
        }
        for part, name, found in _labels(check)
    ]


def more_rows(check: JudgeCheck) -> list[Row]:
    """One row per label (and slice): the figures that most readers can do without."""
    return [
        {
            "label": called(check, name),
            **_slice(check, part),
            "right when it says yes": share(found.positive_predictive_value),
            "right when it says no": share(found.negative_predictive_value),
            "F1": dashed(found.f1),
            "MCC": dashed(found.mcc),
            "people say yes": share(found.human_prevalence),
            "the judge says yes": share(found.judge_prevalence),
        }
        for part, name, found in _labels(check)
    ]


def verdict_rows(check: JudgeCheck) -> list[Row]:
    """One row per label (and slice): whether the judge may be trusted there, and why not; see `trust.RULE`."""
    return [
        {
            "label": called(check, one.label),
            **_slice(check, part),
            "trust": _(one.word),
            "more labels": "" if one.more is None else _("about {n}").format(n=one.more),
            "why": one.reason,
        }
        for part in (check, *check.slices)
        for one in part.verdicts
    ]


def cell_rows(check: JudgeCheck) -> list[Row]:
    """One row per label (and slice): responses that each cell stands for, and in brackets those labelled."""
    return [
        {
            "label": called(check, name),
            **_slice(check, part),
            **{
                f"people {answers[i]}, judge {answers[j]}": f"{found.table[i][j]:.0f} ({found.counts[i][j]})"
                for i in (1, 0)
                for j in (1, 0)
            },
        }
        for answers in [("no", "yes")]
        for part, name, found in _labels(check)
    ]


def ceiling_rows(check: JudgeCheck) -> list[Row]:
    """One row per label (and slice): judge with one person and two people with each other, on the same items."""
    return [
        {
            "label": called(check, name),
            **_slice(check, part),
            "judge and a person": share(found.percent_agreement.judge),
            "two people": share(found.percent_agreement.people),
            "judge's kappa": dashed(found.kappa.judge),
            "two people's kappa": dashed(found.kappa.people),
            "kappa less theirs": dashed(found.kappa.difference),
            "items": str(found.n),
            "note": _("; ").join(
                dict.fromkeys(
                    told(one.why_undefined)
                    for one in (found.percent_agreement.people, found.kappa.judge, found.kappa.people)
                    if one.why_undefined
                )
            ),
        }
        for part in (check, *check.slices)
        for name, found in part.ceilings.items()
    ]


def diagnostic_rows(check: JudgeCheck) -> list[Row]:
    """One row per diagnostic (and slice) that people and the judge both gave."""
    return [
        {
            "diagnostic": name,
            **_slice(check, part),
            "percent": coefficient(found.percent),
            "kappa (quadratic)": coefficient(found.kappa),
            "alpha (ordinal)": coefficient(found.alpha),
            "n": str(found.n),
            "dropped": str(found.n_dropped),
        }
        for part in (check, *check.slices)
        for name, found in part.diagnostics.items()
    ]


def disagreement_rows(check: JudgeCheck) -> list[Row]:
    """One row per label on which people and the judge differ, each with its reasons, cut to a line."""
    return [
        {
            "label": one.label,
            "response": one.response_id,
            "people": one.people,
            "judge": one.judge,
            "people's words": _line([one.comment, *map(_quoted, one.evidence)]),
            "the judge's words": _line([one.rationale, *map(_quoted, one.quotes)]),
        }
        for one in check.disagreements
    ]


def _quoted(text: str) -> str:
    return f"“{text}”"


def _line(texts: Iterable[str]) -> str:
    return shorten(" ".join(text for text in texts if text), 100, placeholder=" …") or "–"


def alternative_rows(check: JudgeCheck) -> list[Row]:
    """One row per label on which the alternative-annotator test could be made."""
    return [
        {
            "label": called(check, one.label),
            "may stand in": _("yes") if one.test.passed else _("no"),
            "winning rate": percent(one.test.winning_rate, 0),
            "average advantage": coefficient(one.test.average_advantage),
            "epsilon": f"{one.test.epsilon:g}",
            "items": str(one.test.n),
            "dropped": str(one.test.n_dropped),
        }
        for one in check.alternative
        if one.test.why_refused is None
    ]


def contest_rows(check: JudgeCheck) -> list[Row]:
    """One row per label and annotator: the judge against this annotator, both measured by the others."""
    return [
        {
            "label": called(check, one.label),
            "annotator": check.names.get(person, person),
            "judge at least as good": percent(contest.judge_advantage),
            "annotator at least as good": percent(contest.annotator_advantage),
            "p": p_value(contest.p_value),
            "p adjusted": p_value(contest.p_adjusted),
            "judge wins": _("yes") if contest.won else _("no"),
            "items": str(contest.n),
        }
        for one in check.alternative
        for person, contest in zip(one.persons, one.test.contests, strict=True)
    ]


def refusals(check: JudgeCheck) -> list[str]:
    """Why the alternative-annotator test was not made, labels with the same reason together."""
    labels: dict[str, list[str]] = {}
    for one in check.alternative:
        if one.test.why_refused:
            labels.setdefault(one.test.why_refused, []).append(one.label)
    return [
        _("Alternative-annotator test of {labels} {why}.").format(labels=joined(those), why=told(why))
        + (f" {_(CORE)}" if "random core" in why else "")
        for why, those in labels.items()
    ]


def alternative_sentence(check: JudgeCheck) -> str:
    """What the test asks; every number that was chosen is said."""
    test = check.alternative[0].test
    return _(
        "May the judge stand in for one of these annotators? It wins against one if it agrees "
        "with the others at least as well, less an allowance of epsilon = {epsilon:g}, and may "
        "stand in if it wins against half of them. False discovery rate {q:g} over all labels "
        "and annotators; tasks are the independent units."
    ).format(epsilon=test.epsilon, q=test.q)


def share(found: Agreement) -> str:
    """A share with its interval, or a dash."""
    return with_interval(found.value, found.low, found.high)


def _labels(check: JudgeCheck) -> Iterator[tuple[JudgeSlice, str, JudgeAgreement]]:
    return ((part, name, found) for part in (check, *check.slices) for name, found in part.labels.items())


def _slice(check: JudgeCheck, part: JudgeSlice) -> Row:
    return {"slice": slice_name(part.slice)} if check.slices else {}


def _note(found: JudgeAgreement) -> str:
    figures = (found.sensitivity, found.specificity, found.kappa)
    return _("; ").join(dict.fromkeys(told(one.why_undefined) for one in figures if one.why_undefined))
