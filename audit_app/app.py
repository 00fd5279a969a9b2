"""The server: Streamlit's pages, our routes beside them, and the gate before both."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware

from audit_app.actions import accounts, adjudicating, decided, flagging, labelling, looking_back, sign_in, speaking
from audit_app.api import routes
from audit_app.door import doors
from audit_app.gate import Gate, script_hash
from audit_app.launch import public_address, study_folder
from audit_app.promptness import answer_at_once, keep_what_is_loaded
from audit_app.shell import shells, streamlit_page, told
from data.declared import Oidc
from data.records import Person
from data.store.connection import hold_open
from data.study import Study, open_study


class ServedStudy:
    """The use cases of the study in one folder; opened anew each time, so that an edited rubric counts at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _study(self) -> Study:
        study = open_study(self.folder)
        if study.database.exists():
            hold_open(study)
        return study

    def session_days(self) -> float:
        """For how many days a session lasts."""
        return self._study().session_days

    def both(self, secret: str | None, token: str) -> tuple[Person | None, Person | None]:
        """Who is signed in with a session, and whose link a token is."""
        return sign_in.both(self._study(), secret, token)

    def enter(self, token: str, device: str) -> str | None:
        """A new session secret for a personal-link token."""
        return sign_in.enter(self._study(), token, device)

    def person_of(self, secret: str | None) -> Person | None:
        """Who a session belongs to."""
        return sign_in.person_of(self._study(), secret)

    def enter_by_password(self, name: str, password: str, address: str, device: str) -> str | None:
        """A new session secret for a name and its password."""
        return sign_in.enter_by_password(self._study(), name, password, address=address, device=device)

    def oidc(self) -> Oidc | None:
        """The organisation's own sign-in; None without one."""
        return self._study().oidc

    def enter_by_account(self, account: accounts.Account, device: str) -> str:
        """A new session secret for whoever this account belongs to."""
        return accounts.enter_by_account(self._study(), account, device)

    def change_password(self, person: Person, old: str, new: str, secret: str | None) -> None:
        """Gives somebody another password of their own."""
        sign_in.change_password(self._study(), person, old, new, secret)

    def choose_language(self, person: Person, language: str) -> None:
        """Keeps the language that somebody wants to read."""
        speaking.choose_language(self._study(), person, language)

    def has_password(self, person: Person) -> bool:
        """Whether somebody has a password to change."""
        return sign_in.has_password(self._study(), person)

    def sign_out(self, secret: str) -> None:
        """Ends a session."""
        sign_in.sign_out(self._study(), secret)

    def my_sessions(self, person: Person, secret: str | None) -> tuple[sign_in.Session, ...]:
        """Where somebody is signed in."""
        return sign_in.my_sessions(self._study(), person, secret)

    def end_session(self, person: Person, number: int) -> int:
        """Ends one of somebody's sessions."""
        return sign_in.end_session(self._study(), person, number)

    def end_others(self, person: Person, secret: str | None) -> int:
        """Ends all of somebody's sessions but this one."""
        return sign_in.end_others(self._study(), person, secret)

    def next_view(self, person: Person, screen: str) -> dict[str, Any]:
        """The question to put to this person now."""
        if screen == adjudicating.SCREEN:
            return adjudicating.next_case(self._study(), person)
        return labelling.next_view(self._study(), person, screen)

    def commit(self, person: Person, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Stores one answer; what was saved, and the next view."""
        if answer["screen"] == adjudicating.SCREEN:
            return adjudicating.vote(self._study(), person, answer)
        return labelling.commit(self._study(), person, answer)

    def look_back(
        self, person: Person, screen: str, assignment_id: str | None, label: str | None, *, before: bool
    ) -> dict[str, Any]:
        """One answer that this person gave, or the one before it."""
        if screen == adjudicating.SCREEN:
            return decided.decision_before(self._study(), person, assignment_id, label, before=before)
        return looking_back.look_back(self._study(), person, screen, assignment_id, label, before=before)

    def my_items(self, person: Person, screen: str) -> dict[str, Any]:
        """What this person has finished."""
        if screen == adjudicating.SCREEN:
            return decided.my_decisions(self._study(), person)
        return looking_back.my_items(self._study(), person, screen)

    def flag(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps a flag or a slip."""
        return flagging.flag(self._study(), person, sent)

    def renew(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps an item for somebody who is at work on it."""
        if sent["screen"] == adjudicating.SCREEN:
            return adjudicating.renew(self._study(), person, sent)
        return labelling.renew(self._study(), person, sent)

    def decide(self, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps an adjudicator's decision; what was decided, and the next view."""
        return adjudicating.decide(self._study(), person, sent)


answer_at_once()
served = ServedStudy(study_folder())
ours = routes(served)
scripts = " ".join(script_hash(page) for page in (streamlit_page(), told(streamlit_page())))
app = st.App(
    Path(__file__).with_name("page.py"),
    routes=[*doors(served), *ours, *shells()],
    middleware=[
        Middleware(
            Gate, person_of=served.person_of, script=scripts, public=public_address(), api=Starlette(routes=ours)
        )
    ],
)
keep_what_is_loaded()
