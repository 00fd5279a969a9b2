"""What the plan's people said of the items of a sample, label by label, as arrays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from agreement.drift import minutes_into_sitting
from audit_app.actions.design import design_of
from audit_app.actions.label_table import LabelTable, label_table
from audit_app.actions.overlap_design import OverlapDesign
from audit_app.actions.people import shown_names
from audit_app.actions.seal import Seal, read_seal, require_open, require_results
from audit_app.actions.split import Split, tasks_of
from data.errors import StudyProblem
from data.frame import SLICES
from data.questions import Question
from data.store import events, items, people
from data.store.connection import open_store
from data.study import Study

MINUTE = 60.0
"""Seconds; times of one person that all lie within one say when a file came in, not when its labels were given."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Planned:
    """Everything that was answered to the items of a sample."""

    sample: Mapping[str, Any]
    seal: Seal
    names: dict[str, str]
    """What everybody whose labels were planned is called, by person_id; without those who have no name."""
    questions: tuple[Question, ...]
    """The questions of the rubric that have one answer."""
    draws: Mapping[str, list[dict[str, Any]]]
    """By kind of item."""
    _rows: list[dict[str, Any]]
    _slices: Mapping[tuple[str, str], Mapping[str, str | None]]

    def table(self, question: Question, within: Mapping[str, str] | None = None) -> LabelTable | None:
        """What people said on one label, of all items or of those in one slice; None when nobody gave it."""
        wanted = dict(within or {})
        rows = [row for row in self._rows if _belongs(row, question) and wanted.items() <= self.slice_of(row).items()]
        return label_table(question, rows)

    def slices(self, by: Sequence[str], *kinds: str) -> list[dict[str, str]]:
        """The slices by some columns in which there are answers to items of these kinds (of any), sorted.

        Raises:
            StudyProblem: A column is unknown.
        """
        unknown = [name for name in by if name not in SLICES]
        if unknown:
            raise StudyProblem(f"unknown slice column {unknown[0]!r}; expected some of {', '.join(SLICES)}")
        rows = [row for row in self._rows if by and row["item_kind"] in (kinds or ("response", "context"))]
        found = {tuple(self.slice_of(row)[name] for name in by) for row in rows}
        return [dict(zip(by, values, strict=True)) for values in sorted(found)]

    def slice_of(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The slice columns of an answer's item, missing as empty text."""
        return {name: value or "" for name, value in self._slices[row["item_kind"], row["item_id"]].items()}

    def overlap(self, question: Question, those: Collection[str] | None = None) -> OverlapDesign:
        """How the items with labels of two people, or these of them, stand for the population, all slices together."""
        kind = question.item_kind
        table, draws, linked = (
            self.table(question),
            self.draws[kind],
            kind == "response" and bool(self.sample["linked"]),
        )
        carrying = set(those or ())
        if those is None and table:
            carrying = set(np.array(table.items)[table.paired].tolist())
        usable = np.array([draw["item_id"] in carrying for draw in draws], dtype=bool)
        share = {draw["item_id"]: draw["inclusion_probability"] for draw in self.draws["context"]}
        first = [share[draw["context_id"]] if linked else 1.0 for draw in draws]
        design = design_of(
            draws,
            usable,
            columns=self.sample["strata" if kind == "response" else "context_strata"],
            linked=linked,
            first_fraction=np.array(first, dtype=np.float64),
        )
        ids = [draw["item_id"] for draw, use in zip(draws, usable, strict=True) if use]
        return OverlapDesign(row={item: i for i, item in enumerate(ids)}, design=design)


def read_planned(study: Study, sample_id: str | None, split: Split | None = None) -> Planned:
    """The answers to the items of a sample, or of one part of its tasks; those of dev are never sealed.

    Raises:
        StudyProblem: Nothing is drawn, results are sealed, or the sample has no such part.
    """
    require_results(study)
    with open_store(study) as store:
        sample = items.find_sample(store, sample_id)
        mine = tasks_of(sample, split)
        seal = read_seal(store) if split == "dev" else require_open(store)
        draws = {kind: items.draws(store, sample["sample_id"], kind) for kind in ("response", "context")}
        answers = [row for kind in draws for row in events.answers(store, kind)]
        everyone = people.everyone(store)
        slices = items.slices(store)
    drawn = {(kind, draw["item_id"]) for kind, those in draws.items() for draw in those}
    rows = [r for r in _timed(answers) if (r["item_kind"], r["item_id"]) in drawn and mine(r["task_id"])]
    planned = {row["person_id"] for row in rows if row["purpose"] == "plan"}
    return Planned(
        sample=sample,
        seal=seal,
        names={person: name for person, name in shown_names(everyone).items() if person in planned},
        questions=tuple(question for question in study.rubric.questions if question.kind == "choice"),
        draws=draws,
        _rows=rows,
        _slices=slices,
    )


def _belongs(row: Mapping[str, Any], question: Question) -> bool:
    """Whether a row is an answer to this question, or a skip of the pass in which it is asked."""
    if row["item_kind"] != question.item_kind or row["pass"] != question.pass_:
        return False
    return row["label"] is None or row["label"].split(".")[0] == question.name


def _timed(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The answers with the day on which and the minute into a sitting at which each was given, nan where unknown.

    Only planned answers have times: whatever else somebody did in between changes nothing.
    """
    planned = [row for row in rows if row["purpose"] == "plan"]
    given = [row["created_at"] for row in planned]
    moments = np.array([datetime.fromisoformat(at).timestamp() if at else np.nan for at in given], dtype=np.float64)
    minutes = np.full(len(planned), np.nan)
    who = np.array([row["person_id"] for row in planned], dtype=str)
    for person in np.unique(who):
        own = who == person
        known = moments[own][np.isfinite(moments[own])]
        if len(known) and np.ptp(known) < MINUTE:
            moments[own] = np.nan
        minutes[own] = minutes_into_sitting(moments[own])
    began = np.nanmin(moments) if np.isfinite(moments).any() else 0.0
    for row, day, minute in zip(planned, (moments - began) / 86_400, minutes, strict=True):
        yield {**row, "day": day, "minute": minute}
    yield from (row for row in rows if row["purpose"] != "plan")
