"""Everything that a judge has judged, counted; and which judge that is."""

from collections.abc import Sequence

import numpy as np

from audit_app.language import _, joined
from data import frame as frames
from data.errors import StudyProblem
from metrics.patterns import encode
from metrics.table import JudgedRows


def judged(frame: frames.Frame, judge: str | None, columns: Sequence[str]) -> JudgedRows:
    """The frame under one judge, counted by slice and pattern."""
    counts = frames.pattern_counts(frame, judge, columns)
    labels = [counts[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in ("C", "A", "G", "D")]
    return JudgedRows(
        columns={name: counts[name].tolist() for name in columns},
        code=encode(*labels),
        count=counts["n"].to_numpy(dtype=np.int64),
    )


def find_judge(frame: frames.Frame, judge: str | None, meant: str | None = None) -> str | None:
    """The judge asked for, else the one that is meant where it judged, else the one with the most verdicts.

    None when nothing was judged.

    Raises:
        StudyProblem: The judge gave no verdicts.
    """
    known = frames.judges(frame)
    if judge is not None and judge not in known:
        said = _("judge {judge!r} gave no verdicts here; judges are {judges}")
        raise StudyProblem(said.format(judge=judge, judges=joined(known) or _("none yet")))
    return judge or next((one for one in (meant, *known) if one in known), None)
