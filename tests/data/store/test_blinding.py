"""Whatever people do in whatever order, nobody's grounding label is spoilt by a gold answer or by another context."""

import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit_app.actions import holdings
from audit_app.actions.asking_again import ask_again
from audit_app.actions.dealing import deal_in
from audit_app.actions.labelling import commit, next_view
from audit_app.actions.people import pause, resume
from audit_app.actions.staffing import is_soft
from audit_app.actions.turns import SCREENS
from data.errors import StudyProblem
from data.records import Context, Passage, Person, Response, Task
from data.store import assignments, calibrations, items, people
from data.store.connection import Store, open_store
from data.study import Study, init_study, open_study
from data.views import Item

TEAMS = ((), (), ("evidence",), ("correctness",), ("context",), ("evidence", "correctness"), ("correctness", "context"))

LEADS = ("release", "reassign", "hand over", "pause", "resume", "ask again")
"""What a lead can do to the work of somebody."""

Plan = list[tuple[str, str, int, int, int]]
"""Per context: task, context, responses, people per response, people per context audit."""


@dataclass
class Witness:
    """What was on whose screen, kept apart from what the store says, and what must never have been."""

    study: Study
    store: Store
    """A connection for looking on."""
    persons: list[Person]
    gold: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Tasks whose gold answer a person saw."""
    told: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Tasks on whose items a person practised, with feedback."""
    read: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """Contexts that a person was given in the evidence pass, by task."""
    begun: set[tuple[str, str]] = field(default_factory=set)
    """Who was given which assignment."""
    last: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    @property
    def soft(self) -> bool:
        """Whether people are too few by now: they come and go."""
        return is_soft(self.store)

    def now(self, person: Person) -> Person:
        """Somebody as they are by now."""
        found = people.find(self.store, person.person_id)
        assert found is not None
        return found

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return self.store.rows(sql)

    def could_be_given(self, person: Person) -> set[str]:
        """Tasks of which this person could still be given evidence, worked out the slow and plain way."""
        if person.teams and "evidence" not in person.teams:
            return set()
        rows = self.rows("SELECT a.*, (SELECT count(*) FROM label_event AS l WHERE l.assignment_id = a.assignment_id) "
                         "AS answers FROM assignment AS a")  # fmt: skip
        mine = [row for row in rows if row["person_id"] == person.person_id]
        barred = self.gold[person.person_id] | {
            r["task_id"] for r in mine if r["pass"] in ("correctness", "context") or r["purpose"] == "calibration"
        }
        had = {row["item_id"] for row in mine if row["pass"] == "evidence"}
        seen = self.rows("SELECT x.task_id, x.context_id FROM exposure AS e JOIN assignment AS x USING (assignment_id) "
                         f"WHERE e.person_id = '{person.person_id}' AND e.fields LIKE '%passages%'")  # fmt: skip
        contexts = defaultdict(set)
        for row in [*seen, *(row for row in mine if row["pass"] in ("evidence", "context"))]:
            contexts[row["task_id"]].add(row["context_id"])
        return {
            row["task_id"]
            for row in rows
            if row["pass"] == "evidence"
            and row["purpose"] != "calibration"
            and row["item_id"] not in had
            and row["task_id"] not in barred
            and (
                row["state"] == "open"
                or (row["state"] == "claimed" and row["lease_until"] < "2001" and not row["answers"])
            )
            and row["reserved_for"] in (None, person.person_id)
            and (self.soft or contexts[row["task_id"]] <= {row["context_id"]})
        }

    def see(self, person: Person, screen: str, answer: dict[str, Any] | None = None) -> dict[str, Any]:
        """Asks for the next view, or answers and gets it; checks what came."""
        person = self.now(person)
        if not person.may_label:  # paused: the gate lets them see nothing
            return {"state": "out"}
        owed = self.could_be_given(person)
        found = commit(self.study, person, answer)["next"] if answer else next_view(self.study, person, screen)
        self.last[person.person_id, screen] = found
        if found["state"] != "view":
            return found
        shown = {artifact["name"] for artifact in found["artifacts"]}
        [row] = self.rows(f"SELECT * FROM assignment WHERE assignment_id = '{found['assignment_id']}'")
        who, task = person.person_id, row["task_id"]
        assert row["person_id"] == who
        assert row["state"] == "claimed"
        assert row["pass"] in SCREENS[screen]
        assert not person.teams or row["pass"] in person.teams
        if row["pass"] == "evidence":
            assert "gold_answer" not in shown
            assert found["practice"] or task not in self.told[who], "an evidence item of a task they practised on"
            assert task not in self.gold[who], "an evidence item of a task whose gold answer this person saw"
            new = (who, row["assignment_id"]) not in self.begun
            others = self.read[who, task] - {row["context_id"]}
            assert self.soft or not new or not others, "two contexts of one task"
            self.read[who, task].add(row["context_id"])
            self.begun.add((who, row["assignment_id"]))
        if found["practice"]:
            self.told[who].add(task)
        if "gold_answer" in shown:
            held = self.rows(f"SELECT 1 FROM assignment WHERE person_id = '{who}' AND task_id = '{task}' "
                             "AND pass = 'evidence' AND state = 'claimed'")  # fmt: skip
            assert not held, "gold while evidence of the task is in hand"
            assert task not in owed, "gold while evidence of the task could still be given"
            self.gold[who].add(task)
        return found

    def answer(self, person: Person, screen: str, *, skip: bool = False) -> None:
        """Answers what is on the screen, or skips it; what is not theirs any more is asked for anew."""
        on_screen = self.last.get((person.person_id, screen))
        if on_screen is None or on_screen["state"] != "view":
            self.see(person, screen)
            return
        [row] = self.rows(f"SELECT * FROM assignment WHERE assignment_id = '{on_screen['assignment_id']}'")
        if row["person_id"] != person.person_id or row["state"] != "claimed":
            self.see(person, screen)
            return
        label = on_screen["label"]
        said = {"label": "skip", "comment": on_screen["skip_reasons"][0]} if skip else {"label": label["name"]}
        sent = {name: on_screen[name] for name in ("assignment_id", "client_seq")}
        words = {"screen": screen, "value": label["values"][0]["value"], "comment": "in their own words"}
        quoted = {"evidence": self.quote(on_screen)} if label["values"][0]["evidence"] and not skip else {}
        self.see(person, screen, {**words, **said, **sent, **quoted})

    @staticmethod
    def quote(view: dict[str, Any]) -> list[dict[str, Any]]:
        """The first character that a view shows in a passage."""
        passages = [one for artifact in view["artifacts"] for one in artifact.get("passages", ())]
        return [{"passage": one["number"], "start": 0, "end": 1, "text": one["text"][:1]} for one in passages[:1]]

    def lead(self, step: str, person: Person, other: Person) -> None:
        """A lead does something to somebody, or to what they or else anybody has; what is refused changes nothing."""
        who = person.person_id
        held = self.rows("SELECT assignment_id, coalesce(person_id, reserved_for) AS whose FROM assignment "
                         "WHERE state = 'claimed' OR state = 'open' AND reserved_for IS NOT NULL "
                         f"ORDER BY whose <> '{who}', state, position")  # fmt: skip
        with suppress(StudyProblem):
            if step in ("pause", "resume"):
                {"pause": pause, "resume": resume}[step](self.study, who)
            elif step == "ask again":
                self.ask_again()
            elif held and step == "hand over":
                holdings.hand_over(self.study, held[0]["whose"], other.person_id)
            elif held and step == "release":
                holdings.release(self.study, held[0]["assignment_id"])
            elif held and step == "reassign":
                holdings.reassign(self.study, held[0]["assignment_id"], other.person_id)

    def ask_again(self) -> None:
        """The rubric is changed, and what is finished is asked under the new one."""
        rubric = self.study.path / "rubric.toml"
        rubric.write_text("# clearer\n" + rubric.read_text(encoding="utf-8"), encoding="utf-8")
        self.study = open_study(self.study.path)
        ask_again(self.study)

    def grow(self) -> None:
        """Another response is drawn, of the context that has the fewest."""
        rows = self.rows("SELECT task_id, context_id, count(*) AS n FROM item GROUP BY context_id ORDER BY n LIMIT 1")
        if not rows:
            return
        row = rows[0]
        name = f"{row['context_id']} new {row['n']}"
        context = Context(
            context_id=row["context_id"],
            task_id=row["task_id"],
            passages=(Passage(passage_id="1", rank=1, text="x"),),
        )
        task = Task(task_id=row["task_id"], question="?", gold_answer="x")
        items.add(self.store, [Item(task=task, context=context, response=Response(response_id=name, text="x"))])
        entry = {"item_kind": "response", "item_id": name, "task_id": row["task_id"], "context_id": row["context_id"]}
        assignments.add(self.store, [assignments.opening(entry, p, 1, 99) for p in ("evidence", "correctness")])

    def finish(self) -> None:
        """Everybody works on until nobody gets anything."""
        for _ in range(400):
            busy = False
            for person in self.persons:
                for screen in SCREENS:
                    if self.see(person, screen)["state"] == "view":
                        busy = True
                        self.answer(person, screen)
            if not busy:
                return
        raise AssertionError("no end")


def fill(store: Store, plan: Plan, persons: list[Person]) -> None:
    position = 0
    for task_id, context_id, n_responses, n_people, n_audits in plan:
        task = Task(task_id=task_id, question="?", gold_answer="x")
        context = Context(context_id=context_id, task_id=task_id, passages=(Passage(passage_id="1", rank=1, text="x"),))
        drawn = [Item(task=task, context=context)] if n_audits else []
        drawn += [
            Item(task=task, context=context, response=Response(response_id=f"{context_id}-{n}", text="x"))
            for n in range(n_responses)
        ]
        items.add(store, drawn)
        for item in drawn:
            kind = "response" if item.response else "context"
            row = {
                "item_kind": kind,
                "item_id": item.response.response_id if item.response else context_id,
                "task_id": task_id,
                "context_id": context_id,
            }
            passes = ("evidence", "correctness") if item.response else ("context",)
            n = n_people if item.response else n_audits
            openings = [assignments.opening(row, p, order, position) for p in passes for order in range(1, n + 1)]
            assignments.add(store, openings)
            position += 1
    for person in persons:
        people.add(store, person)
    items.add_sample(store, {"sample_id": "main", "seed": 1, "strata": [], "context_strata": [], "unit": "response",
                             "linked": 1, "overlap": 0.0, "diagnostics": 0.0, "frame_hash": "f", "rubric_hash": "r",
                             "created_at": "2026-01-01", "repeats": 0.5}, [])  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that is copied for each example: D and G, then C; audits in two stages."""
    study = init_study(tmp_path_factory.mktemp("template") / "study", labels=["D", "G", "C", "answerable", "supports"])
    with open_store(study) as store:
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return study.path


plans = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 2), st.integers(1, 2), st.integers(0, 2)), min_size=1, max_size=5
).map(lambda rows: [(f"t{task}", f"c{n}", *rest) for n, (task, *rest) in enumerate(rows)])
teams = st.lists(st.sampled_from(TEAMS), min_size=1, max_size=5)
steps = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.sampled_from(sorted(SCREENS)),
        st.sampled_from(["look", *["answer"] * 4, "skip", "expire", "grow", "deal", *LEADS]),
    ),
    max_size=60,
)


def calibrate(store: Store) -> None:
    """A calibration set of two items; `grow` may draw their tasks later, as after a set was removed."""
    agreed = []
    for n in (1, 2):
        task = Task(task_id=f"practice {n}", question="?", gold_answer="x")
        passages = (Passage(passage_id="1", rank=1, text="x"),)
        context = Context(context_id=task.task_id, task_id=task.task_id, passages=passages)
        items.add(store, [Item(task=task, context=context, response=Response(response_id=task.task_id, text="x"))])
        for label, value in {"D": "1", "G": "established", "C": "1"}.items():
            agreed.append((task.task_id, label, calibrations.Agreed(value=value, reason="x")))
    calibrations.add(store, 1, agreed)


def witnesses(template: Path, plan: Plan, persons: list[Person], *, calibrated: bool = False) -> Iterator[Witness]:
    with TemporaryDirectory() as folder:
        study = open_study(Path(shutil.copytree(template, Path(folder) / "study")))
        with open_store(study) as store:
            with store.transaction():
                fill(store, plan, persons)
                if calibrated:
                    calibrate(store)
            yield Witness(study=study, store=store, persons=persons)


def annotators(named: list[tuple[str, ...]]) -> list[Person]:
    return [Person(person_id=f"p{n}", display_name="x", role="annotator", teams=t) for n, t in enumerate(named)]


def act(witness: Witness, person: Person, screen: str, step: str) -> None:
    if step == "look":
        witness.see(person, screen)
    elif step == "answer":
        witness.answer(person, screen)
    elif step == "skip":
        witness.answer(person, screen, skip=True)
    elif step in LEADS:
        after = witness.persons.index(person) + 1
        witness.lead(step, person, witness.persons[after % len(witness.persons)])
    elif step == "grow":
        witness.grow()
    elif step == "deal":
        # Without the person whose turn it is every other time: people come and go.
        with witness.store.transaction():
            away = [person.person_id] if screen == "context" else []
            deal_in(witness.store, witness.study, without=away)
    else:
        witness.store.change("UPDATE assignment SET lease_until = '2000' WHERE person_id = ?", [person.person_id])


@given(plans, teams, steps, st.booleans())
@settings(max_examples=25)
def test_nobody_is_shown_what_would_spoil_a_label(
    template: Path, plan: Plan, named: list[tuple[str, ...]], todo: list[tuple[int, str, str]], calibrated: bool
) -> None:
    for witness in witnesses(template, plan, annotators(named), calibrated=calibrated):
        for who, screen, step in todo:
            act(witness, witness.persons[who % len(named)], screen, step)
        witness.finish()
        # Whoever has seen a task's gold answer by now must not get what is drawn later.
        witness.grow()
        witness.finish()


@given(plans, st.lists(st.sampled_from([(), ("evidence",)]), min_size=3, max_size=4), steps)
@settings(max_examples=15)
def test_enough_people_finish_the_evidence_pass_one_context_each(
    template: Path, plan: Plan, named: list[tuple[str, ...]], todo: list[tuple[int, str, str]]
) -> None:
    for witness in witnesses(template, plan, annotators(named)):
        for who, screen, step in todo:
            if step in ("look", "answer") or (step == "deal" and screen == "label"):
                act(witness, witness.persons[who % len(named)], screen, step)
        witness.finish()
        left = witness.rows("SELECT * FROM assignment WHERE pass = 'evidence' AND state <> 'done'")
        assert witness.soft or not left
