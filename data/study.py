"""The study folder: study.db, rubric.toml, study.toml, frame/ and texts/."""

import os
import secrets
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from data.declared import Calibration, Labelling, Oidc, declared
from data.errors import StudyProblem
from data.records import Person
from data.rubric import Rubric, default_text, parse_rubric


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
    labelling: Labelling = field(default_factory=Labelling)
    session_days: float = 30.0
    """How long somebody stays signed in on one device, in days."""
    oidc: Oidc | None = None
    adjudication_order: str = "random"
    """One of `QUEUE_ORDERS`."""
    asked_by: Person | None = None
    """Who looks at it; None for the command line: whoever has the folder has everything."""
    calibration: Calibration = field(default_factory=Calibration)

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
    rubric = parse_rubric(where.read_text(encoding="utf-8"), str(where))
    return Study(path=path, rubric=rubric, **declared(path, raw))


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
