"""What the changes of an ablation say of one metric: wired, leaks, blind or not to be told, in one sentence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit_app.actions.wording import percent, points
from judge.wiring import Artifact, Wiring
from metrics.ablation import Reading, Shift

NAMES: dict[Artifact, str] = {
    "question": "question",
    "response": "response",
    "passages": "passages",
    "gold": "gold answer",
}
DONE = {None: "as given", "blank": "blank", "swap": "of another task", "false": "false"}

MISSING = 0.2
"""Where more of the calls than this gave no score, those that did may be of a kind of their own."""

FALL = 0.5
"""Without what it counts a score has to fall by this share at least; a noisy judge need not reach 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One change and what it does to one metric."""

    artifact: Artifact
    change: str
    outside: bool
    """Whether the metric must not see the artifact."""
    score: Reading
    """After the change."""
    shift: Shift

    def said(self, more: str = "") -> str:
        """The change in words, with more in its brackets."""
        return f"{NAMES[self.artifact]} ({DONE[self.change]}{more})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that one metric is judged by."""

    wiring: Wiring
    given: Reading
    changes: Sequence[Changed]
    calls: int
    """Of each variant."""
    margin: float
    problems: Mapping[str, int]

    def verdict(self) -> tuple[str, str]:
        """wired, leaks, blind, unread, floor or unclear; and the sentence. The worst that can be shown comes first."""
        return next(filter(None, self._verdicts()))

    def _verdicts(self) -> Iterator[tuple[str, str] | None]:
        yield self._leaks()
        yield self._unread()
        yield self._floor()
        yield self._blind()
        yield self._unclear()
        yield self._wired()

    def _leaks(self) -> tuple[str, str] | None:
        moved = [one for one in self.changes if one.outside and one.shift.finding == "moves"]
        return ("leaks", f"{self.wiring.name} leaks: {_listed(moved)}.") if moved else None

    def _silent(self, score: Reading) -> bool:
        return score.n_missing > MISSING * self.calls

    def _must_vanish(self, one: Changed) -> bool:
        return one.artifact in self.wiring.vanishing

    def _allowed(self, one: Changed) -> bool:
        """Whether it may refuse a score here: nothing is left to divide by, or to put a label on."""
        return not one.outside and not self._must_vanish(one)

    def _unread(self) -> tuple[str, str] | None:
        silent = {"as given": self.given} if self._silent(self.given) else {}
        silent |= {one.said(): one.score for one in self.changes if not self._allowed(one) and self._silent(one.score)}
        if not silent:
            return None
        counts = [f"{name}: {one.n_missing} of {self.calls} calls" for name, one in silent.items()]
        others = [f"and {len(counts) - 2} other variants"] if len(counts) > 2 else []
        listed = "; ".join([*counts[:2], *others])
        why = max(self.problems, key=lambda problem: self.problems[problem], default="no answer")
        return "unread", (
            f"{self.wiring.name}: too many scores are missing to tell ({listed}); most often: {why}. Mend that and ask"
            " again; where there is nothing to support the score is 0."
        )

    def _floor(self) -> tuple[str, str] | None:
        value = self.given.value
        if value is None or value > self.margin or not self.wiring.inside:
            return None
        return "floor", (
            f"{self.wiring.name}: cannot tell whether it looks at {_either(self.wiring.inside)}: it scores"
            f" {percent(value)} as given, and from there it cannot fall. Give samples that should score higher."
        )

    def _blind(self) -> tuple[str, str] | None:
        inside = [one for one in self.changes if not one.outside and not self._silent(one.score)]
        still = [one for one in inside if one.shift.finding == "still"]
        # Not by its value but by the end of its interval: few samples prove nothing.
        least = FALL * (self.given.value or 0)
        high = [one for one in inside if self._must_vanish(one) and one not in still
                and one.shift.difference.high is not None and one.shift.difference.high < least]  # fmt: skip
        if not still and not high:
            return None
        name, said = self.wiring.name, []
        if still:
            said.append(f"{name} does not look at what it has to: {_listed(still)}.")
        said += [
            f"Without {NAMES[one.artifact]} {name} has to fall towards 0; it goes from {percent(self.given.value)} to"
            f" {percent(one.score.value)}."
            for one in high
        ]
        return "blind", " ".join(said)

    def _unclear(self) -> tuple[str, str] | None:
        unclear = [one for one in self.changes if one.shift.finding == "unclear"
                   and not (self._allowed(one) and self._silent(one.score))]  # fmt: skip
        if not unclear:
            return None
        more = max(1, *(one.shift.n_needed - one.shift.difference.n for one in unclear))
        names = ", ".join(dict.fromkeys(NAMES[one.artifact] for one in unclear))
        few = all(one.shift.difference.se == 0 for one in unclear)
        why = "too few samples" if few else "noise too large"
        return "unclear", f"{self.wiring.name}: {why} to tell ({names}), {more} more samples needed."

    def _wired(self) -> tuple[str, str]:
        outside = " and ".join(NAMES[artifact] for artifact in self.wiring.outside) or "nothing"
        inside = f", and without {_either(self.wiring.inside)} it changes" if self.wiring.inside else ""
        return "wired", (
            f"{self.wiring.name} is wired correctly: {outside} moves it by no more than {100 * self.margin:g}"
            f" points{inside}."
        )


def _either(artifacts: Sequence[Artifact]) -> str:
    return " or ".join(NAMES[artifact] for artifact in artifacts)


def _listed(changes: Sequence[Changed]) -> str:
    return "; ".join(one.said(f": {points(one.shift.difference)} points") for one in changes)
