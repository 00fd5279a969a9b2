"""Speaking to an OpenAI-compatible server (the hosted API, vLLM, Ollama, llama.cpp). No other module does.

The key is read from the environment, is sent to the server and nowhere else, and is taken out of what the server says
before anybody sees it.
"""

import os
import re
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

import httpx2
import openai
from pydantic import BaseModel, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from judge.judge import JudgeError, Parameters
from judge.waiting import scatter

KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"

FORMATS = ("json_schema", "json_object", "text")
"""Ways to ask for the form of a reply, best first. The words of the prompt ask for it, too."""

_ABOUT_FORMAT = re.compile(r"response_format|json_schema|json_object|structured output|grammar", re.IGNORECASE)
_HOPELESS = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back for one request: a text, or the reason why there is none."""

    text: str | None = None
    why_none: str | None = None
    answered: bool = True
    """False when nobody answered, so that the same may be asked again; True for an answer without a text."""
    cut: bool = False
    """Whether the text stops at the limit of tokens."""
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0
    n_retries: int = 0
    reply_format: str | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def _if_readable(raw: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """What is said beside a label is no reason to lose the label."""
    try:
        return read(raw)
    except ValidationError:
        return None


class _Completion(BaseModel):
    """As much of a server's answer as is read, checked: openai's own model takes whatever comes."""

    choices: list[_Choice]
    model: Annotated[str | None, WrapValidator(_if_readable)] = None
    usage: Annotated[_Usage | None, WrapValidator(_if_readable)] = None


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
        self.address = _address(base_url or os.environ.get(ADDRESS, "").strip() or None)
        self._key = _key(self.address)
        self._format = 0
        self._works = False
        self._openai = openai.AsyncOpenAI(
            # Local servers want no key, and openai will not go without one.
            api_key=self._key or "none",
            base_url=self.address,
            timeout=httpx2.Timeout(timeout, connect=min(timeout, 10.0)),
            max_retries=retries,
            http_client=openai.DefaultAsyncHttpxClient(event_hooks={"response": [scatter]}),
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
        return replace(reply, seconds=time.perf_counter() - start)

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
        self._format, self._works = max(self._format, rung if schema else 0), True
        n_retries = int(response.request.headers.get("x-stainless-retry-count", 0))
        return replace(_read(response.content), n_retries=n_retries, reply_format=FORMATS[rung])

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
        body = error.body
        inner = body.get("message") or body.get("detail") or body.get("error") if isinstance(body, dict) else body
        text = re.sub(r"\s+", " ", str(inner or error.message)).strip().encode("utf-8", "replace").decode()
        text = text.replace(self._key, "[key]") if self._key else text
        return text if len(text) <= 300 else f"{text[:300]} …"


def _address(given: str | None) -> str | None:
    if given is None:
        return None
    parts = urlsplit(given)
    if parts.username or parts.password:
        # Not repeated: what stands there is a secret.
        raise JudgeError(f"the address holds a user name or password; put the key into {KEY} and leave it out")
    if parts.scheme not in ("http", "https") or not parts.hostname:
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


def _format(name: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if name == "json_schema":
        described = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": name, "json_schema": described}}
    return {"response_format": {"type": name}} if name == "json_object" else {}


def _read(body: bytes) -> Reply:
    """The reply in a server's answer; one without a text says why it has none."""
    try:
        answer = _Completion.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "all of it"
        return Reply(why_none=f"the server's answer cannot be read ({place}: {first['msg']})")
    usage = answer.usage or _Usage()
    told = Reply(model=answer.model, input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens)
    if not answer.choices:
        return replace(told, why_none="the server's answer has no choices")
    choice = answer.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        return replace(told, why_none=f"the model refused: {choice.message.refusal or 'stopped by a content filter'}")
    cut = choice.finish_reason == "length"
    if not choice.message.content:
        return replace(told, cut=cut, why_none="the reply was cut off before a word" if cut else "the reply is empty")
    return replace(told, text=choice.message.content, cut=cut)
