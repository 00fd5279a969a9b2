"""Many at once, and the server gone in the middle of it: nothing lost, nothing twice, nobody refused."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.launch import command, environment
from benchmarks.label_servers import free_port, running
from data.store.connection import open_store
from data.study import Study

WORK = """
import json, sys, time
from pathlib import Path
from audit_app.actions.labelling import commit, next_view
from data.errors import StudyProblem
from data.store import people
from data.store.connection import open_store
from data.study import open_study
study, who, seconds = open_study(Path(sys.argv[1])), sys.argv[2], float(sys.argv[3])
with open_store(study) as store:
    person = people.find(store, who)
print("ready", flush=True)
sys.stdin.readline()
view, end = next_view(study, person, "label"), time.monotonic() + seconds
while view["state"] == "view":
    answer = {name: view[name] for name in ("assignment_id", "client_seq")}
    answer |= {"label": view["label"]["name"], "value": view["label"]["values"][view["client_seq"] % 2]["value"]}
    try:
        view = commit(study, person, {"screen": "label", **answer})["next"]
        print(json.dumps([who, answer]))
    except StudyProblem as problem:
        print(json.dumps(["refused", str(problem)]))
    if time.monotonic() > end:  # everybody saves at least once, however slow the machine is
        break
"""


def planned(study_from: Any, grid: Any, n_tasks: int, *, overlap: float) -> Study:
    study: Study = study_from(grid(n_tasks, conditions=("clean",)), labels=["D", "A"])
    draw_sample(study, Plan(size=None, overlap=overlap))
    return study


def check_answers(study: Study, acknowledged: list[dict[str, Any]]) -> None:
    """Every answer that was acknowledged is kept, once, and no opening went to two people."""
    with open_store(study) as store:
        assert store.row("PRAGMA integrity_check") == {"integrity_check": "ok"}
        rows = store.rows("SELECT assignment_id, client_seq, label, value FROM label_event")
        kept = Counter(tuple(row.values()) for row in rows)
        sent = Counter(tuple(answer[name] for name in rows[0]) for answer in acknowledged)
        assert sent - kept == Counter()
        assert set(kept.values()) == {1}
        taken = store.rows(
            "SELECT count(*) AS n, count(DISTINCT person_id) AS people FROM assignment "
            "WHERE person_id IS NOT NULL GROUP BY item_id"
        )
        assert all(row["n"] == row["people"] <= 2 for row in taken)
        done = store.rows("SELECT assignment_id FROM assignment WHERE state = 'done'")
        complete = Counter(row["assignment_id"] for row in rows)
        assert all(complete[row["assignment_id"]] == 2 for row in done)


@pytest.mark.parametrize(
    ("n_processes", "seconds", "n_tasks"),
    [pytest.param(5, 1.5, 100, id="short"), pytest.param(20, 10, 4000, id="whole", marks=pytest.mark.soak)],
)
def test_many_processes_claim_and_save(
    study_from: Any, grid: Any, n_processes: int, seconds: float, n_tasks: int
) -> None:
    study = planned(study_from, grid, n_tasks, overlap=1.0)
    started = []
    for n in range(n_processes):
        add_person(study, f"Annotator {n}", person_id=f"p{n}")
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        line = [sys.executable, "-c", WORK, str(study.path), f"p{n}", str(seconds)]
        started.append(subprocess.Popen(line, cwd=Path(__file__).parents[2], text=True, **pipes))
    for process in started:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=120) for process in started]
    assert [errors for _, errors in printed] == [""] * n_processes
    said = [json.loads(line) for out, _ in printed for line in out.splitlines()]
    assert [what for who, what in said if who == "refused"] == []
    check_answers(study, [answer for _, answer in said])
    with open_store(study) as store:
        row = store.row("SELECT count(*) AS n FROM label_event")
    assert row == {"n": len(said)}
    assert len({who for who, _ in said}) == n_processes


class Client:
    """One annotator who saves as fast as the server answers, and sends again what was not acknowledged."""

    def __init__(self, port: int, link: str) -> None:
        self.port = port
        self.headers = {"Content-Type": "application/json", "X-Evidence-Audit": "1"}
        _, cookie = self.ask("GET", urlsplit(link).path)
        self.headers["Cookie"] = str(cookie).split(";")[0]
        self.view = json.loads(self.ask("GET", "/api/view?screen=label")[0])
        self.acknowledged: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, body: Any = None) -> tuple[bytes, str | None]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, json.dumps(body) if body else None, self.headers)
            reply = connection.getresponse()
            answer = reply.read()
            assert reply.status < 400, answer
            return answer, reply.getheader("set-cookie")
        finally:
            connection.close()

    def save(self) -> None:
        answer = {name: self.view[name] for name in ("assignment_id", "client_seq")}
        answer |= {"screen": "label", "label": self.view["label"]["name"], "value": "1"}
        body, _ = self.ask("POST", "/api/label", answer)
        self.acknowledged.append(answer)
        self.view = json.loads(body)["next"]

    def save_until(self, enough: Callable[[], bool]) -> None:
        with suppress(OSError, HTTPException):  # the server is gone
            while self.view["state"] == "view" and not enough():
                self.save()


def test_a_server_killed_in_the_middle_of_200_saves_keeps_what_it_acknowledged(study_from: Any, grid: Any) -> None:
    study, clients = planned(study_from, grid, 100, overlap=0.0), list[Client]()
    port = free_port()
    line, variables = command(port=port), environment(study.path)

    def together(enough: Callable[[], bool]) -> list[threading.Thread]:
        threads = [threading.Thread(target=client.save_until, args=(enough,)) for client in clients]
        for thread in threads:
            thread.start()
        return threads

    def n_saved() -> int:
        return sum(len(client.acknowledged) for client in clients)

    with running(line, port, variables) as server:
        clients += [Client(port, add_person(study, f"Annotator {n}").link) for n in range(4)]

        def kill() -> bool:  # by whoever is at it: somebody who only looks on may come too late
            if n_saved() >= 90:
                server.kill()
            return False

        for thread in together(kill):
            thread.join(timeout=60)
    before = n_saved()
    assert 90 <= before < 200
    check_answers(study, [answer for client in clients for answer in client.acknowledged])
    with running(line, port, variables):
        for thread in together(lambda: False):
            thread.join(timeout=60)
    acknowledged = [answer for client in clients for answer in client.acknowledged]
    assert len(acknowledged) == 200
    check_answers(study, acknowledged)
    with open_store(study) as store:
        assert store.row("SELECT count(*) AS n FROM label_event") == {"n": 200}
