"""What a table of metrics refuses to be asked, and why."""

from collections.abc import Sequence

import numpy as np

from audit_app.actions.labelled import Labelled
from audit_app.actions.seal import Seal
from audit_app.language import _
from data import frame as frames
from data.errors import StudyProblem
from metrics.estimate import Contexts, Target
from metrics.table import JudgedRows, Options


def known(given: Sequence[str], allowed: Sequence[str], what: str) -> None:
    """Refuses a name that there is not.

    Raises:
        StudyProblem: Naming those that there are.
    """
    unknown = [name for name in given if name not in allowed]
    if unknown:
        raise StudyProblem(f"unknown {what} {unknown[0]!r}; expected some of {', '.join(allowed)}")


def can_borrow(by: Sequence[str], borrow: Sequence[str]) -> None:
    """Refuses to borrow where there is no other slice to borrow from.

    Raises:
        StudyProblem: There is none, or a column is unknown.
    """
    known(borrow, frames.SLICES, "column to borrow within")
    if borrow and not set(by) - set(borrow):
        raise StudyProblem(
            f"nobody to borrow from: a slice borrows from others of its {', '.join(borrow)}, so slice by something "
            f"else as well, such as --by model,{','.join(borrow)}"
        )


def can_divide(rows: Labelled, contexts: Contexts, seal: Seal) -> None:
    """Refuses to tell valid contexts from broken ones before that may, or can, be told.

    Raises:
        StudyProblem: Results are sealed, or no context of a labelled response is audited.
    """
    if contexts == "all":
        return
    if not seal.is_open:
        raise StudyProblem(f"--contexts {contexts}: which contexts are broken is itself a result. {seal.sentence}")
    if np.isnan(rows.valid).all():
        raise StudyProblem(
            f"--contexts {contexts}: no context of a labelled response is audited yet; label contexts first, or leave "
            "the option out"
        )


def count_tasks(population: JudgedRows, options: Options) -> int | None:
    """The tasks that these are a sample of "such tasks" by; None when the numbers are for these responses.

    Raises:
        StudyProblem: There is one task only.
    """
    if options.about != "such tasks":
        return None
    n = len(set(population.columns[options.task]))
    if n < 2:
        said = _("{n} task cannot speak for such tasks in general; use --population responses")
        raise StudyProblem(said.format(n=n))
    return n


def can_adjudicate(rows: Labelled, target: Target) -> None:
    """Refuses target B where nothing was planned to be adjudicated.

    Raises:
        StudyProblem: The sample has no overlap.
    """
    if target == "B" and not rows.overlap.order:
        said = _(
            "sample {sample!r} has no overlap, so target B has nothing to rest on: adjudicated labels count on a "
            "random share that several people label. Draw one with --overlap, or use target A"
        )
        raise StudyProblem(said.format(sample=rows.sample["sample_id"]))
