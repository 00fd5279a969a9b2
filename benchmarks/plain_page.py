"""The page to be compared with: Starlette and plain JavaScript, one question, one save, nothing else.

    PLAIN_PAGE=FOLDER python -m uvicorn benchmarks.plain_page:app

It shows what the labelling view shows (the same texts, the question with its definition, examples and values, a note,
two buttons), takes a digit and Enter, writes one row with the same durability (SQLite, WAL, synchronous = NORMAL, BEGIN
IMMEDIATE) and answers with the next view. No sign-in, no leases, no plan, no blinding, no drafts, no log of what was
shown: what those cost is the difference.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from data.rubric import default_text, parse_rubric

QUESTION = parse_rubric(default_text(["G"]), "the shipped rubric")["G"]
ITEMS = 4000

PAGE = """<!doctype html><meta charset="utf-8"><title>Plain page</title>
<style>body { display: grid; font: 16px/1.5 sans-serif; grid-template-columns: 2fr 1fr; height: 100vh; margin: 0; }
main, aside { overflow: auto; padding: 1rem; } p { max-width: 75ch; overflow-wrap: anywhere; white-space: pre-wrap; }
article { border: 1px solid #ccc; border-radius: 8px; margin-bottom: 1rem; padding: 0 1rem; }
h3 { background: #eee; margin: 0 -1rem; padding: 0.4rem 1rem; position: sticky; top: 0; }
.value { display: block; padding: 0.4rem; text-align: start; width: 100%; } .value small { display: block; }
[aria-pressed=true] { background: #2a6fc9; color: #fff; }</style>
<main></main><aside></aside><script>
const person = new URLSearchParams(location.search).get("person"), body = document.body;
const [main, aside] = [document.querySelector("main"), document.querySelector("aside")];
let view, chosen;
function node(tag, text, more = {}, ...children) {
  const made = Object.assign(document.createElement(tag), { textContent: text, ...more });
  made.append(...children);
  return made;
}
function draw(next) {
  view = next; chosen = null;
  const { question } = view;
  const passages = view.passages.map((one) => node("article", "", {}, node("h3", one.title), node("p", one.text)));
  main.replaceChildren(node("h2", "Response"), node("p", view.response), node("h2", "Context"), ...passages);
  main.scrollTop = 0;
  const examples = question.examples.map((one) => node("li", `${one.text} ${one.value}: ${one.why}`));
  const values = question.values.map((one) =>
    node("button", `${one.key} ${one.text}`, { className: "value" }, node("small", one.help)));
  aside.replaceChildren(
    node("p", `${view.number} of ${view.of}`), node("h2", question.question), node("p", question.definition),
    node("ul", "", {}, ...examples), ...values, node("textarea", ""), node("button", "Save"), node("button", "Skip"));
  body.dataset.phase = "drawing";
  requestAnimationFrame(() => setTimeout(() => { body.dataset.phase = "asking"; }));
}
async function save() {
  body.dataset.phase = "saving";
  const comment = aside.querySelector("textarea").value;
  const answer = { person, number: view.number, value: chosen, comment };
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch("/api/label", { method: "POST", headers, body: JSON.stringify(answer) });
  draw(await reply.json());
}
addEventListener("keydown", (event) => {
  if (body.dataset.phase !== "asking") return;
  if (event.key === "Enter" && chosen) return save();
  const values = [...aside.querySelectorAll(".value")], pressed = values[Number(event.key) - 1];
  if (!pressed) return;
  chosen = event.key;
  for (const value of values) value.setAttribute("aria-pressed", String(value === pressed));
});
fetch(`/api/view?person=${person}`).then((reply) => reply.json()).then(draw);
</script>"""

_here = threading.local()


def fill(folder: Path, bodies: Sequence[dict[str, Any]]) -> None:
    """A database of items, each with its response and passages."""
    with sqlite3.connect(folder / "plain.db", isolation_level=None) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE item (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
        db.execute(
            "CREATE TABLE label (person TEXT NOT NULL, number INTEGER NOT NULL, value TEXT NOT NULL, comment TEXT, "
            "PRIMARY KEY (person, number)) STRICT"
        )
        db.executemany("INSERT INTO item VALUES (?, ?)", ((n, json.dumps(body)) for n, body in enumerate(bodies)))
    db.close()


def _db() -> sqlite3.Connection:
    if not hasattr(_here, "db"):
        _here.db = sqlite3.connect(Path(os.environ["PLAIN_PAGE"]) / "plain.db", timeout=10, isolation_level=None)
        _here.db.execute("PRAGMA synchronous = NORMAL")
    db: sqlite3.Connection = _here.db
    return db


def _next(person: str) -> dict[str, Any]:
    number, body = (
        _db()
        .execute("SELECT number, body FROM item WHERE number = (SELECT count(*) FROM label WHERE person = ?)", [person])
        .fetchone()
    )
    return {"number": number, "of": ITEMS, "question": asdict(QUESTION), **json.loads(body)}


def _save(answer: dict[str, Any]) -> dict[str, Any]:
    db = _db()
    db.execute("BEGIN IMMEDIATE")
    row = [answer["person"], answer["number"], answer["value"], answer.get("comment")]
    db.execute("INSERT INTO label VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row)
    db.execute("COMMIT")
    return _next(answer["person"])


async def page(request: Request) -> Response:
    return HTMLResponse(PAGE)


async def view(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(_next, request.query_params["person"]))


async def label(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(_save, await request.json()))


async def healthz(request: Request) -> Response:
    return Response(b"ok")


app = Starlette(
    routes=[
        Route("/", page),
        Route("/api/view", view),
        Route("/api/label", label, methods=["POST"]),
        Route("/healthz", healthz),
    ]
)
