"""What a comparison found, as rows of text."""

from collections.abc import Sequence

from audit_app.actions.compared import Adjust, Compared, Comparison, Order, Tested, Way, shown
from audit_app.actions.wording import p_value, points, spread, with_interval
from audit_app.language import _, isolated, joined
from audit_app.reasons import bare, told
from metrics.estimate import Estimate


def tables(found: Compared) -> dict[str, list[dict[str, str]]]:
    """Everything that was found as rows, by a heading; what is empty is left out."""
    everything = {
        "Differences": comparison_rows(found),
        "The same naive differences by other means": detail_rows(found),
        "Under each judge": judge_rows(found.under_judges),
        "The order of models": order_rows(found.orders),
    }
    return {heading: rows for heading, rows in everything.items() if rows}


def comparison_rows(found: Compared) -> list[dict[str, str]]:
    """One row per metric and pair, differences in percentage points."""
    return [
        {
            "metric": one.metric,
            "first − second": f"{shown(one.first)} − {shown(one.second)}",
            **_tested("corrected", one.corrected, found.adjust),
            "labels": str(one.corrected.difference.n) if one.corrected else "",
            **_tested("naive", one.naive, found.adjust),
            "pairs": str(one.naive.difference.n) if one.naive else "",
            "left out": str(one.n_unmatched) if one.naive and one.n_unmatched else "",
            "note": _("; ").join(dict.fromkeys(_why(one))),
        }
        for one in found.comparisons
    ]


def _tested(way: Way, found: Tested | None, adjust: Adjust) -> dict[str, str]:
    if found is None:
        return {}
    cells = {f"{way}, points": points(found.difference)}
    if found.p is None:
        return cells
    if adjust == "none":
        return cells | {f"p ({way})": p_value(found.p)}
    return cells | {f"p, adjusted ({way})": joined([p_value(found.p), p_value(found.p_adjusted)])}


def _why(one: Comparison) -> list[str]:
    tests = (("corrected", one.corrected), ("naive", one.naive))
    whys = [(way, test.difference.why_undefined) for way, test in tests if test]
    dropped = one.naive.difference.n_dropped if one.naive else 0
    lacking = (
        [
            _("naive: without {dropped} of {n_pairs} pairs, which lack a label").format(
                dropped=dropped, n_pairs=one.n_pairs
            )
        ]
        if dropped
        else []
    )
    return [f"{_(way)}: {bare(why)}" for way, why in whys if why] + lacking


def detail_rows(found: Compared) -> list[dict[str, str]]:
    """One row per metric and pair: the naive difference by other means."""
    return [
        {
            "metric": one.metric,
            "first − second": f"{shown(one.first)} − {shown(one.second)}",
            "tasks": str(more.flips.tasks),
            "bootstrap over tasks": points(more.bootstrap),
            "permutations": _("all {n:,}").format(n=more.flips.arrangements)
            if more.flips.enumerated
            else f"{more.flips.arrangements:,}",
            "only first": str(more.discordant.only_first) if more.discordant else "",
            "only second": str(more.discordant.only_second) if more.discordant else "",
            "of pairs": str(more.discordant.n) if more.discordant else "",
            "McNemar exact p": p_value(more.mcnemar.exact) if more.mcnemar else "",
            "mid-p": p_value(more.mcnemar.mid_p) if more.mcnemar else "",
            "Tango interval": points(more.tango) if more.tango else "",
            "note": told(more.bootstrap.why_undefined)
            or ("" if more.mcnemar else _("a ratio has no pairs of yes and no")),
        }
        for one in found.comparisons
        if (more := one.details)
    ]


def judge_rows(numbers: Sequence[tuple[str, Estimate]]) -> list[dict[str, str]]:
    """One row per metric and judge: the number at the judge's word, and as corrected, and on how many each rests."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for judge, estimate in numbers:
        row = rows.setdefault((estimate.metric, judge), {"metric": estimate.metric, "judge": judge})
        row[estimate.method] = with_interval(estimate.value, estimate.low, estimate.high)
        row["labels" if estimate.method == "corrected" else "judged"] = str(estimate.n)
        row["note"] = _("; ").join(filter(None, [row.get("note"), told(estimate.why_undefined)]))
    return [rows[key] for metric in dict.fromkeys(m for m, _judge in rows) for key in rows if key[0] == metric]


def order_rows(orders: Sequence[Order]) -> list[dict[str, str]]:
    """One row per metric and two judges: how alike they order the models."""
    return [
        {
            "metric": one.metric,
            "judges": f"{shown(one.first)} · {shown(one.second)}",
            "Kendall's tau": _tau(one),
            "Spearman": "–" if one.spearman is None else isolated(f"{one.spearman:z.2f}"),
            "same order": ""
            if one.same_order is None
            else _("in {same_order:.0f} % of resamples").format(same_order=100 * one.same_order),
            "by the first": " > ".join(map(shown, one.first_order)),
            "by the second": " > ".join(map(shown, one.second_order)),
            "note": told(one.why_undefined),
        }
        for one in orders
    ]


def order_sentences(orders: Sequence[Order]) -> list[str]:
    """For every two judges: by which metrics they put the models into the same order, and how surely.

    >>> alike = Order(metric="Acc", first="a", second="b", first_order=(), second_order=(), kendall=1.0, spearman=1.0,
    ...               same_order=0.874)
    >>> order_sentences([alike])
    ['a and b put the models into the same order by Acc (in 87 % of resamples).']
    """
    found = []
    for first, second in dict.fromkeys((one.first, one.second) for one in orders):
        ours = [one for one in orders if (one.first, one.second) == (first, second) and one.kendall is not None]
        same, other = (
            joined(_surely(one, alike) for one in ours if (one.first_order == one.second_order) == alike)
            for alike in (True, False)
        )
        if same or other:
            said = [_("into the same order by {same}").format(same=same)] * bool(same) + [
                _("into another order by {other}").format(other=other)
            ] * bool(other)
            found.append(
                _("{first} and {second} put the models {said}.").format(
                    first=shown(first), second=shown(second), said=joined(said)
                )
            )
    return found


def _surely(one: Order, alike: bool) -> str:
    """The metric, and how often it is so."""
    if one.same_order is None:
        return one.metric
    said = _("{metric} ({often})") if alike else _("{metric} (the same {often})")
    often = _("in {same_order:.0f} % of resamples").format(same_order=100 * one.same_order)
    return said.format(metric=one.metric, often=often)


def _tau(one: Order) -> str:
    if one.kendall is None or one.low is None or one.high is None:
        return "–" if one.kendall is None else isolated(f"{one.kendall:z.2f}")
    return spread(f"{one.kendall:z.2f}", f"{one.low:z.2f}", f"{one.high:z.2f}")
