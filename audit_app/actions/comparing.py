"""Comparing models, prompts, conditions or judges on the same tasks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import TypedDict

import numpy as np

from audit_app.actions import ranking
from audit_app.actions.compared import JUDGE, Adjust, Compared, Comparison, Details, Order, Tested, Way
from audit_app.actions.correcting import Corrected
from audit_app.actions.labelled import Grounding, find_judge
from audit_app.actions.pairing import Matched, Pair
from audit_app.actions.results import HEADLINE
from audit_app.actions.scope import Scope
from audit_app.actions.seal import read_seal
from data import frame as frames
from data.errors import StudyProblem
from data.records import LABELS
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS, WARRANTS
from metrics.estimate import About, Estimate
from metrics.mcnemar import mcnemar, tango
from metrics.multiple import benjamini_hochberg, holm
from metrics.paired import bootstrapped, clustered
from metrics.permutation import sign_flip
from metrics.table import Options

COLUMNS = (*frames.SLICES, JUDGE)
"""What can be compared."""

NAMES = tuple(name for name in METRICS if name not in WARRANTS)
"""The metrics that can be compared."""

DRAWS = 9999
"""Sign flips drawn for a test; more where Holm's adjustment of a large family would leave nothing to find."""


def values_of(study: Study) -> dict[str, tuple[str, ...]]:
    """The columns that can be compared in a study, those with two values or more, and their values by name."""
    return _values(frames.open_frame(study))


@lru_cache(maxsize=8)
def _values(frame: frames.Frame) -> dict[str, tuple[str, ...]]:
    counts = frames.pattern_counts(frame, None, frames.SLICES)
    found = {name: sorted(set(counts[name])) for name in frames.SLICES} | {JUDGE: frames.judges(frame)}
    return {name: tuple(values) for name, values in found.items() if len(values) > 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is compared, and how; every choice but `by` has a default."""

    by: str
    """One of `COLUMNS`."""
    names: Sequence[str] = HEADLINE
    against: str | None = None
    """Compare every other value with this one; None for every pair."""
    within: Mapping[str, str] = field(default_factory=dict)
    """Columns and the value that responses must have."""
    method: Way | None = None
    """None for both kinds of difference."""
    adjust: Adjust = "holm"
    population: About = "such tasks"
    judge: str | None = None
    sample_id: str | None = None
    grounding: Grounding = "strict"
    level: float = 0.95
    floor: int = FLOOR
    details: bool = False
    seed: int = 1
    """Of permutations and resamples."""

    @property
    def options(self) -> Options:
        """The same for the table of metrics."""
        return Options(target="A", methods=("naive", "corrected"), level=self.level, floor=self.floor,
                       about=self.population)  # fmt: skip

    def check(self) -> None:
        """Refuses what cannot be asked.

        Raises:
            StudyProblem: An unknown column or metric, a restriction on the column that is compared, or one judge
                where judges are compared.
        """
        if self.by not in COLUMNS:
            raise StudyProblem(f"unknown column {self.by!r}; compare by one of {', '.join(COLUMNS)}")
        for column in self.within:
            if column not in frames.SLICES or column == self.by:
                allowed = ", ".join(name for name in frames.SLICES if name != self.by)
                raise StudyProblem(f"a comparison by {self.by} cannot be within {column!r}; use one of {allowed}")
        unknown = [name for name in self.names if name not in NAMES]
        if unknown:
            raise StudyProblem(f"unknown metric {unknown[0]!r}; expected some of {', '.join(NAMES)}")
        if self.by == JUDGE and self.judge is not None:
            raise StudyProblem("all judges are compared; name one with `--against` to compare the others with it")


def compare(study: Study, question: Question) -> Compared:
    """Differences between the values of one column: as people would have it, and as the judge has it.

    While results are sealed only the widths of intervals are given, as for `results.metrics`.

    Raises:
        StudyProblem: Fewer than two values, no shared tasks, nothing judged where the judge's word is asked for,
            nothing drawn where corrected differences are, or as for `Question.check`.
    """
    question.check()
    frame = frames.open_frame(study)
    who = None if question.by == JUDGE else find_judge(frame, question.judge)
    matched = Matched.of(frame, question.by, who, question.within)
    pairs = _pairs(question, matched)
    naive = question.method != "corrected" and (who is not None or question.by == JUDGE)
    if question.method == "naive" and not naive:
        raise StudyProblem("no verdicts are imported; bring them in with `evidence-audit import verdicts FILE`")
    if naive and not any(matched.size(pair) for pair in pairs):
        raise StudyProblem(_nothing_shared(question))
    with open_store(study) as store:
        seal = read_seal(store)
        asked = question.method == "corrected" or (question.method is None and bool(items.samples(store)))
        judges = list(matched.sizes) if question.by == JUDGE else [who]
        people = {
            judge: Corrected.of(study, store, frame, judge, question.options, (question.by, *question.within),
                                sample_id=question.sample_id, grounding=question.grounding)
            for judge in judges if asked
        }  # fmt: skip
    human = next(iter(people.values())).human if people else dict.fromkeys(LABELS, np.zeros(0))
    scope = Scope.of(study, human)
    names = [name for name in question.names if scope.allows(name)]
    found = _adjusted(
        question.adjust,
        [
            Comparison(
                metric=name,
                first=pair[0],
                second=pair[1],
                corrected=_corrected(question, people, who, name, pair) if people else None,
                **(_naive(question, matched, name, pair, len(names) * len(pairs)) if naive else NO_NAIVE),
                n_pairs=matched.size(pair),
                n_unmatched=matched.unmatched(pair),
            )
            for name in names
            for pair in pairs
        ],
    )
    numbers = list(_under_judges(question, people, names)) if question.by == JUDGE and seal.is_open else []
    return Compared(
        by=question.by,
        within=dict(question.within),
        judge=who,
        population=question.population,
        adjust=question.adjust,
        level=question.level,
        seal=seal,
        comparisons=tuple(found if seal.is_open else [one.sealed() for one in found]),
        under_judges=tuple((judge, e) for judge, e in numbers if set(e.slice) == set(question.within)),
        orders=tuple(
            _orders(question, matched, pairs, numbers, names) if question.by == JUDGE and seal.is_open else ()
        ),
        notes=tuple(_notes(question, found, scope.left_out(question.names), drawn=bool(people), naive=naive)),
    )


def _pairs(question: Question, matched: Matched) -> list[Pair]:
    """The two values of every comparison.

    Raises:
        StudyProblem: There are fewer than two values, or none is the one to compare against.
    """
    values, against = list(matched.sizes), question.against
    where = "".join(f" within {column} = {value!r}" for column, value in question.within.items())
    if len(values) < 2:
        has = f"only {question.by} {values[0]!r}" if values else "no response"
        raise StudyProblem(f"nothing to compare: there is {has}{where}; a comparison needs two values of one column")
    if against is None:
        return list(combinations(values, 2))
    if against not in values:
        raise StudyProblem(f"no {question.by} {against!r}{where}; there are {', '.join(map(repr, values))}")
    return [(value, against) for value in values if value != against]


def _nothing_shared(question: Question) -> str:
    same = "response" if question.by == JUDGE else ", ".join(
        ["task", *(column for column in frames.SLICES if column != question.by)]
    )  # fmt: skip
    return (
        f"no two values of {question.by} share a {same}, or several responses do and cannot be told apart; "
        "`--method corrected` compares without pairs"
    )


def _corrected(
    question: Question, people: Mapping[str | None, Corrected], who: str | None, name: str, pair: Pair
) -> Tested:
    if question.by == JUDGE:
        # Both estimate what people would say: there is nothing to test.
        found = people[pair[0]].less(people[pair[1]], name, (question.within, question.within))
        return Tested(difference=replace(found, p=None), p=None)
    first, second = ({question.by: value, **question.within} for value in pair)
    found = people[who].less(people[who], name, (first, second))
    return Tested(difference=found, p=found.p)


class _Naive(TypedDict):
    naive: Tested | None
    details: Details | None


NO_NAIVE: _Naive = {"naive": None, "details": None}


def _naive(question: Question, matched: Matched, name: str, pair: Pair, family: int) -> _Naive:
    """The judge's word on the matched responses; the details only where they are asked for."""
    pairs = matched.pairs(METRICS[name], pair)
    flips = sign_flip(pairs, seed=question.seed, draws=max(DRAWS, 40 * family - 1))
    tested = Tested(difference=clustered(pairs, level=question.level), p=flips.p)
    if not question.details:
        return {"naive": tested, "details": None}
    discordant = matched.discordant(METRICS[name], pair)
    details = Details(
        bootstrap=bootstrapped(pairs, seed=question.seed, level=question.level),
        flips=flips,
        discordant=discordant,
        mcnemar=mcnemar(discordant) if discordant else None,
        tango=tango(discordant, level=question.level) if discordant else None,
    )
    return {"naive": tested, "details": details}


def _adjusted(adjust: Adjust, found: list[Comparison]) -> list[Comparison]:
    """P values adjusted for all comparisons of one kind."""
    ways = []
    for tests in ([one.corrected for one in found], [one.naive for one in found]):
        p = [None if test is None else test.p for test in tests]
        adjusted = holm(p) if adjust == "holm" else benjamini_hochberg(p) if adjust == "bh" else p
        ways.append([test and replace(test, p_adjusted=p) for test, p in zip(tests, adjusted, strict=True)])
    return [replace(one, corrected=c, naive=n) for one, c, n in zip(found, *ways, strict=True)]


def _under_judges(
    question: Question, people: Mapping[str | None, Corrected], names: Sequence[str]
) -> Iterator[tuple[str, Estimate]]:
    """Every metric under every judge, naive and corrected, on all responses and by model."""
    for judge, corrected in people.items():
        for estimate in corrected.estimates(names, question.within):
            yield judge or "", estimate


def _orders(
    question: Question,
    matched: Matched,
    pairs: Sequence[Pair],
    numbers: Sequence[tuple[str, Estimate]],
    names: Sequence[str],
) -> Iterator[Order]:
    for name in names:
        found = [
            ranking.between_judges(matched, name, pair, seed=question.seed, level=question.level) for pair in pairs
        ]
        found += [
            ranking.beside_people(judge, name, [e for whose, e in numbers if whose == judge]) for judge in matched.sizes
        ]
        yield from (order for order in found if order is not None)


def _notes(
    question: Question, found: Sequence[Comparison], left_out: str | None, *, drawn: bool, naive: bool
) -> Iterator[str]:
    """What is missing or was left out."""
    if left_out:
        yield left_out
    if question.method is None and not drawn:
        yield "Nothing is drawn yet, so there is no corrected difference: this is the judge's word alone."
    if question.method is None and not naive:
        yield "No verdicts are imported, so there is no naive difference: people's labels stand alone."
    refused = sum(one.corrected is not None and one.corrected.difference.value is None for one in found)
    if refused:
        yield f"{refused} of {len(found)} corrected differences are refused or undefined; the table says why."
    most = max((one.n_unmatched for one in found), default=0)
    if naive and most:
        yield f"Up to {most} responses of a comparison have no partner and are left out of its naive difference."
    if question.by == JUDGE and drawn:
        yield "The corrected numbers rest on the same labels of people under every judge: they should agree."
