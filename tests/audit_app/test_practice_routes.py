"""Practice by its routes, against a real study behind the real gate: feedback comes with the answer, not before."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from audit_app.actions.agreeing import import_set
from audit_app.actions.people import add_person
from audit_app.api import routes
from audit_app.app import ServedStudy
from audit_app.door import doors
from audit_app.gate import Gate
from data.study import Study

AGREED = {"D": "0", "G": "not_supported", "C": "1"}


@pytest.fixture
def client(study_from: Any, tmp_path: Path) -> Iterator[TestClient]:
    study: Study = study_from({}, labels=["D", "G", "C"])
    sample = {"response_id": "MARK-ID", "question": "Which?", "response": "It is it.", "gold_answer": "MARK-GOLD",
              "passages": ["Nothing of it."]}  # fmt: skip
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample) + "\n", encoding="utf-8")
    agreed = tmp_path / "agreed.csv"
    lines = [f"MARK-ID,{label},{value},MARK-REASON-{label}" for label, value in AGREED.items()]
    agreed.write_text("\n".join(["response_id,label,value,reason", *lines]), encoding="utf-8")
    import_set(study, agreed, items_file=tmp_path / "samples.jsonl")
    served = ServedStudy(study.path)
    app = Starlette(routes=[*doors(served), *routes(served)], middleware=[Middleware(Gate, person_of=served.person_of)])
    with TestClient(app, "http://localhost", follow_redirects=False) as client:
        client.get("/in/" + add_person(study, "Ann").link.rsplit("/", 1)[1])
        yield client


def post(client: TestClient, view: dict[str, Any], value: str) -> Any:
    sent = {name: view[name] for name in ("assignment_id", "client_seq")}
    body = {"screen": "label", "label": view["label"]["name"], "value": value, **sent}
    return client.post("/api/label", json=body, headers={"X-Evidence-Audit": "1"})


def test_each_agreed_answer_comes_after_its_own_label_and_gold_after_the_grounding(client: TestClient) -> None:
    asked = client.get("/api/view")
    said = asked.text
    for n, label in enumerate(AGREED):
        view = asked.json() if n == 0 else asked.json()["next"]
        assert (view["label"]["name"], view["practice"]) == (label, True)
        assert [other for other in AGREED if f"MARK-REASON-{other}" in said] == list(AGREED)[:n]
        assert ("MARK-GOLD" in said) == (label == "C")
        asked = post(client, view, AGREED[label])
        assert asked.status_code == 200
        assert asked.json()["feedback"]["right"] is True
        assert asked.json()["feedback"]["reason"] == f"MARK-REASON-{label}"
        said += asked.text
    assert asked.json()["next"]["state"] == "empty"
    assert "MARK-ID" not in said


def test_an_answer_that_does_not_fit_tells_nothing(client: TestClient) -> None:
    refused = post(client, client.get("/api/view").json(), "perhaps")
    assert refused.status_code == 422
    assert "MARK-REASON" not in refused.text
