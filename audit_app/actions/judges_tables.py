"""What a comparison of judges found, as rows and sentences."""

from collections.abc import Iterator

from audit_app.actions.comparison_tables import judge_rows, order_rows, order_sentences
from audit_app.actions.judge_pairs import PEOPLE, OwnFamily
from audit_app.actions.judges import Judges
from audit_app.actions.wording import dashed, p_value, percent, points
from audit_app.language import _, isolated, joined, mark
from audit_app.reasons import bare, told

Row = dict[str, str]

AGREEMENT, METRICS = mark("Agreement on the same responses"), mark("Metrics under each judge")


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
            "second": _(PEOPLE) if one.second == PEOPLE else one.second,
            "same label": dashed(one.percent),
            "kappa": dashed(one.kappa),
            "n": str(one.n),
            "note": told(one.percent.why_undefined or one.kappa.why_undefined),
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
    what = _("Judge {judge} on {label} of its own family ({family})").format(
        judge=one.judge, label=one.label, family=joined(one.family)
    )
    difference, p = one.found.difference, one.p_adjusted
    if difference.value is None:
        return _("{what}: {why}.").format(what=what, why=bare(difference.why_undefined))
    if p is None or p >= 1 - level:
        said = _("{what}: no preference beyond chance, {points} points; that does not prove that there is none.")
    elif difference.value > 0:
        said = _("{what} is higher than people are, beyond how it scores the others: by {points} points.")
    else:
        said = _("{what} is lower than people are, beyond how it scores the others: by {points} points.")
    return said.format(what=what, points=points(difference))


def _drift(found: Judges) -> str:
    moved = [one for one in found.drift if one.p_adjusted is not None and one.p_adjusted < 1 - found.level]
    earlier, later = found.dates or ("", "")
    if not moved:
        return _("Between {earlier} and {later} no label moved beyond chance.").format(earlier=earlier, later=later)
    by = _("{label} by {points} points")
    named = joined(by.format(label=one.label, points=points(one.difference)) for one in moved)
    said = _("Between {earlier} and {later} these labels moved: {named}.")
    return said.format(earlier=earlier, later=later, named=named)


def _points(value: float | None) -> str:
    return "–" if value is None else isolated(f"{100 * value:+z.1f}")
