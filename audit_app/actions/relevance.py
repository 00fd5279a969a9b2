"""Relevance labels: which passages support the reference answer, by people, for metrics of retrieval."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from audit_app.actions.seal import note_export
from data.records import CANNOT_JUDGE
from data.store import events, items
from data.store.connection import open_store
from data.study import Study

SUPPORT = "supports."
RELEVANT = "gold"


def relevance(study: Study) -> list[dict[str, Any]]:
    """One row per passage that somebody of the plan labelled, with what is taken to be its label and their agreement.

    The label is the adjudicated one, else the unanimous one, else that of a strict majority, else none.
    While results are sealed it is noted that they could be seen in an export.
    """
    with open_store(study) as store:
        said: dict[tuple[str, str], list[str]] = defaultdict(list)
        facts: dict[str, dict[str, Any]] = {}
        for row in events.answers(store, "context"):
            if _counts(row):
                said[row["item_id"], row["label"].removeprefix(SUPPORT)].append(row["value"])
                facts[row["item_id"]] = {"task_id": row["task_id"], "context_id": row["item_id"]}
        decided = {
            (one.item_id, one.label.removeprefix(SUPPORT)): one.value
            for one in events.resolutions(store)
            if one.label.startswith(SUPPORT) and one.value != CANNOT_JUDGE
        }
        slices = items.slices(store)
        ids = {context: _passage_ids(items.load(store, "context", context)) for context in facts}
        if said:
            note_export(store)
    return [
        {
            **facts[context],
            "regime": slices["context", context]["regime"],
            "condition": slices["context", context]["condition"],
            "passage": int(number),
            "passage_id": ids[context].get(number),
            **_settled(values, decided.get((context, number))),
        }
        for (context, number), values in sorted(said.items(), key=lambda entry: (entry[0][0], int(entry[0][1])))
    ]


def _counts(row: dict[str, Any]) -> bool:
    label = row["label"] or ""
    usable = row["purpose"] == "plan" and row["state"] != "skipped" and row["value"] not in (None, CANNOT_JUDGE)
    return bool(usable and label.startswith(SUPPORT))


def _passage_ids(item: Any) -> dict[str, str]:
    return {str(passage.rank): passage.passage_id for passage in item.context.passages}


def _settled(values: Sequence[str], decided: str | None) -> dict[str, Any]:
    """The label, how it came about, and the share of pairs of people who agree."""
    (value, most), *_ = Counter(values).most_common(1)
    label, how = (value, "unanimous" if len(values) > 1 else "one person") if most == len(values) else (None, "open")
    if label is None and 2 * most > len(values):
        label, how = value, "majority"
    if decided is not None:
        label, how = decided, "adjudicated"
    pairs = [one == other for one, other in combinations(values, 2)]
    return {
        "supports": label,
        "relevant": None if label is None else int(label == RELEVANT),
        "how": how,
        "n_people": len(values),
        "agreement": round(sum(pairs) / len(pairs), 4) if pairs else None,
    }
