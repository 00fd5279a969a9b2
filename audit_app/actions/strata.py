"""The stratum columns that are no frame columns, and strata that are merged because they are small."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pandas as pd

from audit_app.actions.draw_plan import JUDGE, LEAK, Bins, Plan
from data import frame as frames
from data.errors import StudyProblem
from data.leaks.screen import FLAGGED
from data.records import DIAGNOSTICS
from sampling.bins import bin_names, quantile_cuts
from sampling.strata import ANY, collapse, stratum_name, stratum_values

GROUPS = 3
"""Groups of a numeric column when nobody says how many."""

KNOWN = (*frames.SLICES, LEAK, JUDGE, *DIAGNOSTICS)
"""What can form strata."""

LEAK_CUTS = (FLAGGED,)
"""Where strata by the score of the leak screens part when nobody says where: flagged or not."""


def add_columns(
    responses: pd.DataFrame, frame: frames.Frame, plan: Plan, labels: Sequence[str]
) -> dict[str, tuple[float, ...]]:
    """Adds the columns that one judge's labels give; returns the cut points of the numeric ones.

    Raises:
        StudyProblem: The judge gave nothing to form strata by.
    """
    wanted = [column for column in plan.strata or () if column not in (*frames.SLICES, LEAK)]
    if not wanted:
        return {}
    who = plan.judge
    if who is None:
        raise StudyProblem(
            f"strata by {wanted[0]} need verdicts; bring them in with `evidence-audit import verdicts FILE`"
        )
    ids = responses["response_id"].tolist()
    rows = frames.judged_rows(frame, who, ids).set_index("response_id").loc[ids]
    cuts = {}
    for column in wanted:
        if column == JUDGE:
            responses[JUDGE] = _patterns(rows, who, labels)
        else:
            responses[column], cuts[column] = _binned(rows[column], column, who, plan.bins)
    return cuts


def check_columns(columns: Sequence[str], known: Sequence[str]) -> None:
    """Refuses stratum columns that there are not.

    Raises:
        StudyProblem: A column is unknown.
    """
    unknown = [column for column in columns if column not in known]
    if unknown:
        raise StudyProblem(f"unknown stratum column {unknown[0]!r}; expected some of {', '.join(known)}")


def add_leak(
    rows: Sequence[pd.DataFrame], scores: Mapping[str, float | None], bins: Bins
) -> dict[str, tuple[float, ...]]:
    """Adds the score of the leak screens, in bins, to rows with a context_id; returns the cut points.

    The score is the raw one: what people say of contexts must not move strata.
    """
    asked = bins.get(LEAK, LEAK_CUTS)
    cuts = quantile_cuts(scores.values(), asked) if isinstance(asked, int) else asked
    name = dict(zip(scores, bin_names(scores.values(), cuts), strict=True))
    for frame in rows:
        frame[LEAK] = [name.get(context_id, "") for context_id in frame["context_id"]]
    return {LEAK: cuts}


def _patterns(rows: pd.DataFrame, who: str, labels: Sequence[str]) -> list[str]:
    """What one judge said of each response, for people to read: "gpt-4: C=1 G=?", with ? for unscored."""
    said = [[f"{name}={'?' if pd.isna(value) else int(value)}" for value in rows[name]] for name in labels]
    return [f"{who}: {' '.join(pattern)}" for pattern in zip(*said, strict=True)] or [who] * len(rows)


def _binned(values: "pd.Series[float]", column: str, who: str, bins: Bins) -> tuple[list[str], tuple[float, ...]]:
    scores = [None if pd.isna(value) else float(value) for value in values]
    if all(score is None for score in scores):
        raise StudyProblem(f"strata by {column} need numbers, and judge {who!r} gave none; name another with --judge")
    asked = bins.get(column, GROUPS)
    cuts = quantile_cuts(scores, asked) if isinstance(asked, int) else asked
    return bin_names(scores, cuts), cuts


def merge(
    of_response: Sequence[str], of_context: Sequence[str], columns: Sequence[str], total: int, least: int
) -> dict[str, dict[str, str]]:
    """Small response strata merged in the fixed order, and the context strata that they then span.

    Args:
        of_response: Stratum of each response of the frame.
        of_context: Context stratum of each response, all of the same number of columns.
        columns: Columns of the response strata.
        total: Responses that will be drawn.
        least: Fewest responses that a stratum is worth having for.

    Returns:
        Old stratum to new stratum by item kind, for the strata whose name changes.
    """
    new = collapse(Counter(of_response), columns, total, least=least).stratum
    spans: dict[str, set[str]] = defaultdict(set)
    for stratum, context in zip(of_response, of_context, strict=True):
        spans[new[stratum]].add(context)
    groups: list[set[str]] = []
    for span in spans.values():
        touched = [group for group in groups if group & span]
        groups = [group for group in groups if group not in touched] + [span.union(*touched)]
    together = {context: _common(group) for group in groups for context in group}
    return {
        "response": {old: name for old, name in new.items() if old != name},
        "context": {old: name for old, name in together.items() if old != name},
    }


def _common(strata: set[str]) -> str:
    """The name of several strata as one: `*` where they differ."""
    if len(strata) == 1:
        return next(iter(strata))
    values = zip(*(stratum_values(name) for name in strata), strict=True)
    kept = [stratum_name([column[0]]) if len(set(column)) == 1 else ANY for column in values]
    return " | ".join(kept)


def renamed(strata: Sequence[str], new: Mapping[str, str]) -> list[str]:
    """The strata after a merger."""
    return [new.get(name, name) for name in strata]
