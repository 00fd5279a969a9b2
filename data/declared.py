"""What study.toml declares: every setting with its default, and what is wrong with one that does not fit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.errors import Problem, StudyProblem

LONGEST = 400
"""The most days that a session may last; browsers forget cookies after as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """How work comes to people; the table [labelling] of study.toml."""

    lease_minutes: float = 30
    """How long an item stays with somebody who does nothing."""
    break_minutes: float = 50
    """After so much work without a pause a break is suggested; 0 for never."""
    daily_limit: int = 0
    """Items that one person can finish in a day; 0 for as many as there are."""


QUEUE_ORDERS = ("random", "informative")
"""By permanent number, so that what is decided is a random share at any time; or what moves numbers most first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What it takes to pass the calibration round; the table [calibration] of study.toml."""

    required: bool = True
    """Whether nobody gets work of the plan before they have passed; otherwise one try is enough."""
    pass_mark: float = 0.8
    """The share of the answers to a label that have to be as agreed."""
    marks: tuple[tuple[str, float], ...] = ()
    """Labels with another pass mark, and that."""

    def mark(self, label: str) -> float:
        """The pass mark of a label."""
        return dict(self.marks).get(label, self.pass_mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Oidc:
    """The organisation's own sign-in (OpenID Connect); the table [oidc] of study.toml. The secret is never in it."""

    issuer: str
    """The provider's address, exactly as it names itself."""
    client_id: str
    """What the provider calls this app."""
    address: str
    """Where people reach this app; the provider sends them back to /oidc/back below it."""


def declared(path: Path, raw: dict[str, Any]) -> dict[str, Any]:
    """What a parsed study.toml says, as the fields of a `Study`; a setting that is not there has its default.

    Args:
        path: The study's folder.
        raw: The file as `tomllib` reads it.

    Raises:
        StudyProblem: A setting does not fit.
    """
    return {
        "name": str(raw.get("name", path.name)),
        "regimes": _texts(path, raw, "regimes"),
        "conditions": _texts(path, raw, "conditions"),
        "labelling": _labelling(path, raw.get("labelling", {})),
        "session_days": _days(path, raw.get("session_days", 30)),
        "oidc": _oidc(path, raw["oidc"]) if "oidc" in raw else None,
        "adjudication_order": _order(path, raw.get("adjudication", {})),
        "calibration": _calibration(path, raw.get("calibration", {})),
    }


def _order(path: Path, raw: object) -> str:
    """The table [adjudication], which has one setting."""
    order = raw.get("order", QUEUE_ORDERS[0]) if isinstance(raw, dict) and set(raw) <= {"order"} else None
    if order not in QUEUE_ORDERS:
        expected = " or ".join(f'"{name}"' for name in QUEUE_ORDERS)
        raise StudyProblem(f"{path / 'study.toml'}: adjudication = {raw!r}; expected a table with order = {expected}")
    return str(order)


def _refuse(path: Path, table: str, faults: Mapping[str, str | None]) -> None:
    """Every fault in the settings of a table at once; None is no fault."""
    found = [
        Problem(where=str(path / "study.toml"), field=f"{table}.{name}", message=fault)
        for name, fault in faults.items()
        if fault
    ]
    if found:
        raise StudyProblem(found)


_OIDC = ("issuer", "client_id", "address")
_SAFE = re.compile(r"https://[^\s/?#@]+[^\s?#]*|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/[^\s?#]*)?")
"""An address that nobody on the way can read or change: https, or this machine."""


def _oidc(path: Path, raw: object) -> Oidc:
    """The table [oidc]; every fault of it at once."""
    if not isinstance(raw, dict):
        raise StudyProblem(f"{path / 'study.toml'}: oidc = {raw!r}; expected a table [oidc]")
    _refuse(path, "oidc", {name: _oidc_fault(name, raw.get(name)) for name in [*_OIDC, *raw]})
    return Oidc(issuer=raw["issuer"], client_id=raw["client_id"], address=raw["address"].rstrip("/"))


def _oidc_fault(name: str, value: object) -> str | None:
    if name not in _OIDC:
        # Not repeated: it may be the secret itself, and this is written in logs.
        return (
            f"no such setting; there are {', '.join(_OIDC)}. The client secret is not written here: give it to the "
            "server in the environment variable EVIDENCE_AUDIT_OIDC_SECRET"
        )
    if not isinstance(value, str) or not value.strip():
        return "missing; expected a text"
    if name != "client_id" and not _SAFE.fullmatch(value):
        return f"{value!r}; expected an address that begins with https:// (http:// for this machine alone)"
    return None


def _days(path: Path, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST:
        raise StudyProblem(
            f"{path / 'study.toml'}: session_days = {value!r}; expected days, above 0 and up to {LONGEST}"
        )
    return float(value)


def _texts(path: Path, raw: dict[str, Any], name: str) -> tuple[str, ...]:
    value = raw.get(name, [])
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise StudyProblem(f'{path / "study.toml"}: {name} = {value!r}; expected a list of texts, like ["a", "b"]')
    return tuple(value)


_LEAST: dict[str, tuple[type, float]] = {
    "lease_minutes": (float, 0.05),
    "break_minutes": (float, 0),
    "daily_limit": (int, 0),
}
"""What a setting of [labelling] is, and the least it can be."""


def _labelling(path: Path, raw: object) -> Labelling:
    """The table [labelling]; every fault of it at once."""
    if not isinstance(raw, dict):
        raise StudyProblem(f"{path / 'study.toml'}: labelling = {raw!r}; expected a table [labelling]")
    _refuse(path, "labelling", {name: _labelling_fault(name, value) for name, value in raw.items()})
    return Labelling(**raw)


def _calibration(path: Path, raw: object) -> Calibration:
    """The table [calibration]; every fault of it at once."""
    if not isinstance(raw, dict) or not isinstance(raw.get("marks", {}), dict):
        raise StudyProblem(f"{path / 'study.toml'}: calibration = {raw!r}; expected a table [calibration]")
    marks = raw.get("marks", {})
    shares = {"pass_mark": raw.get("pass_mark", 0.8), **{f"marks.{label}": mark for label, mark in marks.items()}}
    wrong = {name: f"no such setting; there are {', '.join(_CALIBRATION)}" for name in raw if name not in _CALIBRATION}
    if not isinstance(raw.get("required", True), bool):
        wrong["required"] = f"{raw['required']!r}; expected true or false"
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            wrong[name] = f"{share!r}; expected a share from 0 to 1, like 0.8"
    _refuse(path, "calibration", wrong)
    return Calibration(**{**raw, "marks": tuple(marks.items())})


_CALIBRATION = ("required", "pass_mark", "marks")


def _labelling_fault(name: str, value: object) -> str | None:
    if name not in _LEAST:
        return f"no such setting; there are {', '.join(_LEAST)}"
    kind, least = _LEAST[name]
    number = (
        isinstance(value, int | float) and not isinstance(value, bool) and (kind is float or isinstance(value, int))
    )
    if isinstance(value, int | float) and number and least <= value < 1e6:
        return None
    return f"{value!r}; expected {'a whole number' if kind is int else 'a number'} of at least {least:g}"
