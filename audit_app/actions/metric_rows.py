"""The metrics as rows of a table, and the sentences beside them."""

from collections import defaultdict
from collections.abc import Iterable

from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.wording import ALL, percent, slice_name, with_interval
from audit_app.language import _, joined, mark, ngettext
from audit_app.reasons import told
from metrics.estimate import Contexts, Method


def number(estimate: DetailedEstimate) -> str:
    """A share or a mean score with its interval."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.scale == 1 or value is None:
        return with_interval(value, low, high)
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f}–{high:.2f})"


def note(estimate: DetailedEstimate) -> str:
    """What has to be said beside a number: why there is none, where it is borrowed, what unusable labels could do."""
    said = [told(estimate.why_undefined), told(estimate.homogeneity), near_an_end(estimate), bounds(estimate)]
    return _("; ").join(sentence for sentence in said if sentence)


NEAR = 0.1
"""Share of the interval at either end in which a number is said to lie near that end."""


def near_an_end(estimate: DetailedEstimate) -> str | None:
    """Why a number is not in the middle of its interval, where that may look like a mistake; None elsewhere."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.interval != "Dirichlet-multinomial" or value is None or low is None or high is None or low == high:
        return None
    if NEAR <= (value - low) / (high - low) <= 1 - NEAR:
        return None
    if value - low < high - value:
        return _(
            "the number lies near the lower end of its interval, as it rests on a few labels and what they missed "
            "can be on one side only"
        )
    return _(
        "the number lies near the upper end of its interval, as it rests on a few labels and what they missed can "
        "be on one side only"
    )


def bounds(estimate: DetailedEstimate) -> str | None:
    """What unusable labels could do to the number; None where all could be used."""
    found = estimate.bounds
    if found is None:
        return None
    ends = _("between {lowest} and {highest}").format(lowest=percent(found.lowest), highest=percent(found.highest))
    return f"{ends} {if_unusable(found.n_unusable, estimate.contexts)}"


def if_unusable(n: int, contexts: Contexts = "all") -> str:
    """The condition of such bounds."""
    if contexts != "all":
        lost = ngettext("the one response", "all {n} responses", n).format(n=n)
        return _("if {lost} without a usable label or context had gone one way or the other").format(lost=lost)
    labels = ngettext("the unusable label", "all {n} unusable labels", n).format(n=n)
    return _("if {labels} had gone one way or the other").format(labels=labels)


def interval_lines(estimates: Iterable[DetailedEstimate]) -> list[str]:
    """How the interval of each corrected number was made, and by which diagnostic; like ones together."""
    names = defaultdict[str, list[str]](list)
    for estimate in estimates:
        if estimate.method == "corrected" and estimate.interval is not None:
            place = f" ({slice_name(estimate.slice)})" if estimate.slice else ""
            reason = f": {told(estimate.interval_reason)}" if estimate.interval_reason else ""
            names[f"{_(estimate.interval)}{reason}."].append(f"{estimate.metric}{place}")
    return [f"{joined(metrics)}: {how}" for how, metrics in names.items()]


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
                "slice": slice_name(estimate.slice, ALL),
            },
        )
        row[estimate.method] = number(estimate)
        if estimate.method == "corrected":
            row["labels"] = _("{n} lent").format(n=estimate.n) if estimate.tier == "borrowed" else str(estimate.n)
            row["in denominator"] = "" if estimate.n_denominator is None else str(estimate.n_denominator)
            row["dropped"] = str(estimate.n_dropped) if estimate.n_dropped else ""
            row["tier"] = _(estimate.tier) if estimate.tier and (details or estimate.tier == "borrowed") else ""
            row |= _details(estimate) if details else {}
            row["note"] = note(estimate)
    return list(rows.values())


VIEWS: dict[Contexts, str] = {
    "all": mark("all contexts"),
    "valid": mark("valid only"),
    "reclassified": mark("re-classified"),
}


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
            row["note"] = _("; ").join(part for part in (said, f"{_(view)}: {more}" if more else "") if part)
    return list(rows.values())


def with_before(rows: list[dict[str, str]], before: Iterable[DetailedEstimate]) -> list[dict[str, str]]:
    """The same rows with each corrected number as it was before adjudication (target A)."""
    earlier = {(row["metric"], row["slice"]): row.get("corrected", "") for row in metric_rows(before)}
    if not earlier:
        return rows
    return [
        {**{name: row[name] for name in row if name != "note"},
         "before adjudication": earlier.get((row["metric"], row["slice"]), ""), "note": row.get("note", "")}
        for row in rows
    ]  # fmt: skip


def _details(estimate: DetailedEstimate) -> dict[str, str]:
    if estimate.value is None:
        return {}
    digits, unit = (1, 100) if estimate.scale == 1 else (2, 1)
    return {
        "SE": "" if estimate.se is None else f"{unit * estimate.se:.{digits}f}",
        "effective": "" if estimate.n_effective is None else f"{estimate.n_effective:.0f}",
        "interval": _(estimate.interval) if estimate.interval else "",
    }
