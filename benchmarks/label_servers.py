"""What is set side by side: the labelling view on a study of its own, the plain page, and an empty Streamlit page."""

import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.launch import FLAGS, command, environment
from benchmarks import plain_page
from data.study import Study, init_study

PASSAGES, WORDS = 8, 150
"""The page of every measurement: so many passages of so many words, and a response of as many."""

EMPTY_PAGE = 'import streamlit as st\nst.text("ready")\n'


def texts(n: int) -> list[dict[str, Any]]:
    """Items for the plain page, and for the study: the same words."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lexicon = ["".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(2000)]

    def text() -> str:
        return " ".join(rng.choices(lexicon, k=WORDS))

    return [
        {"response": text(), "passages": [{"title": f"Passage {p + 1}", "text": text()} for p in range(PASSAGES)]}
        for _ in range(n)
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def make_study(folder: Path, bodies: list[dict[str, Any]]) -> Study:
    """One response to one context per task, all drawn, one person each; G, then C in a pass of its own.

    Asked for G alone, every commit in the evidence pass ends an item: the next is claimed, counted, and drawn whole.
    """
    study = init_study(folder / "study", labels=["G", "C"])
    rows: dict[str, list[dict[str, Any]]] = {"tasks": [], "contexts": [], "responses": []}
    for n, body in enumerate(bodies):
        rows["tasks"].append({"task_id": f"t{n}", "question": "Which?", "gold_answer": "This one"})
        rows["contexts"].append({"context_id": f"c{n}", "task_id": f"t{n}", "passages": body["passages"]})
        rows["responses"].append({"response_id": f"r{n}", "context_id": f"c{n}", "text": body["response"]})
    for kind, those in rows.items():
        import_records(study, kind, write(folder / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None, overlap=0))
    return study


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(
    line: list[str],
    port: int,
    variables: Mapping[str, str],
    *,
    health: str = "/healthz",
    log: Path = Path(os.devnull),
) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process of its own, once it answers; what it says goes to the log."""
    with log.open("wb") as out:
        server = subprocess.Popen(line, env={**os.environ, **variables}, stdout=out, stderr=out)
        try:
            _wait_for(f"http://127.0.0.1:{port}{health}", server, log)
            yield server
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 120  # on a machine that is busy with much else; whoever has ended is noticed at once
    while server.poll() is None and time.monotonic() < end:
        try:
            urlopen(address, timeout=2).read()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"no answer from {address}:\n{log.read_text(encoding='utf-8', errors='replace')}")


@contextmanager
def labelling_view(study: Study) -> Iterator[str]:
    port = free_port()
    with running(command(port=port), port, environment(study.path)):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def plain(folder: Path, bodies: list[dict[str, Any]]) -> Iterator[str]:
    plain_page.fill(folder, bodies)
    port = free_port()
    line = [sys.executable, "-m", "uvicorn", "benchmarks.plain_page:app", "--port", str(port), "--no-access-log"]
    with running(line, port, {"PLAIN_PAGE": str(folder)}):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def empty_page(folder: Path) -> Iterator[str]:
    """A Streamlit page with one word on it, under the flags of the labelling view."""
    script, port = folder / "empty.py", free_port()
    script.write_text(EMPTY_PAGE, encoding="utf-8")
    flags = {"server.address": "127.0.0.1", "server.port": str(port), **FLAGS}
    line = [sys.executable, "-m", "streamlit", "run", str(script)]
    line += [part for name, value in flags.items() for part in (f"--{name}", value)]
    with running(line, port, {}, health="/_stcore/health"):
        yield f"http://127.0.0.1:{port}"


def links(study: Study, n: int, address: str) -> list[str]:
    """The personal links of so many new people."""
    return [add_person(study, f"Annotator {k}", address=address).link for k in range(n)]
