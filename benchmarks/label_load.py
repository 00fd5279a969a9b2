"""Many annotators at once, as the server sees them: each answers, thinks for a second on average, answers again."""

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

KEPT = 3.0
"""Seconds; the servers close a connection that rests for five."""


@dataclass
class Client:
    """One annotator with one connection, on the labelling view or on the plain page."""

    address: str
    first: str
    """Where the first view comes from."""
    answer: Callable[[dict[str, Any]], dict[str, Any]]
    """What to post for a view."""
    next_of: Callable[[dict[str, Any]], dict[str, Any]]
    """The next view in a reply."""
    headers: dict[str, str] = field(default_factory=dict)
    view: dict[str, Any] = field(default_factory=dict)
    used: float = 0.0

    def __post_init__(self) -> None:
        self.connection = HTTPConnection(urlsplit(self.address).netloc, timeout=60)

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes, str]:
        if time.monotonic() - self.used > KEPT:
            self.connection.close()  # opens anew by itself
        self.used = time.monotonic()
        self.connection.request(method, path, json.dumps(body) if body else None, self.headers)
        reply = self.connection.getresponse()
        return reply.status, reply.read(), reply.getheader("set-cookie") or ""

    def sign_in(self, link: str) -> None:
        """With the personal link; the session goes into the headers."""
        _, _, cookie = self.request("GET", urlsplit(link).path)
        self.headers["Cookie"] = cookie.split(";")[0]

    def begin(self) -> None:
        self.view = json.loads(self.request("GET", self.first)[1])

    def act(self) -> float:
        """Answers the view at hand; seconds from the post to the whole reply."""
        sent = self.answer(self.view)
        start = time.perf_counter()
        status, body, _ = self.request("POST", "/api/label", sent)
        spent = time.perf_counter() - start
        if status != 200:
            raise RuntimeError(f"{status}: {body[:200]!r}")
        self.view = self.next_of(json.loads(body))
        return spent


def annotator(address: str, link: str) -> Client:
    """On the labelling view."""

    def answer(view: dict[str, Any]) -> dict[str, Any]:
        sent = {name: view[name] for name in ("who", "assignment_id", "client_seq")}
        return {"screen": "label", "label": view["label"]["name"], "value": view["label"]["values"][-1]["value"],
                "active_seconds": 1.0, "evidence": [], **sent}  # fmt: skip

    headers = {"Content-Type": "application/json", "X-Evidence-Audit": "1"}
    client = Client(address, "/api/view?screen=label", answer, lambda reply: reply["next"], headers)
    client.sign_in(link)
    client.begin()
    return client


def plain_annotator(address: str, person: str) -> Client:
    """On the plain page."""

    def answer(view: dict[str, Any]) -> dict[str, Any]:
        return {"person": person, "number": view["number"], "value": "4"}

    client = Client(
        address, f"/api/view?person={person}", answer, lambda reply: reply, {"Content-Type": "application/json"}
    )
    client.begin()
    return client


def drive(clients: list[Client], seconds: float) -> list[float]:
    """Lets everybody act once a second on average for a while; the seconds that every reply took.

    Raises:
        RuntimeError: A save was refused, or somebody had nothing left to do.
    """
    spent: list[float] = []
    failed: list[BaseException] = []
    end = time.monotonic() + seconds

    def work(client: Client, rng: random.Random) -> None:
        try:
            while time.monotonic() + (pause := rng.expovariate(1.0)) < end:
                time.sleep(pause)
                spent.append(client.act())
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(client, random.Random(n))) for n, client in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise RuntimeError(f"{len(failed)} of {len(clients)} annotators could not go on: {failed[0]!r}")
    return spent
