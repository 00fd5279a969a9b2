"""Inviting people and knowing who is here."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data.errors import StudyProblem
from data.records import Person
from data.rubric import PASSES
from data.store import people
from data.store.connection import new_id, open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """Somebody who was added, and the link that lets them in. The link is shown once and stored as a hash only."""

    person_id: str
    role: str
    link: str


def add_person(
    study: Study,
    name: str,
    *,
    role: str = "annotator",
    teams: tuple[str, ...] = (),
    person_id: str | None = None,
    address: str = "http://127.0.0.1:8501",
) -> Invited:
    """Adds somebody and gives their personal link.

    Args:
        study: The study.
        name: Display name; shown to leads only.
        role: annotator, adjudicator or lead.
        teams: Passes this person works in (evidence, correctness, context); none means all.
        person_id: An id of your own choice; a random one by default.
        address: Where the app is served, for the link.

    Raises:
        StudyProblem: The name is empty, the role or a team unknown, or the id taken.
    """
    unknown = [team for team in teams if team not in PASSES]
    if unknown or not name.strip():
        raise StudyProblem(f"unknown team {unknown[0]!r}; teams are {', '.join(PASSES)}" if unknown else "give a name")
    if person_id is not None and not re.fullmatch(r"[\w.@-]{1,64}", person_id):
        raise StudyProblem(f"person id {person_id!r}; use letters, digits and . _ @ - only, at most 64")
    person = Person(person_id=person_id or new_id(), display_name=name.strip(), role=role, teams=teams)
    with open_store(study) as store:
        token = people.add(store, person)
    return Invited(person_id=person.person_id, role=role, link=f"{address}/in/{token}")


def list_people(study: Study) -> list[Person]:
    """Everybody, in the order in which they came."""
    with open_store(study) as store:
        return people.everyone(store)


def shown_names(everyone: Sequence[Person]) -> dict[str, str]:
    """What each person is called; the id only where a name is missing or not the only one of its kind."""
    often = Counter(person.display_name for person in everyone)
    return {
        person.person_id: person.display_name
        if often[person.display_name] == 1
        else f"{person.display_name} ({person.person_id})".strip()
        for person in everyone
        if person.display_name
    }


def enter(study: Study, token: str) -> str | None:
    """The secret of a new session for whoever holds this link; None for a link that is unknown or revoked."""
    with open_store(study) as store:
        return people.start_session(store, token)


def person_of(study: Study, secret: str | None) -> Person | None:
    """Who is signed in with this session; None when nobody is."""
    if not secret:
        return None
    with open_store(study) as store:
        return people.of_session(store, secret)


def sign_out(study: Study, secret: str) -> None:
    """Ends the session."""
    with open_store(study) as store:
        people.end_session(store, secret)
