"""Other people's field names: where each of our fields comes from in their rows."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field
from typing import Any

from data.cells import opened
from data.errors import StudyProblem
from data.rows import Raw

HOLE = re.compile(r"\{([^{}]*)\}")
"""Where a composed text takes a value: `{item}`, or `{#}` for the number of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where one field comes from."""

    paths: tuple[str, ...] = ()
    """Their names, dots go into objects and lists ("gold.0"); the first that has a value counts."""
    composed: str | None = None
    """A text with holes for their fields instead, `{item}/{#}`."""
    constant: str | None = None
    """The same text for every row instead."""
    values: Map[str, str] = field(default_factory=dict)
    """Their values and what we call them; empty where they are kept."""

    def value(self, row: Map[str, Raw]) -> Raw:
        """The raw value in their row; None when it is not there."""
        if self.constant is not None:
            return self.constant
        if self.composed is not None:
            return self._compose(row)
        for path in self.paths:
            found = follow(row, path)
            if found is not None:
                return self._ours(found) if self.values else found
        return None

    def _compose(self, row: Map[str, Raw]) -> Raw:
        parts = {name: follow(row, name) for name in HOLE.findall(self.composed or "")}
        if any(part is None or isinstance(part, list | dict) for part in parts.values()):
            return None
        return HOLE.sub(lambda hole: _word(parts[hole[1]]), self.composed or "")

    def _ours(self, found: Raw) -> Raw:
        # What the table does not know goes on as it is: whoever reads the field says what was expected.
        return found if isinstance(found, list | dict) else self.values.get(_word(found), found)

    def __str__(self) -> str:
        """How a message names it."""
        return self.composed or (self.paths[0] if self.paths else f"={self.constant}")


def _word(value: Raw) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """How one record is read off a row: our field → their field, or where else it comes from."""

    fields: Map[str, str | Origin] = field(default_factory=dict)
    """A plain text is their name."""
    passage: Map[str, str | Origin] = field(default_factory=dict)
    """The same for the fields of a passage."""
    distinct: bool = False
    """Rows repeat the record (a question on every answer's row); identical repeats are one record."""
    each: str | None = None
    """A list or an object in their row, each entry of which is a record: `#value` is the entry, `#key` its name."""
    where: Map[str, tuple[str, ...]] = field(default_factory=dict)
    """Only rows (or entries) in which these fields of theirs have one of these values."""
    keep: Map[str, tuple[str, ...]] = field(default_factory=dict)
    """Only passages in which these fields of theirs have one of these values."""
    needs: Map[str, tuple[str, ...]] = field(default_factory=dict)
    """Only rows whose kept passages have every one of these values."""

    def origin(self, name: str) -> Origin:
        """Where one of our fields comes from; by default from the field of the same name."""
        # `pass` is a word of Python's, so the field is called `pass_`.
        return _origin(self.fields.get(name, name.removesuffix("_")))

    def passage_origin(self, name: str) -> Origin:
        """The same for a field of a passage."""
        return _origin(self.passage.get(name, name))

    def views(self, row: Map[str, Raw], number: int) -> Iterator[Map[str, Raw]]:
        """What records are read off: the row itself, or the row with each entry of a list in turn.

        Args:
            row: Their row.
            number: Its number in everything that is read, from 1.
        """
        numbered = {**row, "#": str(number)}
        if self.each is None:
            entries: list[tuple[str, Raw]] | None = None
        else:
            found = opened(follow(row, self.each))
            entries = list(found.items() if isinstance(found, dict) else _numbered(found))
        for view in [numbered] if entries is None else ({**numbered, "#key": k, "#value": v} for k, v in entries):
            if _matches(view, self.where):
                yield view

    @property
    def reads(self) -> set[str]:
        """Every path that is looked at in their row, and the field that it begins with."""
        origins = [_origin(given) for given in (*self.fields.values(), *self.passage.values())]
        paths = {path for one in origins for path in (*one.paths, *HOLE.findall(one.composed or ""))}
        paths |= {*self.where, *self.keep, *self.needs, self.each or ""}
        return paths | {path.split(".")[0] for path in paths}

    @property
    def plain(self) -> bool:
        """Whether a row is one record as it stands."""
        composed = any(isinstance(origin, Origin) and origin.composed for origin in self.fields.values())
        return not (composed or self.each or self.where)


def _numbered(found: Raw) -> list[tuple[str, Raw]]:
    return [(str(n), entry) for n, entry in enumerate(found, 1)] if isinstance(found, list) else []


def _origin(given: str | Origin) -> Origin:
    return given if isinstance(given, Origin) else Origin(paths=(given,))


def _matches(row: Map[str, Raw], wanted: Map[str, tuple[str, ...]]) -> bool:
    return all(_word(follow(row, path)) in allowed for path, allowed in wanted.items())


def kept(passages: list[Raw], mapping: Mapping) -> list[Raw] | None:
    """The passages that the mapping keeps, in their order; None when what it needs is not among them."""
    if not (mapping.keep or mapping.needs):
        return passages
    found = [one for one in passages if _matches(one if isinstance(one, dict) else {}, mapping.keep)]
    for path, wanted in mapping.needs.items():
        there = {_word(follow(one, path)) for one in found if isinstance(one, dict)}
        if not there.issuperset(wanted):
            return None
    return found


def follow(row: Map[str, Raw], path: str) -> Raw:
    """The value at a dotted path, `1:` for all from the second on; a field that really has a dot in its name wins.

    >>> follow({"gold": ["a", "b"]}, "gold.1"), follow({"x.y": "1"}, "x.y"), follow({}, "a.b")
    ('b', '1', None)
    >>> follow({"gold": ["a", "b", "c"]}, "gold.1:")
    ['b', 'c']
    >>> follow({"gold": '["a", "b"]'}, "gold.1")  # a cell of CSV
    'b'
    """
    if path in row or "." not in path:
        return row.get(path)
    value: Any = row
    for step in path.split("."):
        value = opened(value)
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and len(step) < 9 and (place := step.removesuffix(":")).isdecimal():
            rest = value[int(place) :]
            value = rest if step.endswith(":") else (rest or [None])[0]
        else:
            return None
    found: Raw = value
    return found


def parse_pairs(pairs: Sequence[str]) -> dict[str, str | Origin]:
    """The fields that `--map ours=theirs` options give.

    Raises:
        StudyProblem: A pair has no equals sign.
    """
    bad = [pair for pair in pairs if "=" not in pair]
    if bad:
        raise StudyProblem(f"--map {bad[0]}: expected ours=theirs, for instance question=user_input")
    split = [pair.partition("=") for pair in pairs]
    return {ours: theirs for ours, _, theirs in split}
