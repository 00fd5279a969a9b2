"""The six diagnostics of the responses and the three stages they make up: as the judge and as people score them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from audit_app.actions.askable import can_adjudicate, can_borrow, can_divide, count_tasks, known
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.labelled import Labelled, labelled
from audit_app.actions.metrics_result import CONTEXTS, WHO, lent, scope_of
from audit_app.actions.registration import judge_of
from audit_app.actions.results import LEVEL
from audit_app.actions.seal import Seal, read_seal, require_results
from audit_app.actions.withholding import require_random_queue
from data import frame as frames
from data.errors import StudyProblem
from data.records import DIAGNOSTICS
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.diagnostics import SCALES, TOP, answers, means
from metrics.estimate import About, Annotators, Contexts, Estimate, Target
from metrics.patterns import encode
from metrics.rows import JudgedRows, Slice, slices_by
from metrics.share import Share
from metrics.table import METHODS, Average, Options, columns_of

NONE_DRAWN = "none were drawn for people (evidence-audit sample draw --diagnostics 0.2)"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsResult:
    """The mean of every diagnostic and stage, from 0 to 2."""

    n_drawn: int
    """Responses of the random subsample of which people are asked the diagnostics."""
    n_judged: int
    """Responses with any diagnostic of the judge."""
    n_frame: int
    n_tasks: int | None
    """Tasks that these are a sample of "such tasks" by; None when the intervals are for these responses."""
    options: Options
    """How the means were made."""
    seal: Seal
    estimates: tuple[DetailedEstimate, ...]
    of_annotators: tuple[str, ...]
    """What numbers for annotators like these take for granted; empty for these annotators."""

    @property
    def sentence(self) -> str:
        """What the means rest on, and for whom they hold."""
        if not self.n_drawn and not self.n_judged:
            return f"There are no diagnostics: the judge gave none, and {NONE_DRAWN}."
        what = "Diagnostics are means from 0 to 2, a stage is the mean of its two"
        judge = f"the judge scored {self.n_judged} responses" if self.n_judged else "the judge scored none"
        if not self.n_drawn:
            return f"{what}; {judge}, {NONE_DRAWN}."
        options = self.options
        people = f"people are asked for {self.n_drawn} drawn ones (target {options.target}: {WHO[options.target]})"
        made = [f"for {scope_of(self.n_frame, self.n_tasks, options.annotators)}"]
        made += [CONTEXTS[options.contexts]] if options.contexts != "all" else []
        made += [f"means over {options.average}"] if options.average != "pooled" else []
        return f"{what}; {judge}, {people}; {'; '.join(made)}."

    @property
    def remarks(self) -> list[str]:
        """What else has to be said of the means, in sentences."""
        borrowed = lent(self.estimates, self.options.borrow or ())
        return [*([borrowed] if borrowed else []), *self.of_annotators]


def diagnostics(
    study: Study,
    *,
    sample_id: str | None = None,
    judge: str | None = None,
    by: Sequence[str] = (),
    target: Target = "A",
    about: About = "these responses",
    annotators: Annotators = "these annotators",
    contexts: Contexts = "all",
    average: Average = "pooled",
    borrow: Sequence[str] = (),
    level: float = LEVEL,
    floor: int = FLOOR,
) -> DiagnosticsResult:
    """The diagnostics and stages, naive on all responses; human-only and corrected where they were drawn for people.

    Options, and what is withheld while results are sealed, are those of `results.metrics`.

    Raises:
        StudyProblem: Nothing is drawn or imported, a name is unknown, there is no overlap to adjudicate, the slices
            leave nobody to borrow from, or contexts matter and results are sealed or no context of a response that
            was drawn for diagnostics is audited.
        Withheld: For target B, while what is decided is no random share.
    """
    require_results(study)
    known(by, frames.SLICES, "slice column")
    can_borrow(by, borrow)
    frame = frames.open_frame(study)
    who = judge_of(study, frame, judge)
    with open_store(study) as store:
        if target == "B":
            require_random_queue(store, study)
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who)
        chosen = items.subsample(store, rows.sample["sample_id"], "diagnostics")
        seal = read_seal(store)
    can_adjudicate(rows, target)
    rows = rows.only(np.array([("response", draw["item_id"]) in chosen for draw in rows.draws], dtype=bool))
    if chosen:
        _can_divide(rows, contexts, seal)
    options = Options(
        target=target, about=about, annotators=annotators, contexts=contexts, average=average,
        borrow=tuple(borrow) or None, level=level if seal.is_open else LEVEL, floor=floor if seal.is_open else FLOOR,
    )  # fmt: skip
    columns = list(dict.fromkeys([*by, *columns_of(options)]))
    counts = frames.pattern_counts(frame, who, columns, DIAGNOSTICS)
    judged = counts[list(DIAGNOSTICS)].notna().any(axis=1)
    methods = tuple(method for method in METHODS if (judged.any() if method == "naive" else chosen))
    population = _population(counts, columns, ())
    places: list[Slice] = [{}, *slices_by(population, by)] if by else [{}]
    way = replace(options, methods=methods)
    found = [one for name in SCALES for one in _of_scale(name, rows, counts, columns, places, way)] if methods else []
    return DiagnosticsResult(
        n_drawn=len(chosen),
        n_judged=int(counts["n"][judged].sum()),
        n_frame=int(counts["n"].sum()),
        n_tasks=count_tasks(population, options),
        options=options,
        seal=seal,
        estimates=tuple(found if seal.is_open else (estimate.sealed() for estimate in found)),
        of_annotators=tuple(rows.people.remarks if annotators == "annotators like these" and chosen else ()),
    )


def _can_divide(rows: Labelled, contexts: Contexts, seal: Seal) -> None:
    if contexts != "all" and seal.is_open and np.isnan(rows.valid).all():
        raise StudyProblem(
            f"--diagnostics with --contexts {contexts}: no context of a response that people were asked the "
            "diagnostics of is audited yet; audit these contexts first, or leave one of the two options out"
        )
    can_divide(rows, contexts, seal)


def _population(counts: pd.DataFrame, columns: Sequence[str], parts: Collection[str]) -> JudgedRows:
    """The frame, its pattern that of some of the judge's diagnostics."""
    scores = [counts[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in parts]
    return JudgedRows(
        columns={name: counts[name].tolist() for name in columns},
        code=encode(*answers(scores)) if scores else np.zeros(len(counts), dtype=np.int64),
        count=counts["n"].to_numpy(dtype=np.int64),
    )


def _of_scale(
    name: str,
    rows: Labelled,
    counts: pd.DataFrame,
    columns: Sequence[str],
    places: Sequence[Slice],
    options: Options,
) -> Iterator[DetailedEstimate]:
    """One scale by every slice and method; rows of which a score is still owed are left out."""
    people, judged = rows.scores(SCALES[name], target=options.target), _population(counts, columns, SCALES[name])
    for estimate, share in means(name, judged, people, slices=places, options=options):
        yield _detailed(estimate, share, options)


def _detailed(estimate: Estimate, share: Share, options: Options) -> DetailedEstimate:
    about = ("metric", "slice", "method", "target", "population", "annotators", "contexts", "level")
    return DetailedEstimate.of_mean(
        share, scale=TOP, average=options.average, **{name: getattr(estimate, name) for name in about}
    )
