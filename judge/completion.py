"""What is read of the answer of an OpenAI-compatible server: a reply, an error instead, or why there is neither."""

import json
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator


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


def _if_readable(raw: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """What is said beside a label is no reason to lose the label."""
    try:
        return read(raw)
    except ValidationError:
        return None


_Tokens = Annotated[Annotated[int, Field(ge=0, le=10**9)] | None, WrapValidator(_if_readable)]
"""A count that can be one: another would make what was spent less than nothing, or more than can be kept."""


class _Usage(BaseModel):
    prompt_tokens: _Tokens = None
    completion_tokens: _Tokens = None


class _Completion(BaseModel):
    """As much of a server's answer as is read, checked: openai's own model takes whatever comes."""

    choices: list[_Choice]
    model: Annotated[str | None, WrapValidator(_if_readable)] = None
    usage: Annotated[_Usage | None, WrapValidator(_if_readable)] = None


def read_completion(body: bytes) -> Reply:
    """The reply in a server's answer; one without a text says why it has none."""
    try:
        answer = _Completion.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "all of it"
        return Reply(why_none=f"the server's answer cannot be read: {place}: {first['msg']}")
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


def message(body: object) -> str:
    """What the body of an error says."""
    inner = body.get("message") or body.get("detail") or body.get("error") if isinstance(body, dict) else body
    return str(inner or "")


def trouble(body: bytes) -> str | None:
    """What an answer says that is no completion but an error; None where it is something else."""
    try:
        found = json.loads(body) if b'"error"' in body else None
    except (ValueError, RecursionError):
        return None
    error = found.get("error") if isinstance(found, dict) and not found.get("choices") else None
    return (message(error) or str(error)) if error else None
