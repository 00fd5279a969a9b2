"""What other tools write, unfolded: from one row per item to one row per label, sample or test case.

The mapping of the same name then reads records off these rows. The shapes are those of the tools' own exports:
DeepEval test runs, Inspect logs, Label Studio JSON exports, Argilla records (SDK, flattened, and its server's API).
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from data.errors import Problem
from data.mapping import follow
from data.rows import Raw, Row, Rows, kind_of

Values = dict[str, Raw]
Unfold = Callable[[Values], Iterator[Values]]


class Odd(ValueError):
    """A row that is not as this tool writes it; the text says what was expected."""


def unfolded(rows: Rows, unfold: Unfold) -> Rows:
    """The rows that each row holds, all in its place."""
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        try:
            for values in unfold(row.values):
                yield Row(where=row.where, values=values)
        except Odd as odd:
            yield Problem(where=row.where, message=str(odd))


def test_cases(row: Values) -> Iterator[Values]:
    """DeepEval: a test run holds its cases in a list; a dataset's rows are the cases, in CSV with joined passages."""
    for case in _objects(row["testCases"], "testCases") if "testCases" in row else [row]:
        yield {**case, **{name: _passages(case[name]) for name in _CONTEXTS if name in case}}


_CONTEXTS = ("retrieval_context", "retrievalContext", "context")


def _passages(given: Raw) -> Raw:
    """`save_as("csv")` joins texts with a bar; a list that somebody wrote into the cell stays one."""
    if not isinstance(given, str) or (given.startswith("[") and given.rstrip().endswith("]")):
        return given
    return list(given.split("|")) if given else None


def samples(row: Values) -> Iterator[Values]:
    """Inspect: a row per sample, with question, answer and targets as texts, and its `item`."""
    about = _object(row.get("eval"), "eval")
    for sample in _objects(row.get("samples"), "samples"):
        target = sample.get("target")
        yield {
            "eval": about,
            "sample": sample,
            "item": f"{about.get('task')}/{sample.get('id')}",
            "question": _asked(sample.get("input"), sample),
            "answer": _answered(sample.get("output"), sample),
            "targets": [one for one in (target if isinstance(target, list) else [target]) if one],
        }


def _asked(given: Raw, sample: Values) -> Raw:
    if not isinstance(given, list):
        return _attached(given, sample)
    said = [
        _content(message, sample) for message in given if isinstance(message, dict) and message.get("role") == "user"
    ]
    return "\n\n".join(said)


def _answered(output: Raw, sample: Values) -> str:
    """The text of the first choice; empty when the model gave none (an error, a limit)."""
    message = follow({"output": output}, "output.choices.0.message")
    if isinstance(message, dict):
        return _content(message, sample)
    completion = follow({"output": output}, "output.completion")
    return completion if isinstance(completion, str) else ""


def _content(message: Values, sample: Values) -> str:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(
            str(part["text"])
            for part in content
            if isinstance(part, dict) and part.get("type") == "text" and "text" in part
        )
    text = _attached(content, sample)
    return text if isinstance(text, str) else ""


def _attached(value: Raw, sample: Values) -> Raw:
    """Long texts can be kept once, in the sample's attachments."""
    mark = "attachment://"
    attachments = sample.get("attachments")
    if isinstance(value, str) and value.startswith(mark) and isinstance(attachments, dict):
        kept: Raw = attachments.get(value.removeprefix(mark), value)
        return kept
    return value


def annotations(row: Values) -> Iterator[Values]:
    """Label Studio: a row per annotation and control tag; a cancelled annotation is one row with a reason."""
    for note in _objects(row.get("annotations"), "annotations"):
        who = note.get("completed_by")
        if isinstance(who, dict):
            who = who.get("email") or who.get("id")
        base: Values = {
            **{name: value for name, value in row.items() if name not in ("annotations", "predictions")},
            "person": who,
            "created_at": note.get("created_at"),
            "lead_time": note.get("lead_time"),
        }
        if note.get("was_cancelled") is True:
            yield {**base, "reason": "other: skipped in Label Studio"}
            continue
        for result in _objects(note.get("result"), "annotations.result"):
            value, evidence = _tagged(result)
            yield {**base, "label": result.get("from_name"), "value": value, "evidence": evidence}
            # The time is the whole annotation's, so only its first label carries it.
            base["lead_time"] = None


def _tagged(result: Values) -> tuple[Raw, list[Raw]]:
    """The value that a control tag gave, and the text it marked, if any."""
    value = _object(result.get("value"), "annotations.result.value")
    given = value.get(str(result.get("type")))
    if result.get("type") == "textarea":
        given = value.get("text")
    marked: list[Raw] = []
    if isinstance(value.get("text"), str) and result.get("type") != "textarea":
        marked = [{name: value[name] for name in ("text", "start", "end") if value.get(name) is not None}]
    return _one(given), marked


def answers(row: Values) -> Iterator[Values]:
    """Argilla: a row per answer; a discarded record is one row with a reason, a draft is none."""
    if isinstance(row.get("items"), list):
        for record in _objects(row["items"], "items"):
            yield from answers(record)
        return
    base = {name: value for name, value in row.items() if name not in ("responses", "suggestions", "vectors")}
    given = row.get("responses")
    if isinstance(given, dict):
        for question, said in given.items():
            for one in _objects(said, f"responses.{question}"):
                yield from _answer(base, question, one.get("value"), one)
    elif isinstance(given, list):
        for one in _objects(given, "responses"):
            yield from _server_answers(base, one)
    else:
        yield from _flat_answers(row, base)


def _server_answers(base: Values, one: Values) -> Iterator[Values]:
    if one.get("status") == "discarded":
        yield from _answer(base, None, None, one)
        return
    for question, said in _object(one.get("values") or {}, "responses.values").items():
        yield from _answer(base, question, _object(said, f"responses.values.{question}").get("value"), one)


def _flat_answers(row: Values, base: Values) -> Iterator[Values]:
    """Lists side by side: `grounded.responses`, `grounded.responses.users`, `grounded.responses.status`."""
    mark = ".responses"
    for name in [name for name in row if name.endswith(mark) and row[name] is not None]:
        values, users, states = (row.get(name + part) for part in ("", ".users", ".status"))
        if not isinstance(values, list) or not isinstance(users, list) or len(values) != len(users):
            raise Odd(f"{name} and {name}.users are not two lists of one length; expected a flattened Argilla record")
        told = states if isinstance(states, list) and len(states) == len(values) else [None] * len(values)
        for value, user, status in zip(values, users, told, strict=True):
            yield from _answer(base, name.removesuffix(mark), value, {"user_id": user, "status": status})


def _answer(base: Values, question: str | None, value: Raw, one: Values) -> Iterator[Values]:
    status = one.get("status") or "submitted"
    who: Values = {**base, "person": one.get("user_id"), "created_at": one.get("updated_at") or one.get("inserted_at")}
    if status == "discarded":
        yield {**who, "reason": "other: discarded in Argilla"}
    elif status == "submitted":
        yield {**who, "label": question, "value": _one(value)}


def _one(given: Raw) -> Raw:
    """A single choice as its text, several as a JSON list."""
    if isinstance(given, list) and len(given) == 1 and not isinstance(given[0], list | dict):
        return given[0]  # type: ignore[no-any-return]  # an entry of a list as written is a value as written
    return json.dumps(given, ensure_ascii=False) if isinstance(given, list | dict) else given


def _object(value: Any, name: str) -> Values:
    if not isinstance(value, dict):
        raise Odd(f"{name} is {kind_of(value)}; expected an object")
    return value


def _objects(value: Any, name: str) -> list[Values]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise Odd(f"{name} is {kind_of(value)}; expected a list of objects")
    return value


UNFOLD: dict[str, Unfold] = {
    "deepeval": test_cases,
    "inspect": samples,
    "label_studio": annotations,
    "argilla": answers,
}
"""By the name in a mapping file."""
