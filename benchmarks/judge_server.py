"""A model server that takes a fixed time to answer, in a process of its own: it takes no turns with what is timed."""

import asyncio
import json
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ANSWER = json.dumps({"rationale": "It says so in the second passage.", "evidence": [], "value": "1"})
GROUNDED = ANSWER.replace('"1"', '"established"')


def _completion(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "model-2026-01",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1500, "completion_tokens": 40, "total_tokens": 1540},
        }
    ).encode()


YES, ESTABLISHED = _completion(ANSWER), _completion(GROUNDED)


async def _answer(request: Request) -> Response:
    delay, body = float(request.path_params["delay"]), await request.body()
    await asyncio.sleep(delay)
    return Response(ESTABLISHED if b"established" in body else YES, media_type="application/json")


def _serve(port: int) -> None:
    app = Starlette(routes=[Route("/{delay}/v1/chat/completions", _answer, methods=["POST"])])
    uvicorn.run(app, port=port, log_level="error", lifespan="off")


@contextmanager
def serving() -> Iterator[str]:
    """The server's address, to which seconds and /v1 are added."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(port,), daemon=True)
    process.start()
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.join(10)
