"""An OpenAI-compatible server on this machine that answers, or fails, as a test wants it to."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Body = dict[str, Any]
Answers = Callable[[Body, int], Response]
"""The answer to a request's body, and how often the same prompt has come, from 1."""


@dataclass
class Seen:
    """One request as it came."""

    body: Body
    raw: str
    headers: dict[str, str]


@dataclass
class ModelServer:
    """What the server does, and what it was asked."""

    address: str = ""
    answers: Answers = lambda body, times: completion(first_value(body))
    seconds: float = 0.0
    seen: list[Seen] = field(default_factory=list, repr=False)
    times: dict[str, int] = field(default_factory=dict, repr=False)
    n_open: int = 0
    most_open: int = 0
    running: uvicorn.Server | None = field(default=None, repr=False)

    async def answer(self, request: Request) -> Response:
        raw = (await request.body()).decode()
        body = json.loads(raw)
        self.seen.append(Seen(body=body, raw=raw, headers=dict(request.headers)))
        prompt = prompt_of(body)
        self.times[prompt] = self.times.get(prompt, 0) + 1
        self.n_open += 1
        self.most_open = max(self.most_open, self.n_open)
        await asyncio.sleep(self.seconds)
        self.n_open -= 1
        return self.answers(body, self.times[prompt])

    def wait_until_left(self) -> None:
        """Until nobody is connected: by then all is read that was sent by whoever has died."""
        assert self.running
        while self.running.server_state.connections or self.running.server_state.tasks:
            time.sleep(0.01)

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self.answer, methods=["POST"])])


def prompt_of(body: Body) -> str:
    return str(body["messages"][0]["content"])


def first_value(body: Body, **more: Any) -> str:
    """A proper answer with the first value that the schema allows."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {"properties": {}})
    wanted = schema["properties"]
    said = {"rationale": "because", "value": wanted.get("value", {}).get("enum", ["1"])[0]}
    return json.dumps({**({"evidence": []} if "evidence" in wanted else {}), **said, **more})


def completion(content: Any, *, finish: str = "stop", refusal: Any = None, **more: Any) -> JSONResponse:
    """A proper answer of a server."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return JSONResponse(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "model-2026-01",
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            **more,
        }
    )


def refused(status: int, message: str, **headers: str) -> JSONResponse:
    """An error as servers report it; headers with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse({"error": {"message": message}}, status, headers=named)


def cut() -> Response:
    """An answer that ends in the middle, because the connection does."""

    async def half() -> AsyncIterator[bytes]:
        yield b'{"choices": [{"message": {"content": "'
        raise ConnectionAbortedError

    return StreamingResponse(half(), headers={"content-type": "application/json", "content-length": "5000"})


@contextmanager
def serving(server: ModelServer | None = None) -> Iterator[ModelServer]:
    """The server on a port of its own."""
    server = server or ModelServer()
    running = uvicorn.Server(uvicorn.Config(server.app(), port=0, log_level="critical", lifespan="off"))
    server.running = running
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    for _ in range(1200):
        if running.started:
            break
        time.sleep(0.05)
    server.address = f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        running.should_exit = True
        thread.join(20)
