"""What a sample is drawn from: the responses and contexts of the frame, and how they are stratified."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from audit_app.actions.labelled import find_judge
from data import frame as frames
from data.errors import StudyProblem
from data.records import LABELS
from sampling.draw import Candidate
from sampling.numbers import unit_key
from sampling.strata import stratum_name

FLOOR = 2
"""Fewest items per stratum: two are needed for a variance."""

JUDGE = "judge"
"""The stratum column that is no frame column: the labels that one judge gave, as a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The frame's responses and contexts, and how they are stratified."""

    responses: pd.DataFrame
    contexts: pd.DataFrame
    columns: tuple[str, ...]
    shared: bool
    """Whether settings are drawn on the same units (task, condition, run)."""
    linked: bool
    notes: tuple[str, ...]

    @property
    def context_columns(self) -> tuple[str, ...]:
        """The strata columns that a context has too."""
        return tuple(c for c in self.columns if c in ("condition", "regime"))

    def response_candidates(self) -> list[Candidate]:
        """Every response as something to draw."""
        return [
            Candidate(
                item_id=row["response_id"],
                stratum=stratum_name([row[c] for c in self.columns]),
                unit=unit_key(row["task_id"], row["condition"], row["run"]) if self.shared else row["response_id"],
                cluster=row["context_id"] or None,
            )
            for row in self.responses.to_dict("records")
        ]

    def context_candidates(self) -> list[Candidate]:
        """Every context as something to draw."""
        return [
            Candidate(
                item_id=row["context_id"],
                stratum=stratum_name([row[c] for c in self.context_columns]),
                unit=row["context_id"],
            )
            for row in self.contexts.to_dict("records")
        ]


def read_population(
    frame: frames.Frame,
    *,
    size: int | None,
    strata: tuple[str, ...] | None,
    judge: str | None = None,
    labels: Sequence[str] = LABELS,
) -> Population:
    """The frame, stratified.

    Args:
        frame: Everything that could be sampled.
        size: Responses wanted; None for all. Settles how many columns there is room for when none are named.
        strata: Frame columns, or `judge` for the labels of one judge; None for all frame columns that vary.
        judge: Whose labels; the first by name by default.
        labels: Which of that judge's labels: those that the rubric asks people for.

    Raises:
        StudyProblem: A stratum column is unknown, or `judge` is asked for and nothing was judged.
    """
    responses, contexts = frames.response_rows(frame), frames.context_rows(frame)
    known = (*frames.SLICES, JUDGE)
    unknown = [column for column in strata or () if column not in known]
    if unknown:
        raise StudyProblem(f"unknown stratum column {unknown[0]!r}; expected some of {', '.join(known)}")
    if not len(responses):
        return Population(responses=responses, contexts=contexts, columns=("condition", "regime"), shared=False,
                          linked=False, notes=("no responses are imported: contexts only",))  # fmt: skip
    if JUDGE in (strata or ()):
        responses[JUDGE] = _patterns(frame, judge, responses["response_id"].tolist(), labels)
    linked = bool(len(contexts)) and bool((responses["context_id"] != "").all())
    columns, notes = (strata, []) if strata is not None else _varying(responses, size)
    shared, why = _shared(responses, columns)
    return Population(
        responses=responses, contexts=contexts, columns=columns, shared=shared, linked=linked, notes=(*notes, *why)
    )


def _patterns(frame: frames.Frame, judge: str | None, response_ids: list[str], labels: Sequence[str]) -> list[str]:
    """What one judge said of each response, for people to read: "gpt-4: C=1 G=?", with ? for unscored."""
    who = find_judge(frame, judge)
    if who is None:
        raise StudyProblem("strata by judge need verdicts; bring them in with `evidence-audit import verdicts FILE`")
    rows = frames.judged_rows(frame, who, response_ids).set_index("response_id").loc[response_ids]
    said = [[f"{name}={'?' if pd.isna(value) else int(value)}" for value in rows[name]] for name in labels]
    return [f"{who}: {' '.join(pattern)}" for pattern in zip(*said, strict=True)] or [who] * len(response_ids)


def _shared(responses: pd.DataFrame, columns: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether settings can be drawn on the same units (task, condition, run), and a note when they cannot."""
    settings = [c for c in ("model", "prompt") if responses[c].nunique() > 1]
    if not set(settings) <= set(columns):
        why = "model and prompt are not both strata, so settings are not paired"
    elif responses.duplicated(["task_id", "condition", "run", *(c for c in columns if c != JUDGE)]).any():
        why = "a task has several responses that condition, run, model and prompt do not tell apart"
    else:
        return True, []
    return False, [f"the unit is the single response: {why}"]


def _varying(responses: pd.DataFrame, size: int | None) -> tuple[tuple[str, ...], list[str]]:
    """The longest list of columns that vary and leave room for two per stratum."""
    varying = [c for c in ("condition", "regime", "model", "prompt") if responses[c].nunique() > 1]
    wanted = len(responses) if size is None else size
    for columns in (
        [],
        ["regime"],
        ["prompt"],
        ["regime", "prompt"],
        ["prompt", "model"],
        ["regime", "prompt", "model"],
    ):
        kept = tuple(c for c in varying if c not in columns)
        cells = len(responses[list(kept)].drop_duplicates()) if kept else 1
        if FLOOR * cells <= wanted:
            dropped = [c for c in varying if c not in kept]
            return kept, [f"strata leave out {', '.join(dropped)}: two per stratum would not fit"] if dropped else []
    return (), [f"no strata: {wanted} responses are too few for two per stratum"]
