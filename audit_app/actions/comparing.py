"""Comparing models, prompts, conditions or judges on the same tasks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypedDict

import numpy as np

from audit_app.actions import ranking
from audit_app.actions.comparable import Question
from audit_app.actions.compared import JUDGE, Adjust, Compared, Comparison, Details, Order, Tested
from audit_app.actions.comparison_notes import disagreeing, notes
from audit_app.actions.correcting import Corrected
from audit_app.actions.labelled import find_judge
from audit_app.actions.pairing import Matched, Pair
from audit_app.actions.results import LEVEL
from audit_app.actions.scope import Scope
from audit_app.actions.seal import read_seal, require_results
from audit_app.language import _, joined
from data import frame as frames
from data.errors import StudyProblem
from data.records import LABELS
from data.store import items
from data.store.connection import Store, open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS
from metrics.estimate import Estimate
from metrics.mcnemar import mcnemar, tango
from metrics.multiple import benjamini_hochberg, holm
from metrics.paired import bootstrapped, clustered
from metrics.permutation import sign_flip

DRAWS = 9999
"""Sign flips drawn for a test; more where Holm's adjustment of a large family would leave nothing to find."""


def compare(study: Study, question: Question) -> Compared:
    """Differences between the values of one column: as people would have it, and as the judge has it.

    While results are sealed only the widths of intervals are given, as for `results.metrics`.

    Raises:
        StudyProblem: Fewer than two values, no shared tasks, nothing judged where the judge's word is asked for,
            nothing drawn where corrected differences are, no metric that the study can have, or as for
            `Question.check`.
    """
    require_results(study)
    question.check()
    frame = frames.open_frame(study)
    who = None if question.by == JUDGE else find_judge(frame, question.judge)
    matched = Matched.of(frame, question.by, who, question.within)
    pairs = _pairs(question, matched)
    with open_store(study) as store:
        seal = read_seal(store)
        # Trying floors and levels until one refuses would tell how many labels count, which is a result.
        question = question if seal.is_open else replace(question, floor=FLOOR, level=LEVEL)
        people = _people(study, store, frame, question, list(matched.sizes) if question.by == JUDGE else [who])
    without = _without_naive(question, matched, pairs, who, alone=question.method == "naive" or not people)
    scope = Scope.of(study, next(iter(people.values())).human if people else dict.fromkeys(LABELS, np.zeros(0)))
    names = [name for name in question.names if scope.allows(name)]
    if not names:
        raise StudyProblem(_("nothing to compare. {left_out}").format(left_out=scope.left_out(question.names)))
    naive = question.method != "corrected" and without is None
    found = _adjusted(question.adjust, list(_comparisons(question, matched, pairs, names, people, who, naive=naive)))
    of_judges = question.by == JUDGE and seal.is_open
    numbers = list(_under_judges(question, people, names)) if of_judges else []
    # Whether p and interval disagree tells where a difference lies.
    known = [scope.left_out(question.names), without, disagreeing(question, found) if seal.is_open else None]
    said = notes(question, found, known, drawn=bool(people))
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
        orders=tuple(_orders(question, matched, pairs, numbers, names) if of_judges else ()),
        notes=tuple(said),
    )


def _people(
    study: Study, store: Store, frame: frames.Frame, question: Question, judges: Sequence[str | None]
) -> dict[str | None, Corrected]:
    """People's labels beside each judge's; nothing when they are not asked for, or not insisted on and not drawn."""
    if question.method == "naive" or (question.method is None and not items.samples(store)):
        return {}
    return {
        judge: Corrected.of(
            study,
            store,
            frame,
            judge,
            question.options,
            (question.by, *question.within),
            sample_id=question.sample_id,
            grounding=question.grounding,
        )
        for judge in judges
    }


def _without_naive(
    question: Question, matched: Matched, pairs: Sequence[Pair], who: str | None, *, alone: bool
) -> str | None:
    """Why there is no naive difference; None where there is, or none is asked for.

    Raises:
        StudyProblem: There is none, and no other kind of difference either.
    """
    if question.method == "corrected":
        return None
    if who is None and question.by != JUDGE:
        why = _("No verdicts are imported, so there is no naive difference; `evidence-audit import verdicts FILE`.")
    elif not any(matched.size(pair) for pair in pairs):
        why = _nothing_shared(question)
    else:
        return None
    if alone:
        raise StudyProblem(why)
    return why


def _pairs(question: Question, matched: Matched) -> list[Pair]:
    """The two values of every comparison.

    Raises:
        StudyProblem: There are fewer than two values, or none is the one to compare against.
    """
    values, against = list(matched.sizes), question.against
    where = "".join(
        _(" within {column} = {value!r}").format(column=_(column), value=value)
        for column, value in question.within.items()
    )
    if len(values) < 2:
        has = _("only {by} {value!r}").format(by=_(question.by), value=values[0]) if values else _("no response")
        raise StudyProblem(
            _("nothing to compare: there is {has}{where}; a comparison needs two values of one column").format(
                has=has, where=where
            )
        )
    if against is None:
        return list(combinations(values, 2))
    if against not in values:
        raise StudyProblem(
            _("no {by} {against!r}{where}; there are {values}").format(
                by=_(question.by), against=against, where=where, values=", ".join(map(repr, values))
            )
        )
    return [(value, against) for value in values if value != against]


def _nothing_shared(question: Question) -> str:
    same = _("response") if question.by == JUDGE else joined(
        [_("task"), *(_(column) for column in frames.SLICES if column != question.by)]
    )  # fmt: skip
    return _(
        "No two values of {by} share a {same}, or several responses do and cannot be told apart: "
        "there is no naive difference; corrected ones need no pairs, but labels on a sample."
    ).format(by=_(question.by), same=same)


def _comparisons(
    question: Question,
    matched: Matched,
    pairs: Sequence[Pair],
    names: Sequence[str],
    people: Mapping[str | None, Corrected],
    who: str | None,
    *,
    naive: bool,
) -> Iterator[Comparison]:
    family = len(names) * len(pairs)
    for name in names:
        for pair in pairs:
            yield Comparison(
                metric=name,
                first=pair[0],
                second=pair[1],
                corrected=_corrected(question, people, who, name, pair) if people else None,
                **(_naive(question, matched, name, pair, family) if naive else NO_NAIVE),
                n_pairs=matched.size(pair),
                n_unmatched=matched.unmatched(pair),
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
