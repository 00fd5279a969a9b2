"""The language of the screens that somebody chose: it goes with them to every browser."""

from data.records import Person
from data.store import people
from data.store.connection import open_store
from data.study import Study


def choose_language(study: Study, person: Person, language: str) -> None:
    """Keeps the language that somebody wants to read from now on, wherever they sign in."""
    with open_store(study) as store:
        people.set_language(store, person.person_id, language)
