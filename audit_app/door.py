"""The door: in by personal link or by name and password, out, and a page about where one is signed in."""

import logging
import re
from collections.abc import Awaitable, Callable
from html import escape
from typing import Protocol
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from audit_app import language
from audit_app.actions.accounts import Account
from audit_app.actions.answers import Refused
from audit_app.actions.sign_in import NO_MATCH, Session, TooEarly
from audit_app.forms import account_page, change_form, password_form, sign_in_form
from audit_app.gate import BROKEN, COOKIE, PERSON, SIGN_IN, by_name, cookies_of, secret_of
from audit_app.language import _, mark
from audit_app.notice import notice
from audit_app.oidc import MINUTES, Organisation
from audit_app.origin import address_of
from data.declared import Oidc
from data.errors import StudyProblem
from data.records import Person

DAY = 24 * 3600
LARGEST = 10_000  # bytes of a form
STATE = "evidence_audit_oidc"
"""The cookie of a sign-in at the organisation that is under way in this browser."""

Handler = Callable[[Request], Awaitable[Response]]

_log = logging.getLogger(__name__)

BAD_LINK = mark(
    "It is incomplete, or it was withdrawn. Copy the whole link once more, or ask the person who sent it for a new one."
)


class Doorkeeper(Protocol):
    """What the door asks of the study."""

    def session_days(self) -> float:
        """For how many days a session lasts."""

    def both(self, secret: str | None, token: str) -> tuple[Person | None, Person | None]:
        """Who is signed in with a session, and whose link a token is."""

    def enter(self, token: str, device: str) -> str | None:
        """A new session secret for a personal-link token."""

    def enter_by_password(self, name: str, password: str, address: str, device: str) -> str | None:
        """A new session secret for a name and its password."""

    def oidc(self) -> Oidc | None:
        """The organisation's own sign-in; None without one."""

    def enter_by_account(self, account: Account, device: str) -> str:
        """A new session secret for whoever this account belongs to."""

    def change_password(self, person: Person, old: str, new: str, secret: str | None) -> None:
        """Gives somebody another password of their own."""

    def person_of(self, secret: str | None) -> Person | None:
        """Who a session belongs to."""

    def choose_language(self, person: Person, language: str) -> None:
        """Keeps the language that somebody wants to read."""

    def has_password(self, person: Person) -> bool:
        """Whether somebody has a password to change."""

    def sign_out(self, secret: str) -> None:
        """Ends a session."""

    def my_sessions(self, person: Person, secret: str | None) -> tuple[Session, ...]:
        """Where somebody is signed in."""

    def end_session(self, person: Person, number: int) -> int:
        """Ends one of somebody's sessions."""

    def end_others(self, person: Person, secret: str | None) -> int:
        """Ends all of somebody's sessions but this one."""


class _Doors:
    """What is answered at each address in and out."""

    def __init__(self, study: Doorkeeper) -> None:
        self._study = study
        self._organisation = Organisation()

    async def enter(self, request: Request) -> Response:
        token = request.path_params["token"]
        if request.method == "GET":
            here, owner = await run_in_threadpool(self._study.both, secret_of(request.headers), token)
            if here and owner and here.person_id != owner.person_id:
                return change_form(here, owner)
        secret = await run_in_threadpool(self._study.enter, token, device(request))
        if secret is None:
            return notice(_("This link does not work"), _(BAD_LINK), 403)
        return await _let_in(self._study, request, secret)

    async def at_organisation(self, request: Request) -> Response:
        settings = await run_in_threadpool(self._study.oidc)
        if settings is None:
            return sign_in_form(_(NO_ORGANISATION), 404)
        try:
            url, state = await self._organisation.begin(settings)
        except Refused as refused:
            return sign_in_form(str(refused), refused.status, settings=settings)
        response = RedirectResponse(url, 303, {"Cache-Control": "no-store"})
        _set(response, request, STATE, state, MINUTES * 60)
        return response

    async def from_organisation(self, request: Request) -> Response:
        settings = await run_in_threadpool(self._study.oidc)
        if settings is None:
            return sign_in_form(_(NO_ORGANISATION), 404)
        try:
            cookie = cookies_of(request.headers).get(STATE)
            account = await self._organisation.finish(settings, request.query_params, cookie)
            secret = await run_in_threadpool(self._study.enter_by_account, account, device(request))
            response = await _let_in(self._study, request, secret)
        except Refused as refused:
            response = sign_in_form(str(refused), refused.status, settings=settings)
        response.delete_cookie(STATE, httponly=True, samesite="lax")
        return response

    async def sign_in(self, request: Request) -> Response:
        settings = await run_in_threadpool(self._study.oidc)
        if request.method == "GET":
            return sign_in_form(settings=settings)
        given = await _form(request)
        name, password = given.get("name", ""), given.get("password", "")
        address = address_of(request)
        try:
            secret = await run_in_threadpool(self._study.enter_by_password, name, password, address, device(request))
        except TooEarly as early:
            answer = sign_in_form(str(early), early.status, name=name, settings=settings)
            answer.headers["Retry-After"] = str(early.seconds)
            return answer
        if secret is None:
            return sign_in_form(_(NO_MATCH), 403, name=name, settings=settings)
        return await _let_in(self._study, request, secret)

    async def leave(self, request: Request) -> Response:
        secret = secret_of(request.headers)
        if secret is not None:
            await run_in_threadpool(self._study.sign_out, secret)
        response = notice(_("You are signed out"), _("Your answers are saved.") + " " + _(SIGN_IN), more=by_name())
        response.delete_cookie(COOKIE, httponly=True, samesite="lax")
        return response

    async def account(self, request: Request) -> Response:
        person: Person = request.scope[PERSON]
        secret = secret_of(request.headers)
        if request.method == "POST":
            which = (await _form(request)).get("end", "")
            if which == "everywhere":
                await run_in_threadpool(self._study.end_others, person, secret)
                return RedirectResponse("/out", 303)
            if which == "others":
                await run_in_threadpool(self._study.end_others, person, secret)
            elif which.isdecimal():
                await run_in_threadpool(self._study.end_session, person, int(which[:12]))
            return RedirectResponse("/account", 303)
        sessions = await run_in_threadpool(self._study.my_sessions, person, secret)
        return account_page(person, sessions, own=await run_in_threadpool(self._study.has_password, person))

    async def password(self, request: Request) -> Response:
        person: Person = request.scope[PERSON]
        if request.method == "GET":
            return password_form()
        given = await _form(request)
        try:
            if given.get("new", "") != given.get("again", ""):
                raise StudyProblem(_("The new password and its repetition differ; type both again."))
            old, new = given.get("old", ""), given.get("new", "")
            await run_in_threadpool(self._study.change_password, person, old, new, secret_of(request.headers))
        except Refused as refused:
            return password_form(str(refused), refused.status)
        except StudyProblem as problem:
            return password_form(str(problem), 422)
        back = escape(_("Back"))
        return notice(_("Your password is changed"), _(CHANGED), more=f'<p><a href="/account">{back}</a></p>')

    async def speak(self, request: Request) -> Response:
        name = (await _form(request)).get("language", "")
        person = await run_in_threadpool(self._study.person_of, secret_of(request.headers))
        response = RedirectResponse("/account" if person else "/sign-in", 303)
        if name in language.LANGUAGES:
            if person:
                await run_in_threadpool(self._study.choose_language, person, name)
            response.set_cookie(language.COOKIE, name, max_age=365 * DAY, httponly=True, samesite="lax")
        return response


def doors(study: Doorkeeper) -> list[Route]:
    """The routes in and out, for `st.App` or a bare Starlette application behind the gate."""
    at = _Doors(study)
    return [
        Route("/language", _in_words(at.speak), methods=["POST"]),
        Route("/in/{token}", _in_words(at.enter), methods=["GET", "POST"]),
        Route("/sign-in", _in_words(at.sign_in), methods=["GET", "POST"]),
        Route("/oidc/start", _in_words(at.at_organisation), methods=["GET"]),
        Route("/oidc/back", _in_words(at.from_organisation), methods=["GET"]),
        Route("/out", _in_words(at.leave), methods=["GET"]),
        Route("/account", _in_words(at.account), methods=["GET", "POST"]),
        Route("/account/password", _in_words(at.password), methods=["GET", "POST"]),
    ]


def _in_words(handler: Handler) -> Handler:
    """What goes wrong at the door is said on a page."""

    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except Refused as refused:
            return notice(_("You cannot come in now"), str(refused), refused.status)
        except StudyProblem as problem:
            _log.error("%s", problem)
            return notice(_("The study cannot be opened right now"), _(BROKEN), 503)

    return answered


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; the gate saw to it that a page of ours sent it.

    Raises:
        Refused: 422, it is too long.
    """
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LARGEST:
            raise Refused(422, _("The form is too long."))
    return {name: values[0] for name, values in parse_qs(raw.decode("utf-8", "replace")).items()}


NO_ORGANISATION = mark("This study does not use the sign-in of an organisation.")
CHANGED = mark("You stay signed in here; everywhere else you were signed out.")


async def _let_in(study: Doorkeeper, request: Request, secret: str) -> Response:
    """To the first page, with the session in a cookie: it survives reload, reconnect and restart."""
    days = await run_in_threadpool(study.session_days)
    response = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
    _set(response, request, COOKIE, secret, int(days * DAY))
    return response


def _set(response: Response, request: Request, name: str, value: str, seconds: int) -> None:
    """A cookie that no script reads; Lax, because links and the organisation's answer come from other sites."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=secure)


BROWSERS = {"Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet", "Firefox": "Firefox",
            "FxiOS": "Firefox", "CriOS": "Chrome", "Chrome": "Chrome", "Safari": "Safari"}  # fmt: skip
SYSTEMS = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac OS X": "macOS",
           "CrOS": "ChromeOS", "Linux": "Linux"}  # fmt: skip


def device(request: Request) -> str:
    """The browser and system of a request in two words, so that somebody knows their own sessions again."""
    agent = request.headers.get("user-agent", "")
    browser = next((name for mark, name in BROWSERS.items() if re.search(rf"\b{mark}/", agent)), "A program")
    system = next((name for mark, name in SYSTEMS.items() if mark in agent), "")
    return f"{browser} on {system}" if system else browser
