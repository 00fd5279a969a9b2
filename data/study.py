"""The study folder: study.db, rubric.toml, study.toml, frame/ and texts/."""

import os
import re
import secrets
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from data.errors import Problem, StudyProblem
from data.records import Person
from data.rubric import Rubric, default_text, parse_rubric

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


@lru_cache(maxsize=64)
def _within(path: Path, name: str) -> Path:
    # Joining paths takes a while, and every answer asks for this one a dozen times.
    return path / name


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An opened study folder with what it declares."""

    path: Path
    name: str
    regimes: tuple[str, ...]
    conditions: tuple[str, ...]
    rubric: Rubric
    labelling: Labelling = Labelling()
    session_days: float = 30.0
    """How long somebody stays signed in on one device, in days."""
    oidc: Oidc | None = None
    adjudication_order: str = "random"
    """One of `QUEUE_ORDERS`."""
    asked_by: Person | None = None
    """Who looks at it; None for the command line: whoever has the folder has everything."""
    calibration: Calibration = Calibration()

    @property
    def database(self) -> Path:
        """The file that holds what people did."""
        return _within(self.path, "study.db")

    @property
    def texts(self) -> Path:
        """The folder of everything imported, as imported."""
        return self.path / "texts"

    @property
    def frame(self) -> Path:
        """The folder of everything that could be sampled."""
        return self.path / "frame"


def open_study(path: Path) -> Study:
    """The study in this folder.

    Raises:
        StudyProblem: There is no study, or its files cannot be read.
    """
    settings, rubric = _within(path, "study.toml"), _within(path, "rubric.toml")
    if not settings.is_file():
        raise StudyProblem(
            f"no study in {path}; make one with `evidence-audit init {path}`, or name another folder with --study"
        )
    try:
        return _read(path, settings.stat().st_mtime_ns, rubric.stat().st_mtime_ns)
    except (OSError, UnicodeDecodeError) as error:
        raise StudyProblem(f"{path}: {error}") from None


@lru_cache(maxsize=16)
def _read(path: Path, settings_time: int, rubric_time: int) -> Study:
    """Both files, parsed once per change: the labelling loop opens the study on every answer."""
    return study_with(path, (path / "study.toml").read_text(encoding="utf-8"))


def study_with(path: Path, settings: str) -> Study:
    """The study in this folder as it would be with this text in study.toml.

    Raises:
        StudyProblem: A setting does not fit, or the rubric has faults.
    """
    try:
        raw = tomllib.loads(settings)
    except tomllib.TOMLDecodeError as error:
        raise StudyProblem(f"{path / 'study.toml'}: {error}; mend the file") from None
    where = path / "rubric.toml"
    return Study(
        path=path,
        name=str(raw.get("name", path.name)),
        regimes=_declared(path, raw, "regimes"),
        conditions=_declared(path, raw, "conditions"),
        rubric=parse_rubric(where.read_text(encoding="utf-8"), str(where)),
        labelling=_labelling(path, raw.get("labelling", {})),
        session_days=_days(path, raw.get("session_days", 30)),
        oidc=_oidc(path, raw["oidc"]) if "oidc" in raw else None,
        adjudication_order=_order(path, raw.get("adjudication", {})),
        calibration=_calibration(path, raw.get("calibration", {})),
    )


def _order(path: Path, raw: object) -> str:
    """The table [adjudication], which has one setting."""
    order = raw.get("order", QUEUE_ORDERS[0]) if isinstance(raw, dict) and set(raw) <= {"order"} else None
    if order not in QUEUE_ORDERS:
        expected = " or ".join(f'"{name}"' for name in QUEUE_ORDERS)
        raise StudyProblem(f"{path / 'study.toml'}: adjudication = {raw!r}; expected a table with order = {expected}")
    return str(order)


_OIDC = ("issuer", "client_id", "address")
_SAFE = re.compile(r"https://[^\s/?#@]+[^\s?#]*|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/[^\s?#]*)?")
"""An address that nobody on the way can read or change: https, or this machine."""


def _oidc(path: Path, raw: object) -> Oidc:
    """The table [oidc]; every fault of it at once."""
    where = str(path / "study.toml")
    if not isinstance(raw, dict):
        raise StudyProblem(f"{where}: oidc = {raw!r}; expected a table [oidc]")
    faults = [
        Problem(where=where, field=f"oidc.{name}", message=message)
        for name in dict.fromkeys([*_OIDC, *raw])
        if (message := _oidc_fault(name, raw.get(name)))
    ]
    if faults:
        raise StudyProblem(faults)
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


def _declared(path: Path, raw: dict[str, Any], name: str) -> tuple[str, ...]:
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
    where = str(path / "study.toml")
    if not isinstance(raw, dict):
        raise StudyProblem(f"{where}: labelling = {raw!r}; expected a table [labelling]")
    faults = [
        Problem(where=where, field=f"labelling.{name}", message=message)
        for name, value in raw.items()
        if (message := _labelling_fault(name, value))
    ]
    if faults:
        raise StudyProblem(faults)
    return Labelling(**raw)


def _calibration(path: Path, raw: object) -> Calibration:
    """The table [calibration]; every fault of it at once."""
    where = str(path / "study.toml")
    if not isinstance(raw, dict) or not isinstance(raw.get("marks", {}), dict):
        raise StudyProblem(f"{where}: calibration = {raw!r}; expected a table [calibration]")
    marks = raw.get("marks", {})
    shares = {"pass_mark": raw.get("pass_mark", 0.8), **{f"marks.{label}": mark for label, mark in marks.items()}}
    wrong = {name: f"no such setting; there are {', '.join(_CALIBRATION)}" for name in raw if name not in _CALIBRATION}
    if not isinstance(raw.get("required", True), bool):
        wrong["required"] = f"{raw['required']!r}; expected true or false"
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            wrong[name] = f"{share!r}; expected a share from 0 to 1, like 0.8"
    if wrong:
        raise StudyProblem(Problem(where=where, field=f"calibration.{n}", message=m) for n, m in wrong.items())
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


def init_study(path: Path, *, name: str | None = None, labels: Sequence[str] | None = None) -> Study:
    """A new study folder with the default settings and rubric.

    Args:
        path: The folder; made when it is not there.
        name: What the study is called; the folder's name by default.
        labels: Only these labels of the shipped rubric; all of them by default.

    Raises:
        StudyProblem: A study is there already, a label is unknown, or the folder cannot be written.
    """
    if any((path / file).exists() for file in ("study.toml", "study.db", "rubric.toml")):
        raise StudyProblem(f"{path} already holds a study; nothing was changed. Use it, or choose another folder")
    rubric = default_text(labels)
    settings = files("data").joinpath("study.toml").read_text(encoding="utf-8")
    title = "".join(c if c.isprintable() else " " for c in name or path.resolve().name)
    title = title.replace("\\", "\\\\").replace('"', '\\"')
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
        (path / "texts").mkdir(exist_ok=True)
        (path / "frame").mkdir(exist_ok=True)
        replace_text(path / "rubric.toml", rubric)
        replace_text(path / "study.toml", settings.replace('name = "study"', f'name = "{title}"'))
    return open_study(path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the operating system says about a write into one sentence."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StudyProblem(
            f"cannot write in {path}: {reason}. Nothing was changed; free space or choose a folder you may write to"
        ) from None


@contextmanager
def drafting(target: Path) -> Iterator[Path]:
    """A path beside the target: moved there when all went well, removed when not."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.draft")
    try:
        yield draft
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def replace_text(path: Path, text: str) -> None:
    """Writes a whole file or none of it."""
    with drafting(path) as draft:
        draft.write_bytes(text.encode())
