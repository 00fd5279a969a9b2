"""Hostile text in every field that a person can see: shown as it is, nothing asked for, nothing run."""

import json
import re
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from audit_app.actions.demo import PLAN
from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data.store.connection import open_store
from data.study import Study, init_study, open_study, replace_text
from tests.browser.conftest import ready

DEMO = Path(__file__).parents[2] / "data" / "demo"
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
ODD = f"{FAMILY} e\u0301 \u202edesrever\u202c \u05e9\u05dc\u05d5\u05dd \U0001f600"
"""An emoji of seven code points and eleven UTF-16 units, a combining mark, a right-to-left override."""

FOUND = """port => {
  const found = window.pwned ? ["run"] : [];
  const walk = (root) => { for (const node of root.querySelectorAll("*")) {
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const { name, value } of node.attributes) {
      const acts = /^(src|srcset|href|action|formaction|data|poster|style|on.*)$/.test(name);
      if (acts && (value.includes(port) || /javascript:/.test(value))) found.push(`${node.tagName} ${name}`);
    }
    if (["SCRIPT", "STYLE"].includes(node.tagName) && node.textContent.includes("hostile")) found.push(node.tagName);
  } };
  walk(document);
  return found; }"""
"""Whatever on the page is more than text."""


@dataclass
class Outside:
    """A server on another port that should never hear anything."""

    port: int
    asked: list[str] = field(default_factory=list)

    def text(self, word: str) -> str:
        """Everything that has ever broken out of a page, with a word of its own."""
        at = f"http://127.0.0.1:{self.port}"
        return (
            f"{word} <script>window.pwned = 1 /* hostile */</script><img src={at}/i.png onerror='window.pwned = 2'>"
            f"![m]({at}/m.png) $x$ and $y$ :red[r] **b** [j](javascript:window.pwned=3) </div></td></textarea>"
            f"<style>/* hostile */ body {{ display: none; background: url({at}/c.png) }}</style>"
            f"<form action={at}/f><input name=q></form><iframe src={at}/frame></iframe> {ODD} {'w' * 300}"
        )


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.asked.append(self.path)
            self.send_error(404)

        do_POST = do_HEAD = do_OPTIONS = do_GET

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    heard = Outside(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield heard
    server.shutdown()
    server.server_close()


def spoilt(rubric: str, outside: Outside) -> str:
    """A rubric with hostile text in all that people read of it."""

    def put(match: re.Match[str]) -> str:
        text = outside.text("RUBRIC").replace("\\", "\\\\").replace('"', '\\"')
        return f"{match[1]}{text} "

    said = re.sub(r'(\b(?:title|question|definition|text|help|why) = "(?:"")?)', put, rubric)
    return said.replace('["unclear"', f'["{outside.text("REASON")}", "unclear"')


def rows_of(outside: Outside) -> dict[str, list[dict[str, Any]]]:
    """One task with one context and one response, hostile through and through."""

    def text(word: str) -> str:
        return f"{outside.text(word)}\r\n\x00\n  end"

    passages = [
        {name: text(f"{name}{n}") for name in ("title", "url", "publisher", "source_type", "text")} for n in (1, 2)
    ]
    here = {name: outside.text(name) for name in ("task_id", "context_id", "response_id")}
    task, context, response = here["task_id"], here["context_id"], here["response_id"]
    return {
        "tasks": [{"task_id": task, "question": text("question"), "gold_answer": text("gold"),
                   "gold_aliases": [text("alias")]}],
        "contexts": [{"context_id": context, "task_id": task, "condition": outside.text("condition"),
                      "passages": [{**passage, "supports": "wrong"} for passage in passages]}],
        "responses": [{"response_id": response, "context_id": context, "text": text("response"),
                       "model": outside.text("model"), "prompt": outside.text("prompt")}],
    }  # fmt: skip


@pytest.fixture(scope="module")
def hostile_study(tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[..., Path], outside: Outside) -> Study:
    study = init_study(tmp_path_factory.mktemp("hostile") / "study")
    rubric = study.path / "rubric.toml"
    replace_text(rubric, spoilt(rubric.read_text(encoding="utf-8"), outside))
    replace_text(
        study.path / "study.toml", f"conditions = [{json.dumps(outside.text('condition'), ensure_ascii=False)}]"
    )
    study, files = open_study(study.path), tmp_path_factory.mktemp("hostile-files")
    for kind, rows in rows_of(outside).items():
        import_records(study, kind, write_rows(files / f"{kind}.jsonl", rows))
    draw_sample(study, Plan(size=None, overlap=0, diagnostics=0.0))
    return study


@pytest.fixture(scope="module")
def address(
    hostile_study: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[..., Any]
) -> Iterator[str]:
    with serve_folder(hostile_study.path, tmp_path_factory.mktemp("hostile-log") / "server.log") as found:
        yield found


class Watch:
    """A page, and what it asks for."""

    def __init__(self, page: Page, server: str, outside: Outside) -> None:
        self.page, self.server, self.outside = page, server, outside
        self.views: list[dict[str, Any]] = []
        self.requests: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", lambda dialog: self.requests.append(f"dialog {dialog.message}"))

    def harmless(self) -> None:
        """Nothing was asked of anybody else, nothing ran, and the page is there."""
        ours = (self.server, self.server.replace("http", "ws"), "data:", "blob:")
        assert [url for url in self.requests if not url.startswith(ours)] == []
        assert self.outside.asked == []
        assert self.page.evaluate(FOUND, str(self.outside.port)) == []
        assert self.page.evaluate("getComputedStyle(document.body).display") != "none"

    def open(self, address: str) -> None:
        with self.page.expect_response(lambda response: "/api/view" in response.url) as answer:
            self.page.goto(address)
        self.view = answer.value.json()

    def as_it_is(self) -> None:
        """Every text on the screen is the text that was sent, to the character."""
        ready(self.page)
        texts: list[str] = []
        named: list[str] = []
        for artifact in self.view["artifacts"]:
            texts += [artifact["text"]] if "text" in artifact else artifact.get("texts", [])
            for passage in artifact.get("passages", []):
                texts.append(passage["text"])
                named.append(passage["title"])
                source = f"{passage['publisher']} · {passage['source_type']}"
                assert self.shown(".source")[len(named) - 1] == source
                assert self.shown(".url")[len(named) - 1] == passage["url"]
        label = self.view["label"]
        assert self.shown(".reading .text") == texts
        assert self.shown(".named") == named
        assert self.shown(".asking h2") == [label["question"]]
        assert self.shown(".name > span")[0] == label["title"]
        assert self.shown(".definition .text") == [label["definition"]]
        assert self.shown(".case") == [example["text"] for example in label["examples"]]
        values = [value for value in self.shown(".value .said") if value not in ("Cannot judge", "None of these")]
        assert values == [value["text"] for value in label["values"]]
        assert all("<script>" in text for text in (*texts, *named, label["question"], label["definition"]))
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert self.page.locator(".reading").evaluate("node => node.scrollWidth <= node.clientWidth")
        self.harmless()

    def shown(self, where: str) -> list[str]:
        found: list[str] = self.page.locator(where).evaluate_all("nodes => nodes.map(node => node.textContent)")
        return found

    def answer(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        with self.page.expect_response(lambda response: "/api/label" in response.url) as posted:
            self.page.keyboard.press("Control+Enter")
        self.view = posted.value.json()["next"]
        self.page.locator(".audit:is([data-phase=asking], [data-phase=empty])").wait_for()


@pytest.fixture
def watch(chromium: Browser, outside: Outside, hostile_study: Study, address: str) -> Iterator[Callable[..., Watch]]:
    contexts = []

    def made(screen: str, *teams: str) -> Watch:
        contexts.append(chromium.new_context(viewport={"width": 1280, "height": 800}))
        watch = Watch(contexts[-1].new_page(), address, outside)
        link = add_person(hostile_study, outside.text("name"), teams=teams, address=address).link
        watch.page.goto(link)
        watch.open(f"{address}/{screen}")
        return watch

    yield made
    for context in contexts:
        context.close()


def test_the_evidence_pass_quotes_what_stands_there(watch: Any, outside: Outside, hostile_study: Study) -> None:
    at, rows = watch("label", "evidence"), rows_of(outside)
    page = at.page
    at.as_it_is()
    assert at.view["artifacts"][0]["text"] == rows["responses"][0]["text"]
    expect(page.locator(".who span")).to_have_text(outside.text("name"))
    note = outside.text("note")
    page.locator("#note").fill(note)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.insert_text(outside.text("flag"))
    page.keyboard.press("Control+Enter")
    expect(page.locator(".bar .said")).to_contain_text("Flagged")
    page.keyboard.press("s")
    assert page.locator(".panel option").nth(1).text_content() == outside.text("REASON")
    at.harmless()
    page.keyboard.press("Escape")
    at.answer("1")
    page.keyboard.press("b")
    page.locator(".review").wait_for()
    expect(page.locator("#note")).to_have_value(note)
    at.harmless()
    page.keyboard.press("Escape")
    page.locator(".audit:not([data-review])[data-phase=asking]").wait_for()
    at.as_it_is()
    at.answer("1")
    at.as_it_is()
    text = rows["contexts"][0]["passages"][0]["text"]
    start, end = text.index(FAMILY), text.index("w" * 300)
    for begin, stop in ((start, start + len(FAMILY)), (start + 8, end - 1), (text.index("\x00") - 4, len(text))):
        page.locator(".passage .text").first.evaluate(
            """(node, [begin, stop]) => { const text = node.firstChild;
                const units = (n) => Array.from(text.data).slice(0, n).join("").length;
                getSelection().setBaseAndExtent(text, units(begin), text, units(stop)); }""",
            [begin, stop],
        )
        page.keyboard.press("e")
        expect(page.locator(".bar .said")).to_have_text("Quoted.")
    at.harmless()
    at.answer("1")
    with open_store(hostile_study) as store:
        kept = store.rows("SELECT label, comment, evidence FROM label_event ORDER BY event_id")
    quotes = json.loads(kept[-1]["evidence"])
    assert [text[quote["start"] : quote["end"]] for quote in quotes] == [quote["text"] for quote in quotes]
    assert quotes[0]["text"] == FAMILY
    assert quotes[1]["text"] == text[start + 8 : end - 1].strip()
    assert "\x00" in quotes[2]["text"] or quotes[2]["text"].endswith("end")
    assert kept[0]["comment"] == note
    page.get_by_role("button", name="My items").click()
    expect(page.locator(".mine .answers button").first).to_contain_text("<script>")
    at.harmless()


def test_the_correctness_pass(watch: Any, outside: Outside) -> None:
    at, rows = watch("label", "correctness"), rows_of(outside)
    at.as_it_is()
    (task,) = rows["tasks"]
    assert [artifact.get("text", artifact.get("texts")) for artifact in at.view["artifacts"]][1:] == [
        task["gold_answer"], task["gold_aliases"],
    ]  # fmt: skip


def test_the_context_audit(watch: Any, outside: Outside) -> None:
    at, rows = watch("context", "context"), rows_of(outside)
    for key in ("3", "3", "3"):
        at.as_it_is()
        at.answer(key)
    at.as_it_is()
    shown = next(artifact for artifact in at.view["artifacts"] if artifact["name"] == "condition")
    assert shown["text"] == rows["contexts"][0]["condition"]


def test_the_leads_screens_about_people(
    chromium: Browser, outside: Outside, hostile_study: Study, address: str, watch: Any
) -> None:
    watch("label")  # has an item in hand
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    at = Watch(context.new_page(), address, outside)
    at.page.goto(add_person(hostile_study, outside.text("lead"), role="lead", address=address).link)
    at.page.get_by_text("Report").first.wait_for()
    for path in ("people", "assignments"):
        at.page.goto(f"{address}/{path}")
        expect(at.page.locator("body")).to_contain_text("name <script>window.pwned = 1")
        at.harmless()
    at.page.goto(f"{address}/account")
    expect(at.page.locator("bdi")).to_have_text(outside.text("lead"))
    at.harmless()
    context.close()


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[..., Path], outside: Outside) -> Study:
    """One response on which two people differ, with hostile notes, quotes and names."""
    study = init_study(tmp_path_factory.mktemp("quarrel") / "study", labels=["D", "G"])
    rubric = study.path / "rubric.toml"
    replace_text(rubric, spoilt(rubric.read_text(encoding="utf-8"), outside))
    study, files = open_study(study.path), tmp_path_factory.mktemp("quarrel-files")
    rows = rows_of(outside)
    rows["contexts"][0]["condition"] = "clean"
    for kind, those in rows.items():
        import_records(study, kind, write_rows(files / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None, overlap=1.0))
    for who in ("one", "two"):
        add_person(study, outside.text(f"name-{who}"), person_id=who)
    import_records(study, "labels", write_rows(files / "labels.jsonl", [
        {"item_id": rows["responses"][0]["response_id"], "item_kind": "response", "person_id": who, "label": label,
         "value": value, "comment": outside.text(f"note-{who}"), "evidence": [outside.text("quote")]}
        for who, *values in (("one", "1", "established"), ("two", "0", "not_supported"))
        for label, value in zip(("D", "G"), values, strict=True)
    ]))  # fmt: skip
    return study


def test_adjudication_and_rounds(
    chromium: Browser, outside: Outside, disputed: Study, tmp_path: Path, serve_folder: Callable[..., Any]
) -> None:
    with serve_folder(disputed.path, tmp_path / "server.log") as address:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        at = Watch(context.new_page(), address, outside)
        at.page.goto(add_person(disputed, outside.text("name"), role="adjudicator", address=address).link)
        at.open(f"{address}/adjudicate")
        at.as_it_is()
        at.answer("1")
        assert sorted(at.shown(".said-by .comment")) == sorted(
            f"{before}{outside.text(word)}{after}"
            for before, word, after in (("Note: ", "note-one", ""), ("Note: ", "note-two", ""), ("“", "quote", "”"),
                                        ("“", "quote", "”"))
        )  # fmt: skip
        at.harmless()
        at.page.locator("#note").fill(outside.text("reason"))
        at.page.locator(".asking select").select_option("slip")
        with at.page.expect_response(lambda response: "/api/decide" in response.url):
            at.page.keyboard.press("Control+Enter")
        at.page.locator(".audit[data-phase=asking] .stage").wait_for()
        at.page.get_by_role("button", name="My decisions").click()
        expect(at.page.locator(".mine .answers button")).to_contain_text("slip: reason <script>")
        at.harmless()
        at.page.locator(".mine .answers button").click()
        at.page.locator(".audit[data-phase=asking] .review").wait_for()
        expect(at.page.locator("#note")).to_have_value(outside.text("reason"))
        at.harmless()
        rubric = disputed.path / "rubric.toml"
        replace_text(rubric, rubric.read_text(encoding="utf-8").replace("RUBRIC", "CHANGED", 1))
        at = Watch(chromium.new_context().new_page(), address, outside)
        at.page.goto(add_person(disputed, outside.text("lead"), role="lead", address=address).link)
        at.page.goto(f"{address}/rounds")
        at.page.locator("[data-testid=stExpander] summary").click()
        expect(at.page.locator("[data-testid=stMain]")).to_contain_text("CHANGED <script>")
        at.harmless()
        at.page.context.close()
        context.close()


def renamed(outside: Outside, folder: Path, kind: str, column: str, old: str) -> Path:
    """A demo file in which one name is hostile."""
    rows = [json.loads(line) for line in (DEMO / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [{**row, column: outside.text(column)} if row[column] == old else row for row in rows]
    path = folder / f"{kind}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_leads_screens_with_results(
    chromium: Browser, outside: Outside, tmp_path: Path, serve_folder: Callable[..., Any]
) -> None:
    study = init_study(tmp_path / "study", name=outside.text("study").replace("\\", ""))
    for kind in ("tasks", "contexts"):
        import_records(study, kind, DEMO / f"{kind}.jsonl")
    import_records(study, "responses", renamed(outside, tmp_path, "responses", "model", "wren-8b"))
    import_records(study, "verdicts", renamed(outside, tmp_path, "verdicts", "judge", "heron-judge"))
    draw_sample(study, PLAN)
    add_person(study, outside.text("name"), person_id="scripted-1")
    import_records(study, "labels", DEMO / "labels.jsonl")
    unseal(study, "a test")
    with serve_folder(study.path, tmp_path / "server.log") as address:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        at = Watch(context.new_page(), address, outside)
        at.page.goto(add_person(study, outside.text("lead"), role="lead", address=address).link)
        for path, word in (("report", "study"), ("compare", "model"), ("judge", "judge"), ("agreement", "name")):
            at.page.goto(f"{address}/{path}")
            if path == "report":
                opens = at.page.get_by_role("button", name="Open results")
                opens.click()
                expect(opens).to_have_count(0)  # the study's name stands on the page before, too
            if path == "agreement":
                at.page.get_by_text("Every two people").click()
            expect(at.page.locator("body")).to_contain_text(f"{word} <script>window.pwned = 1")
            at.harmless()
        context.close()


def test_the_rubric_is_hostile_and_still_a_rubric(hostile_study: Study, outside: Outside) -> None:
    raw = tomllib.loads((hostile_study.path / "rubric.toml").read_text(encoding="utf-8"))
    assert raw["skip_reasons"][0] == outside.text("REASON")
    assert all(label[part].startswith("RUBRIC <script>") for label in raw["labels"] for part in ("title", "definition"))
