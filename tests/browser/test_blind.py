"""Blinding as the browser gets it: every byte of every stage, searched for what must not be there."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Response, expect

from audit_app.actions import flagging, labelling
from audit_app.actions.exporting import exported_views
from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.store import people
from data.store.connection import open_store
from data.study import Study, init_study, open_study, replace_text

N = 2
GOLD = ("MARK-GOLD", "MARK-ALIAS")
CONDITION = ("MARK-CONDITION",)
SUPPORTS = ('"supports":',)
HITS = ('"screen_hits"', "but for case, accents")
"""What the leak screens say of the alias, which the passages spell otherwise."""

PASSAGES, QUESTION, RESPONSE = ("MARK-PASSAGE", "MARK-TITLE"), ("MARK-QUESTION",), ("MARK-RESPONSE",)
NEVER = (
    *("MARK-TASK", "MARK-CONTEXT", "MARK-ID-R", "MARK-ID-P", "MARK-REGIME", "MARK-MODEL", "MARK-PROMPT", "MARK-RUN"),
    *("MARK-JUDGE", "MARK-JMODEL", "MARK-HASH", "MARK-RATIONALE", "MARK-EVIDENCE", "MARK-UNSCORED"),
    *("MARK-NOTE", "MARK-FLAG", "MARK-OTHER"),
)
"""Ids, slices, verdicts, and what another annotator said or is called: on nobody's screen at any time."""


def fill(study: Study, folder: Path, write_rows: Callable[..., Path]) -> None:
    passages = [
        {
            "passage_id": f"MARK-ID-P{n}",
            "title": "MARK-TITLE",
            "text": "MARK-PASSAGE says mark alias.",
            "supports": kind,
        }
        for n, kind in enumerate(("gold", "wrong"))
    ]
    said = {
        **{"judge": "MARK-JUDGE", "judge_model": "MARK-JMODEL", "prompt_hash": "MARK-HASH", "A": 1, "C": 1},
        **{"evidence": ["MARK-EVIDENCE"], "rationale": "MARK-RATIONALE", "unscored_reason": "MARK-UNSCORED"},
    }
    rows: dict[str, list[dict[str, Any]]] = {
        "tasks": [{"task_id": f"MARK-TASK{n}", "regime": "MARK-REGIME", "question": "MARK-QUESTION?",
                   "gold_answer": "MARK-GOLD", "gold_aliases": ["MARK-ALIAS"]} for n in range(N)],
        "contexts": [{"context_id": f"MARK-CONTEXT{n}", "task_id": f"MARK-TASK{n}", "condition": "MARK-CONDITION",
                      "passages": passages} for n in range(N)],
        "responses": [{"response_id": f"MARK-ID-R{n}", "context_id": f"MARK-CONTEXT{n}", "model": "MARK-MODEL",
                       "prompt": "MARK-PROMPT", "run": "MARK-RUN", "text": "MARK-RESPONSE."} for n in range(N)],
        "verdicts": [{"response_id": f"MARK-ID-R{n}", **said} for n in range(N)],
    }  # fmt: skip
    for kind, those in rows.items():
        import_records(study, kind, write_rows(folder / f"{kind}.jsonl", those))


def another(study: Study) -> None:
    """Somebody labels everything first, with notes and flags."""
    made = add_person(study, "MARK-OTHER", person_id="MARK-OTHER")
    with open_store(study) as store:
        person = people.find(store, made.person_id)
    assert person is not None
    for screen in ("label", "context"):
        view = labelling.next_view(study, person, screen)
        while view["state"] == "view":
            place = {name: view[name] for name in ("assignment_id", "client_seq")}
            sent = {"screen": screen, "label": view["label"]["name"], **place}
            flagging.flag(study, person, {**sent, "kind": "flag", "note": "MARK-FLAG"})
            value = view["label"]["values"][0]["value"]
            value = [value] if view["label"]["kind"] == "many" else value
            view = labelling.commit(study, person, {**sent, "value": value, "comment": "MARK-NOTE"})["next"]


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[..., Path]) -> Study:
    study = init_study(tmp_path_factory.mktemp("marked") / "study")
    replace_text(study.path / "study.toml", 'regimes = ["MARK-REGIME"]\nconditions = ["MARK-CONDITION"]\n')
    study = open_study(study.path)
    fill(study, tmp_path_factory.mktemp("marked-files"), write_rows)
    draw_sample(study, Plan(size=None, people=3, overlap=1.0, diagnostics=1.0))
    another(study)
    return study


@pytest.fixture(scope="module")
def address(marked: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[..., Any]) -> Iterator[str]:
    with serve_folder(marked.path, tmp_path_factory.mktemp("marked-log") / "server.log") as found:
        yield found


@dataclass
class Wire:
    """One person's browser, and everything that has reached it."""

    page: Page
    responses: list[Response] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    views: list[str] = field(default_factory=list)
    """The views that came, in order."""

    def __post_init__(self) -> None:
        self.page.on("response", lambda response: self.responses.append(response))
        self.page.on("websocket", lambda socket: socket.on("framereceived", self.frame))

    def frame(self, payload: bytes | str) -> None:
        self.texts.append(payload if isinstance(payload, str) else payload.decode("latin-1"))

    def read(self) -> str:
        """All of it so far: addresses, headers, bodies and websocket frames."""
        self.page.wait_for_timeout(150)  # the page may draw before the test hears of the response
        waiting, self.responses[:] = list(self.responses), []
        for response in waiting:
            self.texts.append(f"{response.url}\n{json.dumps(response.all_headers())}")
            try:
                body = response.body()
            except Error:  # a redirect has none
                continue
            self.texts.append(body.decode("latin-1"))
            if "/api/" in response.url and response.ok:
                view = json.loads(body)
                view = view.get("next", view)
                self.views += [view["view"]] if view.get("state") == "view" else []
        return "\n".join(self.texts)

    def answer(self, *keys: str) -> None:
        """Answers the question on the screen, and waits for what comes."""
        self.page.locator(".audit[data-phase=asking]").wait_for()
        for key in keys:
            self.page.keyboard.press(key)
        with self.page.expect_response(lambda response: "/api/label" in response.url) as posted:
            self.page.keyboard.press("Control+Enter")
        assert posted.value.ok, posted.value.text()
        self.page.locator(".audit:is([data-phase=asking], [data-phase=empty])").wait_for()

    def title(self) -> str:
        self.page.locator(".audit[data-phase=asking]").wait_for()
        return self.page.locator(".name > span").first.inner_text()

    def look_around(self) -> None:
        """My items, an answer looked back at, a flag."""
        self.page.get_by_role("button", name="My items").click()
        self.page.locator(".mine .items").wait_for()
        self.page.get_by_role("button", name="Close", exact=True).click()
        self.page.keyboard.press("b")
        # What is pressed before the question is painted is no answer to it, and is dropped.
        self.page.locator(".audit[data-phase=asking] .review").wait_for()
        self.page.keyboard.press("f")
        self.page.locator(".panel").wait_for()
        self.page.keyboard.press("Control+Enter")
        expect(self.page.locator(".bar .said")).to_contain_text("Flagged")
        self.page.keyboard.press("Escape")
        self.page.locator(".audit:not([data-review]):is([data-phase=asking], [data-phase=empty])").wait_for()


def holds(wire: Wire, *, none_of: tuple[str, ...], all_of: tuple[str, ...] = ()) -> None:
    everything = wire.read()
    assert [mark for mark in (*NEVER, *none_of) if mark in everything] == []
    assert [mark for mark in all_of if mark not in everything] == []


@pytest.fixture
def person(chromium: Browser, marked: Study, address: str) -> Iterator[Callable[..., tuple[str, Wire]]]:
    """Somebody new in a team, with their own browser."""
    contexts = []

    def made(screen: str, *teams: str) -> tuple[str, Wire]:
        contexts.append(chromium.new_context())
        wire = Wire(contexts[-1].new_page())
        invited = add_person(marked, "Annotator", teams=teams, address=address)
        wire.page.goto(invited.link)
        wire.page.locator(".audit:is([data-phase=asking], [data-phase=empty])").wait_for()
        if screen != "label":
            wire.page.goto(f"{address}/{screen}")
        wire.title()
        return invited.person_id, wire

    yield made
    for context in contexts:
        context.close()


def logged(study: Study, person_id: str) -> list[str]:
    return [row["view"] for row in exported_views(study) if row["person_id"] == person_id]


def test_an_evidence_pass_shows_what_each_label_compares(marked: Study, person: Any) -> None:
    who, wire = person("label", "evidence")
    hidden = (*GOLD, *CONDITION, *SUPPORTS, *HITS)
    holds(wire, none_of=(*QUESTION, *PASSAGES, *hidden), all_of=RESPONSE)
    wire.answer("1")
    holds(wire, none_of=(*PASSAGES, *hidden), all_of=QUESTION)
    wire.answer("1")
    holds(wire, none_of=hidden, all_of=PASSAGES)
    for key in "4000000":
        wire.answer(key)
    wire.look_around()
    for key in "114000000":
        wire.answer(key)
    holds(wire, none_of=(*GOLD, *CONDITION, *SUPPORTS), all_of=PASSAGES)
    expect(wire.page.locator(".asking")).to_contain_text("Nothing more for you here")
    assert logged(marked, who) == wire.views
    assert set(wire.views) == {"DisclosureView", "SubstanceView", "GroundingView"}


def test_a_correctness_pass_shows_the_reference_answer_and_no_passage(marked: Study, person: Any) -> None:
    who, wire = person("label", "correctness")
    holds(wire, none_of=(*PASSAGES, *CONDITION, *SUPPORTS), all_of=(*RESPONSE, *GOLD))
    wire.answer("1")
    wire.look_around()
    wire.answer("1")
    holds(wire, none_of=(*PASSAGES, *CONDITION, *SUPPORTS))
    assert logged(marked, who) == wire.views
    assert set(wire.views) == {"CorrectnessView"}


def test_a_context_audit_gives_each_stage_its_own(marked: Study, person: Any) -> None:
    who, wire = person("context", "context")
    holds(wire, none_of=(*RESPONSE, *GOLD, *CONDITION, *SUPPORTS, *HITS), all_of=(*QUESTION, *PASSAGES))
    wire.answer("3")
    for _ in range(2):
        assert wire.title() == "Support"
        holds(wire, none_of=(*RESPONSE, *CONDITION, *SUPPORTS, *HITS), all_of=GOLD)
        wire.answer("3")
    assert wire.title() == "Construction errors"
    holds(wire, none_of=RESPONSE, all_of=(*CONDITION, *SUPPORTS, *HITS))
    assert wire.page.evaluate("CSS.highlights.get('hits').size") == 2
    expect(wire.page.locator(".hits li")).to_have_count(2)
    wire.answer("0")
    wire.look_around()
    holds(wire, none_of=RESPONSE)
    assert logged(marked, who) == wire.views
    assert list(dict.fromkeys(wire.views)) == ["AnswerabilityView", "SupportView", "ConstructionView"]


def test_gold_comes_to_whoever_does_both_passes_only_after_the_evidence(marked: Study, person: Any) -> None:
    _, wire = person("label")
    while wire.title() != "Correct":
        holds(wire, none_of=(*GOLD, *CONDITION, *SUPPORTS))
        wire.answer({"Grounded": "4"}.get(wire.title(), "1"))
    holds(wire, none_of=(*CONDITION, *SUPPORTS), all_of=GOLD)
    with open_store(marked) as store:
        left = store.rows("SELECT 1 FROM assignment WHERE pass = 'evidence' AND state = 'claimed'")
    assert left == []
