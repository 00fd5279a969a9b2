"""Who gave the labels of target A, and whether chance decided who got what."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from audit_app.language import _, mark
from data.records import DIAGNOSTICS, LABELS
from data.rubric import Rubric
from data.store import assignments
from data.store.connection import Store

People = NDArray[np.object_]

NOT_DEALT = mark("The work was not dealt at random, so the annotator term may be off.")
TWO_PEOPLE = mark(
    "Where one person judged the evidence and another whether the answer is correct, the "
    "annotator of a number that reads both is the first of them."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstPeople:
    """The first person of the plan on every row of a sample, by label; a label's person is that of its pass."""

    of: Mapping[str, People]
    """Person by row, per label in the order in which labels are asked; empty text where nobody has begun."""
    dealt: bool
    """Whether each of them had the work from a deal: interpenetrated, not first come first served."""

    @classmethod
    def read_from(cls, store: Store, rubric: Rubric, sample: Mapping[str, Any], ids: Sequence[str]) -> Self:
        """The people of some responses."""
        rows = [
            row
            for row in assignments.everything(store)
            if (row["item_kind"], row["purpose"], row["plan_order"]) == ("response", "plan", 1) and row["person_id"]
        ]
        person = {(row["item_id"], row["pass"]): row["person_id"] for row in rows}
        kept, wanted = {(row["item_id"], row["pass"]): row["reserved_for"] for row in rows}, set(ids)
        return cls(
            of={
                name: np.array([person.get((item, rubric[name].pass_), "") for item in ids], dtype=object)
                for name in rubric.names("response")
                if name in (*LABELS, *DIAGNOSTICS)
            },
            dealt=bool(sample["dealt"]) and all(kept[key] == who for key, who in person.items() if key[0] in wanted),
        )

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """The people of some of the rows."""
        return replace(self, of={name: column[kept] for name, column in self.of.items()})

    def column(self, reads: Collection[str]) -> list[str] | None:
        """The annotator of each row for a number that reads these labels: who gave the first of them."""
        return next((column.tolist() for name, column in self.of.items() if name in reads), None)

    @property
    def remarks(self) -> list[str]:
        """What a reader of numbers for annotators like these has to know."""
        columns = list(self.of.values())
        differ = any(bool((column != columns[0]).any()) for column in columns[1:])
        return [*([] if self.dealt else [_(NOT_DEALT)]), *([_(TWO_PEOPLE)] if differ else [])]
