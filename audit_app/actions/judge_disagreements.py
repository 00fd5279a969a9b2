"""Where people and a judge disagree, with what either says in support of it: what a prompt is improved on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit_app.actions.labelled import Labelled
from data.store import events, judgements
from data.store.connection import Store
from data.study import Study
from data.texts import pick
from metrics.estimate import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One label of one response."""

    label: str
    response_id: str
    people: str
    """As the plan's first person stored it; of target B as it was decided, if it was."""
    judge: str
    """As the judge stored it, or 1 or 0 for an imported verdict."""
    comment: str
    """What the person wrote, or why it was decided so."""
    evidence: tuple[str, ...]
    """What the person marked in the passages; nothing where it was decided."""
    rationale: str
    """What the judge gave as its reason."""
    quotes: tuple[str, ...]
    """What the judge quoted."""


def disagreements(
    study: Study,
    store: Store,
    rows: Labelled,
    judge: str,
    labels: Iterable[str],
    inside: np.ndarray[Any, Any],
    target: Target,
) -> list[Disagreement]:
    """Every label on which people and the judge say different things, label by label.

    Args:
        study: The study.
        store: Its store.
        rows: The labelled responses with the judge's labels.
        judge: Its name.
        labels: Which labels.
        inside: Rows that may be shown.
        target: What `rows` holds of people.
    """
    apart = [
        (label, rows.draws[place]["item_id"], rows.human[label][place], rows.judge[label][place])
        for label in labels
        for place in np.flatnonzero(inside & (rows.human[label] != rows.judge[label]))
        if not np.isnan(rows.human[label][place] + rows.judge[label][place])
    ]
    ids = sorted({item for _, item, _, _ in apart})
    people = _of_people(store, set(ids)) | (_decided(store) if target == "B" else {})
    said = {(row["item_id"], row["label"]): row for row in judgements.of_judge(store, judge)}
    verdicts = {} if said else {v["response_id"]: v for v in pick(study, "verdicts", "response_id", ids)
                                if v["judge"] == judge}  # fmt: skip
    return [
        _one(label, item, (human, own), people.get((item, label), {}), said.get((item, label)), verdicts.get(item, {}))
        for label, item, human, own in apart
    ]


def _of_people(store: Store, ids: set[str]) -> dict[tuple[str, str], dict[str, Any]]:
    """The first planned person's answers, by item and label."""
    return {
        (row["item_id"], row["label"]): row
        for row in events.answers(store, "response")
        if row["item_id"] in ids and row["label"] and (row["purpose"], row["plan_order"]) == ("plan", 1)
    }


def _decided(store: Store) -> dict[tuple[str, str], dict[str, Any]]:
    """What was decided of responses and why, by item and label."""
    return {
        (one.item_id, one.label): {"value": one.value, "comment": one.reason}
        for one in events.resolutions(store)
        if one.item_kind == "response"
    }


def _one(
    label: str,
    item: str,
    values: tuple[float, float],
    person: Mapping[str, Any],
    judged: Mapping[str, Any] | None,
    verdict: Mapping[str, Any],
) -> Disagreement:
    quotes: Sequence[Any] = json.loads(judged["evidence"]) if judged else verdict.get("evidence") or ()
    return Disagreement(
        label=label,
        response_id=item,
        people=person.get("value") or f"{values[0]:g}",
        judge=judged["value"] if judged else f"{values[1]:g}",
        comment=person.get("comment") or "",
        evidence=tuple(_text(quote) for quote in json.loads(person.get("evidence") or "[]")),
        rationale=(judged or verdict).get("rationale") or "",
        quotes=tuple(_text(quote) for quote in quotes),
    )


def _text(quote: Any) -> str:
    return str(quote.get("text", "")) if isinstance(quote, dict) else str(quote)
