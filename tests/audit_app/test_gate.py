from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from audit_app.actions.answers import Refused
from audit_app.gate import COOKIE, PERSON, Gate, content_security_policy, script_hash
from data.errors import StudyProblem
from data.records import Person

ANNA = Person(person_id="p1", display_name="Annotator one", role="annotator")
LEAD = Person(person_id="p2", display_name="Lead", role="lead")
HERE = "http://localhost:8501"
SOCKET = "ws://localhost:8501/_stcore/stream"


def person_of(secret: str | None) -> Person | None:
    if secret == "paused":
        raise Refused(401, "Your part is paused.")
    if secret == "broken":
        raise StudyProblem("study.db is busy; try again in a moment")
    return {"good": ANNA, "lead": LEAD}.get(secret or "")


async def page(request: Request) -> Response:
    if request.url.path == "/healthz" and "fails" in request.query_params:
        raise RuntimeError("SECRET-DETAIL")
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
    with TestClient(app, base_url=HERE, raise_server_exceptions=False) as client:
        yield client


def sign_in(client: TestClient, secret: str = "good") -> None:
    client.cookies.set(COOKIE, secret)


def test_what_is_asked_under_api_is_answered_apart_and_behind_the_same_gate() -> None:
    async def api(request: Request) -> Response:
        return PlainTextResponse(f"api for {request.scope[PERSON].display_name}")

    apart = Starlette(routes=[Route("/api/view", api)])
    behind = [Middleware(Gate, person_of=person_of, api=apart)]
    app = Starlette(routes=[Route("/{path:path}", page, methods=["GET", "POST"])], middleware=behind)
    with TestClient(app, base_url=HERE) as client:
        assert client.get("/api/view").status_code == 401
        sign_in(client)
        assert client.get("/api/view").text == "api for Annotator one"
        assert client.get("/label").text == "Annotator one"
        missing = client.get("/api/nothing")
        assert (missing.status_code, missing.headers["X-Frame-Options"]) == (404, "DENY")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/label",
        "/report",
        "/_stcore/health",
        "/_stcore/host-config",
        "/media/x.png",
        "/in/a/b",
        "/in/",
        "/static/",
        "/_stcore/bidi-components/x",
        "/healthz/x",
        "//healthz",
        "/account",
    ],
)
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
     "/_stcore//metrics", "/_stcore%2fmetrics", "/_stcore", "/_stcore/upload_file/a/b", "/component/x/index.html",
     "/auth/login", "/auth/logout", "/oauth2callback"],
)  # fmt: skip
@pytest.mark.parametrize("secret", [None, "good"])
def test_metrics_and_the_agent_api_do_not_exist(client: TestClient, path: str, secret: str | None) -> None:
    if secret:
        sign_in(client, secret)
    assert client.get(path).status_code == 404
    assert client.post(path).status_code == 404


PROTECTION = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.mark.parametrize(
    "path",
    ["/", "/healthz", "/api/view", "/_stcore/metrics", "/static/x.js", "/healthz?fails", "/out", "/media/x.png", "//"],
)
@pytest.mark.parametrize("secret", [None, "good"])
def test_every_answer_carries_the_security_headers(client: TestClient, path: str, secret: str | None) -> None:
    if secret:
        sign_in(client, secret)
    for more in ({}, {"host": "evil.example"}, {"origin": "http://evil.example"}):
        headers = client.get(path, headers=more).headers
        assert PROTECTION.items() <= dict(headers).items()
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_refused_websocket_carries_the_security_headers_too(client: TestClient) -> None:
    with pytest.raises(WebSocketDenialResponse) as denied, client.websocket_connect(SOCKET):
        pass
    assert denied.value.status_code == 403
    assert PROTECTION.items() <= dict(denied.value.headers).items()


def test_what_fails_behind_the_gate_is_said_without_its_details(client: TestClient) -> None:
    answer = client.get("/healthz?fails")
    assert answer.status_code == 500
    assert "server's log" in answer.text.replace("&#x27;", "'")
    assert "SECRET-DETAIL" not in answer.text


def test_pages_connect_to_the_websocket_of_their_own_address_only(client: TestClient) -> None:
    policy = client.get("/sign-in").headers["content-security-policy"]
    assert "connect-src 'self' ws://localhost:8501;" in policy
    assert " ws: " not in policy
    assert "evil" not in client.get("/sign-in", headers={"host": "evil.example"}).headers["content-security-policy"]


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("127.0.0.1:9000", 200), ("[::1]:8501", 200), ("audit.example", 200),
     ("AUDIT.example", 200),
     ("evil.example", 421), ("evil.example:8501", 421), ("localhost.evil.example", 421),
     ("127.0.0.1.evil.example", 421),
     ("192.168.1.5:8501", 421), ("audit.example:81", 421), ("a b", 421), ("localhost:8501@evil.example", 421),
     ("", 421), ("0.0.0.0:8501", 421)],
)  # fmt: skip
def test_a_name_that_was_made_to_lead_here_is_refused(host: str, status: int) -> None:
    with at("https://audit.example") as client:
        sign_in(client)
        assert client.get("/", headers={"host": host}).status_code == status
        assert client.get("/healthz", headers={"host": host}).status_code == status
        assert refused(client, headers={"host": host}) == (status == 421)


def test_what_is_public_by_https_goes_by_https_whatever_a_visitor_says() -> None:
    with at("https://audit.example") as client:
        sign_in(client)
        said = {"host": "audit.example", "x-forwarded-proto": "http"}
        for origin, status in (("https://audit.example", 200), ("http://audit.example", 403)):
            assert client.post("/", headers={**said, "origin": origin}).status_code == status
        assert "wss://audit.example;" in client.get("/", headers=said).headers["content-security-policy"]


@pytest.mark.parametrize(
    ("method", "path", "mode", "dest", "status"),
    [
        ("GET", "/report", "navigate", "document", 200),
        ("GET", "/in/token", "navigate", "document", 200),
        ("GET", "/api/view", "navigate", "document", 403),
        ("GET", "/out", "navigate", "document", 403),
        ("GET", "/in/token", "no-cors", "image", 403),
        ("GET", "/report", "navigate", "iframe", 403),
        ("GET", "/static/js/index.js", "no-cors", "script", 403),
        ("POST", "/api/label", "cors", "empty", 403),
        ("POST", "/sign-in", "navigate", "document", 403),
    ],
)
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_link_to_pages_and_nothing_else(
    client: TestClient, method: str, path: str, mode: str, dest: str, status: int, site: str
) -> None:
    sign_in(client)
    sent = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    assert client.request(method, path, headers=sent).status_code == status
    for own in ("same-origin", "none"):
        assert client.request(method, path, headers={**sent, "sec-fetch-site": own}).status_code == 200


def test_what_leads_download_is_for_leads(client: TestClient) -> None:
    sign_in(client)
    assert client.get("/media/abc.csv").status_code == 404
    sign_in(client, "lead")
    assert client.get("/media/abc.csv").text == "Lead"


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/in//evil.example", "/%2f%2fevil.example/"])
@pytest.mark.parametrize("secret", [None, "good"])
def test_no_path_leads_to_another_host(client: TestClient, path: str, secret: str | None) -> None:
    if secret:
        sign_in(client, secret)
    answer = client.get(HERE + path, follow_redirects=False)
    assert urlsplit(answer.headers.get("location", "/")).netloc in ("", "localhost:8501")


@contextmanager
def at(public: str) -> Iterator[TestClient]:
    gate = Middleware(Gate, person_of=person_of, public=public)
    routes = [WebSocketRoute("/{path:path}", stream), Route("/{path:path}", page, methods=["GET", "POST"])]
    with TestClient(Starlette(routes=routes, middleware=[gate]), HERE) as client:
        yield client


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


def refused(client: TestClient, path: str = SOCKET, headers: dict[str, str] | None = None) -> bool:
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
    "origin", ["http://evil.example", "http://localhost:9999", "null", "http://localhost.evil.example"]
)
def test_the_websocket_refuses_a_foreign_origin(client: TestClient, origin: str) -> None:
    sign_in(client)
    assert refused(client, headers={"origin": origin})


def test_no_other_websocket_exists(client: TestClient) -> None:
    sign_in(client)
    assert refused(client, SOCKET.replace("/_stcore/stream", "/anything"))


def test_the_policy_names_the_inline_script_of_the_page() -> None:
    # sha256 of "x" in base64, from: printf x | openssl dgst -sha256 -binary | base64
    hashed = script_hash("<script>x</script>")
    assert hashed == "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='"
    assert hashed in content_security_policy(hashed)
    assert script_hash("<p>") == ""


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
        client.websocket_connect(SOCKET) as websocket,
        pytest.raises(WebSocketDisconnect) as closed,
    ):
        websocket.receive_text()
    assert closed.value.code == 1008
    assert len(let_in) == 1
