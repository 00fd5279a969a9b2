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
from tests.browser.conftest import ready, settled

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


def declared(study: Study) -> Study:
    """A study that knows our regime and condition."""
    replace_text(study.path / "study.toml", 'regimes = ["MARK-REGIME"]\nconditions = ["MARK-CONDITION"]\n')
    return open_study(study.path)


def another(study: Study, name: str = "MARK-OTHER", choice: int = 0) -> None:
    """Somebody labels everything first, with notes and flags."""
    made = add_person(study, name, person_id=name)
    with open_store(study) as store:
        person = people.find(store, made.person_id)
    assert person is not None
    for screen in ("label", "context"):
        view = labelling.next_view(study, person, screen)
        while view["state"] == "view":
            place = {name: view[name] for name in ("assignment_id", "client_seq")}
            sent = {"screen": screen, "label": view["label"]["name"], **place}
            flagging.flag(study, person, {**sent, "kind": "flag", "note": "MARK-FLAG"})
            value = view["label"]["values"][choice]["value"]
            value = [value] if view["label"]["kind"] == "many" else value
            shown = [artifact["passages"][0] for artifact in view["artifacts"] if "passages" in artifact]
            quotes = [{"passage": p["number"], "start": 0, "end": 1, "text": p["text"][0]} for p in shown]
            said = {"value": value, "comment": "MARK-NOTE", "evidence": quotes}
            view = labelling.commit(study, person, {**sent, **said})["next"]


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[..., Path]) -> Study:
    study = declared(init_study(tmp_path_factory.mktemp("marked") / "study"))
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
        ready(self.page)
        for key in keys:
            self.page.keyboard.press(key)
        with self.page.expect_response(lambda response: "/api/label" in response.url) as posted:
            self.page.keyboard.press("Control+Enter")
        assert posted.value.ok, posted.value.text()
        self.page.locator(".audit:is([data-phase=asking], [data-phase=empty])").wait_for()

    def title(self) -> str:
        ready(self.page)
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
        if not wire.page.url.endswith(screen):
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
    assert wire.page.evaluate("CSS.highlights.get('leaks').size") == 2
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


SAID = ("MARK-NOTE", "MARK-FLAG")
"""What people said of a label: before an adjudicator once they have voted on it, and not sooner."""


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[..., Path]) -> Study:
    """The same, labelled by two people who differ on everything."""
    study = declared(init_study(tmp_path_factory.mktemp("disputed") / "study", labels=["D", "G", "C"]))
    fill(study, tmp_path_factory.mktemp("disputed-files"), write_rows)
    draw_sample(study, Plan(size=None, people=2, overlap=1.0))
    for choice, name in enumerate(("MARK-OTHER-ONE", "MARK-OTHER-TWO")):
        another(study, name, choice)
    return study


@pytest.fixture(scope="module")
def disputed_address(
    disputed: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[..., Any]
) -> Iterator[str]:
    with serve_folder(disputed.path, tmp_path_factory.mktemp("disputed-log") / "server.log") as found:
        yield found


def opened(chromium: Browser, study: Study, address: str, role: str) -> tuple[str, Wire]:
    wire = Wire(chromium.new_context().new_page())
    invited = add_person(study, "Somebody", role=role, address=address)
    wire.page.goto(invited.link)
    wire.page.get_by_text("Sign out").wait_for()
    return invited.person_id, wire


def test_an_adjudicator_votes_blind_and_then_sees_what_was_said_and_by_nobody(
    chromium: Browser, disputed: Study, disputed_address: str
) -> None:
    who, wire = opened(chromium, disputed, disputed_address, "adjudicator")
    nobody = tuple(mark for mark in NEVER if mark not in SAID)
    everything = ""
    for title in ("Discloses", "Grounded"):
        assert wire.title() == title
        wire.page.locator(".stage").wait_for()
        hidden = (*nobody, *GOLD, *CONDITION, *SUPPORTS, *(() if everything else SAID))
        everything = wire.read()
        assert [mark for mark in hidden if mark in everything] == []
        assert ("MARK-PASSAGE" in everything) == (title == "Grounded")
        wire.answer("4" if title == "Grounded" else "2")
        wire.page.locator(".said-by").wait_for()
        everything = wire.read()
        assert all(mark in everything for mark in SAID)
        wire.page.locator("#note").fill("because")
        wire.page.locator(".asking select").select_option("slip")
        with wire.page.expect_response(lambda response: "/api/decide" in response.url) as posted:
            wire.page.keyboard.press("Control+Enter")
        assert posted.value.ok
        wire.page.locator(".audit:is([data-phase=asking], [data-phase=empty])").wait_for()
    wire.page.get_by_role("button", name="My decisions").click()
    wire.page.locator(".mine .answers button").first.click()
    wire.page.locator(".audit[data-phase=asking] .review").wait_for()
    everything = wire.read()
    # The reference answer came with the last question, once grounding was decided.
    assert [mark for mark in (*nobody, *CONDITION, *SUPPORTS) if mark in everything] == []
    assert {"DisclosureView", "GroundingView", "AnswersView", "CorrectnessView"} == set(logged(disputed, who))
    wire.page.context.close()


def test_a_lead_who_may_still_decide_sees_no_answer_and_no_verdict(
    chromium: Browser, disputed: Study, disputed_address: str
) -> None:
    _, wire = opened(chromium, disputed, disputed_address, "lead")
    for path, heading in (("adjudicate", "Adjudicate"), ("rounds", "Rounds")):
        wire.page.goto(f"{disputed_address}/{path}")
        wire.page.get_by_role("heading", name=heading, exact=True).wait_for()
        settled(wire.page)
        if path == "rounds":
            wire.page.locator("[data-testid=stExpander] summary").first.click()
        else:  # whoever votes blind may know how many wait, not which
            assert wire.page.locator("[data-testid=stExpander]").count() == 0
    told = ("MARK-MODEL", "MARK-PROMPT", "MARK-JUDGE", "MARK-RATIONALE", "MARK-EVIDENCE", "MARK-UNSCORED", "MARK-HASH")
    everything = wire.read()
    assert [mark for mark in (*SAID, *GOLD, *SUPPORTS, *told) if mark in everything] == []
    wire.page.context.close()
