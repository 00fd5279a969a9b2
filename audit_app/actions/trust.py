"""May a judge's labels be taken as they are? A verdict on each label, by a rule that is fixed in advance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from agreement.ceiling import HumanCeiling
from agreement.confusion import JudgeAgreement
from agreement.result import Agreement
from audit_app.actions.wording import with_interval

Word = Literal["trusted", "not trusted", "cannot be told"]

FLOOR = 0.7
"""Least sensitivity and specificity. At .7 each, undoing the errors multiplies the variance by 1 / .4**2, about six."""

RULE = (
    "Trusted: sensitivity and specificity are 70 % or more and accuracy is above that of always saying the same, by "
    "their whole intervals. Not trusted: one of them is below by its whole interval, or the judge agrees less with "
    "people than they do with each other. Otherwise it cannot be told."
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
    """The verdict on every label; that people agree with each other no better can only speak against a judge."""
    return tuple(_verdict(name, found, ceilings.get(name), n_frame) for name, found in labels.items())


def _verdict(name: str, found: JudgeAgreement, ceiling: HumanCeiling | None, n_frame: int) -> Verdict:
    if not found.n:
        return Verdict(label=name, word="cannot be told", reason="nobody has labelled a response that it scored")
    trivial = max(found.always_yes.value or 0.0, found.always_no.value or 0.0)
    asked = [
        (found.sensitivity, FLOOR, "the floor of 70 %"),
        (found.specificity, FLOOR, "the floor of 70 %"),
        (found.accuracy, trivial, f"the {100 * trivial:.1f} % of always saying the same"),
    ]
    below = list(_below(asked, ceiling))
    if below:
        return Verdict(label=name, word="not trusted", reason="; ".join(below))
    unknown = [
        (figure.why_undefined or "").removeprefix("undefined: ") for figure, _, _ in asked if figure.value is None
    ]
    if unknown:
        return Verdict(label=name, word="cannot be told", reason="; ".join(dict.fromkeys(unknown)))
    around = [(figure, least, what) for figure, least, what in asked if (figure.low or 0.0) < least]
    if not around:
        return Verdict(label=name, word="trusted", reason="")
    more = max(_more(figure, least, found.n, n_frame) for figure, least, _ in around)
    reason = "; ".join(f"{_said(figure)} may lie on either side of {what}" for figure, _, what in around)
    return Verdict(label=name, word="cannot be told", reason=reason, more=more)


def _below(asked: Sequence[tuple[Agreement, float, str]], ceiling: HumanCeiling | None) -> Iterator[str]:
    """What lies below what is asked by its whole interval."""
    for figure, least, what in asked:
        if figure.high is not None and figure.high < least:
            yield f"{_said(figure)} is below {what}"
    apart = ceiling.percent_agreement.difference if ceiling else None
    if apart is not None and apart.high is not None and apart.high < 0:
        yield f"it agrees with a person {-100 * (apart.value or 0):.1f} points less often than a second person does"


def _said(figure: Agreement) -> str:
    return f"{figure.name} {with_interval(figure.value, figure.low, figure.high)}"


def _more(figure: Agreement, least: float, n: int, n_frame: int) -> int:
    """Labels until the interval no longer holds what is asked, as its width shrinks with the root of their number."""
    value, low, high = figure.value or 0.0, figure.low or 0.0, figure.high or 0.0
    reach, apart = (value - low, value - least) if value > least else (high - value, least - value)
    times = (reach / apart) ** 2 if apart > 0 else float("inf")
    return min(max(1, n_frame - n), ceil(min(n * times, n_frame + n)) - n + 1)


def verdict_sentence(judge: str, found: Sequence[Verdict], n: Mapping[str, int], n_frame: int) -> str:
    """Which labels of a judge may be trusted, which not, and of which that cannot be told.

    >>> verdict_sentence("j", [Verdict(label="D", word="trusted", reason="")], {"D": 9}, 10).partition(" (")[0]
    'Judge j may be trusted on D.'
    """
    trusted = [one.label for one in found if one.word == "trusted"]
    said = [f"may be trusted on {', '.join(trusted)}"] if trusted else []
    said += [f"not on {one.label}, as {one.reason}" for one in found if one.word == "not trusted"]
    for one in found:
        if one.word == "cannot be told":
            said.append(f"whether on {one.label} cannot be told, as {one.reason}{_needed(one, n[one.label], n_frame)}")
    head = "" if trusted else "may be trusted on no label: "
    return f"Judge {judge} {head}{'; '.join(said)}. ({RULE})"


def _needed(one: Verdict, n: int, n_frame: int) -> str:
    if one.more is None:
        return ""
    if n + one.more >= n_frame:
        return f" (labels of all {n_frame} responses would be needed)"
    return f" (about {one.more} more labels needed)"
