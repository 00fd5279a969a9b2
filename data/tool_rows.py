"""What other tools write, unfolded: from one row per item to one row per label, sample or test case.

The mapping of the same name then reads records off these rows. The shapes are those of the tools' own exports:
DeepEval test runs, Inspect logs, Label Studio JSON exports, Argilla records (SDK, flattened, and its server's API).
"""

from collections.abc import Iterator

from data.label_studio_rows import annotations
from data.mapping import follow
from data.rows import Raw
from data.unfolding import Odd, Parts, Unfold, Values, a_list, an_object, joined, name_of, objects, part, unfolded

__all__ = ["UNFOLD", "unfolded"]


def test_cases(row: Values) -> Parts:
    """DeepEval: a test run holds its cases in a list; a dataset's rows are the cases, in CSV with joined passages."""
    if "testCases" not in row:
        yield "", _case(row)
        return
    for n, case in enumerate(a_list(row["testCases"], "testCases")):
        yield from part(f"testCases.{n}", map(_case, [case]))


def _case(given: Raw) -> Values:
    case = an_object(given, "a test case")
    return {**case, **{name: _passages(case[name]) for name in _CONTEXTS if name in case}}


_CONTEXTS = ("retrieval_context", "retrievalContext", "context")


def _passages(given: Raw) -> Raw:
    """`save_as("csv")` joins texts with a bar; a list that somebody wrote into the cell stays one."""
    if not isinstance(given, str) or (given.startswith("[") and given.rstrip().endswith("]")):
        return given
    return list(given.split("|")) if given else None


def samples(row: Values) -> Parts:
    """Inspect: a row per sample, with question, answer and targets as texts, and its `item`."""
    about = an_object(row.get("eval"), "eval")
    if not row.get("samples"):
        raise Odd(
            "a log without samples: only its header was written, or the run ended before the first; nothing can be "
            "imported from it. Give the whole log: the .eval file, or JSON as `inspect log dump` writes it without "
            "--header-only, of a run without --no-log-samples"
        )
    for n, given in enumerate(a_list(row["samples"], "samples"), 1):
        sample = given if isinstance(given, dict) else {}
        place = f"sample {name_of(sample.get('id'), n)}, epoch {name_of(sample.get('epoch'), 1)}"
        yield from part(place, _sample(about, given))


def _sample(about: Values, given: Raw) -> Iterator[Values]:
    sample = an_object(given, "a sample")
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


def answers(row: Values) -> Parts:
    """Argilla: a row per answer; a discarded record is one row with a reason, a draft is none."""
    listed = row.get("items")
    if not isinstance(listed, list):
        yield from part("", _answers(row))
        return
    for n, record in enumerate(listed, 1):
        name = name_of(record.get("id") if isinstance(record, dict) else None, n)
        yield from part(f"record {name}", _answers(record))


def _answers(given: Raw) -> Iterator[Values]:
    row = an_object(given, "a record")
    base = {name: value for name, value in row.items() if name not in ("responses", "suggestions", "vectors")}
    said_of = row.get("responses")
    if isinstance(said_of, dict):
        for question, said in said_of.items():
            for one in objects(said, f"responses.{question}"):
                yield from _answer(base, question, one.get("value"), one)
    elif isinstance(said_of, list):
        for one in objects(said_of, "responses"):
            yield from _server_answers(base, one)
    else:
        yield from _flat_answers(row, base)


def _server_answers(base: Values, one: Values) -> Iterator[Values]:
    if one.get("status") == "discarded":
        yield from _answer(base, None, None, one)
        return
    for question, said in an_object(one.get("values") or {}, "responses.values").items():
        yield from _answer(base, question, an_object(said, f"responses.values.{question}").get("value"), one)


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
        yield {**who, "label": question, "value": joined(value)}


UNFOLD: dict[str, Unfold] = {
    "deepeval": test_cases,
    "inspect": samples,
    "label_studio": annotations,
    "argilla": answers,
}
"""By the name in a mapping file."""
