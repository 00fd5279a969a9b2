"""Small real studies on disk; what a test says of one stands in its rows."""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from audit_app.actions.demo import Demo, make_demo
from audit_app.actions.importing import import_records
from audit_app.actions.labelling import commit, next_view
from audit_app.actions.people import add_person
from audit_app.actions.sign_in import begin
from audit_app.gate import COOKIE
from audit_app.launch import STUDY
from data.importers import Imported
from data.records import Person
from data.store import people
from data.store.connection import open_store
from data.study import Study, init_study, open_study

Row = dict[str, Any]
Rows = dict[str, list[Row]]
PATIENCE = 240
"""Seconds that a screen may take to run; on a machine that tests much else one of them took more than 20."""

KINDS = ("tasks", "contexts", "responses", "verdicts")


def write_jsonl(path: Path, rows: Iterable[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def grid(
    tasks: int = 3,
    *,
    conditions: Sequence[str] = ("clean", "evidence_absence"),
    models: Sequence[str] = ("wren",),
    prompts: Sequence[str] = ("baseline",),
    gold: bool = True,
    contexts: bool = True,
) -> Rows:
    """Every task under every condition, answered under every setting; without contexts the conditions fall away."""
    names = [f"t{n:02}" for n in range(tasks)]
    where = [f"{task}.{condition}" for task in names for condition in conditions] if contexts else names
    answer = {"gold_answer": "GOLD", "gold_aliases": ["ALIAS"]} if gold else {}
    return {
        "tasks": [{"task_id": task, "regime": "longfact", "question": "Which?", **answer} for task in names],
        "contexts": [
            {
                "context_id": f"{task}.{condition}",
                "task_id": task,
                "condition": condition,
                "passages": [{"text": f"passage {n}", "supports": "neither"} for n in (1, 2)],
            }
            for task, condition in product(names, conditions if contexts else ())
        ],
        "responses": [
            {
                "response_id": f"{place}.{model}.{prompt}",
                "context_id" if contexts else "task_id": place,
                "model": model,
                "prompt": prompt,
                "run": "1",
                "text": "an answer",
            }
            for place, model, prompt in product(where, models, prompts)
        ],
    }


@pytest.fixture(name="grid", scope="session")
def grid_fixture() -> Callable[..., Rows]:
    return grid


@pytest.fixture(scope="session")
def build_study() -> Callable[..., Study]:
    """Makes a study that holds these rows in a folder."""

    def build(folder: Path, rows: Mapping[str, list[Row]], labels: Sequence[str] | None = None) -> Study:
        study = init_study(folder / "study", labels=labels)
        for kind in KINDS:
            if rows.get(kind):
                import_records(study, kind, write_jsonl(folder / f"{kind}.jsonl", rows[kind]))
        return study

    return build


@pytest.fixture
def study_from(tmp_path: Path, build_study: Callable[..., Study]) -> Callable[..., Study]:
    """A study in a folder of its own that holds these rows."""

    def make(rows: Mapping[str, list[Row]], *, name: str = "a", labels: Sequence[str] | None = None) -> Study:
        (tmp_path / name).mkdir()
        return build_study(tmp_path / name, rows, labels)

    return make


@pytest.fixture
def copy_of(tmp_path: Path) -> Callable[[Study], Study]:
    """A copy to work in of a study that took a while to make."""
    return lambda study: open_study(Path(shutil.copytree(study.path, tmp_path / "copy" / "study")))


@pytest.fixture
def give_labels(tmp_path: Path) -> Callable[..., Imported]:
    """Imports label rows."""
    files = iter(range(1000))

    def give(study: Study, rows: Iterable[Row], **options: Any) -> Imported:
        path = write_jsonl(tmp_path / f"labels-{next(files)}.jsonl", rows)
        return import_records(study, "labels", path, **options)

    return give


def label_rows(person: str, said: Mapping[str, Mapping[str, str]], *, kind: str = "response", **more: Any) -> list[Row]:
    """Rows for `import labels` from {item: {label: value}}."""
    return [
        {"item_id": item, "item_kind": kind, "person_id": person, "label": label, "value": value, **more}
        for item, values in said.items()
        for label, value in values.items()
    ]


@pytest.fixture(name="label_rows")
def label_rows_fixture() -> Callable[..., list[Row]]:
    return label_rows


@pytest.fixture
def person_in() -> Callable[..., Person]:
    """Somebody new in a study."""

    def add(study: Study, person_id: str, **options: Any) -> Person:
        add_person(study, person_id, person_id=person_id, **options)
        with open_store(study) as store:
            found = people.find(store, person_id)
        assert found is not None
        return found

    return add


@dataclass(frozen=True)
class Desk:
    """Somebody at the labelling screen."""

    study: Study
    person: Person
    screen: str = "label"

    def view(self) -> dict[str, Any]:
        return next_view(self.study, self.person, self.screen)

    def answer(self, view: Mapping[str, Any], value: Any, **more: Any) -> dict[str, Any]:
        sent = {
            "screen": self.screen,
            "assignment_id": view["assignment_id"],
            "label": view["label"]["name"],
            "value": value,
            "client_seq": view["client_seq"],
            "active_seconds": 2.0,
        }
        return commit(self.study, self.person, {**sent, **more})

    def finish(self, value_of: Callable[[dict[str, Any]], Any], limit: int = 1000) -> list[dict[str, Any]]:
        """Answers whatever comes, and returns the views that came."""
        seen: list[dict[str, Any]] = []
        view = self.view()
        while view["state"] == "view" and len(seen) < limit:
            seen.append(view)
            # Errors have to be shown, and answers that were found have to be said.
            explains = view["label"]["kind"] == "many" or any(entry["note"] for entry in view["label"]["values"])
            value = value_of(view)
            more = {"comment": "as the first passage shows", "evidence": quotes_for(view, value)} if explains else {}
            view = self.answer(view, value, **more)["next"]
        return seen


def quotes_for(view: Mapping[str, Any], value: Any) -> list[Row]:
    """For each chosen value that asks for a quote, the first letter of the first passage."""
    chosen = value if isinstance(value, list) else [value]
    passage = next(artifact["passages"][0] for artifact in view["artifacts"] if "passages" in artifact)
    place = {"passage": passage["number"], "start": 0, "end": 1, "text": passage["text"][0]}
    return [{**place, "code": e["value"]} for e in view["label"]["values"] if e["evidence"] and e["value"] in chosen]


@pytest.fixture
def desk() -> Callable[..., Desk]:
    return Desk


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo as it is made; for tests that only read."""
    return make_demo(tmp_path_factory.mktemp("demo"), address="http://127.0.0.1:8501")


@pytest.fixture
def demo_copy(finished_demo: Demo, copy_of: Callable[[Study], Study]) -> Study:
    """A copy of the demo study to work in."""
    return copy_of(finished_demo.study)


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Person]:
    """A lead looks at the screens of a study from now on; by default one who has opened results."""

    def look(study: Study, *, opened: bool = True) -> Person:
        monkeypatch.setenv(STUDY, str(study.path))
        with open_store(study) as store, store.transaction():
            person = people.find(store, "demo-lead")
            if person is None:
                person = Person(person_id="demo-lead", display_name="Demo lead", role="lead")
                people.add(store, person)
            if opened:
                people.results_opened(store, person.person_id)
            secret = begin(store, person, None)
        monkeypatch.setattr(st, "context", SimpleNamespace(cookies={COOKIE: secret}, headers={}, url=None))
        return person

    return look
