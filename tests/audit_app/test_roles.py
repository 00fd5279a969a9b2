"""Roles are checked in the actions: each refuses an annotator, whatever a screen hides.

Those that change or show people take who asks; those that show results find it in the study that they are given.
"""

import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from audit_app import actions
from audit_app.actions.answers import Refused
from audit_app.actions.choices import choices
from audit_app.actions.comparable import Question
from audit_app.actions.people import add_person
from audit_app.actions.raters import agreement
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
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


RESULTS = ("report", "compare", "judge", "agreement")
REQUIRED: dict[str, Any] = {"question": Question(by="model"), "reason": "x"}


def showing() -> dict[str, Callable[..., Any]]:
    """Every action that a screen with results gives the study to, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for screen in RESULTS:
        names = vars(import_module(f"audit_app.screens.{screen}")).values()
        modules = [each for each in names if inspect.ismodule(each) and each.__name__.startswith(actions.__name__)]
        for each in [*names, *(each for module in modules for each in vars(module).values())]:
            ours = inspect.isfunction(each) and each.__module__.startswith(actions.__name__)
            if ours and not each.__name__.startswith("_") and "study" in inspect.signature(each).parameters:
                found[f"{each.__module__}.{each.__name__}"] = each
    # Whoever gives a result, or an open store, has been through one of these.
    return {name: each for name, each in found.items() if not _is_given_a_result(each)}


def _is_given_a_result(action: Callable[..., Any]) -> bool:
    kinds = [str(each.annotation) for each in inspect.signature(action).parameters.values()]
    return any("MetricsResult" in kind or "Store" in kind for kind in kinds)


def test_the_screens_show_results_by_these_actions() -> None:
    names = {name.removeprefix(f"{actions.__name__}.") for name in showing()}
    assert names >= {
        "results.metrics", "report.report", "choices.choices", "contexts.context_audit", "seal.unseal",
        "judging.judge_check", "raters.agreement", "consensus.consensus", "habits.annotator_habits",
        "comparing.compare", "comparable.values_of",
    }  # fmt: skip


@pytest.fixture
def finished(study_from: Any, grid: Any, give_labels: Any, label_rows: Any) -> Study:
    study: Study = study_from(grid(2, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", {f"t0{n}.clean.wren.baseline": {"D": "1"} for n in (0, 1)}))
    return study


def asked(action: Callable[..., Any], study: Study) -> Any:
    needed = [
        name
        for name, each in inspect.signature(action).parameters.items()
        if each.default is each.empty and name != "study"
    ]
    return action(study, **{name: REQUIRED.get(name, "x") for name in needed})


@pytest.mark.parametrize("name", sorted(showing()))
@pytest.mark.parametrize(
    ("role", "message"),
    [("annotator", "Only leads"), ("adjudicator", "Only leads"), ("lead", "You have not opened results")],
)
def test_no_screen_opens_results_for_whoever_may_not_see_them(
    finished: Study, name: str, role: str, message: str
) -> None:
    action = showing()[name]
    study = replace(finished, asked_by=Person(person_id="who", display_name="Who", role=role))
    if role == "lead" and action is unseal:
        return
    with pytest.raises(Refused, match=message):
        asked(action, study)


@pytest.mark.parametrize("role", ["lead", None])
def test_the_command_line_and_a_lead_who_opened_them_see_results(finished: Study, role: str | None) -> None:
    lead = Person(person_id="who", display_name="Who", role="lead", results_opened_at="2026-01-01")
    study = replace(finished, asked_by=lead if role else None)
    assert choices(study).seal.is_open
    assert agreement(study).sentence
