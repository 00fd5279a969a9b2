"""Roles are checked in the actions: every one that takes who asks refuses an annotator, whatever a screen hides."""

import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from audit_app import actions
from audit_app.actions.answers import Refused
from audit_app.actions.people import add_person
from data.records import Person
from data.study import Study

FILLED: dict[str, Any] = {"person_id": "lead", "name": "Bob", "email": "bob@example.org"}


def guarded() -> list[Callable[..., Any]]:
    """Every public action of this package that is told who asks."""
    found = []
    for module in pkgutil.iter_modules(actions.__path__, f"{actions.__name__}."):
        for name, each in vars(import_module(module.name)).items():
            ours = inspect.isfunction(each) and each.__module__ == module.name and not name.startswith("_")
            given = inspect.signature(each).parameters if ours else {}
            # Elsewhere `by` names the columns of a slice.
            if "study" in given and "by" in given and "Person" in str(given["by"].annotation):
                found.append(each)
    return found


def test_there_are_such_actions() -> None:
    assert {"revoke", "pause", "new_link", "add_person", "register_email", "progress", "open_results"} <= {
        each.__name__ for each in guarded()
    }


@pytest.mark.parametrize("action", guarded(), ids=lambda action: f"{action.__module__}.{action.__name__}")
@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_who_is_no_lead_is_refused(study_from: Any, action: Callable[..., Any], role: str) -> None:
    study: Study = study_from({})
    add_person(study, "Lead", role="lead", person_id="lead")
    asks = Person(person_id="ann", display_name="Ann", role=role)
    given = {
        name: FILLED.get(name, "x")
        for name, each in inspect.signature(action).parameters.items()
        if name not in ("study", "by") and each.default is each.empty
    }
    with pytest.raises(Refused, match="Only leads"), _entered(action(study, by=asks, **given)):
        pass


def _entered(answer: Any) -> Any:
    """A context manager checks when it is entered; any other action has answered already, which is the fault."""
    assert hasattr(answer, "__enter__"), "an annotator got an answer"
    return answer
