"""A plan: a wish and what it rests on put together, and what comes out of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, sqrt
from shlex import quote
from typing import Any

from audit_app.actions.draw_plan import FLOOR, JUDGE
from audit_app.actions.expectations import Grounds
from audit_app.actions.wishing import DRAW, Wish
from data.errors import StudyProblem
from sampling.effort import Effort, effort
from sampling.expected import Assumptions
from sampling.planner import Outlook, Purchase, labels_needed
from sampling.sizing import best_half_width, draw_buys, draw_needed, enough_annotators, slice_sizes

ALMOST = 1.1
"""Of the best half-width that can be had at all, what is aimed for instead of a wish that cannot be met."""

NEARLY_SURE = 1.645
"""Standard deviations by which planned labels in a denominator exceed the floor, so that 19 of 20 draws reach it."""

SLICE_COLUMNS = ("labels", "in_denominator", "value", "half_width", "human_only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What comes out of a plan, for a person or for JSON."""

    metric: str
    by: tuple[str, ...]
    labels: int
    contexts: int
    hours: float
    """Of all annotators together."""
    hours_each: float
    rereading_hours: float
    half_width: float
    """Expected in the widest slice."""
    within: float | None
    """What was wished; None when a number of labels was given."""
    met: bool
    level: float
    annotators: int
    rho: float
    deff: float
    neyman_labels: int | None
    """What would do if every slice had its own total, shared over its strata by Neyman's rule."""
    slices: tuple[dict[str, Any], ...]
    """One row per slice: slice, labels, in_denominator, value, half_width, human_only, falls_short."""
    strata: tuple[dict[str, Any], ...]
    """One row per stratum: stratum, stratum_size, sample_size, rate, in_denominator."""
    command: str
    """The draw that carries the plan out."""
    remedies: tuple[str, ...]
    """Where the wish cannot be met: why, and what would help."""
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The plan in one sentence."""
        where = f"per {' and '.join(self.by)}" if self.by else f"in each of {len(self.slices)} slices"
        what = f"{self.metric} {where if self.by or len(self.slices) > 1 else 'over all responses'}"
        every = sum(row["stratum_size"] for row in self.strata)
        labels = f"{self.labels} labels{' (every response labelled)' if self.labels == every else ''}"
        costs = f"{labels}, {self.hours:.0f} annotator hours: {what} within"
        if self.met:
            return f"{costs} {points(self.half_width if self.within is None else self.within)}."
        instead = f"What can be: {costs} {points(self.half_width)}."
        return f"{what} within {points(self.within or 0)} cannot be met. {instead}"


def points(half_width: float) -> str:
    """A half-width as people say it.

    >>> points(0.03)
    '±3.0 points'
    """
    return f"±{100 * half_width:.1f} points"


@dataclass(frozen=True, kw_only=True)
class Reckoning:
    """A wish and what it rests on, put together."""

    wish: Wish
    grounds: Grounds

    @cached_property
    def size(self) -> int:
        """Responses of the population."""
        return sum(expected.stratum_size for expected in self.grounds.strata.values())

    @cached_property
    def per_context(self) -> float:
        """Responses to one context that are drawn together."""
        together = max(self.grounds.settings, self.wish.per_context or 1)
        in_frame = sum(self.grounds.contexts.values())
        return min(together, max(1.0, self.size / in_frame)) if in_frame else together

    @cached_property
    def assume(self) -> Assumptions:
        """What holds for all strata."""
        in_slice = max(1.0, self.per_context / self.grounds.parts)
        return Assumptions(
            level=self.wish.level,
            deff=1 + (in_slice - 1) * self.wish.context_rho,
            annotators=self.wish.annotators,
            rho=self.wish.rho,
        )

    @property
    def least(self) -> int:
        """Labels to expect in every denominator."""
        certain = all(expected.in_denominator == 1 for expected in self.grounds.strata.values())
        return self.wish.floor if certain else ceil(self.wish.floor + NEARLY_SURE * sqrt(self.wish.floor))

    @property
    def fewest(self) -> int:
        """The smallest draw there can be."""
        return sum(min(FLOOR, expected.stratum_size) for expected in self.grounds.strata.values())

    def contexts(self, labels: int) -> int:
        """Contexts to draw with this many responses."""
        strata = self.grounds.contexts
        wanted = max(ceil(labels / self.per_context), sum(min(FLOOR, n) for n in strata.values()))
        return min(wanted, sum(strata.values())) if strata else wanted

    def sharing(self, total: int) -> Mapping[str, int]:
        """What `sample draw` does with a total."""
        return self.grounds.sharing(total, self.contexts(total))

    @cached_property
    def wished(self) -> Purchase:
        """The draw as wished, or all responses where no slice can be brought there."""
        strata, slices, assume = self.grounds.strata, self.grounds.slices, self.assume
        if self.wish.labels is None:
            return draw_needed(strata, self.wish.within, self.sharing, slices=slices, assume=assume,
                               fewest=self.fewest, least=self.least)  # fmt: skip
        if self.wish.labels < self.fewest:
            raise StudyProblem(
                f"{self.wish.labels} labels cannot give {len(strata)} strata two each; {self.fewest} would, or name "
                "fewer columns with --strata"
            )
        return draw_buys(strata, self.wish.labels, self.sharing, slices=slices, assume=assume)

    @cached_property
    def short(self) -> dict[str, str]:
        """Slices that cannot be brought there, with the reason."""
        return {part: seen.falls_short for part, seen in self.wished.slices.items() if seen.falls_short}

    @cached_property
    def best(self) -> float:
        """The widest slice's half-width if everything were labelled."""
        grounds = self.grounds
        return best_half_width(grounds.strata, self.sharing, slices=grounds.slices, assume=self.assume)

    @cached_property
    def bought(self) -> Purchase:
        """The draw that is proposed: the one wished for, or the sensible one where that cannot be."""
        if self.best <= self.wish.within or not self.short:
            return self.wished
        return replace(self, wish=replace(self.wish, within=ALMOST * self.best)).wished

    def remedies(self) -> tuple[str, ...]:
        """Why the wish cannot be met, and what would help; empty when it can."""
        found = []
        if self.short and self.best > self.wish.within:
            found.append(
                f"{self.wish.annotators} annotators who differ (rho {self.wish.rho:g}) leave {points(self.best)} "
                "even if they label every response"
            )
            found.append(self._more_people())
        thin = [part for part, why in self.short.items() if "denominator" in why]
        if thin:
            found.append(
                f"{', '.join(thin)}: fewer than {self.least} responses are expected in the denominator of "
                f"{self.wish.metric}; label these slices whole, take fewer columns in --by, or lower --floor"
            )
        return tuple(found)

    def _more_people(self) -> str:
        grounds, wish = self.grounds, self.wish
        people = enough_annotators(grounds.strata, wish.within, self.sharing, slices=grounds.slices, assume=self.assume)
        if people is None:
            return "no number of annotators up to 1000 would do: train them until they differ less"
        # Twice those who could do it by labelling everything do it with a sample.
        enough = replace(self, wish=replace(wish, annotators=2 * people))
        return f"{enough.wish.annotators} annotators would do, with {enough.wished.total} labels"

    def planned(self, where: str = "") -> Planned:
        """What comes out; `where` are the options of the draw that say where it goes."""
        wish, bought = self.wish, self.bought
        contexts = self.contexts(bought.total)
        work = self._work(bought.total, contexts)
        return Planned(
            metric=wish.metric,
            by=wish.by,
            labels=bought.total,
            contexts=contexts if self.grounds.contexts else 0,
            hours=work.hours,
            hours_each=work.hours / wish.annotators,
            rereading_hours=work.rereading_hours,
            half_width=max(seen.half_width for seen in bought.slices.values()),
            within=None if wish.labels is not None else wish.within,
            met=not self.short,
            level=wish.level,
            annotators=wish.annotators,
            rho=wish.rho,
            deff=self.assume.deff,
            neyman_labels=self._by_neyman(),
            slices=tuple(self._slice(part, seen) for part, seen in bought.slices.items()),
            strata=tuple(
                {
                    "stratum": name,
                    "stratum_size": expected.stratum_size,
                    "sample_size": bought.labels[name],
                    "rate": expected.rate,
                    "in_denominator": expected.in_denominator,
                }
                for name, expected in self.grounds.strata.items()
            ),
            command=self._command(bought.total, contexts) + where,
            remedies=self.remedies(),
            notes=(*self.grounds.notes, *self._notes()),
        )

    def _slice(self, part: str, seen: Outlook) -> dict[str, Any]:
        why = self.short.get(part)
        whole = seen.labels == slice_sizes(self.grounds.strata, self.grounds.slices)[part]
        if why is None and seen.in_denominator < self.wish.floor and not whole:
            why = (
                f"about {seen.in_denominator:.0f} labels in the denominator; `metrics` refuses below {self.wish.floor}"
            )
        return {"slice": part} | {name: getattr(seen, name) for name in SLICE_COLUMNS} | {"falls_short": why}

    def _work(self, labels: int, contexts: int) -> Effort:
        pace, readings = self.wish.pace, contexts
        if not self.grounds.contexts:
            pace, readings = replace(pace, read_context=0, labels_per_context=0), labels
        return effort(labels, readings, overlap=self.wish.overlap, people=self.wish.people, pace=pace)

    def _by_neyman(self) -> int | None:
        if self.wish.labels is not None or self.short:
            return None
        return labels_needed(
            self.grounds.strata,
            self.wish.within,
            slices=self.grounds.slices,
            assume=self.assume,
            floor=FLOOR,
            least=self.least,
        ).total

    def _command(self, labels: int, contexts: int) -> str:
        columns = self.grounds.columns
        options = [f"--size {labels}"]
        options += [f"--contexts {contexts}"] if self.grounds.contexts else []
        options += [f"--strata {','.join(columns)}"] if columns else []
        neyman = self.wish.allocation == "neyman"
        options += [f"--judge {quote(self.grounds.judge_name or '')}"] if JUDGE in columns or neyman else []
        options += [f"--allocation {self.wish.allocation}"] if self.wish.allocation != "proportional" else []
        options += [f"--for {self.wish.metric}"] if neyman else []
        options += [f"--overlap {self.wish.overlap:g}"] if self.wish.overlap != DRAW.overlap else []
        options += [f"--people {self.wish.people}"] if self.wish.people != DRAW.people else []
        return " ".join(["evidence-audit sample draw", *options])

    def _notes(self) -> list[str]:
        wish, whom = self.wish, "these annotators"
        if wish.rho:
            whom = f"annotators like these {wish.annotators} (rho {wish.rho:g})"
        notes = [f"for target {wish.target}, {wish.about} and {whom}, at {wish.level:.0%}"]
        if (wish.labels or 0) > self.size:
            notes.append(f"{self.size} labels, not {wish.labels}: there are no more responses")
        if self.assume.deff > 1:
            notes.append(
                f"{self.per_context:g} responses are read with one context, and the judge's errors on them are alike "
                f"({wish.context_rho:g}): variances are taken times {self.assume.deff:.2f}"
            )
        pace = wish.pace
        reading = f"{pace.read_context:g} s to read a context, " if self.grounds.contexts else ""
        notes.append(
            f"hours: {reading}{pace.read_response:g} s a response, {pace.label:g} s a label, {pace.passes} passes, "
            f"{wish.overlap:.0%} of the items by {wish.people} people"
        )
        return notes
