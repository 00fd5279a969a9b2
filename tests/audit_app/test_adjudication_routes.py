"""Adjudication by its routes, against a real study behind the real gate: what a browser or a script can get."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.api import routes
from audit_app.app import ServedStudy
from audit_app.door import doors
from audit_app.gate import Gate
from data.store.connection import open_store
from data.study import Study

OURS = {"X-Evidence-Audit": "1"}
ITEM = "item-word"
SECRETS = ("ANN-NAME", "ann-id", "ANN-NOTE", "ANN-QUOTE", "BEN-NAME", "ben-id", "BEN-NOTE", "JUDGE-NAME",
           "JUDGE-REASON", "MODEL-WORD", "PROMPT-WORD", "evidence_absence", ITEM, "task-word",
           "context-word")  # fmt: skip
"""Unique words in everything that must not reach an adjudicator before the vote."""


@pytest.fixture
def study(study_from: Any, give_labels: Any) -> Study:
    made: Study = study_from({
        "tasks": [{"task_id": "task-word", "regime": "longfact", "question": "Which?", "gold_answer": "GOLD-WORD"}],
        "contexts": [{"context_id": "context-word", "task_id": "task-word", "condition": "evidence_absence",
                      "passages": [{"text": "a passage", "supports": "wrong"}]}],
        "responses": [{"response_id": ITEM, "context_id": "context-word", "model": "MODEL-WORD",
                       "prompt": "PROMPT-WORD", "run": "1", "text": "an answer"}],
        "verdicts": [{"response_id": ITEM, "judge": "JUDGE-NAME", "C": 1, "A": 1, "G": 0, "D": 0,
                      "rationale": "JUDGE-REASON"}],
    }, labels=["D", "G", "C"])  # fmt: skip
    draw_sample(made, Plan(size=None, overlap=1.0))
    for who, name, values in (("ann-id", "ANN-NAME", ("1", "established", "1")),
                              ("ben-id", "BEN-NAME", ("0", "not_supported", "0"))):  # fmt: skip
        add_person(made, name, person_id=who)
        word = who.partition("-")[0].upper()
        give_labels(made, [{"item_id": ITEM, "item_kind": "response", "person_id": who, "label": label, "value": value,
                            "comment": f"{word}-NOTE on {label}", "evidence": [f"{word}-QUOTE"]}
                           for label, value in zip(("D", "G", "C"), values, strict=True)])  # fmt: skip
    return made


@pytest.fixture
def client(study: Study) -> Iterator[TestClient]:
    served = ServedStudy(study.path)
    app = Starlette(routes=[*doors(served), *routes(served)], middleware=[Middleware(Gate, person_of=served.person_of)])
    link = add_person(study, "Zoe", person_id="zoe", role="adjudicator").link
    with TestClient(app, "http://localhost", follow_redirects=False) as client:
        client.get("/in/" + link.rsplit("/", 1)[1])
        yield client


def post(client: TestClient, path: str, view: dict[str, Any], **more: Any) -> Any:
    sent = {"screen": "adjudicate", "assignment_id": view["assignment_id"], "label": view["label"]["name"]}
    return client.post(path, json={**sent, **more}, headers=OURS)


def test_no_byte_before_the_vote_tells_what_others_said(client: TestClient) -> None:
    view = client.get("/api/view?screen=adjudicate")
    for label in ("D", "G", "C"):
        assert view.json()["label"]["name"] == label
        assert not [word for word in SECRETS if word in view.text]
        assert ("GOLD-WORD" in view.text, "a passage" in view.text) == (label == "C", label == "G")
        cast = post(client, "/api/label", view.json(), value=view.json()["label"]["values"][0]["value"],
                    client_seq=view.json()["client_seq"])  # fmt: skip
        after = cast.json()["next"]
        said = after["case"]["answers"]
        assert {answer["who"] for answer in said} == {"A", "B"}
        assert {answer["comment"] for answer in said} == {f"{word}-NOTE on {label}" for word in ("ANN", "BEN")}
        still = [word for word in SECRETS if "NOTE" not in word and "QUOTE" not in word]
        assert not [word for word in still if word in cast.text]
        view = post(client, "/api/decide", after, value=after["label"]["values"][1]["value"], reason="so", cause="slip")
        assert view.status_code == 200
        assert not [word for word in SECRETS if word in view.text]
        view = client.get("/api/view?screen=adjudicate")
    assert view.json()["reason"] == "There is nothing to decide. Thank you!"


def test_a_decision_without_a_vote_is_refused_in_a_sentence(client: TestClient) -> None:
    view = client.get("/api/view?screen=adjudicate").json()
    answer = post(client, "/api/decide", view, value="1", reason="so", cause="slip")
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        "Vote first, without knowing what others said: the decision comes after that.",
    )


def test_the_lease_is_renewed_and_what_is_not_ours_is_refused(client: TestClient) -> None:
    view = client.get("/api/view?screen=adjudicate").json()
    assert post(client, "/api/lease", view).json() == {"lease_seconds": 1800}
    for path in ("/api/label", "/api/decide", "/api/lease"):
        assert post(client, path, {**view, "assignment_id": "another"}, value="1").status_code == 403


def test_an_annotator_gets_a_sentence_and_no_case(study: Study, client: TestClient) -> None:
    link = add_person(study, "Cyd", person_id="cyd").link
    client.cookies.clear()
    client.get("/in/" + link.rsplit("/", 1)[1])
    view = client.get("/api/view?screen=adjudicate").json()
    assert (view["state"], "you are not one of them" in view["reason"]) == ("empty", True)


def test_ones_own_decisions_can_be_looked_back_at_and_nobody_elses(study: Study, client: TestClient) -> None:
    assert client.get("/api/items?screen=adjudicate").json()["items"] == []
    assert client.get("/api/back?screen=adjudicate").status_code == 404
    decided = {}
    for label in ("D", "G"):
        view = client.get("/api/view?screen=adjudicate").json()
        after = post(
            client, "/api/label", view, value=view["label"]["values"][0]["value"], client_seq=view["client_seq"]
        )
        decided[label] = view["label"]["values"][1]["value"]
        said = {"value": decided[label], "reason": f"why {label}", "cause": "slip"}
        assert post(client, "/api/decide", after.json()["next"], **said).status_code == 200
    (item,) = client.get("/api/items?screen=adjudicate").json()["items"]
    assert [(one["label"], one["reason"], one["cause"]) for one in item["answers"]] == [
        ("D", "why D", "slip"), ("G", "why G", "slip"),
    ]  # fmt: skip
    last = client.get("/api/back?screen=adjudicate")
    assert (last.json()["label"]["name"], last.json()["case"]["stage"]) == ("G", "decided")
    assert (last.json()["review"]["value"], last.json()["review"]["comment"]) == (decided["G"], "why G")
    assert "not changed" in last.json()["review"]["final"]
    assert {answer["who"] for answer in last.json()["case"]["answers"]} == {"A", "B"}
    assert "GOLD-WORD" not in last.text
    still = [word for word in SECRETS if "NOTE" not in word and "QUOTE" not in word]
    assert not [word for word in still if word in last.text]
    place = {"screen": "adjudicate", "assignment": item["assignment_id"], "label": "G", "before": "1"}
    first = client.get("/api/back", params=place).json()
    assert (first["label"]["name"], first["review"]["value"]) == ("D", decided["D"])
    assert client.get("/api/back", params={**place, "label": "D"}).status_code == 404
    undecided = client.get("/api/view?screen=adjudicate").json()
    before = {**place, "assignment": undecided["assignment_id"], "label": "C"}
    assert client.get("/api/back", params=before).json()["label"]["name"] == "G"
    with open_store(study) as store:
        row = store.row("SELECT count(*) AS n FROM exposure WHERE view = 'AnswersView'")
    assert row == {"n": 2 + 3}, "what was looked back at is logged as shown"
    other = add_person(study, "Yan", person_id="yan", role="adjudicator").link
    client.cookies.clear()
    client.get("/in/" + other.rsplit("/", 1)[1])
    assert client.get("/api/items?screen=adjudicate").json()["items"] == []
    assert client.get("/api/back", params={**place, "before": "0"}).status_code == 404
