"""Rounds of labelling: which versions of the rubric people worked under, and what changed from one to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from audit_app.actions.access import require_lead
from audit_app.actions.wording import when
from audit_app.language import _, joined, ngettext
from data.errors import StudyProblem
from data.records import Person
from data.rubric import Rubric, parse_rubric
from data.store import rounds
from data.store.connection import Store, open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The work under one version of the rubric."""

    number: int
    """From 1, in the order in which they began."""
    rubric_hash: str
    version: str | None
    started_at: str | None
    """None when nobody has worked under it yet."""
    n_labels: int
    """Current answers of the plan given under it."""
    n_items: int
    is_current: bool
    text: str | None
    """The rubric as it was; None for work done before rounds were kept."""


def rubric_rounds(study: Study, *, by: Person | None = None) -> tuple[Round, ...]:
    """Every round, the oldest first; the version in rubric.toml is there also when nobody has worked under it yet.

    Args:
        study: The study.
        by: Who asks; None for the command line.

    Raises:
        StudyProblem: Somebody asks who is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        rows = rounds.everything(store)
    if study.rubric.hash not in {row["rubric_hash"] for row in rows}:
        rows.append(_not_begun(study.rubric))
    return tuple(_round(number, row, study.rubric) for number, row in enumerate(rows, start=1))


def _not_begun(rubric: Rubric) -> dict[str, Any]:
    return {"rubric_hash": rubric.hash, "version": None, "body": None, "started_at": None, "n_labels": 0, "n_items": 0}


def _round(number: int, row: dict[str, Any], rubric: Rubric) -> Round:
    is_current = row["rubric_hash"] == rubric.hash
    return Round(
        number=number,
        rubric_hash=row["rubric_hash"],
        version=rubric.version if is_current else row["version"],
        started_at=row["started_at"],
        n_labels=row["n_labels"],
        n_items=row["n_items"],
        is_current=is_current,
        text=rubric.text if is_current else row["body"],
    )


def current_round(found: Sequence[Round]) -> Round:
    """The round of what rubric.toml says now."""
    return next(one for one in found if one.is_current)


def round_of(found: Sequence[Round], rubric_hash: str | None) -> Round:
    """The round that a hash, or its beginning, names; the current one when none is named.

    Raises:
        StudyProblem: It names none, or several.
    """
    if rubric_hash is None:
        return current_round(found)
    named = [one for one in found if one.rubric_hash.startswith(rubric_hash)]
    if len(named) != 1:
        known = ", ".join(one.rubric_hash for one in found)
        raise StudyProblem(f"{rubric_hash!r} names {len(named)} versions of the rubric; there are {known}")
    return named[0]


def text_of(one: Round) -> str:
    """The rubric of a round.

    Raises:
        StudyProblem: Its text was not kept.
    """
    if one.text is None:
        raise StudyProblem(
            f"the text of rubric {one.rubric_hash} was not kept: its labels were given before rounds were; "
            "look for the file in a copy of the study"
        )
    return one.text


def changes(before: Round, after: Round) -> str:
    """What changed between two versions, as a unified diff; empty when nothing did.

    Raises:
        StudyProblem: The text of one was not kept.
    """
    lines = (text_of(before).splitlines(), text_of(after).splitlines())
    names = (f"rubric.toml {before.rubric_hash}", f"rubric.toml {after.rubric_hash}")
    return "\n".join(unified_diff(*lines, *names, lineterm="", n=1))


def previous(found: Sequence[Round]) -> Round | None:
    """The latest round before the current one that has work in it or a text; None when there is none."""
    return next((one for one in reversed(found) if not one.is_current), None)


def row(one: Round) -> dict[str, str]:
    """One round as a row of the table."""
    return {
        "round": str(one.number),
        "rubric": one.rubric_hash,
        "version": one.version or "",
        "since": when(one.started_at) if one.started_at else "",
        "labels": str(one.n_labels),
        "items": str(one.n_items),
        "note": _("now") if one.is_current else _("text not kept") if one.text is None else "",
    }


def says(found: Sequence[Round]) -> str:
    """Where the study stands with its rounds, in a sentence."""
    now = current_round(found)
    if now.started_at is None:
        begun = _("nobody has worked under it yet")
    else:
        begun = ngettext(
            "{n_labels} label on {n_items} item was given under it",
            "{n_labels} labels on {n_items} items were given under it",
            now.n_labels,
        ).format(n_labels=now.n_labels, n_items=now.n_items)
    older = sum(one.n_labels for one in found if not one.is_current)
    said = _("Round {number}, rubric {rubric_hash} (version {version}): {begun}.").format(
        number=now.number, rubric_hash=now.rubric_hash, version=now.version, begun=begun
    )
    if not older:
        return said
    return f"{said} " + _("{older} labels were given under earlier versions and stay as they are.").format(older=older)


def checked_rubric(file: Path) -> Rubric:
    """The rubric in a file that is not in use yet.

    Raises:
        StudyProblem: It cannot be read, or every fault of it.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyProblem(f"{file}: {error}; expected a TOML file in UTF-8") from None
    return parse_rubric(text, str(file))


def mixture(store: Store) -> str | None:
    """A sentence for results that rest on several versions of the rubric; None when they rest on one."""
    found = [row for row in rounds.everything(store) if row["n_labels"]]
    if len(found) < 2:
        return None
    counts = joined(_("{n} under {rubric}").format(n=row["n_labels"], rubric=row["rubric_hash"]) for row in found)
    return _(
        "The study holds labels of {n_found} versions of the rubric ({counts}), and uses them "
        "together; `evidence-audit rubric diff` shows what changed."
    ).format(n_found=len(found), counts=counts)
