"""One request over real HTTP: whatever the server does, there is a text or a reason, and no key in either."""

import asyncio
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from judge.client import Client
from judge.completion import Reply
from judge.judge import JudgeError
from tests.judge.model_server import ModelServer, completion, cut, refused, serving

SCHEMA = {"type": "object", "properties": {"value": {"type": "string", "enum": ["1", "0"]}}}
KEY = "sk-THE-SECRET-KEY"


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    fresh = ModelServer()
    running.answers, running.seconds, running.seen, running.times = fresh.answers, 0.0, [], {}
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    # The waits of a second and more are openai's; what is tested here is that they end.
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    return running


def ask(server: ModelServer, n: int = 1, **options: Any) -> list[Reply]:
    """The same client asked one time after the other."""

    async def asked() -> list[Reply]:
        async with Client("m", base_url=server.address, **{"retries": 2, **options}) as client:
            return [await client.ask(f"prompt {i}", SCHEMA) for i in range(n)]

    return asyncio.run(asked())


def test_a_reply_with_all_that_is_known_of_it(server: ModelServer) -> None:
    (reply,) = ask(server, parameters={"temperature": 0, "seed": 7})
    assert reply.text == '{"rationale": "because", "value": "1"}'
    assert (reply.model, reply.input_tokens, reply.output_tokens) == ("model-2026-01", 100, 20)
    assert (reply.n_retries, reply.answered, reply.reply_format) == (0, True, "json_schema")
    body = server.seen[0].body
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0, 7)
    assert body["messages"] == [{"role": "user", "content": "prompt 0"}]
    assert body["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": SCHEMA}
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_too_many_requests_wait_as_long_as_the_server_says(server: ModelServer) -> None:
    server.answers = lambda body, times: refused(429, "slow down", retry_after="1") if times == 1 else completion("x")
    start = time.monotonic()
    (reply,) = ask(server)
    assert (reply.text, reply.n_retries) == ("x", 1)
    assert time.monotonic() - start >= 1
    assert reply.seconds >= 1


def test_those_turned_away_at_once_do_not_come_back_at_once(server: ModelServer) -> None:
    server.answers = lambda body, times: refused(429, "slow", retry_after="0.2") if times == 1 else completion("x")

    async def asked() -> list[Reply]:
        async with Client("m", base_url=server.address, retries=2) as client:
            return list(await asyncio.gather(*(client.ask(f"prompt {i}", SCHEMA) for i in range(12))))

    took = [reply.seconds for reply in asyncio.run(asked())]
    assert min(took) >= 0.2
    assert max(took) - min(took) > 0.2


def test_an_error_of_the_server_is_tried_again(server: ModelServer) -> None:
    server.answers = lambda body, times: refused(500, "oops") if times < 3 else completion("x")
    (reply,) = ask(server)
    assert (reply.text, reply.n_retries, len(server.seen)) == ("x", 2, 3)


def test_a_connection_that_is_cut_in_the_middle_is_tried_again(server: ModelServer) -> None:
    server.answers = lambda body, times: cut() if times == 1 else completion("x")
    (reply,) = ask(server)
    assert (reply.text, reply.n_retries, len(server.seen)) == ("x", 1, 2)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param(lambda: refused(500, "oops"), "the server answered 500: oops", id="500"),
        pytest.param(lambda: refused(429, "quota", retry_after="0"), "the server answered 429: quota", id="429"),
        pytest.param(lambda: refused(429, "quota", retry_after="900"), "the server answered 429: quota", id="wait-900"),
        pytest.param(cut, "no connection, or one that was cut (RemoteProtocolError)", id="cut"),
    ],
)
def test_what_fails_for_good_has_no_reply_and_a_reason(
    server: ModelServer, answer: Callable[[], Response], why: str
) -> None:
    server.answers = lambda body, times: answer()
    (reply,) = ask(server)
    assert (reply.text, reply.why_none, reply.answered) == (None, why, False)


def test_a_server_that_is_too_slow_or_not_there(server: ModelServer) -> None:
    server.seconds = 1.0
    (reply,) = ask(server, retries=0, timeout=0.2)
    assert (reply.why_none, reply.answered) == ("no reply in time", False)
    (reply,) = ask(ModelServer(address="http://127.0.0.1:9/v1"), retries=0)
    assert (reply.why_none, reply.answered) == ("no connection, or one that was cut (ConnectError)", False)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param(Response('{"choices": [', media_type="application/json"), "cannot be read", id="malformed"),
        pytest.param(JSONResponse({"detail": "x"}), "cannot be read: choices: Field required", id="other-object"),
        pytest.param(completion(None, choices=[]), "has no choices", id="empty-choices"),
        pytest.param(completion(None, choices={}), "choices: Input should be a valid array", id="choices-object"),
        pytest.param(completion(5), "choices.0.message.content: Input should be a valid string", id="content-number"),
        pytest.param(completion(None, refusal="I cannot."), "the model refused: I cannot.", id="refusal"),
        pytest.param(completion(None, finish="content_filter"), "stopped by a content filter", id="filter"),
        pytest.param(completion("", finish="length"), "cut off before a word", id="cut-at-once"),
        pytest.param(completion(""), "the reply is empty", id="empty"),
    ],
)
def test_what_cannot_be_read_was_answered_and_is_not_asked_again(
    server: ModelServer, answer: Response, why: str
) -> None:
    server.answers = lambda body, times: answer
    (reply,) = ask(server)
    assert reply.text is None
    assert why in (reply.why_none or "")
    assert reply.answered
    assert len(server.seen) == 1


@pytest.mark.parametrize("body", ["<html><h1>Sign in</h1>", "[1]", ""])
def test_a_web_page_is_no_server_and_later_on_no_reply(server: ModelServer, body: str) -> None:
    server.answers = lambda body_, times: Response(body)
    with pytest.raises(JudgeError, match=r"is no JSON, as if it were a web page; .* end in /v1.*says: \S"):
        ask(server)
    server.answers = lambda body_, times: completion("x") if len(server.seen) < 3 else Response(body)
    first, second = ask(server, 2)
    assert (first.text, second.text, second.answered) == ("x", None, False)
    assert "what came back is no JSON" in (second.why_none or "")


def test_a_reply_that_was_cut_off_says_so_and_extra_fields_do_no_harm(server: ModelServer) -> None:
    server.answers = lambda body, times: completion('{"val', finish="length", extra={"a": [1]})
    (reply,) = ask(server)
    assert (reply.text, reply.cut) == ('{"val', True)


def test_a_label_is_not_lost_for_what_is_said_beside_it(server: ModelServer) -> None:
    server.answers = lambda body, times: completion("x", usage={"prompt_tokens": "many"}, model=5)
    (reply,) = ask(server)
    assert (reply.text, reply.model, reply.input_tokens) == ("x", None, None)


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_server_without_schemas_is_asked_more_loosely_from_then_on(server: ModelServer, status: int) -> None:
    def answers(body: dict[str, Any], times: int) -> Response:
        kind = body.get("response_format", {}).get("type")
        return refused(status, f"response_format: unknown type {kind}") if kind else completion("x")

    server.answers = answers
    replies = ask(server, 3, retries=0)
    assert [reply.text for reply in replies] == ["x"] * 3
    assert {reply.reply_format for reply in replies} == {"text"}
    formats = [seen.body.get("response_format", {}).get("type") for seen in server.seen]
    assert formats == ["json_schema", "json_object", None, None, None]


def test_one_bad_request_does_not_loosen_what_works(server: ModelServer) -> None:
    def answers(body: dict[str, Any], times: int) -> Response:
        return refused(400, "too long") if "prompt 1" in str(body["messages"]) else completion("x")

    server.answers = answers
    first, second, third = ask(server, 3)
    assert (first.reply_format, third.reply_format) == ("json_schema", "json_schema")
    assert (second.why_none, second.answered) == ("the server answered 400: too long", False)
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "the key that is there was refused"), (403, "lets nobody in"), (404, "has no model 'm'")],
)
def test_what_can_never_work_ends_it_and_the_key_is_not_repeated(server: ModelServer, status: int, words: str) -> None:
    server.answers = lambda body, times: refused(status, f"Incorrect API key provided: {KEY}.")
    with pytest.raises(JudgeError, match=words) as raised:
        ask(server)
    assert KEY not in str(raised.value)
    assert "[key]" in str(raised.value)
    assert raised.value.__cause__ is None
    assert len(server.seen) == 1


def test_the_key_is_in_no_log_line(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers = lambda body, times: refused(500, KEY) if times == 1 else refused(400, KEY)
    (reply,) = ask(server)
    assert KEY not in caplog.text
    assert KEY not in repr(reply)
    assert caplog.records


@pytest.mark.parametrize("key", [KEY, "sk/with/slashes"])
def test_a_server_that_repeats_the_key_does_not_get_it_kept(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    said = json.dumps({"rationale": f"Bearer {key}", "value": "1"})
    answers = (
        completion("x"),
        completion(said, model=key),
        completion(said.replace("/", r"\/")),
        completion(None, refusal=f"not with {key}"),
        Response(f"<html>{key}"),
    )
    server.answers = lambda body, times: answers[len(server.seen) - 1]
    for reply in ask(server, len(answers))[1:]:
        assert "[key]" in repr(reply)
        assert key not in repr(reply).replace("\\", "")


def test_a_key_that_is_a_word_of_the_prompt_is_no_secret(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "prompt")
    server.answers = lambda body, times: completion("a prompt reply")
    assert ask(server)[0].text == "a prompt reply"


def test_the_hosted_api_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(JudgeError, match="OPENAI_API_KEY"):
        Client("m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")
    assert Client("m").address == "http://127.0.0.1:1/v1"


def test_an_address_with_a_secret_is_refused_unrepeated(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("http://ann:sesame@h/v1", "http://h/v1?api_key=sesame", "http://h/v1#sesame", "ann:sesame@h/v1"):
        with pytest.raises(JudgeError, match="leave it out") as raised:
            Client("m", base_url=address)
        assert "sesame" not in str(raised.value)
    for address in ("127.0.0.1:8000", "http://[::1/v1", "http://h:port/v1", "http:///v1"):
        with pytest.raises(JudgeError, match="no address"):
            Client("m", base_url=address)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\u2019b")
    with pytest.raises(JudgeError) as raised:
        Client("m", base_url="http://127.0.0.1/v1")
    assert "sk-a" not in str(raised.value)


def spelt(key: str) -> str:
    """A key as JSON may spell it, every character as its number."""
    return "".join(rf"\u{ord(c):04x}" for c in key)


@pytest.mark.parametrize("spell", [spelt, lambda key: spelt(key).upper().replace(r"\U", r"\u"), lambda key: key])
def test_a_key_that_a_reply_spells_in_json_is_taken_out_before_it_is_read(
    server: ModelServer, spell: Callable[[str], str]
) -> None:
    server.answers = lambda body, times: completion(f'{{"rationale": "{spell(KEY)}", "value": "1"}}')
    (reply,) = ask(server)
    assert json.loads(reply.text or "") == {"rationale": "[key]", "value": "1"}


def dripping(head: bytes) -> Iterator[str]:
    """A server that never ends what it says, and never pauses for long."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()

        def drip(place: socket.socket) -> None:
            with place, suppress(OSError):
                place.recv(65536)
                place.sendall(head)
                while not stop.wait(0.05):
                    place.sendall(b"x-more: 1\r\n")

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=drip, args=(listening.accept()[0],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        stop.set()


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n{"])
def test_an_answer_that_comes_drop_by_drop_is_given_up_in_time(server: ModelServer, head: bytes) -> None:
    async def asked(address: str) -> Reply:
        async with Client("m", base_url=address, retries=0, timeout=0.5) as client:
            return await asyncio.wait_for(client.ask("prompt", SCHEMA), 20)

    for address in dripping(head):
        reply = asyncio.run(asked(address))
    assert (reply.why_none, reply.answered) == ("no reply in time", False)


@pytest.mark.parametrize("count", [10**30, -5, 1.5, "many", None])
def test_a_count_of_tokens_that_can_be_none_is_left_out(server: ModelServer, count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 7}
    server.answers = lambda body, times: completion("x", usage=usage)
    (reply,) = ask(server)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("x", None, 7)


@pytest.mark.parametrize("more", [{}, {"choices": None}, {"choices": []}])
def test_an_error_that_comes_as_a_success_is_no_answer(server: ModelServer, more: dict[str, object]) -> None:
    body = {"error": {"message": f"upstream overloaded, you sent {KEY}", "code": 502}, **more}
    server.answers = lambda _, times: JSONResponse(body)
    (reply,) = ask(server)
    assert reply.why_none == "the server answered with an error: upstream overloaded, you sent [key]"
    assert not reply.answered


def test_a_byte_order_mark_is_passed_over_and_so_is_an_empty_error(server: ModelServer) -> None:
    server.answers = lambda body, times: Response(b"\xef\xbb\xbf" + completion("x", error=None).body)
    assert ask(server)[0].text == "x"


@pytest.mark.parametrize("address", ["http://a b/v1", "http://127.0.0.1:8000/v\x01x", "http://127.0.0.1/v\n1"])
def test_an_address_that_cannot_be_asked_is_refused(server: ModelServer, address: str) -> None:
    with pytest.raises(JudgeError, match="is no address"):
        Client("m", base_url=address)
    assert Client("m", base_url=" http://127.0.0.1:8000/v1\n").address == "http://127.0.0.1:8000/v1"
