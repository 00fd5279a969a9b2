"""The labels of everybody of the plan beside the judge's, item by item: what ceiling and alternative test rest on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.ceiling import HumanCeiling, human_ceiling
from audit_app.actions.labelled import Grounding, binary
from audit_app.actions.overlap_design import OverlapDesign
from audit_app.actions.planned import Planned
from data import frame as frames
from data.questions import Question

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BesidePeople:
    """One label of the items that somebody labelled: 0 and 1, of diagnostics 0, 1 and 2; -1 for none."""

    question: Question
    categories: tuple[str, ...]
    persons: tuple[str, ...]
    """Who the columns are, by person_id."""
    people: Codes
    """Shape (items, persons)."""
    judge: Codes
    """Shape (items,)."""
    items: tuple[str, ...]
    overlap: OverlapDesign
    tasks: NDArray[np.str_]
    columns: dict[str, list[str]]
    """Slice columns of the items."""

    def ceiling(self, within: dict[str, str], level: float) -> HumanCeiling:
        """The judge with one person beside one person with another, where two people labelled an item of a slice."""
        several = (self.people >= 0).sum(axis=1) > 1
        items = np.array(self.items)[several].tolist()
        inside = self.inside(within)[several]
        counted = np.array(items, dtype=object)[inside & (self.judge[several] >= 0)].tolist()
        return human_ceiling(
            self.judge[several],
            self.people[several],
            n_categories=len(self.categories),
            category_names=self.categories,
            weights=self.overlap.weight(items),
            variance=self.overlap.variance(items),
            degrees_of_freedom=self.overlap.degrees_of_freedom(counted),
            rows=inside,
            census=self.overlap.census,
            level=level,
        )

    def inside(self, within: dict[str, str]) -> Flags:
        """The items of a slice."""
        inside = np.ones(len(self.judge), dtype=bool)
        for name, value in within.items():
            inside &= np.array(self.columns[name]) == value
        return inside


def beside_people(
    planned: Planned, frame: frames.Frame, question: Question, *, judge: str, grounding: Grounding
) -> BesidePeople | None:
    """One label of people and of a judge; None when no person gave it."""
    table = planned.table(question)
    if table is None:
        return None
    values = [value.value for value in question.values]
    # One place more than there are values: -1 looks up the last one, which is none.
    codes = np.array([binary(question.name, value, grounding) for value in values] + [-1.0], dtype=np.float64)
    rows = frames.judged_rows(frame, judge, table.items).set_index("response_id").reindex(list(table.items))
    own = rows[question.name].to_numpy(dtype=np.float64, na_value=np.nan)
    return BesidePeople(
        question=question,
        categories=tuple(value.text for value in question.values) if question.diagnostic else ("No", "Yes"),
        persons=table.people,
        people=codes[table.labels].astype(np.int64),
        judge=np.where(np.isnan(own), -1, own).astype(np.int64),
        items=table.items,
        overlap=planned.overlap(question),
        tasks=table.tasks,
        columns={name: rows[name].tolist() for name in frames.SLICES},
    )
