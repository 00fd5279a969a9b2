"""Judges beside each other and beside people on the same drawn responses, and whether one prefers its own family."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from agreement.confusion import confusion
from agreement.result import Agreement
from audit_app.actions.labelled import Labelled
from metrics.multiple import holm
from metrics.preference import Preference, preference

PEOPLE = "people"
PREFERRED = ("C", "G")
"""Labels that are asked for a preference: those that praise."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePair:
    """How often two say the same on one label, weighted to all responses."""

    label: str
    first: str
    """A judge."""
    second: str
    """Another judge, or `PEOPLE`."""
    percent: Agreement
    kappa: Agreement
    n: int
    """Responses on which people and all judges of this label said something: the same for every two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFamily:
    """Whether a judge is above people on its own family by more than on the others."""

    label: str
    judge: str
    family: tuple[str, ...]
    found: Preference
    p_adjusted: float | None
    """Holm's, over all labels and judges."""


def judge_pairs(rows: Mapping[str, Labelled], labels: Sequence[str], *, level: float) -> list[JudgePair]:
    """Every judge with people and every two judges, label by label, on what all of them labelled.

    Args:
        rows: By judge: the same drawn responses, each with this judge's labels.
        labels: Which labels.
        level: Confidence level.
    """
    return [found for label in labels for found in _of_label(rows, label, level)]


def _of_label(rows: Mapping[str, Labelled], label: str, level: float) -> Iterator[JudgePair]:
    one = next(iter(rows.values()))
    human = one.human[label]
    usable = ~np.isnan(human)
    said = {judge: each.judge[label] for judge, each in rows.items() if not np.isnan(each.judge[label][usable]).all()}
    if not said:
        return
    design, census = one.design(usable), int(usable.sum()) == sum(one.stratum_size.values())
    everyone = (usable & ~np.any([np.isnan(values) for values in said.values()], axis=0))[usable]

    def codes(values: Floats) -> NDArray[np.int64]:
        return np.where(np.isnan(values), -1, values)[usable].astype(np.int64)

    for first, second in [*((judge, PEOPLE) for judge in said), *combinations(said, 2)]:
        table = confusion(
            codes(human if second == PEOPLE else said[second]),
            codes(said[first]),
            weights=design.weight,
            variance=design.variance,
            degrees_of_freedom=design.degrees_of_freedom(everyone),
            rows=everyone,
            census=census,
            level=level,
        )
        percent = replace(table.accuracy, name="percent_agreement")
        percent, kappa = (_named(one, first, second) for one in (percent, table.kappa))
        yield JudgePair(label=label, first=first, second=second, percent=percent, kappa=kappa, n=table.n)


def _named(found: Agreement, first: str, second: str) -> Agreement:
    """With the names of the two in the reason why it is undefined: the table takes the second for people."""
    if found.why_undefined is None or second == PEOPLE:
        return found
    names = {"people": second, "the judge": first}
    why = re.sub(r"\b(people|the judge)\b", lambda who: names[who[0]], found.why_undefined)
    return replace(found, why_undefined=why)


def own_family(
    rows: Mapping[str, Labelled], families: Mapping[str, Sequence[str]], labels: Sequence[str], *, level: float
) -> list[OwnFamily]:
    """Whether each of these judges prefers the models of its family, on C and G.

    Args:
        rows: By judge.
        families: By judge: the models of its family.
        labels: What people and judges gave.
        level: Confidence level.
    """
    asked = [(judge, label) for judge in families for label in PREFERRED if label in labels]
    found = [_preference(rows[judge], label, families[judge], level) for judge, label in asked]
    adjusted = holm([one.difference.p for one in found])
    return [
        OwnFamily(label=label, judge=judge, family=tuple(families[judge]), found=one, p_adjusted=p)
        for (judge, label), one, p in zip(asked, found, adjusted, strict=True)
    ]


def _preference(rows: Labelled, label: str, family: Sequence[str], level: float) -> Preference:
    usable = ~np.isnan(rows.human[label])
    return preference(
        rows.judge[label][usable],
        rows.human[label][usable],
        np.isin(np.array(rows.columns["model"], dtype=str)[usable], list(family)),
        rows.design(usable),
        census=int(usable.sum()) == sum(rows.stratum_size.values()),
        level=level,
    )
