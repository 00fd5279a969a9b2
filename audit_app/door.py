"""The door: in by personal link, out, and in between a page about where one is signed in."""

import re
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from audit_app.actions.answers import Refused
from audit_app.gate import COOKIE, SIGN_IN, secret_of
from audit_app.notice import notice
from data.errors import StudyProblem

DAY = 24 * 3600

BAD_LINK = (
    "It is incomplete, or it was withdrawn. Copy the whole link once more, or ask the person who sent it for a new one."
)


class Doorkeeper(Protocol):
    """What the door asks of the study."""

    def session_days(self) -> float:
        """For how many days a session lasts."""

    def enter(self, token: str, device: str) -> str | None:
        """A new session secret for a personal-link token."""

    def sign_out(self, secret: str) -> None:
        """Ends a session."""


def doors(study: Doorkeeper) -> list[Route]:
    """The routes in and out, for `st.App` or a bare Starlette application behind the gate."""

    async def enter(request: Request) -> Response:
        try:
            secret = await run_in_threadpool(study.enter, request.path_params["token"], device(request))
            if secret is None:
                return notice("This link does not work", BAD_LINK, 403)
            return await _let_in(study, request, secret)
        except Refused as refused:
            return notice("You cannot come in now", str(refused), refused.status)
        except StudyProblem as problem:
            return notice("The study cannot be opened right now", str(problem), 503)

    async def leave(request: Request) -> Response:
        secret = secret_of(request.headers)
        if secret is not None:
            await run_in_threadpool(study.sign_out, secret)
        response = notice("You are signed out", f"Your answers are saved. {SIGN_IN}")
        response.delete_cookie(COOKIE, httponly=True, samesite="lax")
        return response

    return [
        Route("/in/{token}", enter, methods=["GET"]),
        Route("/out", leave, methods=["GET"]),
    ]


async def _let_in(study: Doorkeeper, request: Request, secret: str) -> Response:
    """To the first page, with the session in a cookie: it survives reload, reconnect and restart."""
    days = await run_in_threadpool(study.session_days)
    response = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
    response.set_cookie(
        COOKIE, secret, max_age=int(days * DAY), httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )
    return response


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
