import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from audit_app.actions.answers import Refused
from audit_app.api import LARGEST, routes
from audit_app.gate import COOKIE, Gate
from data.errors import StudyProblem
from data.records import Person
from data.store.connection import StudyBusy

ANNA = Person(person_id="p1", display_name="Annotator one", role="annotator")
OURS = {"X-Evidence-Audit": "1"}
ANSWER = {"screen": "label", "assignment_id": "a1", "label": "G", "value": "partly", "comment": "", "evidence": [],
          "client_seq": 3, "active_seconds": 1.5}  # fmt: skip


class FakeStudy:
    """One person with one session; says what it was asked."""

    def __init__(self) -> None:
        self.kept: list[Mapping[str, Any]] = []
        self.problem: Exception | None = None

    def person_of(self, secret: str | None) -> Person | None:
        return ANNA if secret == "secret" else None

    def next_view(self, person: Person, screen: str) -> dict[str, Any]:
        if self.problem:
            raise self.problem
        return {"state": "empty", "reason": f"Nothing on {screen} for {person.person_id}.", "progress": {}}

    def commit(self, person: Person, answer: Mapping[str, Any]) -> dict[str, Any]:
        if self.problem:
            raise self.problem
        self.kept.append(answer)
        return {"saved": {"label": answer["label"]}, "next": self.next_view(person, answer["screen"])}

    def look_back(self, person: Person, *place: str | None, before: bool) -> dict[str, Any]:
        return {"place": [person.person_id, *place], "before": before}

    def my_items(self, person: Person, screen: str) -> dict[str, Any]:
        return {"items": [], "of": [person.person_id, screen]}

    def flag(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        return {"flagged": [person.person_id, sent["note"]]}

    def renew(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        return {"lease_seconds": 60, "of": [person.person_id, sent["assignment_id"]]}

    def decide(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        return {"decided": {"label": sent["label"]}, "next": self.next_view(person, sent["screen"])}


@pytest.fixture
def study() -> FakeStudy:
    return FakeStudy()


@pytest.fixture
def client(study: FakeStudy) -> Iterator[TestClient]:
    app = Starlette(routes=routes(study), middleware=[Middleware(Gate, person_of=study.person_of)])
    with TestClient(app, "http://localhost", follow_redirects=False) as client:
        yield client


@pytest.fixture
def anna(client: TestClient) -> TestClient:
    client.cookies.set(COOKIE, "secret")
    return client


def test_the_server_says_that_it_is_up(client: TestClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok")


@pytest.mark.parametrize("screen", ["label", "context", "adjudicate"])
def test_the_view_of_each_screen(anna: TestClient, screen: str) -> None:
    answer = anna.get("/api/view", params={"screen": screen})
    assert answer.json()["reason"] == f"Nothing on {screen} for p1."
    assert answer.headers["cache-control"] == "no-store"


def test_an_unknown_screen_is_refused(anna: TestClient) -> None:
    assert anna.get("/api/view?screen=admin").status_code == 422


def test_without_the_gate_nobody_is_signed_in(study: FakeStudy) -> None:
    with TestClient(Starlette(routes=routes(study))) as client:
        client.cookies.set(COOKIE, "secret")
        assert client.get("/api/view").status_code == 401
        assert client.post("/api/label", json=ANSWER, headers=OURS).status_code == 401


def test_an_answer_is_kept_and_the_next_view_comes_back(anna: TestClient, study: FakeStudy) -> None:
    answer = anna.post("/api/label", json=ANSWER, headers=OURS)
    assert answer.status_code == 200
    assert answer.json()["saved"] == {"label": "G"}
    assert answer.json()["next"]["state"] == "empty"
    assert study.kept == [ANSWER]


def test_a_decision_is_kept_and_the_next_view_comes_back(anna: TestClient) -> None:
    sent = {"screen": "adjudicate", "assignment_id": "a1", "label": "G"}
    assert anna.post("/api/decide", json=sent).status_code == 403
    answer = anna.post("/api/decide", json=sent, headers=OURS).json()
    assert (answer["decided"], answer["next"]["state"]) == ({"label": "G"}, "empty")


def test_looking_back_names_an_answer_or_the_one_before_it(anna: TestClient) -> None:
    answer = anna.get("/api/back?screen=context&assignment=a1&label=G&before=1")
    assert answer.json() == {"place": ["p1", "context", "a1", "G"], "before": True}
    assert answer.headers["cache-control"] == "no-store"
    assert anna.get("/api/back").json() == {"place": ["p1", "label", None, None], "before": False}


def test_own_items_flags_and_leases(anna: TestClient) -> None:
    assert anna.get("/api/items?screen=context").json()["of"] == ["p1", "context"]
    sent = {"screen": "label", "assignment_id": "a1", "note": "see this"}
    assert anna.post("/api/flag", json=sent, headers=OURS).json() == {"flagged": ["p1", "see this"]}
    assert anna.post("/api/lease", json=sent, headers=OURS).json()["of"] == ["p1", "a1"]


@pytest.mark.parametrize("path", ["/api/flag", "/api/lease"])
def test_what_changes_something_comes_from_our_own_pages_only(client: TestClient, study: FakeStudy, path: str) -> None:
    assert client.post(path, json=ANSWER, headers=OURS).status_code == 401
    client.cookies.set(COOKIE, "secret")
    assert client.post(path, json=ANSWER).status_code == 403
    assert client.post(path, json=ANSWER, headers={**OURS, "Origin": "http://evil.example"}).status_code == 403
    assert client.get(path).status_code == 405


@pytest.mark.parametrize("path", ["/api/back", "/api/items"])
def test_looking_back_needs_a_session_and_a_screen(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 401
    client.cookies.set(COOKIE, "secret")
    assert client.get(f"{path}?screen=admin").status_code == 422


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Evidence-Audit": "0"}, {**OURS, "Origin": "http://evil.example"}, {**OURS, "Origin": "null"}],
)
def test_an_answer_from_elsewhere_is_refused(anna: TestClient, study: FakeStudy, headers: dict[str, str]) -> None:
    answer = anna.post("/api/label", json=ANSWER, headers=headers)
    assert answer.status_code == 403
    assert study.kept == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b'{"screen": "admin"}', json.dumps({}).encode()])
def test_what_is_no_answer_is_refused_in_a_sentence(anna: TestClient, study: FakeStudy, body: bytes) -> None:
    answer = anna.post("/api/label", content=body, headers=OURS)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("An answer is a JSON object")
    assert study.kept == []


def test_an_endless_answer_is_not_read_to_its_end(anna: TestClient) -> None:
    answer = anna.post("/api/label", content=b" " * (LARGEST + 1), headers=OURS)
    assert answer.status_code == 422
    assert "shorten the note" in answer.json()["error"]


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (Refused(409, "moved on"), 409),
        (Refused(403, "not yours"), 403),
        (Refused(422, "bad value"), 422),
        (StudyBusy("the disk is full"), 503),
        (StudyProblem("no study here"), 503),
    ],
)
def test_a_problem_reaches_the_browser_as_one_sentence(
    anna: TestClient, study: FakeStudy, problem: Exception, status: int
) -> None:
    study.problem = problem
    for answer in (anna.get("/api/view"), anna.post("/api/label", json=ANSWER, headers=OURS)):
        assert answer.status_code == status
        assert answer.json() == {"error": str(problem)}
        assert answer.headers["cache-control"] == "no-store"


def test_a_bug_shows_no_traceback_and_is_logged(
    anna: TestClient, study: FakeStudy, caplog: pytest.LogCaptureFixture
) -> None:
    study.problem = RuntimeError("secret detail")
    answer = anna.get("/api/view")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/view"), ("GET", "/api/label")])
def test_other_methods_do_not_exist(anna: TestClient, method: str, path: str) -> None:
    assert anna.request(method, path, headers=OURS).status_code == 405
