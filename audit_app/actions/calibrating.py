"""Correcting a judge's shares of yes by a calibration set that comes from elsewhere (Rogan–Gladen)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agreement.interval import Ends, wilson
from audit_app.actions.registration import judge_of
from audit_app.actions.seal import require_open
from audit_app.actions.wording import with_interval
from data import frame as frames
from data.errors import Problem, StudyProblem
from data.parsing import Bad, binary
from data.reading import Row, read
from data.records import LABELS
from data.store.connection import open_store
from data.study import Study
from metrics.rogan_gladen import SENTENCE, Calibration, Corrected, shifted, smoothed

FIELDS = ("label", "human", "judge")
"""Of every row of a calibration file: which label, what a person said, what the judge said of the same response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The share of yes of one label, by the judge and as corrected."""

    label: str
    judged_yes: float
    """Share of the responses that the judge calls yes."""
    n_unscored: int
    """Responses without this label of the judge, left out."""
    calibration: Calibration
    sensitivity_interval: Ends
    """As far as so few human yes can tell it; rows of the calibration set are taken to be independent."""
    specificity_interval: Ends
    plain: Corrected
    """Rogan and Gladen's own, of the three shares as they are, with the interval of Lee et al."""
    corrected: Corrected
    """From counts drawn a little towards 1/2, so that its interval stays sensible: not quite the plain one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedResult:
    """Every label of the calibration file."""

    judge: str
    labels: tuple[Calibrated, ...]
    left_out: tuple[str, ...] = ()
    """Why a label of the file could not be corrected, a sentence each."""

    @property
    def sentence(self) -> str:
        """What the numbers rest on, and what they do not cover."""
        return (
            f"Judge {self.judge}. {SENTENCE} The smoothed value is that of counts drawn a little towards one half; its "
            "interval is the safer of the two where counts are small or one-sided. The correction says nothing of SES, "
            "cSES, ESD and BAS, and not of how people differ. With labels on a sample of these responses use "
            "`evidence-audit metrics` instead."
        )


def calibrate(study: Study, file: Path, *, judge: str | None = None, level: float = 0.95) -> CalibratedResult:
    """The judge's share of yes per label, corrected by its errors on a calibration set from elsewhere.

    The study's own labels are not used. The judged responses are taken as a sample of such responses.

    Raises:
        StudyProblem: The file has bad rows; no label has human yes, human no and verdicts here; nothing was judged; or
            results are sealed, as the judge's share is one.
    """
    sets, left_out = read_calibration(file)
    frame = frames.open_frame(study)
    who = judge_of(study, frame, judge)
    if who is None:
        raise StudyProblem("no verdicts are imported; bring them in with `evidence-audit import verdicts FILE`")
    with open_store(study) as store:
        require_open(store)
    counts = frames.pattern_counts(frame, who, [])
    n = counts["n"].to_numpy(np.int64)
    found = []
    for label, known in sets.items():
        said = counts[label].to_numpy(np.float64, na_value=np.nan)
        scored, yes = int(n[~np.isnan(said)].sum()), int(n[said == 1].sum())
        if not scored:
            left_out.append(f"Label {label} is left out: judge {who!r} gave no label {label} here.")
            continue
        found.append(
            Calibrated(
                label=label,
                judged_yes=yes / scored,
                n_unscored=int(n.sum()) - scored,
                calibration=known,
                sensitivity_interval=wilson(known.sensitivity, known.n_yes, level),
                specificity_interval=wilson(known.specificity, known.n_no, level),
                plain=shifted(yes / scored, scored, known, level=level),
                corrected=smoothed(yes / scored, scored, known, level=level),
            )
        )
    if not found:
        raise StudyProblem(f"{file}: no label can be corrected. {' '.join(left_out)}")
    return CalibratedResult(judge=who, labels=tuple(found), left_out=tuple(left_out))


def read_calibration(file: Path) -> tuple[dict[str, Calibration], list[str]]:
    """The judge's error rates per label, from rows with the fields label, human and judge (1/0, true/false, yes/no).

    Returns:
        The rates, and a sentence for every label that lacks a human yes or a human no.

    Raises:
        StudyProblem: Every bad row, or the columns that are not there.
    """
    problems: list[Problem] = []
    counts: dict[str, dict[tuple[int, int], int]] = {}
    columns: dict[str, None] = {}
    for row in read(file):
        columns |= {} if isinstance(row, Problem) else dict.fromkeys(row.values)
        values = row if isinstance(row, Problem) else _row(row)
        if isinstance(values, Problem):
            problems.append(values)
            continue
        label, human, judge = values
        cell = counts.setdefault(label, {})
        cell[human, judge] = cell.get((human, judge), 0) + 1
    if columns and (missing := [name for name in FIELDS if name not in columns]):
        raise StudyProblem(f"{file}: there is no column {', '.join(missing)}; columns are {', '.join(columns)}")
    if problems:
        raise StudyProblem(problems)
    if not counts:
        raise StudyProblem(f"{file}: no rows; expected the fields {', '.join(FIELDS)}")
    rates = {label: _calibration(label, counts[label]) for label in sorted(counts, key=LABELS.index)}
    return (
        {label: one for label, one in rates.items() if isinstance(one, Calibration)},
        [one for one in rates.values() if isinstance(one, str)],
    )


def _row(row: Row) -> tuple[str, int, int] | Problem:
    label = row.values.get("label")
    if label not in LABELS:
        return Problem(where=row.where, field="label", message=f"is {label!r}; expected one of {', '.join(LABELS)}")
    said = []
    for name in FIELDS[1:]:
        try:
            said.append(binary(row.values.get(name)))
        except Bad as bad:
            return Problem(where=row.where, field=name, message=str(bad).removesuffix(", or empty for unscored"))
    return str(label), said[0], said[1]


def _calibration(label: str, cell: Mapping[tuple[int, int], int]) -> Calibration | str:
    """The error rates, or why there are none."""
    n_yes, n_no = (cell.get((human, 0), 0) + cell.get((human, 1), 0) for human in (1, 0))
    if not (n_yes and n_no):
        return f"Label {label} is left out: it has {n_yes} human yes and {n_no} human no; the judge's errors need both."
    return Calibration(
        sensitivity=cell.get((1, 1), 0) / n_yes, specificity=cell.get((0, 0), 0) / n_no, n_yes=n_yes, n_no=n_no
    )


def calibrated_rows(result: CalibratedResult) -> list[dict[str, str]]:
    """One row per label."""
    return [
        {
            "label": one.label,
            "judge says yes": with_interval(one.judged_yes, None, None),
            "corrected": with_interval(one.plain.value, one.plain.low, one.plain.high),
            "smoothed": with_interval(one.corrected.value, one.corrected.low, one.corrected.high),
            "sensitivity": with_interval(one.calibration.sensitivity, *one.sensitivity_interval),
            "of human yes": str(one.calibration.n_yes),
            "specificity": with_interval(one.calibration.specificity, *one.specificity_interval),
            "of human no": str(one.calibration.n_no),
            "n": str(one.corrected.n),
            "unscored": str(one.n_unscored) if one.n_unscored else "",
            "note": one.corrected.why_undefined or _moved(one.plain) or _moved(one.corrected),
        }
        for one in result.labels
    ]


def _moved(found: Corrected) -> str:
    outside = found.unclipped is not None and not 0 <= found.unclipped <= 1
    return "moved into 0–100 %: the judge errs otherwise here than on the calibration set" if outside else ""
