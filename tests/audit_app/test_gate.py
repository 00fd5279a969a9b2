from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from audit_app.actions.answers import Refused
from audit_app.gate import COOKIE, PERSON, Gate, content_security_policy
from data.errors import StudyProblem
from data.records import Person

ANNA = Person(person_id="p1", display_name="Annotator one", role="annotator")
HERE = "http://testserver"


def person_of(secret: str | None) -> Person | None:
    if secret == "paused":
        raise Refused(401, "Your part is paused.")
    if secret == "broken":
        raise StudyProblem("study.db is busy; try again in a moment")
    return ANNA if secret == "good" else None


async def page(request: Request) -> Response:
    person = request.scope.get(PERSON)
    return PlainTextResponse(person.display_name if person else "nobody")


async def stream(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("hello")
    await websocket.close()


@pytest.fixture
def client() -> Iterator[TestClient]:
    routes = [WebSocketRoute("/{path:path}", stream), Route("/{path:path}", page, methods=["GET", "POST"])]
    app = Starlette(routes=routes, middleware=[Middleware(Gate, person_of=person_of)])
    with TestClient(app, base_url=HERE) as client:
        yield client


def sign_in(client: TestClient, secret: str = "good") -> None:
    client.cookies.set(COOKIE, secret)


@pytest.mark.parametrize("path", ["/", "/label", "/report", "/_stcore/health", "/_stcore/host-config", "/media/x.png"])
def test_a_page_without_a_session_is_a_friendly_refusal(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 401
    assert "personal link" in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_an_api_call_without_a_session_is_refused_in_json(client: TestClient) -> None:
    answer = client.get("/api/view")
    assert answer.status_code == 401
    assert "personal link" in answer.json()["error"]


@pytest.mark.parametrize("secret", ["bad", "", '"', "good2"])
def test_a_wrong_session_is_no_session(client: TestClient, secret: str) -> None:
    sign_in(client, secret)
    assert client.get("/").status_code == 401


def test_a_session_reaches_the_page_and_says_who(client: TestClient) -> None:
    sign_in(client)
    assert client.get("/").text == "Annotator one"


@pytest.mark.parametrize("path", ["/healthz", "/in/token", "/out", "/static/js/index.js", "/favicon.png"])
def test_the_door_and_the_assets_stand_outside(client: TestClient, path: str) -> None:
    assert client.get(path).text == "nobody"


@pytest.mark.parametrize(
    "path",
    ["/_stcore/metrics", "/_stcore/agent/mcp", "/_stcore/agent/openapi.json", "/_stcore/script-health-check",
     "/_stcore//metrics", "/_stcore%2fmetrics", "/_stcore"],
)  # fmt: skip
@pytest.mark.parametrize("secret", [None, "good"])
def test_metrics_and_the_agent_api_do_not_exist(client: TestClient, path: str, secret: str | None) -> None:
    if secret:
        sign_in(client, secret)
    assert client.get(path).status_code == 404
    assert client.post(path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/view", "/_stcore/metrics", "/static/x.js"])
@pytest.mark.parametrize("secret", [None, "good"])
def test_every_answer_carries_the_security_headers(client: TestClient, path: str, secret: str | None) -> None:
    if secret:
        sign_in(client, secret)
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_study_that_cannot_be_opened_is_said_in_a_sentence(client: TestClient) -> None:
    sign_in(client, "broken")
    assert client.get("/api/view").status_code == 503
    page = client.get("/").text
    assert "cannot be opened right now" in page
    assert "study.db" not in page


def test_somebody_who_is_paused_is_told_so_everywhere(client: TestClient) -> None:
    sign_in(client, "paused")
    page, api = client.get("/label"), client.get("/api/view")
    assert (page.status_code, api.status_code) == (401, 401)
    assert "Your part is paused." in page.text
    assert api.json() == {"error": "You are signed out. Your part is paused."}
    assert refused(client)


def refused(client: TestClient, path: str = "/_stcore/stream", headers: dict[str, str] | None = None) -> bool:
    try:
        with client.websocket_connect(path, headers=headers or {}) as websocket:
            websocket.receive_text()
    except WebSocketDisconnect:
        return True
    return False


def test_the_websocket_needs_a_session(client: TestClient) -> None:
    assert refused(client)
    sign_in(client)
    assert not refused(client)
    assert not refused(client, headers={"origin": HERE})


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://testserver:9999", "null", "http://testserver.evil.example"]
)
def test_the_websocket_refuses_a_foreign_origin(client: TestClient, origin: str) -> None:
    sign_in(client)
    assert refused(client, headers={"origin": origin})


def test_no_other_websocket_exists(client: TestClient) -> None:
    sign_in(client)
    assert refused(client, "/anything")


def test_the_policy_names_the_inline_script_of_the_page() -> None:
    # sha256 of "x" in base64, from: printf x | openssl dgst -sha256 -binary | base64
    assert "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='" in content_security_policy("<script>x</script>")
    assert "sha256" not in content_security_policy()


@pytest.mark.parametrize("answer", [None, Refused(401, "Your part is paused.")])
def test_an_open_websocket_is_closed_when_its_person_may_not_be_here_any_more(answer: Refused | None) -> None:
    let_in: list[Person | Refused | StudyProblem | None] = [ANNA, ANNA, StudyProblem("busy"), ANNA, answer]

    def person_then(secret: str | None) -> Person | None:
        now = let_in.pop(0) if len(let_in) > 1 else let_in[0]
        if isinstance(now, Exception):
            raise now
        return now

    async def endless(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.receive()

    app = Starlette(
        routes=[WebSocketRoute("/{path:path}", endless)],
        middleware=[Middleware(Gate, person_of=person_then, every=0.01)],
    )
    with (
        TestClient(app, base_url=HERE) as client,
        client.websocket_connect("/_stcore/stream") as websocket,
        pytest.raises(WebSocketDisconnect) as closed,
    ):
        websocket.receive_text()
    assert closed.value.code == 1008
    assert len(let_in) == 1
