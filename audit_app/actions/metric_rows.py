"""The metrics as rows of a table, and the sentences beside them."""

from collections import defaultdict
from collections.abc import Iterable

from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.wording import percent, with_interval
from metrics.estimate import Contexts, Method


def number(estimate: DetailedEstimate) -> str:
    """A share or a mean score with its interval."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.scale == 1 or value is None:
        return with_interval(value, low, high)
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f}–{high:.2f})"


def note(estimate: DetailedEstimate) -> str:
    """What has to be said beside a number: why there is none, where it is borrowed, what unusable labels could do."""
    said = [estimate.why_undefined, estimate.homogeneity, near_an_end(estimate), bounds(estimate)]
    return "; ".join(sentence for sentence in said if sentence)


NEAR = 0.1
"""Share of the interval at either end in which a number is said to lie near that end."""


def near_an_end(estimate: DetailedEstimate) -> str | None:
    """Why a number is not in the middle of its interval, where that may look like a mistake; None elsewhere."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.interval != "Dirichlet-multinomial" or value is None or low is None or high is None or low == high:
        return None
    if NEAR <= (value - low) / (high - low) <= 1 - NEAR:
        return None
    return (
        f"the number lies near the {'lower' if value - low < high - value else 'upper'} end of its interval, as it "
        "rests on a few labels and what they missed can be on one side only"
    )


def bounds(estimate: DetailedEstimate) -> str | None:
    """What unusable labels could do to the number; None where all could be used."""
    found = estimate.bounds
    if found is None:
        return None
    ends = f"between {percent(found.lowest)} and {percent(found.highest)}"
    return f"{ends} {if_unusable(found.n_unusable, estimate.contexts)}"


def if_unusable(n: int, contexts: Contexts = "all") -> str:
    """The condition of such bounds."""
    if contexts != "all":
        lost = f"all {n} responses" if n > 1 else "the one response"
        return f"if {lost} without a usable label or context had gone one way or the other"
    labels = f"all {n} unusable labels" if n > 1 else "the unusable label"
    return f"if {labels} had gone one way or the other"


def interval_lines(estimates: Iterable[DetailedEstimate]) -> list[str]:
    """How the interval of each corrected number was made, and by which diagnostic; like ones together."""
    names: dict[str, list[str]] = defaultdict(list)
    for estimate in estimates:
        if estimate.method == "corrected" and estimate.interval is not None:
            place = f" ({' · '.join(v or '(none)' for v in estimate.slice.values())})" if estimate.slice else ""
            reason = f": {estimate.interval_reason}" if estimate.interval_reason else ""
            names[f"{estimate.interval}{reason}."].append(f"{estimate.metric}{place}")
    return [f"{', '.join(metrics)}: {how}" for how, metrics in names.items()]


def metric_rows(estimates: Iterable[DetailedEstimate], *, details: bool = False) -> list[dict[str, str]]:
    """One row per metric and slice: naive, human-only, corrected, labels used and counted, and what is missing.

    With details also the standard error, the kind of interval, the effective number of labels and the tier of the
    corrected number.
    """
    rows: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}
    for estimate in estimates:
        key = (estimate.metric, tuple(estimate.slice.values()))
        row = rows.setdefault(
            key,
            {
                "metric": estimate.metric.replace("_", " ") if estimate.scale > 1 else estimate.metric,
                "slice": " · ".join(v or "(none)" for v in estimate.slice.values()) or "all responses",
            },
        )
        row[estimate.method] = number(estimate)
        if estimate.method == "corrected":
            row["labels"] = f"{estimate.n} lent" if estimate.tier == "borrowed" else str(estimate.n)
            row["in denominator"] = "" if estimate.n_denominator is None else str(estimate.n_denominator)
            row["dropped"] = str(estimate.n_dropped) if estimate.n_dropped else ""
            row["tier"] = (estimate.tier or "") if details or estimate.tier == "borrowed" else ""
            row |= _details(estimate) if details else {}
            row["note"] = note(estimate)
    return list(rows.values())


VIEWS: dict[Contexts, str] = {"all": "all contexts", "valid": "valid only", "reclassified": "re-classified"}


def view_rows(estimates: Iterable[DetailedEstimate], method: Method = "corrected") -> list[dict[str, str]]:
    """One row per metric and slice: the numbers of one method under each view of the contexts, side by side."""
    rows: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}
    for estimate in estimates:
        if estimate.method == method:
            (one,) = metric_rows([estimate])
            key = (one["metric"], tuple(estimate.slice.values()))
            row = rows.setdefault(key, {"metric": one["metric"], "slice": one["slice"]})
            view = VIEWS[estimate.contexts]
            row[view] = one[method]
            said, more = row.pop("note", ""), note(estimate)
            for column in ("labels", "in denominator"):
                before, here = row.pop(column, ""), one.get(column, "")
                row[column] = f"{before} / {here}" if before else here
            row["note"] = "; ".join(part for part in (said, f"{view}: {more}" if more else "") if part)
    return list(rows.values())


def _details(estimate: DetailedEstimate) -> dict[str, str]:
    if estimate.value is None:
        return {}
    digits, unit = (1, 100) if estimate.scale == 1 else (2, 1)
    return {
        "SE": "" if estimate.se is None else f"{unit * estimate.se:.{digits}f}",
        "effective": "" if estimate.n_effective is None else f"{estimate.n_effective:.0f}",
        "interval": estimate.interval or "",
    }
