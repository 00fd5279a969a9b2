"""Taking everything that people did out of a study."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from audit_app.actions.judge_claims import faithfulness
from audit_app.actions.judge_trials import trials
from audit_app.actions.seal import note_export, require_results
from audit_app.actions.split import part_of
from data.records import Resolution
from data.store import events, items, judgements
from data.store.connection import open_store
from data.study import Study

DRAW_COLUMNS = ("sample_id", "stratum", "stratum_size", "sample_size", "inclusion_probability", "permanent_number")


def exported(study: Study) -> list[dict[str, Any]]:
    """Every answer and every skip, with the draw of its item: one row per item × person × label × occasion.

    While results are sealed it is noted that they could be seen in an export, see `registering`.
    """
    require_results(study)
    with open_store(study) as store:
        rows = events.answers(store, "response") + events.answers(store, "context")
        drawn: dict[tuple[str, str], dict[str, Any]] = {}
        for sample in items.samples(store):
            for kind in ("response", "context"):
                for draw in items.draws(store, sample["sample_id"], kind):
                    facts = {name: draw[name] for name in DRAW_COLUMNS}
                    drawn[kind, draw["item_id"]] = {**facts, "part": part_of(sample, draw["task_id"])}
        of_item = items.slices(store)
        decisions = {(one.item_kind, one.item_id, one.label, one.person_id): one for one in events.resolutions(store)}
        if any(row["value"] is not None for row in rows):
            note_export(store)
    keys = [(row["item_kind"], row["item_id"]) for row in rows]
    rows = [_decided(row, decisions) if row["purpose"] == "adjudication" else row for row in rows]
    return [{**row, **of_item[key], **drawn.get(key, {})} for row, key in zip(rows, keys, strict=True)]


def _decided(row: Mapping[str, Any], decisions: Mapping[tuple[str, str, str, str], Resolution]) -> dict[str, Any]:
    """An adjudicator's answer: what counts of it is the decision, which the blind vote stands beside."""
    found = decisions.get((row["item_kind"], row["item_id"], row["label"], row["person_id"]))
    if row["label"] is None:
        return dict(row)
    vote = row["value"] if found is None or found.queue_order is not None else None
    decided = {"value": found.value, "cause": found.cause, "reason": found.reason} if found else {"value": None}
    return {**row, **decided, "vote": vote}


def exported_judgements(study: Study) -> Iterator[dict[str, Any]]:
    """What every judge that was run here says of every label: one row each, by judge and item."""
    require_results(study)
    with open_store(study) as store:
        for judge in judgements.judges(store):
            yield from judgements.of_judge(store, judge)


def exported_claims(study: Study) -> list[dict[str, Any]]:
    """Every claim that a judge found in a response, and whether the passages support it."""
    require_results(study)
    with open_store(study) as store:
        judges = list(judgements.judges(store))
    return [
        {**asdict(claim), "judge": judge, "evidence": json.dumps(claim.evidence, ensure_ascii=False)}
        for judge in judges
        for claim in faithfulness(study, judge).claims
    ]


def exported_trials(study: Study) -> list[dict[str, Any]]:
    """What came out whenever a judge was put to a test in this study, oldest first: one row per test and metric."""
    require_results(study)
    return [{**asdict(one), "scores": list(one.scores)} for one in trials(study)]


def exported_views(study: Study) -> list[dict[str, Any]]:
    """The log of what was on whose screen, and when: one row per view that was sent, oldest first."""
    require_results(study)
    with open_store(study) as store:
        return events.everything_shown(store)
