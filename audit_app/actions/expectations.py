"""What a plan expects of a study: its strata, how often the metric's event is in each, and how the judge errs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit_app.actions.allocation import Allocator, allocator, context_sizes
from audit_app.actions.draw_plan import JUDGE, Plan
from audit_app.actions.labelled import labelled
from audit_app.actions.population import Population, read_population
from audit_app.actions.registration import judge_of
from audit_app.actions.seal import require_open, require_results
from data import frame as frames
from data.errors import StudyProblem
from data.leak_scores import leak_scores
from data.records import LABELS
from data.store.connection import open_store
from data.study import Study
from metrics.definitions import Metric
from metrics.patterns import decode
from sampling.allocation import proportional
from sampling.expected import Expected

Floats = NDArray[np.float64]
Sharing = Callable[[int, int], Mapping[str, int]]

SENSITIVITY, SPECIFICITY = 0.85, 0.95
"""Of the judge, when nobody says otherwise."""

WIDEST = 0.5
"""The rate at which a share is the most uncertain: taken where nothing is known."""

FEWEST = 5
"""Labels of either kind with which a sensitivity or a specificity says anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """How a judge is expected to err, and how often people count what it does and does not count."""

    sensitivity: float
    specificity: float
    of_counted: tuple[float, float] = (1.0, 1.0)
    """Share that people count of what the judge counts, in the numerator and in the denominator."""
    of_others: tuple[float, float] = (0.0, 0.0)
    """Share that people count of what the judge does not count. By default people count as often as the judge."""
    source: str
    """Where the numbers are from, for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a plan rests on."""

    strata: Mapping[str, Expected]
    slices: Mapping[str, str]
    """Slice of every stratum."""
    columns: tuple[str, ...]
    """The strata columns."""
    judge_name: str | None = None
    contexts: Mapping[str, int]
    """Contexts in every context stratum; empty where there are none."""
    sharing: Sharing
    """What the draw does with a total of responses and a number of contexts."""
    settings: int
    """Responses to a context that the settings (model, prompt) bring."""
    parts: int
    """Slices among which the responses to one context are divided."""
    notes: tuple[str, ...]


def without_study(
    population: int, slices: int, *, rate: float, denominator: float, judge: Judge, metric: str, per_context: int
) -> Grounds:
    """Slices of the same size and rate, each one stratum, whose responses are to the same contexts."""
    one = Expected(
        stratum_size=population,
        rate=rate,
        sensitivity=judge.sensitivity,
        specificity=judge.specificity,
        in_denominator=denominator,
    )
    names = [f"slice {number}" for number in range(1, slices + 1)] if slices > 1 else ["all responses"]
    sizes = dict.fromkeys(names, population)
    among = f" of the {denominator:.0%} in the denominator" if denominator < 1 else ""
    return Grounds(
        strata=dict.fromkeys(names, one),
        slices={name: name for name in names},
        columns=(),
        contexts={"all": ceil(population * slices / per_context)},
        sharing=lambda total, contexts: proportional(sizes, total),
        settings=1,
        parts=slices,
        notes=(f"{metric} is expected to be {rate:.1%}{among} in every slice", judge.source),
    )


def of_study(
    study: Study,
    metric: Metric,
    *,
    by: Sequence[str],
    draw: Plan,
    judge_name: str | None,
    judge: Judge,
    rate: float | None,
    denominator: float,
) -> Grounds:
    """The strata of a study's frame, and what its judge's labels let expect of them.

    Args:
        study: With responses imported.
        metric: Planned for.
        by: Slice columns; all of them are among the strata columns.
        draw: Strata columns and allocation.
        judge_name: Whose labels; None when nothing was judged.
        judge: Its expected errors.
        rate: Share that people count, for all strata alike; None to go by the judge's labels.
        denominator: Share of the responses in the denominator, where nothing was judged.

    Raises:
        StudyProblem: There are no responses, or the strata and the allocation do not fit the study.
    """
    frame = frames.open_frame(study)
    labels = [name for name in LABELS if name in study.rubric.names("response")]
    population = read_population(frame, draw, scores=partial(leak_scores, study), labels=labels)
    if not population.responses:
        raise StudyProblem("no responses are imported; bring them in with `evidence-audit import responses FILE`, or "
                           "plan from numbers alone with --population 4950 --rate 0.1")  # fmt: skip
    with open_store(study) as store:
        rule = allocator(study, store, frame, population, draw)
    stratum = {response.item_id: response.stratum for response in population.responses}
    rows = frames.judged_rows(frame, judge_name, list(stratum))
    rows["stratum"] = [stratum[item] for item in rows["response_id"]]
    rows["slice"] = [" · ".join(v or "(none)" for v in values) or "all responses" for values in _values(rows, by)]
    within = [column for column in by if column in ("model", "prompt", "run")]
    told = _told(metric, judge_name, judge, rate)
    if judge_name is None:
        judge = replace(judge, sensitivity=WIDEST, specificity=WIDEST)
    return Grounds(
        strata=_expected(rows, metric, judge, rate, denominator, by_judge=JUDGE in population.columns),
        slices=dict(zip(rows["stratum"], rows["slice"], strict=True)),
        columns=population.columns,
        judge_name=judge_name,
        contexts=population.sizes("context"),
        sharing=_sharing(population, draw, rule),
        settings=population.settings,
        parts=len(rows[within].drop_duplicates()) if within else 1,
        notes=(*population.notes, *told),
    )


def _sharing(population: Population, draw: Plan, rule: Allocator) -> Sharing:
    """What the draw does with a total and a number of contexts: it shares what the drawn contexts hold."""
    sizes, places = population.sizes("response"), population.sizes("context")
    of_context = {context.item_id: context.stratum for context in population.contexts}
    place = {response.stratum: of_context.get(response.cluster or "", "") for response in population.responses}

    def share(total: int, contexts: int) -> Mapping[str, int]:
        there = sizes
        if population.linked:
            drawn = context_sizes(population, replace(draw, size=total, contexts=contexts), rule, {})
            there = {name: max(1, size * drawn[place[name]] // places[place[name]]) for name, size in sizes.items()}
        return rule(there, min(total, sum(there.values())), floor=draw.floor, at_least=None)

    return share


def _values(rows: pd.DataFrame, columns: Sequence[str]) -> list[tuple[str, ...]]:
    return frames.pick(rows, columns) if columns else [()] * len(rows)


def _told(metric: Metric, name: str | None, judge: Judge, rate: float | None) -> list[str]:
    if name is None:
        level = f"a rate of {rate:.1%}" if rate is not None else "the widest case, a rate of 50 % (give --rate)"
        return [f"no verdicts are imported: planned for people's labels alone and {level}"]
    how = f"{metric.name} is expected to be as often as judge {name} says, stratum by stratum"
    if judge.of_counted != (1, 1):
        how = f"{metric.name} is expected to be as often as judge {name} says, corrected by people's labels"
    return [how if rate is None else f"{metric.name} is expected to be {rate:.1%}", judge.source]


def _expected(
    rows: pd.DataFrame, metric: Metric, judge: Judge, rate: float | None, denominator: float, *, by_judge: bool
) -> dict[str, Expected]:
    num, den = metric.terms(*(rows[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in ("C", "A", "G", "D")))
    everywhere = _shares(num, den, judge) or (WIDEST, denominator)
    if rate is not None:
        everywhere = rate, everywhere[1]
    found = {}
    for stratum, places in rows.groupby("stratum").indices.items():
        size = len(places)
        if by_judge:
            found[str(stratum)] = _given_its_word(size, num[places[0]], den[places[0]], everywhere, judge)
            continue
        own = _shares(num[places], den[places], judge) or everywhere
        found[str(stratum)] = Expected(
            stratum_size=size,
            rate=own[0] if rate is None else rate,
            sensitivity=judge.sensitivity,
            specificity=judge.specificity,
            in_denominator=own[1],
        )
    return found


def _shares(num: Floats, den: Floats, judge: Judge) -> tuple[float, float] | None:
    """Rate among the denominator and share in it, as people are expected to count; None without a usable label."""
    usable = ~np.isnan(den)
    if not usable.any():
        return None
    said_num, said_den = (float(terms[usable].mean()) for terms in (num, den))
    counted_num, counted_den = (
        share * counted + (1 - share) * others
        for share, counted, others in zip((said_num, said_den), judge.of_counted, judge.of_others, strict=True)
    )
    return min(1.0, counted_num / counted_den) if counted_den else 0.0, counted_den


def _given_its_word(size: int, num: float, den: float, everywhere: tuple[float, float], judge: Judge) -> Expected:
    """A stratum in which the judge says the same of every response: Bayes' rule on what it says everywhere.

    Its word predicts the stratum and nothing within it, hence sensitivity 1 and specificity 0 there.
    """
    rate, inside = everywhere
    kinds = np.array([inside * rate, inside * (1 - rate), 1 - inside])
    # Where everything is in the denominator, the judge's word on that says nothing.
    words = [] if np.isnan(den) else [(num, [1, 0, 0])] if inside == 1 else [(num, [1, 0, 0]), (den, [1, 1, 0])]
    for word, truth in words:
        yes = np.where(np.array(truth) == 1, judge.sensitivity, 1 - judge.specificity)
        likely = kinds * (yes if word else 1 - yes)
        kinds = likely if likely.sum() else kinds
    kinds = kinds / kinds.sum()
    counts = kinds[0] + kinds[1]
    return Expected(
        stratum_size=size,
        rate=float(kinds[0] / counts) if counts else 0.0,
        sensitivity=1.0,
        specificity=0.0,
        in_denominator=float(min(1.0, counts)),
    )


def measured(study: Study, metric: Metric, *, sample_id: str | None, judge: str | None) -> Judge:
    """The judge's errors on the metric's numerator and denominator as people's labels of a sample show them.

    Raises:
        StudyProblem: Results are sealed, nothing was judged, or the labels hold too few of either kind to tell.
    """
    require_results(study)
    frame = frames.open_frame(study)
    with open_store(study) as store:
        require_open(store)
        rows = labelled(study, store, frame, sample_id=sample_id, judge=judge_of(study, frame, judge))
    people = rows.rows()
    human = metric.terms(people.C, people.A, people.G, people.D)
    said_terms = metric.terms(*decode(people.code))
    usable = ~(np.isnan(human[1]) | np.isnan(said_terms[1]))
    weight = rows.design(usable).weight if usable.any() else np.zeros(0)
    (num, den), (said_num, said_den) = (tuple(term[usable] for term in terms) for terms in (human, said_terms))
    n, n_yes = int(usable.sum()), int(num.sum())
    if min(n_yes, n - n_yes) < FEWEST:
        raise StudyProblem(
            f"sample {rows.sample['sample_id']!r} has {n} labelled responses, {n_yes} of them in the numerator of "
            f"{metric.name}: {FEWEST} in it and {FEWEST} outside are needed to measure the judge; "
            "give --sensitivity and --specificity instead of --from-sample"
        )
    return Judge(
        sensitivity=_share(said_num, num == 1, weight),
        specificity=1 - _share(said_num, num == 0, weight),
        of_counted=(_share(num, said_num == 1, weight), _share(den, said_den == 1, weight)),
        of_others=(_share(num, said_num == 0, weight), _share(den, said_den == 0, weight)),
        source=f"the judge's errors are those on {n} labelled responses of sample {rows.sample['sample_id']}",
    )


def _share(values: Floats, where: NDArray[np.bool_], weight: Floats) -> float:
    total = weight[where].sum()
    return float(weight[where] @ values[where] / total) if total else 0.0
