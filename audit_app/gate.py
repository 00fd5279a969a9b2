"""The gate before everything: who has no session gets no page, no JSON and no websocket."""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from audit_app import language
from audit_app.actions.answers import Refused
from audit_app.language import _, mark
from audit_app.notice import notice
from data.errors import StudyProblem
from data.records import Person

COOKIE = "evidence_audit"
PERSON = "evidence_audit.person"
"""Where the gate puts who is asking, for the routes behind it."""

WEBSOCKET = "/_stcore/stream"
OPEN = ("/in/", "/static/")
OPEN_PAGES = {"/healthz", "/out", "/sign-in", "/language", "/oidc/start", "/oidc/back", "/favicon.png"}
SERVED = ("/_stcore/health", "/_stcore/host-config", "/_stcore/upload_file/", "/_stcore/bidi-components/")
"""What is used of Streamlit's own routes; the others (metrics, the agent API) do not exist here."""

PersonOf = Callable[[str | None], Person | None]


def content_security_policy(page: str = "") -> str:
    """What a page may load: this server alone, and the inline script that this page (HTML) begins with.

    >>> "frame-ancestors 'none'" in content_security_policy()
    True
    """
    start, end = page.find("<script>"), page.find("</script>")
    script = ""
    if 0 <= start < end:
        script = f" 'sha256-{b64encode(sha256(page[start + 8 : end].encode()).digest()).decode()}'"
    return (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        f"script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval' blob:{script}; connect-src 'self' ws: wss:; "
        "font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
        "frame-ancestors 'none'"
    )


_log = logging.getLogger(__name__)


def cookies_of(headers: Headers) -> dict[str, str]:
    """The cookies of a request by name; none when they cannot be read."""
    try:
        return {name: cookie.value for name, cookie in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def secret_of(headers: Headers) -> str | None:
    """The session secret in the cookies of a request; None without one."""
    return cookies_of(headers).get(COOKIE)


class Gate:
    """ASGI middleware: security headers on every answer, and a session before everything that is not open.

    Args:
        app: What stands behind the gate.
        person_of: Who a session secret belongs to; may block, runs in a thread, and may raise `Refused`.
        policy: The Content-Security-Policy sent with every answer.
        every: Seconds between looks at whether whoever holds a websocket may still be here.
    """

    def __init__(self, app: ASGIApp, person_of: PersonOf, policy: str | None = None, every: float = 8) -> None:
        self.app = app
        self.every = every
        self.person_of = person_of
        self.headers = {
            "Content-Security-Policy": policy or content_security_policy(),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            # Not no-referrer: with that browsers send "Origin: null" from our own forms as well.
            "Referrer-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers in its place."""
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            language.use(language.chosen(cookies_of(headers), headers.get("accept-language")))
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, self._guarded(send))
        else:
            await self.app(scope, receive, send)

    def _guarded(self, send: Send) -> Send:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        return guarded

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.startswith("/_stcore") and not path.startswith(SERVED):
            await Response(status_code=404)(scope, receive, send)
        elif path in OPEN_PAGES or path.startswith(OPEN):
            await self.app(scope, receive, send)
        else:
            refusal = await self._refusal(scope)
            await (refusal or self.app)(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Response | None:
        try:
            person = await run_in_threadpool(self.person_of, secret_of(Headers(scope=scope)))
        except Refused as refused:
            return refusal(scope["path"], refused.status, _("You are signed out"), str(refused))
        except StudyProblem as problem:
            _log.error("%s", problem)
            return refusal(scope["path"], 503, _("The study cannot be opened right now"), _(BROKEN))
        if person is None:
            return refusal(scope["path"], 401, _("You are not signed in"), _(SIGN_IN))
        scope[PERSON] = person
        language.use(person.language or language.current())
        return None

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        own = same_origin(headers) and scope["path"] == WEBSOCKET
        if own and await self._refusal(scope) is None:
            await self._watched(scope, receive, send)
        else:  # closing before accepting is a 403 for the browser
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _watched(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An open websocket, closed within seconds once its person may not be here any more."""
        watch = asyncio.create_task(self._shut_out(scope))

        async def received() -> Message:
            message = asyncio.ensure_future(receive())
            await asyncio.wait({message, watch}, return_when=asyncio.FIRST_COMPLETED)
            if message.done():
                return message.result()
            message.cancel()
            await send({"type": "websocket.close", "code": 1008})
            return {"type": "websocket.disconnect", "code": 1008}

        async def sent(message: Message) -> None:
            if not watch.done():
                await send(message)

        try:
            await self.app(scope, received, sent)
        finally:
            watch.cancel()

    async def _shut_out(self, scope: Scope) -> None:
        """Comes back when whoever opened this is refused; a study that cannot be read just now refuses nobody."""
        status = 200
        while status not in (401, 403):
            await asyncio.sleep(self.every)
            refused = await self._refusal(scope)
            status = refused.status_code if refused else 200


BROKEN = mark("Try again in a moment. If it stays so, tell the person who runs it: the server's log says why.")

SIGN_IN = mark("Open the personal link that you were sent; it signs you in on this device.")


def by_name() -> str:
    """Where those go who have a password."""
    asked, way = _("You were given a password?"), _("Sign in with name and password")
    return f'<p>{escape(asked)} <a href="/sign-in">{escape(way)}</a></p>'


def refusal(path: str, status: int, title: str, text: str) -> Response:
    """The same refusal as JSON for the labelling loop, as a page for a person."""
    if path.startswith("/api/"):
        return JSONResponse({"error": f"{title}. {text}"}, status, {"Cache-Control": "no-store"})
    return notice(title, text, status, more=by_name() if text == _(SIGN_IN) else "")


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own pages; clients that are no browser send no Origin.

    Stricter than Streamlit's own check, which lets any page on localhost through.

    >>> same_origin(Headers({"host": "127.0.0.1:8501", "origin": "http://127.0.0.1:9999"}))
    False
    """
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")
