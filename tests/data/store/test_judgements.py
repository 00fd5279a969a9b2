"""What judges said: added to, never changed; the last row stands."""

import sqlite3
from typing import Any

import pytest

from data.store import judgements
from data.store.connection import Store, open_store
from data.study import Study

ROW: dict[str, Any] = {
    "judge": "j", "item_kind": "response", "item_id": "r1", "label": "G", "value": "established", "evidence": [],
    "rationale": "so", "unscored_reason": None, "answered": 1, "asked": 1, "model": "m", "judge_model": "m-1",
    "prompt_hash": "p", "view_hash": "v", "parameters": "{}", "input_tokens": 100, "output_tokens": 20, "seconds": 0.5,
    "n_retries": 1, "reply_format": "text",
}  # fmt: skip
SILENT = {"value": None, "unscored_reason": "no reply in time", "answered": 0, "input_tokens": None}


def add(store: Store, **more: Any) -> None:
    judgements.add(store, {**ROW, **more})


def test_the_last_row_of_a_label_stands(study: Study) -> None:
    with open_store(study) as store:
        add(store, value="partly")
        add(store)
        add(store, label="D", value="0")
        add(store, judge="other", value="contradicted")
        assert [(row["label"], row["value"]) for row in judgements.of_judge(store, "j")] == [
            ("D", "0"), ("G", "established")
        ]  # fmt: skip
        found = judgements.standing(store, "j", "response", "r1", "G")
        assert found is not None
        assert found["value"] == "established"
        assert judgements.standing(store, "j", "response", "r2", "G") is None


def test_an_answer_is_recalled_by_what_it_depends_on_and_silence_is_none(study: Study) -> None:
    with open_store(study) as store:
        add(store, **SILENT)
        assert judgements.recall(store, "v", "p", "m", "{}") is None
        add(store, judge="other", item_id="r2", value="partly")
        add(store, **SILENT)
        found = judgements.recall(store, "v", "p", "m", "{}")
        assert found is not None
        assert (found["judge"], found["value"]) == ("other", "partly")
        for key in (("w", "p", "m", "{}"), ("v", "q", "m", "{}"), ("v", "p", "n", "{}"), ("v", "p", "m", '{"a": 1}')):
            assert judgements.recall(store, *key) is None


def test_what_a_judge_took_and_quoted(study: Study) -> None:
    quotes = [{"text": "a", "passage": 1, "claim": None}, {"text": "b", "passage": None, "claim": None}]
    with open_store(study) as store:
        assert judgements.quotes(store, "j") == (0, 0)
        add(store, evidence=quotes[1:])
        add(store, evidence=quotes)
        add(store, item_id="r2", asked=0, input_tokens=0, output_tokens=0)
        assert judgements.quotes(store, "j") == (2, 1)
        assert judgements.judges(store) == {
            "j": {"model": "m", "parameters": "{}", "n": 2, "n_calls": 2, "input_tokens": 200, "output_tokens": 40,
                  "n_retries": 3, "last_at": store.rows("SELECT created_at FROM judgement")[-1]["created_at"]}
        }  # fmt: skip


def test_what_stands_is_counted_by_label_and_reason(study: Study) -> None:
    with open_store(study) as store:
        add(store, label="A", value=None, unscored_reason="first: was replaced")
        add(store, label="A")
        add(store, label="C", value=None, unscored_reason="no JSON: {quoted}")
        add(store, label="C", item_id="r2", value=None, unscored_reason="no JSON: something else")
        add(store, label="C", item_id="r3", value=None, unscored_reason="silence", answered=0)
        add(store, label="C", judge="another")
        counted = [tuple(row.values()) for row in judgements.counts(store, "j")]
        assert counted == [("A", 1, 1, 0), ("C", 3, 0, 1)]
        assert judgements.reasons(store, "j") == {"no JSON": 2, "silence": 1}


def test_labels_that_have_another_value_than_they_had(study: Study) -> None:
    with open_store(study) as store:
        add(store, item_id="same")
        add(store, item_id="other")
        add(store, item_id="silent", value=None, unscored_reason="silence", answered=0)
        add(store, item_id="mumbled", value=None, unscored_reason="no JSON")
        then = store.rows("SELECT max(created_at) AS at FROM judgement")[0]["at"]
        assert judgements.replaced(store, "j", then) == 0
        for item in ("same", "other", "silent", "mumbled", "new"):
            add(store, item_id=item, value="partly" if item == "other" else "established")
        assert judgements.replaced(store, "j", then) == 2
        add(store, item_id="other")
        assert judgements.replaced(store, "j", then) == 1
        assert judgements.replaced(store, "another", then) == 0


def test_nothing_is_changed_or_taken_away(study: Study) -> None:
    with open_store(study) as store:
        add(store)
        for statement in ("UPDATE judgement SET value = '0'", "DELETE FROM judgement"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                store.change(statement, ())


@pytest.mark.parametrize("more", [{"unscored_reason": "x"}, {"value": None}, {"item_kind": "task"}])
def test_a_row_has_a_value_or_a_reason(study: Study, more: dict[str, Any]) -> None:
    with open_store(study) as store, pytest.raises(sqlite3.IntegrityError):
        add(store, **more)
