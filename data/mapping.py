"""Other people's field names: where each of our fields comes from in their rows."""

import tomllib
from collections.abc import Mapping as Map
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from data.errors import StudyProblem
from data.reading import Raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """How one record is read off a row: our field → their field, or a constant."""

    fields: Map[str, str] = field(default_factory=dict)
    """Our name → their name; dots go into objects and lists ("gold.0")."""
    constants: Map[str, str] = field(default_factory=dict)
    passage: Map[str, str] = field(default_factory=dict)
    """The same for the fields of a passage."""
    distinct: bool = False
    """Rows repeat the record (a question on every answer's row); identical repeats are one record."""

    def value(self, row: Map[str, Raw], name: str) -> Raw:
        """The raw value of one of our fields in their row; None when it is not there."""
        if name in self.constants:
            return self.constants[name]
        return follow(row, self.fields.get(name, name))

    def theirs(self, name: str) -> str:
        """How to name a field in a message: theirs, since that is what stands in the file."""
        return self.fields.get(name, name)


def follow(row: Map[str, Raw], path: str) -> Raw:
    """The value at a dotted path; a field that really has a dot in its name wins.

    >>> follow({"gold": ["a", "b"]}, "gold.1"), follow({"x.y": "1"}, "x.y"), follow({}, "a.b")
    ('b', '1', None)
    """
    if path in row or "." not in path:
        return row.get(path)
    value: Any = row
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    found: Raw = value
    return found


def parse_pairs(pairs: Sequence[str]) -> Mapping:
    """The mapping that `--map ours=theirs` options give.

    Raises:
        StudyProblem: A pair has no equals sign.
    """
    bad = [pair for pair in pairs if "=" not in pair]
    if bad:
        raise StudyProblem(f"--map {bad[0]}: expected ours=theirs, for instance question=user_input")
    return Mapping(fields=dict(pair.split("=", 1) for pair in pairs))


def read_mappings(name: str, kind: str) -> list[Mapping]:
    """The mappings for one kind of record ("tasks", "labels", …) from a TOML file or a shipped mapping's name.

    A section `[tasks]` or several `[[labels]]` hold `ours = "theirs"` or `ours = { value = "constant" }`,
    a table `passage` for the fields inside passages, and `distinct = true` when rows repeat the record.

    Raises:
        StudyProblem: The file is missing or unreadable, or has no section for this kind.
    """
    shipped = files("data").joinpath("mappings", f"{name}.toml")
    source = Path(name)
    try:
        text = shipped.read_text(encoding="utf-8") if shipped.is_file() else source.read_text(encoding="utf-8")
        sections = tomllib.loads(text).get(kind)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StudyProblem(f"mapping {name}: {reason}; give a TOML file or the name of a shipped mapping") from None
    if not sections:
        raise StudyProblem(f"mapping {name} has no [{kind}] section; add one, or import this kind with --map")
    listed = sections if isinstance(sections, list) else [sections]
    if not all(isinstance(section, dict) and isinstance(section.get("passage", {}), dict) for section in listed):
        raise StudyProblem(f"mapping {name}: [{kind}] and its `passage` must be tables of field names")
    return [_mapping(section, name) for section in listed]


def _mapping(section: dict[str, Any], where: str) -> Mapping:
    fields: dict[str, str] = {}
    constants: dict[str, str] = {}
    for ours, theirs in section.items():
        if ours in ("passage", "distinct"):
            continue
        if isinstance(theirs, str):
            fields[ours] = theirs
        elif isinstance(theirs, dict) and isinstance(theirs.get("value"), str):
            constants[ours] = theirs["value"]
        else:
            raise StudyProblem(f'mapping {where}: {ours} = {theirs!r}; expected "their_field" or {{ value = "text" }}')
    passage = {str(ours): str(theirs) for ours, theirs in section.get("passage", {}).items()}
    return Mapping(fields=fields, constants=constants, passage=passage, distinct=bool(section.get("distinct", False)))
