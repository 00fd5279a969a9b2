"""Contexts whose passages stand in rows of their own: one row per passage, gathered into one row per context."""

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import chain

from data.errors import Problem
from data.mapping import Mapping
from data.records import Context
from data.rows import Raw, Row, Rows


def gathered(rows: Rows, mapping: Mapping) -> Rows:
    """The rows as they are; or, where the first has a passage's text but no passages, one row per context.

    The passages of a context need not stand together, and keep their order. All of a gathered file is in memory.

    Args:
        rows: The rows of a file of contexts.
        mapping: Where the fields come from.
    """
    unread: list[Row | Problem] = []
    first = next(rows, None)
    while isinstance(first, Problem):
        unread.append(first)
        first = next(rows, None)
    if first is None:
        yield from unread
        return
    has = {name: mapping.origin(name).value(first.values) is not None for name in ("passages", "context_id")}
    flat = mapping.passage_origin("text").value(first.values) is not None
    everything = chain(unread, [first], rows)
    yield from _gather(everything, mapping) if flat and has["context_id"] and not has["passages"] else everything


def _gather(rows: Rows, mapping: Mapping) -> Iterator[Row | Problem]:
    names = [spec.name for spec in fields(Context) if spec.name != "passages"]
    into = (mapping.origin("passages").paths or ("passages",))[0]
    contexts: dict[str, Row] = {}
    passages: dict[str, list[Raw]] = {}
    broken: set[str] = set()
    for row in rows:
        if isinstance(row, Problem):
            lost = "a passage of any context may stand there, so none can be imported without it"
            yield replace(row, message=f"{row.message}; {lost}", stops=True)
            continue
        own = {name: mapping.origin(name).value(row.values) for name in names}
        context_id = str(own["context_id"])
        first = contexts.setdefault(context_id, row)
        passages.setdefault(context_id, []).append(row.values)
        for name in names:
            if own[name] != (said := mapping.origin(name).value(first.values)):
                message = f"is {own[name]!r}; the first passage of {context_id}, in {first.where}, has {said!r}"
                yield Problem(where=row.where, field=str(mapping.origin(name)), message=message)
                broken.add(context_id)
    for context_id, row in contexts.items():
        # Without the passage in question it would be another context.
        if context_id not in broken:
            yield Row(where=row.where, values={**row.values, into: list(passages[context_id])})
