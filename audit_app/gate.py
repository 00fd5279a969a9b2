"""The gate before everything: who has no session gets no page, no JSON and no websocket."""

import asyncio
import logging
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from audit_app import language
from audit_app.actions.answers import Refused
from audit_app.language import _, mark
from audit_app.notice import notice
from audit_app.origin import host_of, is_foreign, is_ours, origin_of
from data.errors import StudyProblem
from data.records import Person

COOKIE = "evidence_audit"
PERSON = "evidence_audit.person"
"""Where the gate puts who is asking, for the routes behind it."""

WEBSOCKET = "/_stcore/stream"
OPEN = re.compile(r"/in/[^/]+|/static/.+")
OPEN_PAGES = {"/healthz", "/out", "/sign-in", "/language", "/oidc/start", "/oidc/back", "/favicon.png"}
SERVED = ("/_stcore/health", "/_stcore/host-config", "/_stcore/bidi-components/")
"""What is used of Streamlit's own routes; the others (metrics, uploads, the agent API) do not exist here."""
UNUSED = ("/_stcore", "/component/", "/auth/", "/oauth2callback")
LEADS = "/media/"
"""What leads' screens give to download."""

EVERY = 5.0
"""Seconds between looks at whether whoever has a page open may still be here.

A session is looked up before every answer; this is for pages that ask nothing. The gate closes their websocket, and the
page (component/watch.js) asks `/api/here` in the same rhythm, so that it can say why.
"""

PersonOf = Callable[[str | None], Person | None]


def script_hash(page: str) -> str:
    """The source expression that lets a page (HTML) run the inline script it begins with; empty without one.

    >>> script_hash("<p>")
    ''
    """
    start, end = page.find("<script>"), page.find("</script>")
    if not 0 <= start < end:
        return ""
    return f"'sha256-{b64encode(sha256(page[start + 8 : end].encode()).digest()).decode()}'"


def content_security_policy(script: str = "", socket: str = "") -> str:
    """What a page may load: this server alone, one inline script by its hash, and the websocket of one address.

    >>> "frame-ancestors 'none'" in content_security_policy()
    True
    """
    return (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        f"script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval' blob: {script}; connect-src 'self' {socket}; "
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


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: with that browsers send "Origin: null" from our own forms as well.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class _Guarded:
    """Sends answers with these headers, and knows whether one has begun."""

    def __init__(self, send: Send, headers: dict[str, str]) -> None:
        self._send = send
        self._headers = headers
        self.started = False

    async def send(self, message: Message) -> None:
        """Sends on; headers of the same name are replaced."""
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.started = True
            MutableHeaders(scope=message).update(self._headers)
        await self._send(message)


class Gate:
    """ASGI middleware: security headers on every answer, and a session before everything that is not open.

    Args:
        app: What stands behind the gate.
        api: What answers under `/api/`; the same by default. Streamlit would compress every answer, which takes longer
            than sending it (a proxy may do so), and look for a session of its own.
        person_of: Who a session secret belongs to; must not wait for anybody, and may raise `Refused`.
        script: The inline script that Streamlit's page begins with, as `script_hash` gives it.
        public: The address under which people reach this server, where it is not this machine's own.
        every: Seconds between looks at whether whoever holds a websocket may still be here.
    """

    def __init__(
        self,
        app: ASGIApp,
        person_of: PersonOf,
        script: str = "",
        public: str | None = None,
        every: float = EVERY,
        api: ASGIApp | None = None,
    ) -> None:
        self.app = app
        self.api = api or app
        self.every = every
        self.person_of = person_of
        self.script = script
        self.public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers in its place."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        language.use(language.chosen(cookies_of(headers), headers.get("accept-language")))
        host = host_of(headers)
        if host and self.public and self.public.startswith("https:") and not is_ours(host, None):
            # Whatever the proxy says: what is public goes by https, and so do its cookies.
            scope["scheme"] = "https" if scope["type"] == "http" else "wss"
        guarded = _Guarded(send, self._headers(scope, host))
        try:
            await self._answer(scope, receive, guarded.send, host)
        except Exception:
            if scope["type"] == "http" and not guarded.started:
                await refusal(scope["path"], 500, _("Something went wrong"), _(BROKEN))(scope, receive, guarded.send)
            raise

    def _headers(self, scope: Scope, host: str | None) -> dict[str, str]:
        socket = origin_of(scope, host).replace("http", "ws", 1) if host and is_ours(host, self.public) else ""
        return {**HEADERS, "Content-Security-Policy": content_security_policy(self.script, socket)}

    async def _answer(self, scope: Scope, receive: Receive, send: Send, host: str | None) -> None:
        path: str = scope["path"]
        if host is None or not is_ours(host, self.public):
            await Response(_(NOT_OURS), 421, media_type="text/plain")(scope, receive, send)
        elif scope["type"] == "websocket":
            if path == WEBSOCKET and not is_foreign(scope, host) and self._refusal(scope) is None:
                await self._watched(scope, receive, send)
            else:
                await Response(status_code=403)(scope, receive, send)
        elif path.startswith(UNUSED) and not path.startswith(SERVED):
            await Response(status_code=404)(scope, receive, send)
        elif is_foreign(scope, host):
            await refusal(path, 403, _("Not from here"), _(FOREIGN))(scope, receive, send)
        elif path in OPEN_PAGES or OPEN.fullmatch(path):
            await self.app(scope, receive, send)
        else:
            behind = self.api if path.startswith("/api/") else self.app
            await (self._refusal(scope) or behind)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        try:
            # Not in a thread: it is one read, which no writer can hold up, and takes less time than a thread to wake.
            person = self.person_of(secret_of(Headers(scope=scope)))
        except Refused as refused:
            return refusal(scope["path"], refused.status, _("You are signed out"), str(refused))
        except StudyProblem as problem:
            _log.error("%s", problem)
            return refusal(scope["path"], 503, _("The study cannot be opened right now"), _(BROKEN))
        if person is None:
            return refusal(scope["path"], 401, _("You are not signed in"), _(SIGN_IN))
        if scope["path"].startswith(LEADS) and person.role != "lead":
            return Response(status_code=404)
        scope[PERSON] = person
        language.use(person.language or language.current())
        return None

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
            refused = self._refusal(scope)
            status = refused.status_code if refused else 200


BROKEN = mark("Try again in a moment. If it stays so, tell the person who runs it: the server's log says why.")

NOT_OURS = mark(
    "This server does not go by that name. Open it under the address that you were given; whoever runs it names the "
    "public one with: evidence-audit serve --public https://YOUR-HOST"
)
FOREIGN = mark("This was asked for by another site. Open the page here and try again.")

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
