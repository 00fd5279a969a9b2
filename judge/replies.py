"""The form of a reply, and reading one: a value of the rubric with its evidence, or the reason why there is none."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WithJsonSchema, create_model

from data.questions import Question
from data.views import artifacts

_BLOCK = re.compile(r"^```\w*[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
"""A code block whose marks stand on lines of their own."""

CLAIMS, SUPPORT = "claims", "support"
"""Kinds of question that no rubric has: splitting a response into claims, and judging each of them."""


class Unreadable(ValueError):
    """What came back is no answer; the text says why, as it is kept with the unscored label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a reply says, before its quotes are looked up."""

    value: str
    quotes: tuple[tuple[str, int | None], ...] = ()
    """Each with the claim that it is for, where claims are judged."""
    rationale: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a reply to one question has to look like."""

    model: type[BaseModel]
    words: str
    """How the prompt asks for it."""
    answer: Callable[[Any], Answer]
    schema: Mapping[str, Any]
    """As strict as servers want it: everything required, nothing else allowed."""


def instruction(question: Question) -> str:
    """How the prompt asks for the reply's form; for servers that cannot be told it otherwise, too."""
    return form_of(question).words


def read_reply(question: Question, text: str, material: Iterable[str] = ()) -> Answer:
    """The answer in a reply: one JSON object that is all of it, or all of its one code block.

    An object anywhere else is not the reply's own: a judge that says what the response says repeats what stands there,
    and a response can hold an object of just this form.

    Args:
        question: What was asked.
        text: What came back.
        material: The texts that were shown. An object that stands in one of them is a quotation.

    Raises:
        Unreadable: There is none.
    """
    form = form_of(question)
    entry, key = _entry(text, form, material), next(reversed(form.model.model_fields))
    if key not in entry:
        raise Unreadable(f"no JSON object with {key!r} is the reply: {_short(text)}")
    try:
        return form.answer(form.model.model_validate(entry))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = f"{place} = {_short(json.dumps(_at(entry, first['loc'])))}: {first['msg']}"
        raise Unreadable(f"the reply is not of the form asked for: {problem}") from None


def _entry(text: str, form: Form, material: Iterable[str]) -> Mapping[str, Any]:
    """The object that a reply is; an empty one when it is none."""
    whole, part = _object(text), text
    # Models that think aloud do so before this mark; one inside the answer is a quotation.
    aloud = whole is None and not text.lstrip().startswith(("{", "`"))
    rest = text.partition("</think>")[2] if aloud else ""
    if rest:
        whole, part = _object(rest), rest
    blocks = _BLOCK.findall(part)
    alone = whole is not None or bool(_BLOCK.fullmatch(part.strip()))
    if whole is None and len(blocks) == 1:
        whole, part = _object(blocks[0]), blocks[0]
    entry, bare = whole or {}, _without_space(part)
    if entry and any(bare in _without_space(shown) for shown in material):
        raise Unreadable(f"the object in the reply stands in what was shown: {_short(text)}")
    # Between other words it has to be complete.
    return entry if alone or set(form.schema["required"]) <= set(entry) else {}


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is, all of it."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return _storable(found) if isinstance(found, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object none of whose names is there twice: of two values nobody knows which is meant."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def _without_space(text: str) -> str:
    return "".join(text.split())


def _storable(entry: Any) -> Any:
    """The same without halves of surrogate pairs, which JSON can spell and nothing can store."""
    if isinstance(entry, str):
        return entry.encode("utf-8", "replace").decode()
    if isinstance(entry, dict):
        return {_storable(name): _storable(value) for name, value in entry.items()}
    return [_storable(value) for value in entry] if isinstance(entry, list) else entry


def _at(entry: Any, path: Sequence[str | int]) -> Any:
    for part in path:
        try:
            entry = entry[part]
        except (LookupError, TypeError):
            return None
    return entry


def _short(text: str) -> str:
    """The beginning of a text on one line."""
    line = re.sub(r"\s+", " ", text).strip()
    return f"{line[:120]!r}{' …' if len(line) > 120 else ''}"


@lru_cache(maxsize=256)
def form_of(question: Question) -> Form:
    """The form of replies to a question."""
    if question.kind == CLAIMS:
        return _form(_Split, _SPLIT_WORDS, _split)
    if question.kind == SUPPORT:
        return _form(_Supports, _SUPPORT_WORDS, _supports)
    quotes = "passages" in artifacts(question.view)
    fields: dict[str, Any] = {"rationale": (_Rationale, None)} | ({"evidence": (_Quotes, [])} if quotes else {})
    model = create_model("Answer", **fields, value=(_value_type(question), ...))
    return _form(model, _words(quotes, question.kind == "many"), _answer)


def _form(model: type[BaseModel], words: str, answer: Callable[[Any], Answer]) -> Form:
    return Form(model=model, words=words, answer=answer, schema=_strict(model.model_json_schema()))


def _words(quotes: bool, many: bool) -> str:
    lines = ['  "rationale": "your reason, in one sentence",']
    lines += ['  "evidence": ["words copied exactly from the passages, without omissions", …],'] if quotes else []
    lines += ['  "value": ["the values that apply", …]' if many else '  "value": "one of the values above"']
    empty = ' Leave "evidence" empty where no passage bears on it.' if quotes else ""
    return "Reply with one JSON object and nothing else:\n{\n" + "\n".join(lines) + "\n}" + empty


def _value_type(question: Question) -> Any:
    """The values of the rubric; written as 1, true or Yes they are what they are in an imported file."""
    allowed = [value.value for value in question.values]

    def one(raw: object) -> str:
        if isinstance(raw, bool | int) or (isinstance(raw, float) and raw.is_integer()):
            raw = str(int(raw))
        parsed = question.parse(raw) if isinstance(raw, str) else None
        if parsed is None:
            raise ValueError(f"expected one of {', '.join(allowed)}")
        return parsed

    def several(raw: object) -> str:
        codes = [one(entry) for entry in raw] if isinstance(raw, list) else [one(raw)]
        return json.dumps([code for code in allowed if code in codes])

    choice = {"type": "string", "enum": allowed}
    if question.kind == "many":
        return Annotated[str, BeforeValidator(several), WithJsonSchema({"type": "array", "items": choice})]
    return Annotated[str, BeforeValidator(one), WithJsonSchema(choice)]


def _answer(reply: Any) -> Answer:
    quotes = tuple((quote, None) for quote in getattr(reply, "evidence", ()))
    return Answer(value=reply.value, quotes=quotes, rationale=reply.rationale)


_Quotes = Annotated[
    list[str], BeforeValidator(lambda raw: [] if raw is None else [raw] if isinstance(raw, str) else raw)
]
_Rationale = Annotated[
    str | None,
    BeforeValidator(lambda raw: raw if raw is None or isinstance(raw, str) else json.dumps(raw)),
    WithJsonSchema({"type": "string"}),
]
_Claim = Annotated[str, Field(min_length=1)]


class _Split(BaseModel):
    claims: list[_Claim]


class _Support(BaseModel):
    claim: int
    rationale: _Rationale = None
    evidence: _Quotes = []
    supported: bool


class _Supports(BaseModel):
    verdicts: list[_Support]


_SPLIT_WORDS = 'Reply with one JSON object and nothing else:\n{\n  "claims": ["one claim", …]\n}'
_SUPPORT_WORDS = (
    "Reply with one JSON object and nothing else, with one entry for every claim:\n"
    '{\n  "verdicts": [{\n    "claim": its number,\n    "rationale": "your reason, in one sentence",\n'
    '    "evidence": ["words copied exactly from the passages, without omissions", …],\n'
    '    "supported": true or false\n  }, …]\n}'
)


def _split(reply: _Split) -> Answer:
    return Answer(value=json.dumps(reply.claims, ensure_ascii=False))


def _supports(reply: _Supports) -> Answer:
    """Which claims are supported, as a JSON list of numbers and 1 or 0, with the reasons in the rationale."""
    said = {(one.claim, one.supported) for one in reply.verdicts}
    if len({claim for claim, _ in said}) < len(said):
        raise Unreadable("a claim is called supported and not supported")
    return Answer(
        value=json.dumps([[one.claim, int(one.supported)] for one in reply.verdicts]),
        quotes=tuple((quote, one.claim) for one in reply.verdicts for quote in one.evidence),
        rationale=json.dumps({str(one.claim): one.rationale for one in reply.verdicts}, ensure_ascii=False),
    )


def _strict(schema: Any) -> Any:
    if isinstance(schema, dict):
        kept = {name: _strict(entry) for name, entry in schema.items() if name not in ("default", "title")}
        if "properties" in kept:
            kept |= {"additionalProperties": False, "required": list(kept["properties"])}
        return kept
    return [_strict(entry) for entry in schema] if isinstance(schema, list) else schema
