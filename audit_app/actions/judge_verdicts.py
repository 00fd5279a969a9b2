"""The verdicts of a judge that was run here, as they join those that were imported."""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, groupby, islice
from math import isnan
from typing import Any

from audit_app.actions.answered import binary
from data.frame import LABEL_COLUMNS
from data.records import Verdict
from data.store import judgements
from data.store.connection import Store
from data.study import Study, writing
from data.texts import put_part

BATCH = 10_000
"""Verdicts that are in memory at a time."""


def publish(study: Study, store: Store, judge: str) -> None:
    """Writes what stands of a judge as verdicts, in the place of what was written of it before."""
    found = verdicts(store, judge)
    first = list(islice(found, BATCH))
    batches = chain([first], iter(lambda: list(islice(found, BATCH)), []))
    if first:
        with writing(study.path):
            put_part(study, "verdicts", f"judge{sha256(judge.encode()).hexdigest()[:12]}", batches)


def verdicts(store: Store, judge: str) -> Iterator[Verdict]:
    """One verdict per response with a reply: its labels, and why some have none."""
    rows = (row for row in judgements.of_judge(store, judge) if row["label"] in LABEL_COLUMNS)
    for response_id, those in groupby(rows, key=lambda row: row["item_id"]):
        of_response = list(those)
        if any(row["answered"] for row in of_response):
            yield _verdict(response_id, judge, of_response)


def _verdict(response_id: str, judge: str, rows: Sequence[Mapping[str, Any]]) -> Verdict:
    labels = {row["label"]: binary(row["label"], row["value"], "strict") for row in rows}
    return Verdict(
        response_id=response_id,
        judge=judge,
        judge_model=next((row["judge_model"] for row in reversed(rows) if row["judge_model"]), None),
        prompt_hash=_hash([row["prompt_hash"] for row in rows]),
        **{name: None if isnan(value) else int(value) for name, value in labels.items()},
        evidence=tuple(quote["text"] for row in rows for quote in json.loads(row["evidence"])),
        rationale=_said(rows, "rationale"),
        unscored_reason=_said(rows, "unscored_reason"),
        created_at=max(row["created_at"] for row in rows),
    )


def _said(rows: Sequence[Mapping[str, Any]], column: str) -> str | None:
    return "\n".join(f"{row['label']}: {row[column]}" for row in rows if row[column]) or None


def _hash(hashes: Sequence[str]) -> str | None:
    """Of the prompts of all labels: their own hash where they share one."""
    several = sorted(set(hashes))
    return several[0] if len(several) == 1 else sha256("".join(several).encode()).hexdigest()[:16] if several else None
