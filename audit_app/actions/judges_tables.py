"""What a comparison of judges found, as rows and sentences."""

from collections.abc import Iterator

from audit_app.actions.comparison_tables import judge_rows, order_rows, order_sentences
from audit_app.actions.judge_pairs import OwnFamily
from audit_app.actions.judges import Judges
from audit_app.actions.wording import coefficient, dashed, p_value, percent, points

Row = dict[str, str]

AGREEMENT, METRICS = "Agreement on the same responses", "Metrics under each judge"


def tables(found: Judges) -> dict[str, list[Row]]:
    """Everything that was found as rows, by a heading; what is empty is left out."""
    everything = {
        AGREEMENT: pair_rows(found),
        METRICS: judge_rows(found.numbers),
        "The order of models": order_rows(found.orders),
        "Does a judge prefer its own family?": family_rows(found),
        "Drift between two dates": drift_rows(found),
    }
    return {heading: rows for heading, rows in everything.items() if rows}


def pair_rows(found: Judges) -> list[Row]:
    """One row per label and two raters: agreement on the responses that all of them labelled."""
    return [
        {
            "label": one.label,
            "first": one.first,
            "second": one.second,
            "same label": coefficient(one.percent) if one.percent.value is not None else "–",
            "kappa": dashed(one.kappa),
            "n": str(one.n),
            "note": one.percent.why_undefined or one.kappa.why_undefined or "",
        }
        for one in found.pairs
    ]


def family_rows(found: Judges) -> list[Row]:
    """One row per judge and label: judge less people in points, on its own family and on the others."""
    return [
        {
            "label": one.label,
            "judge": one.judge,
            "own family": ", ".join(one.family),
            "judge − people, own": _points(one.found.own),
            "judge − people, others": _points(one.found.others),
            "own − others": points(one.found.difference),
            "p, adjusted": f"{p_value(one.found.difference.p)}, {p_value(one.p_adjusted)}",
            "labels, own and others": f"{one.found.n_own}, {one.found.n_others}",
            "note": one.found.difference.why_undefined or "",
        }
        for one in found.families
    ]


def drift_rows(found: Judges) -> list[Row]:
    """One row per label: how the share of yes moved, and how many labels flipped either way."""
    return [
        {
            "label": one.label,
            "later − earlier": points(one.difference),
            "p, adjusted": f"{p_value(one.p)}, {p_value(one.p_adjusted)}",
            "no to yes": str(one.flips.only_first),
            "yes to no": str(one.flips.only_second),
            "flipped": percent((one.flips.only_first + one.flips.only_second) / one.flips.n),
            "responses": str(one.flips.n),
            "note": one.difference.why_undefined or "",
        }
        for one in found.drift
    ]


def sentences(found: Judges) -> Iterator[str]:
    """The answers: who is nearest to people, which orders hold, who prefers whom, what drifted, what is missing."""
    if found.seal.is_open:
        yield found.sentence
    yield from order_sentences(found.orders)
    for one in found.families:
        yield _family(one, found.level)
    if found.drift:
        yield _drift(found)
    yield from found.notes


def _family(one: OwnFamily, level: float) -> str:
    what = f"Judge {one.judge} on {one.label} of its own family ({', '.join(one.family)})"
    difference, p = one.found.difference, one.p_adjusted
    if difference.value is None:
        return f"{what}: {difference.why_undefined}."
    if p is None or p >= 1 - level:
        return (
            f"{what}: no preference beyond chance, {points(difference)} points; that does not prove that there is none."
        )
    word = "higher" if difference.value > 0 else "lower"
    return f"{what} is {word} than people are, beyond how it scores the others: by {points(difference)} points."


def _drift(found: Judges) -> str:
    moved = [one for one in found.drift if one.p_adjusted is not None and one.p_adjusted < 1 - found.level]
    dates = " and ".join(found.dates or ())
    if not moved:
        return f"Between {dates} no label moved beyond chance."
    named = ", ".join(f"{one.label} by {points(one.difference)} points" for one in moved)
    return f"Between {dates} these labels moved: {named}."


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+z.1f}"
