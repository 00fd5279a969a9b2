"""What a sample is drawn from: the responses and contexts of the frame, and how they are stratified."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from audit_app.actions.draw_plan import LEAK, Plan
from audit_app.actions.strata import KNOWN, add_columns, add_leak, check_columns, merge, renamed
from data import frame as frames
from data.records import LABELS
from sampling.draw import Candidate
from sampling.numbers import unit_key
from sampling.strata import stratum_name

FRAME_COLUMNS = ("condition", "regime")
CONTEXT_COLUMNS = (*FRAME_COLUMNS, LEAK)
"""The strata columns that a context has too."""

Scores = Mapping[str, float | None]
"""Of the leak screens, by context_id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The frame's responses and contexts, and how they are stratified."""

    responses: list[Candidate]
    contexts: list[Candidate]
    columns: tuple[str, ...]
    shared: bool
    """Whether settings are drawn on the same units (task, condition, run)."""
    linked: bool
    settings: int
    """Models × prompts, whose responses to one context are drawn together; 1 where they are not shared."""
    cuts: Mapping[str, tuple[float, ...]]
    """Cut points of the numeric columns."""
    merged: Mapping[str, Mapping[str, str]]
    """Strata that were merged, old to new, by item kind."""
    notes: tuple[str, ...]

    @property
    def context_columns(self) -> tuple[str, ...]:
        """The strata columns that a context has too."""
        return tuple(c for c in self.columns if c in CONTEXT_COLUMNS)

    @property
    def unit(self) -> str:
        """What gets the random number, in words."""
        return "task, condition, run" if self.shared else "response"

    @property
    def per_context(self) -> float:
        """Responses to one context that a draw takes by default: one of each setting, as far as there are so many."""
        return min(self.settings, max(1.0, len(self.responses) / max(1, len(self.contexts))))

    def sizes(self, kind: str) -> dict[str, int]:
        """Items in each stratum."""
        return dict(Counter(c.stratum for c in (self.responses if kind == "response" else self.contexts)))


def read_population(
    frame: frames.Frame, plan: Plan, *, scores: Callable[[], Scores], labels: Sequence[str] = LABELS
) -> Population:
    """The frame, stratified as the plan asks.

    Args:
        frame: Everything that could be sampled.
        plan: Columns, bins and mergers; the size settles how many columns there is room for when none are named.
        scores: The scores of the leak screens by context_id; asked for where they form strata.
        labels: Which of the judge's labels form strata: those that the rubric asks people for.

    Raises:
        StudyProblem: A stratum column is unknown, or the judge gave nothing to form strata by.
    """
    responses, contexts = frames.response_rows(frame), frames.context_rows(frame)
    cuts = add_leak([responses, contexts], scores(), plan.bins) if LEAK in (plan.strata or ()) else {}
    if not len(responses):
        return _contexts_alone(contexts, plan, cuts)
    check_columns(plan.strata or (), KNOWN)
    cuts |= add_columns(responses, frame, plan, labels)
    columns, notes = (plan.strata, []) if plan.strata is not None else _varying(responses, plan.size)
    shared, why = _shared(responses, columns)
    of_response = _strata(responses, columns)
    context_columns = [c for c in columns if c in CONTEXT_COLUMNS]
    merged = plan.merged or {}
    if plan.collapse is not None:
        total = len(responses) if plan.size is None else plan.size
        merged = merge(of_response, _strata(responses, context_columns), columns, total, plan.collapse)
        notes = [*notes, *_merged_notes(merged["response"])]
    of_response = renamed(of_response, merged.get("response", {}))
    if shared and _clash(responses, of_response):
        shared, why = False, ["the unit is the single response: merged strata hold several responses of one unit"]
    return Population(
        responses=_responses(responses, of_response, shared),
        contexts=_contexts(contexts, renamed(_strata(contexts, context_columns), merged.get("context", {}))),
        columns=columns,
        shared=shared,
        linked=bool(len(contexts)) and bool((responses["context_id"] != "").all()),
        settings=len(responses[["model", "prompt"]].drop_duplicates()) if shared else 1,
        cuts=cuts,
        merged=merged,
        notes=(*notes, *why),
    )


def _contexts_alone(contexts: pd.DataFrame, plan: Plan, cuts: dict[str, tuple[float, ...]]) -> Population:
    """The contexts of a study without responses, by condition and regime unless the plan says otherwise."""
    columns = (*FRAME_COLUMNS,) if plan.strata is None else plan.strata
    check_columns(columns, CONTEXT_COLUMNS)
    return Population(responses=[], contexts=_contexts(contexts, _strata(contexts, columns)), columns=columns,
                      shared=False, linked=False, settings=1, cuts=cuts, merged={},
                      notes=("no responses are imported: contexts only",))  # fmt: skip


def _strata(rows: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    return (
        [stratum_name(values) for values in frames.pick(rows, columns)] if columns else [stratum_name([])] * len(rows)
    )


def _responses(responses: pd.DataFrame, strata: Sequence[str], shared: bool) -> list[Candidate]:
    return [
        Candidate(
            item_id=row["response_id"],
            stratum=stratum,
            unit=unit_key(row["task_id"], row["condition"], row["run"]) if shared else row["response_id"],
            cluster=row["context_id"] or None,
        )
        for row, stratum in zip(responses.to_dict("records"), strata, strict=True)
    ]


def _contexts(contexts: pd.DataFrame, strata: Sequence[str]) -> list[Candidate]:
    return [
        Candidate(item_id=context_id, stratum=stratum, unit=context_id)
        for context_id, stratum in zip(contexts["context_id"], strata, strict=True)
    ]


def _shared(responses: pd.DataFrame, columns: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether settings can be drawn on the same units (task, condition, run), and a note when they cannot."""
    settings = [c for c in ("model", "prompt") if responses[c].nunique() > 1]
    known = [c for c in columns if c in frames.SLICES]
    if not set(settings) <= set(columns):
        why = "model and prompt are not both strata, so settings are not paired"
    elif responses.duplicated(["task_id", "condition", "run", *known]).any():
        why = "a task has several responses that condition, run, model and prompt do not tell apart"
    else:
        return True, []
    return False, [f"the unit is the single response: {why}"]


def _clash(responses: pd.DataFrame, strata: Sequence[str]) -> bool:
    """Whether a stratum holds two responses of one shared unit."""
    return bool(responses.assign(stratum=strata).duplicated(["task_id", "condition", "run", "stratum"]).any())


def _merged_notes(merged: Mapping[str, str]) -> list[str]:
    into: dict[str, list[str]] = {}
    for old, new in merged.items():
        into.setdefault(new, []).append(old)
    return [f"merged into {new!r}: {', '.join(map(repr, sorted(olds)))}" for new, olds in sorted(into.items())]


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
        if 2 * cells <= wanted:
            dropped = [c for c in varying if c not in kept]
            return kept, [f"strata leave out {', '.join(dropped)}: two per stratum would not fit"] if dropped else []
    return (), [f"no strata: {wanted} responses are too few for two per stratum"]
