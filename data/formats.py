"""Formats: mapping files, those that ship and other people's, and which of them a file is in."""

import tomllib
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from data.errors import Problem, StudyProblem
from data.mapping import Mapping, Origin, parse_pairs
from data.parsing import NEEDED, RECORDS
from data.reading import Progress, read
from data.records import Passage
from data.rows import Raw, Rows
from data.tool_rows import UNFOLD, unfolded

OPTIONS = ("passage", "distinct", "each", "where", "keep", "needs")
"""What a section can hold beside our fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a file looks like and how each kind of record is read off it."""

    name: str
    title: str
    """What a person calls it."""
    unfold: str | None = None
    """What unfolds its rows, of `data.tool_rows.UNFOLD`; None for rows as they stand."""
    marks: tuple[tuple[str, ...], ...] = ()
    """Fields by which it is told: all of any of these."""
    sections: Map[str, list[Mapping]] = field(default_factory=dict)
    """By kind of record."""

    def mappings(self, kind: str, pairs: Sequence[str] = ()) -> list[Mapping]:
        """The mappings for one kind of record, with some fields named otherwise.

        Raises:
            StudyProblem: This format holds no such records.
        """
        sections = self.sections if self is not OWN else {kind: [Mapping()]}
        if kind not in sections:
            raise StudyProblem(
                f"mapping {self.name} has no [{kind}] section ({self.title} gives {', '.join(sections) or 'nothing'}); "
                "write a mapping file with one, or give --format own and the field names with --map"
            )
        given = parse_pairs(pairs)
        return [replace(mapping, fields={**mapping.fields, **given}) for mapping in sections[kind]]


OWN = Format(name="own", title="our own field names")
"""Our own field names."""


def shipped() -> list[str]:
    """The names of the formats that ship with the product."""
    return sorted(file.name.removesuffix(".toml") for file in files("data").joinpath("mappings").iterdir())


def read_format(name: str) -> Format:
    """A format from a TOML file, or one that ships by its name.

    A section `[tasks]` or several `[[labels]]` hold `ours = "theirs"`, `ours = ["theirs", "or theirs"]`,
    `ours = { value = "constant" }`, `ours = { text = "{their_id}-{#}" }` (`#` is the row's number) or
    `ours = { from = "theirs", values = { theirs = "ours" } }`; a table `passage` the same for the fields inside
    passages; `distinct = true` when rows repeat the record; `each = "theirs"` when the row holds a list of records
    (`#key`, `#value`); tables `where` (rows), `keep` and `needs` (passages) of values to go by. `extends = "ragas"` on
    top takes what is not said here from another format.

    Raises:
        StudyProblem: The file is missing or unreadable, or does not say what is expected.
    """
    if name == OWN.name:
        return OWN
    source = files("data").joinpath("mappings", f"{name}.toml")
    try:
        text = source.read_text(encoding="utf-8") if name in shipped() else Path(name).read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StudyProblem(f"mapping {name}: {reason}; give a TOML file, or one of {', '.join(shipped())}") from None
    base = read_format(raw["extends"]) if raw.get("extends") in shipped() else OWN
    if raw.get("extends", base.name) != base.name:
        raise StudyProblem(f"mapping {name}: extends = {raw['extends']!r}; expected one of {', '.join(shipped())}")
    about = _head(raw.get("format", {}), f"mapping {name}: [format]")
    sections = {kind: _sections(raw[kind], f"mapping {name}: [{kind}]") for kind in raw if kind not in _HEAD}
    kinds = {**base.sections, **sections}
    return Format(
        name=name,
        title=about.get("title", base.title if base is not OWN else name),
        unfold=about.get("unfold", base.unfold),
        marks=tuple(map(tuple, about.get("marks", []))),
        sections={kind: _joined(base.sections.get(kind, []), own) for kind, own in kinds.items()},
    )


def _head(raw: Any, where: str) -> dict[str, Any]:
    """What a file says of itself; nothing has to be said."""
    known = raw if isinstance(raw, dict) and set(raw) <= {"title", "unfold", "marks"} else None
    if known is None:
        expected = "a table with title, unfold or marks"
    elif not isinstance(known.get("title", ""), str):
        expected = "title = a text"
    elif "unfold" in known and known["unfold"] not in list(UNFOLD):
        expected = f"unfold = one of {', '.join(UNFOLD)}"
    elif not _lists_of_names(known.get("marks", [])):
        expected = 'marks = lists of field names, [["a", "b"]]'
    else:
        return known
    raise StudyProblem(f"{where} = {raw!r}; expected {expected}")


def _lists_of_names(raw: Any) -> bool:
    return isinstance(raw, list) and all(
        isinstance(mark, list) and mark and all(isinstance(name, str) for name in mark) for mark in raw
    )


_HEAD = ("format", "extends")


def _joined(base: list[Mapping], own: list[Mapping]) -> list[Mapping]:
    """One section over the sections that it extends; several replace them."""
    if len(own) != 1 or not base or own is base:
        return own
    (over,) = own
    return [replace(one, fields={**one.fields, **over.fields}, passage={**one.passage, **over.passage}) for one in base]


def _sections(raw: Any, where: str) -> list[Mapping]:
    listed = raw if isinstance(raw, list) else [raw]
    if not all(isinstance(section, dict) and isinstance(section.get("passage", {}), dict) for section in listed):
        raise StudyProblem(f"{where} and its `passage` must be tables of field names")
    return [_mapping(section, where) for section in listed]


def _mapping(section: dict[str, Any], where: str) -> Mapping:
    if not isinstance(section.get("each", ""), str):
        raise StudyProblem(f"{where}: each = {section['each']!r}; expected the name of a field that holds a list")
    return Mapping(
        fields=_origins({name: value for name, value in section.items() if name not in OPTIONS}, where),
        passage=_origins(section.get("passage", {}), where),
        distinct=bool(section.get("distinct", False)),
        each=section.get("each"),
        **{name: _values(section.get(name, {}), f"{where} {name}") for name in ("where", "keep", "needs")},
    )


def _origins(raw: dict[str, Any], where: str) -> dict[str, str | Origin]:
    return {ours: theirs if isinstance(theirs, str) else _origin(theirs, ours, where) for ours, theirs in raw.items()}


def _origin(raw: Any, ours: str, where: str) -> Origin:
    match raw:
        case {"value": str(constant)}:
            return Origin(constant=constant)
        case {"text": str(composed)}:
            return Origin(composed=composed)
        case {"from": str(path), "values": dict(values)} if all(isinstance(one, str) for one in values.values()):
            return Origin(paths=(path,), values=values)
        case [*paths] if paths and all(isinstance(path, str) for path in paths):
            return Origin(paths=tuple(paths))
    raise StudyProblem(
        f'{where}: {ours} = {raw!r}; expected "their_field", ["their_field", "or_this"], {{ value = "text" }}, '
        '{ text = "{their_field}" } or { from = "their_field", values = { theirs = "ours" } }'
    )


def _values(raw: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(raw, dict):
        raise StudyProblem(f'{where} = {raw!r}; expected a table like {{ their_field = ["value"] }}')
    listed = {path: values if isinstance(values, list) else [values] for path, values in raw.items()}
    return {
        path: tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in listed[path]) for path in listed
    }


def rows_of(form: Format, path: Path, progress: Progress | None = None) -> Rows:
    """The rows of a file in some format."""
    rows = read(path, progress)
    return unfolded(rows, UNFOLD[form.unfold]) if form.unfold else rows


def unknown_fields(names: Iterable[str], form: Format, mappings: Sequence[Mapping]) -> tuple[str, ...]:
    """The fields of a file that nothing reads, in our own names or a mapping file of one's own.

    What a format that ships leaves out was decided there. Fields of other kinds are known: one file may hold them all.

    Args:
        names: The fields of its rows.
        form: The format.
        mappings: How a record was read off them.
    """
    if form.unfold or form.name in shipped():
        return ()
    records = (*RECORDS.values(), Passage)
    known = {spec.name.removesuffix("_") for record in records for spec in fields(record)}
    every = (*mappings, *(mapping for section in form.sections.values() for mapping in section))
    return tuple(sorted(set(names) - known.union(*(mapping.reads for mapping in every))))


def noting(rows: Rows, names: set[str]) -> Rows:
    """The rows as they are; the names of their fields are added to `names`."""
    for row in rows:
        if not isinstance(row, Problem) and not names.issuperset(row.values):
            names.update(row.values)
        yield row


def recognised(path: Path, kind: str) -> Format:
    """The format that a file is in, by the fields of its first row; our own when it has those, or is in none.

    Args:
        path: A file, a folder of them or a pattern of names.
        kind: What it is to hold.
    """
    first = next((row for row in read(path) if not isinstance(row, Problem)), None)
    return (first and _recognised(first.values, NEEDED[kind])) or OWN


def _recognised(row: Map[str, Raw], own: Collection[str]) -> Format | None:
    if set(own) <= set(row):
        return None
    for name in shipped():
        found = read_format(name)
        if any(set(mark) <= set(row) for mark in found.marks):
            return found
    return None
