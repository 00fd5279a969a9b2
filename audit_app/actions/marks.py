"""Texts that people marked in another tool, as evidence: found in the passages of their item, or told as not read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from audit_app.actions.fitting import stored_value
from data.checks import key_of
from data.errors import Problem
from data.label_studio_rows import ALONE, MARKED
from data.mapping import Mapping
from data.parsing import Bad, quotes
from data.records import Label, Passage, Quote
from data.rows import Raw, Row, Rows
from data.rubric import Rubric
from data.store import items
from data.store.connection import Store


class Marks:
    """Places the marks of rows, one row after the other, and counts those that had to be left out."""

    def __init__(self, store: Store, rubric: Rubric, mappings: Sequence[Mapping]) -> None:
        self._store, self._rubric, self._mappings = store, rubric, mappings
        self._drawn = {(row["item_kind"], row["item_id"]) for row in items.everything(store)}
        self.unread: Counter[str] = Counter()
        """By the tag with which they were made."""

    def placed(self, rows: Rows) -> Rows:
        """The rows with their marks as quotes of passages; without those that are nothing but marks of no label."""
        for row in rows:
            tags = None if isinstance(row, Problem) else row.values.get(MARKED)
            if isinstance(row, Problem) or not (isinstance(tags, list) and tags):
                yield row
                continue
            alone = bool(row.values.get(ALONE))
            if alone and not self._is_label(row):
                self.unread[str(tags[0])] += len(tags)
                continue
            found = self._quotes(row)
            values: dict[str, Raw] = {**row.values, "evidence": found}
            if alone:
                values["value"] = self._value(row)
            self.unread[str(tags[0])] += max(len(tags) - len(found), 0)
            if found or not alone or values["value"] is not None:
                yield Row(where=row.where, values=values)

    def _of(self, row: Row, name: str) -> str:
        return next((str(v) for m in self._mappings if (v := m.origin(name).value(row.values)) is not None), "")

    def _is_label(self, row: Row) -> bool:
        return self._of(row, "label").split(".")[0] in self._rubric.names()

    def _value(self, row: Row) -> str | None:
        """What the mark itself answers, where its label is one of the answers."""
        value = self._of(row, "value")
        try:
            return value if stored_value(self._rubric[self._of(row, "label")], value) is not None else None
        except ValueError:
            return None

    def _quotes(self, row: Row) -> list[Raw]:
        item, marked = (self._of(row, "item_kind"), self._of(row, "item_id")), row.values.get("evidence")
        if item not in self._drawn or not isinstance(marked, list):
            # That the item is not drawn is told, or passed over, when its label is read.
            return marked if isinstance(marked, list) else []
        context = items.load(self._store, *item).context
        try:
            read = quotes(marked)
        except Bad:
            # Whoever parses the row says what is wrong with it.
            return marked
        return [found for quote in read if (found := _placed(context.passages if context else (), quote))]


def _placed(passages: Sequence[Passage], quote: Quote) -> Raw:
    """The quote where it stands in a passage, nearest to where it was marked; None when it stands in none."""
    near = quote.start or 0
    # The tool counts offsets otherwise beyond the basic plane, and what it showed may have begun elsewhere.
    places = [(passage.rank, at) for passage in passages if quote.text for at in _all(passage.text, quote.text)]
    if not places:
        return None
    rank, start = min(places, key=lambda place: (abs(place[1] - near), place))
    return {"text": quote.text, "passage": str(rank), "start": str(start), "end": str(start + len(quote.text))}


def _all(text: str, part: str) -> list[int]:
    found, at = [], text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def joined(records: Sequence[tuple[str, Label]]) -> list[tuple[str, Label]]:
    """The labels; quotes that came without an answer are added to the answer of the same person that they belong to."""
    answered = {key_of(label): n for n, (_, label) in enumerate(records) if label.value is not None}
    found = dict(enumerate(records))
    for n, (_, label) in enumerate(records):
        to = answered.get(key_of(label))
        if to is not None and label.evidence and label.value is None and label.reason is None:
            where, answer = found[to]
            more = tuple(quote for quote in label.evidence if quote not in answer.evidence)
            found[to] = (where, replace(answer, evidence=answer.evidence + more))
            del found[n]
    return list(found.values())
