"""The JSON routes of the labelling loop, and whether the server is up."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from audit_app.actions.answers import Refused, expected
from audit_app.gate import PERSON, SIGN_IN
from audit_app.language import _
from audit_app.reasons import told
from data.errors import StudyProblem
from data.records import Person

HEADER = "X-Evidence-Audit"
"""A header of our own: a form on a foreign page cannot set it."""

SCREENS = ("label", "context", "adjudicate")
LARGEST = 1_000_000  # bytes of one answer with its note and evidence

_log = logging.getLogger(__name__)


class UseCases(Protocol):
    """What the routes ask of the study."""

    def next_view(self, person: Person, screen: str) -> dict[str, Any]:
        """The question to put to this person now."""

    def commit(self, person: Person, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Stores one answer; what was saved, and the next view."""

    def look_back(
        self, person: Person, screen: str, assignment_id: str | None, label: str | None, *, before: bool
    ) -> dict[str, Any]:
        """One answer that this person gave, or the one before it."""

    def my_items(self, person: Person, screen: str) -> dict[str, Any]:
        """What this person has finished."""

    def flag(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps a flag or a slip."""

    def renew(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps an item for somebody who is at work on it."""

    def decide(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps an adjudicator's decision; what was decided, and the next view."""


Handler = Callable[[Request], Awaitable[Response]]


def routes(study: UseCases) -> list[Route]:
    """The JSON routes, for `st.App` or a bare Starlette application behind the gate."""
    # Whoever writes has to wait for whoever writes; two at once would only take turns at half the speed.
    one_at_a_time = CapacityLimiter(1)

    async def view(request: Request) -> Response:
        return _json(await run_in_threadpool(study.next_view, _person(request), _screen(request)))

    async def back(request: Request) -> Response:
        """Query: assignment and label name an answer; before=1 asks for the one before it."""
        asked = request.query_params
        place, before = (asked.get("assignment"), asked.get("label")), asked.get("before") == "1"
        look = partial(study.look_back, _person(request), _screen(request), *place, before=before)
        return _json(await run_in_threadpool(look))

    async def items(request: Request) -> Response:
        return _json(await run_in_threadpool(study.my_items, _person(request), _screen(request)))

    def posted(keep: Callable[[Person, Mapping[str, Any]], dict[str, Any]]) -> Handler:
        async def handler(request: Request) -> Response:
            person = _person(request)
            if request.headers.get(HEADER) != "1":
                raise Refused(
                    403, _("Answers are taken from the labelling page only (header {header}: 1).").format(header=HEADER)
                )
            return _json(await to_thread.run_sync(keep, person, await _answer(request), limiter=one_at_a_time))

        return handler

    async def here(request: Request) -> Response:
        return _json({"who": _person(request).person_id})

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok", headers={"Cache-Control": "no-store"})

    return [
        Route("/api/view", _in_a_sentence(view), methods=["GET"]),
        Route("/api/back", _in_a_sentence(back), methods=["GET"]),
        Route("/api/items", _in_a_sentence(items), methods=["GET"]),
        Route("/api/label", _in_a_sentence(posted(study.commit)), methods=["POST"]),
        Route("/api/flag", _in_a_sentence(posted(study.flag)), methods=["POST"]),
        Route("/api/decide", _in_a_sentence(posted(study.decide)), methods=["POST"]),
        Route("/api/lease", _in_a_sentence(posted(study.renew)), methods=["POST"]),
        Route("/api/here", _in_a_sentence(here), methods=["GET"]),
        Route("/healthz", healthz, methods=["GET"]),
    ]


def _json(body: Mapping[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(body, status, {"Cache-Control": "no-store"})


def _person(request: Request) -> Person:
    person = request.scope.get(PERSON)
    if not isinstance(person, Person):
        raise Refused(401, _("You are not signed in") + ". " + _(SIGN_IN))
    return person


def _screen(request: Request) -> str:
    screen = request.query_params.get("screen", "label")
    if screen not in SCREENS:
        raise Refused(422, expected("screen", screen, SCREENS))
    return screen


async def _answer(request: Request) -> dict[str, Any]:
    """The posted answer, read no further than an answer can be long."""
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LARGEST:
            raise Refused(422, _("The answer is longer than {n} bytes; shorten the note.").format(n=f"{LARGEST:,}"))
    try:
        answer = json.loads(raw)
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or answer.get("screen") not in SCREENS:
        said = _("An answer is a JSON object with {screens}.")
        raise Refused(422, said.format(screens='"screen": "label", "context", "adjudicate"'))
    return answer


def _in_a_sentence(handler: Handler) -> Handler:
    """Whatever goes wrong reaches the browser as one sentence, never as a traceback."""

    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except Refused as refused:
            return _json({"error": str(refused)}, refused.status)
        except StudyProblem as problem:
            return _json({"error": told(str(problem))}, 503)
        except Exception:
            _log.exception("%s %s", request.method, request.url.path)
            return _json({"error": _("Something went wrong on the server; it is written in its log.")}, 500)

    return answered
