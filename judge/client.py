"""Speaking to an OpenAI-compatible server (the hosted API, vLLM, Ollama, llama.cpp). No other module does.

The key is read from the environment, is sent to the server and nowhere else, and is taken out of what the server says
before anybody sees it.
"""

import asyncio
import os
import re
import time
from codecs import BOM_UTF8
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx2
import openai

from judge.completion import Reply, message, read_completion, trouble
from judge.judge import JudgeError, Parameters
from judge.waiting import scatter

KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"

FORMATS = ("json_schema", "json_object", "text")
"""Ways to ask for the form of a reply, best first. The words of the prompt ask for it, too."""

_ABOUT_FORMAT = re.compile(r"response_format|json_schema|json_object|structured output|grammar", re.IGNORECASE)
_HOPELESS = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)


class _Hurried(openai.DefaultAsyncHttpxClient):
    """Gives up an attempt that is not over in time: the timeouts of httpx are from one byte to the next."""

    def __init__(self, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self._seconds = seconds

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            async with asyncio.timeout(self._seconds):
                return await super().send(request, **options)
        except TimeoutError:
            raise httpx2.ReadTimeout("no whole answer in time", request=request) from None


class Client(AbstractAsyncContextManager["Client"]):
    """One model behind one server.

    Waiting and asking again is openai's: up to `retries` times after 408, 409, 429, 5xx, a cut connection or no answer
    in time, after as long as Retry-After says and a little longer (what says more than two minutes is not asked again),
    else 0.5 s doubling to 8 s with random jitter.

    Args:
        model: What the server calls the model.
        base_url: Where it is; the environment's OPENAI_BASE_URL or the hosted API by default.
        parameters: Sent with every request: temperature, max_tokens, seed and so on.
        timeout: Seconds that one attempt may take.
        retries: How often a request is repeated.

    Raises:
        JudgeError: The address is none, or the hosted API is asked without a key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        parameters: Parameters | None = None,
        timeout: float = 120.0,
        retries: int = 5,
    ) -> None:
        self.model = model
        self.parameters: Parameters = dict(parameters or {})
        self.address = _address((base_url or os.environ.get(ADDRESS, "")).strip() or None)
        self._key = _key(self.address)
        self._spelt = _spelt(self._key) if self._key else None
        self._format = 0
        self._works = False
        self._openai = openai.AsyncOpenAI(
            # Local servers want no key, and openai will not go without one.
            api_key=self._key or "none",
            base_url=self.address,
            timeout=httpx2.Timeout(timeout, connect=min(timeout, 10.0)),
            max_retries=retries,
            http_client=_Hurried(timeout, event_hooks={"response": [scatter]}),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._openai.close()

    async def ask(self, prompt: str, schema: Mapping[str, Any] | None = None) -> Reply:
        """What the model replies to one prompt.

        Args:
            prompt: The whole of it.
            schema: JSON schema of the reply. A server that refuses it is asked more loosely, from then on at once.

        Raises:
            JudgeError: The key, the model or the address is wrong.
        """
        start = time.perf_counter()
        reply = await self._ask(prompt, schema, self._format if schema else len(FORMATS) - 1)
        # A key that stands in the prompt is a word like any other: "none", as local servers take it.
        bare = (lambda text: text) if self._key and self._key in prompt else self._bare
        text, why_none, model = map(bare, (reply.text, reply.why_none, reply.model))
        return replace(reply, seconds=time.perf_counter() - start, text=text, why_none=why_none, model=model)

    async def _ask(self, prompt: str, schema: Mapping[str, Any] | None, rung: int) -> Reply:
        message = [{"role": "user", "content": prompt}]
        try:
            # Not `chat.completions.create`, which holds what is sent against every kind of message that there is, and
            # makes a model of what comes back: a sixth of the time of a call.
            response = await self._openai.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body={**self.parameters, "model": self.model, "messages": message, **_format(FORMATS[rung], schema)},
            )
        except _HOPELESS as error:
            raise JudgeError(self._hopeless(error)) from None
        except openai.APIStatusError as error:
            said = self._said(error)
            if rung + 1 < len(FORMATS) and self._is_about_format(error, said):
                return await self._ask(prompt, schema, rung + 1)
            return Reply(why_none=f"the server answered {error.status_code}: {said}", answered=False)
        except openai.APITimeoutError:
            return Reply(why_none="no reply in time", answered=False)
        except openai.APIConnectionError as error:
            cause = type(error.__cause__).__name__ if error.__cause__ else "no connection"
            return Reply(why_none=f"no connection, or one that was cut ({cause})", answered=False)
        reply = self._read(response.content)
        self._format, self._works = max(self._format, rung if schema else 0), True
        n_retries = int(response.request.headers.get("x-stainless-retry-count", 0))
        return replace(reply, n_retries=n_retries, reply_format=FORMATS[rung])

    def _read(self, body: bytes) -> Reply:
        body = body.removeprefix(BOM_UTF8)
        error = trouble(body)
        if error is not None:
            # A gateway that passes on, as a success, that what is behind it has failed.
            return Reply(why_none=f"the server answered with an error: {self._line(error)}", answered=False)
        if body.lstrip().startswith(b"{"):
            return read_completion(body)
        said = self._line(body[:300].decode("utf-8", "replace") or "nothing")
        if self._works:
            # Something between here and the server: the same may be asked again.
            return Reply(why_none=f"what came back is no JSON: {said}", answered=False)
        raise JudgeError(
            f"what {self.address or 'the hosted API'} answers is no JSON, as if it were a web page; expected the "
            f"address of an OpenAI-compatible server (they end in /v1). It says: {said}"
        )

    def _is_about_format(self, error: openai.APIStatusError, said: str) -> bool:
        """Whether it is the form of the reply that a server does not know: it says so, or has not taken it before."""
        return bool(_ABOUT_FORMAT.search(said)) or (error.status_code in (400, 422) and not self._works)

    def _hopeless(self, error: openai.APIStatusError) -> str:
        where, said = self.address or "the hosted API", self._said(error)
        if isinstance(error, openai.NotFoundError):
            return f"{where} has no model {self.model!r}, or is no OpenAI-compatible address (they end in /v1): {said}"
        what = "the key that is there was refused" if self._key else f"put a key into the environment variable {KEY}"
        return f"{where} lets nobody in ({error.status_code}): {what}. It says: {said}"

    def _said(self, error: openai.APIStatusError) -> str:
        """What the server says of an error, on one line and without the key."""
        return self._line(message(error.body) or error.message)

    def _line(self, said: str) -> str:
        text = self._bare(re.sub(r"\s+", " ", said).strip().encode("utf-8", "replace").decode()) or ""
        return text if len(text) <= 300 else f"{text[:300]} …"

    def _bare(self, text: str | None) -> str | None:
        """A text without the key, which some servers repeat."""
        return self._spelt.sub("[key]", text) if text and self._spelt else text


def _address(given: str | None) -> str | None:
    if given is None:
        return None
    if any(mark in given for mark in "@?#"):
        # Not repeated: what stands there may be a secret, and the address is shown and kept.
        raise JudgeError(
            f"the address holds a user name, a password or something behind ? or #; leave it out, and put the key "
            f"into {KEY}"
        )
    try:
        parts = urlsplit(given)
        proper = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        proper = proper and given.isprintable() and " " not in given
    except ValueError:
        proper = False
    if not proper:
        raise JudgeError(f"{given!r} is no address; expected one like http://127.0.0.1:8000/v1")
    return given.rstrip("/")


def _key(address: str | None) -> str | None:
    key = os.environ.get(KEY, "").strip()
    if key and not (key.isascii() and key.isprintable()):
        # Refused here: as a header it would fail with a message that repeats it.
        raise JudgeError(f"the key in {KEY} has characters that no key has; copy it again")
    if not key and address is None:
        raise JudgeError(
            f"the hosted API wants a key: put it into the environment variable {KEY}. For a server of your own give "
            "its address with --base-url"
        )
    return key or None


def _spelt(key: str) -> re.Pattern[str]:
    """The key as it stands, and as JSON can spell it: a reply is JSON that is read only after the key was taken out."""
    slash = {"/": r"\\*"}
    return re.compile("".join(rf"(?:{slash.get(c, '')}{re.escape(c)}|\\+u(?i:{ord(c):04x}))" for c in key))


def _format(name: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if name == "json_schema":
        described = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": name, "json_schema": described}}
    return {"response_format": {"type": name}} if name == "json_object" else {}
