"""The six diagnostics of the responses and the three stages they make up: as the judge and as people score them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.labelled import Labelled, find_judge, labelled
from audit_app.actions.results import LEVEL
from audit_app.actions.seal import Seal, read_seal, require_results
from data import frame as frames
from data.records import DIAGNOSTICS
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.diagnostics import SCALES, TOP, corrected_mean, human_mean, judged_mean
from metrics.estimate import Method
from metrics.rows import Slice, inside
from metrics.share import Share
from metrics.table import METHODS

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsResult:
    """The mean of every diagnostic and stage, from 0 to 2."""

    n_drawn: int
    """Responses of the random subsample of which people are asked the diagnostics."""
    n_judged: int
    """Responses with any diagnostic of the judge."""
    seal: Seal
    estimates: tuple[DetailedEstimate, ...]

    @property
    def sentence(self) -> str:
        """What the means rest on."""
        if not self.n_drawn and not self.n_judged:
            return (
                "There are no diagnostics: the judge gave none, and none were drawn for people "
                "(evidence-audit sample draw --diagnostics 0.2)."
            )
        judge = f"the judge scored {self.n_judged} responses" if self.n_judged else "the judge scored none"
        people = (
            f"people are asked for {self.n_drawn} drawn ones (target A: what one of these annotators would say)"
            if self.n_drawn
            else "none were drawn for people (evidence-audit sample draw --diagnostics 0.2)"
        )
        return f"Diagnostics are means from 0 to 2, a stage is the mean of its two; {judge}, {people}."


def diagnostics(
    study: Study,
    *,
    sample_id: str | None = None,
    judge: str | None = None,
    by: Sequence[str] = (),
    level: float = LEVEL,
    floor: int = FLOOR,
) -> DiagnosticsResult:
    """The diagnostics and stages, naive on all responses; human-only and corrected where they were drawn for people.

    Raises:
        StudyProblem: Nothing is drawn or imported, or the judge is unknown.
    """
    require_results(study)
    frame = frames.open_frame(study)
    who = find_judge(frame, judge)
    with open_store(study) as store:
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who)
        chosen = items.subsample(store, rows.sample["sample_id"], "diagnostics")
        seal = read_seal(store)
    rows = rows.only(np.array([("response", draw["item_id"]) in chosen for draw in rows.draws], dtype=bool))
    counts = frames.pattern_counts(frame, who, list(by), DIAGNOSTICS)
    judged = counts[list(DIAGNOSTICS)].notna().any(axis=1)
    methods: list[Method] = [method for method in METHODS if (judged.any() if method == "naive" else chosen)]
    options = {"level": level, "floor": floor} if seal.is_open else {"level": LEVEL, "floor": FLOOR}
    found = [
        estimate
        for name in SCALES
        for place in _slices(counts, by)
        for estimate in _estimates(name, place, rows, counts, methods, options)
    ]
    return DiagnosticsResult(
        n_drawn=len(chosen),
        n_judged=int(counts["n"][judged].sum()),
        seal=seal,
        estimates=tuple(found if seal.is_open else (estimate.sealed() for estimate in found)),
    )


def _slices(counts: pd.DataFrame, by: Sequence[str]) -> list[dict[str, str]]:
    if not by:
        return [{}]
    values = counts[list(by)].drop_duplicates().sort_values(list(by))
    return [{}, *(dict(zip(by, row, strict=True)) for row in values.itertuples(index=False, name=None))]


def _estimates(
    name: str, place: Slice, rows: Labelled, counts: pd.DataFrame, methods: Sequence[Method], options: dict[str, Any]
) -> Iterator[DetailedEstimate]:
    """One scale on one slice, by every method; rows of which a score is still owed are left out."""
    parts = SCALES[name]
    there = inside({column: counts[column].tolist() for column in place}, place, counts["n"])
    frame, size = _scores({part: counts[part][there] for part in parts}), counts["n"][there].to_numpy()
    rows = rows.answered(parts)
    here = inside(rows.columns, place, rows.first_fraction)
    human, judge = _scores({p: rows.human[p] for p in parts}), _scores({p: rows.judge[p] for p in parts})
    for method in methods:
        share: Share
        if method == "naive":
            share = judged_mean(frame, size)
        elif method == "human-only":
            share = human_mean(human, here, rows.design, int(size.sum()), **options)
        else:
            share = corrected_mean(human, judge, here, rows.design, frame, size, **options)
        yield DetailedEstimate.of_mean(
            share,
            scale=TOP,
            metric=name,
            slice=dict(place),
            method=method,
            target=None if method == "naive" else "A",
            level=None if method == "naive" else options["level"],
        )


def _scores(columns: dict[str, Any]) -> Floats:
    values = np.array([pd.Series(column).to_numpy(dtype=np.float64, na_value=np.nan) for column in columns.values()])
    return values if len(columns) > 1 else values[0]
