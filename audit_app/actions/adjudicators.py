"""Who may decide what: nobody what they labelled, nobody blind what they have seen through, gold after grounding."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from audit_app.actions.cases import Case, Queue
from audit_app.actions.staffing import is_soft
from audit_app.actions.turns import in_evidence
from audit_app.language import mark
from data.records import Person
from data.rubric import Rubric
from data.store import adjudications, claims
from data.store.connection import Store
from data.study import Study
from data.views import FINAL_ONCE_SHOWN, artifacts

GOLD = "gold_answer"

WHY_NOT = {
    "labelled": mark("you labelled this item"),
    "given back": mark("you gave this item back"),
    "seen": mark("you have seen what its label must not see"),
    "held": mark("another adjudicator has it in hand"),
    "grounding": mark("its reference answer is shown only after the grounding of its question is decided"),
}
"""Why a case is kept from somebody, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudicator:
    """Somebody who decides, with what they have had and seen."""

    person_id: str
    rubric: Rubric
    had: frozenset[tuple[str, str]]
    """Items that they labelled, hold to label, or had on screen to label."""
    given_back: frozenset[tuple[str, str, str]]
    seen: Mapping[tuple[str, str], set[str]]
    """Artifacts of items that were on their screen."""
    gold: frozenset[str]
    """Tasks whose reference answer they have seen."""
    held: Mapping[tuple[str, str, str], str]
    """Who has what in hand."""
    waits: frozenset[str] = frozenset()
    """Tasks whose reference answer they must not see yet."""

    @classmethod
    def read_from(cls, store: Store, study: Study, person: Person, queue: Queue) -> Self:
        """All that is known of somebody."""
        who = person.person_id
        known = cls(
            person_id=who,
            rubric=study.rubric,
            had=frozenset(adjudications.had(store, who)),
            given_back=frozenset(adjudications.given_back(store, who)),
            seen=adjudications.seen(store, who),
            gold=frozenset(adjudications.gold(store, who)),
            held=adjudications.held(store),
        )
        owes = claims.owes(store, who, evidence=in_evidence(study, person), soft=is_soft(store))
        return replace(known, waits=frozenset({*owes, *known._grounding_left(queue)}))

    def _grounding_left(self, queue: Queue) -> Iterator[str]:
        """The tasks on which there is a label left to decide that the reference answer would spoil.

        Whoever has it in hand now may give it back; and what the plan's people have still to label may come up.
        """
        for task, items in queue.unlabelled.items():
            if items - self.had:
                yield task
        for case in queue.cases:
            if self._why_never(case) is None and any(map(self._fears_gold, self.labels(case))):
                yield case.task_id

    def labels(self, case: Case) -> list[str]:
        """The labels at stake that this person can still judge as their definition asks."""
        return [label for label in case.labels if not self._is_spoilt(case, label)]

    def next_label(self, case: Case) -> str | None:
        """The label of this case that this person may be asked now; None when there is none."""
        left = self.labels(case)
        waits = left and case.task_id in self.waits and GOLD in artifacts(self.rubric[left[0]].view)
        return left[0] if left and not waits else None

    def why_not(self, case: Case) -> str | None:
        """Why this person may not take a case, as a key of `WHY_NOT`; None when they may."""
        never = self._why_never(case)
        if never:
            return never
        if self.held.get(case.place, self.person_id) != self.person_id:
            return "held"
        return None if self.next_label(case) else "grounding"

    def _why_never(self, case: Case) -> str | None:
        if case.place[:2] in self.had:
            return "labelled"
        if case.place in self.given_back:
            return "given back"
        return None if self.labels(case) else "seen"

    def _is_spoilt(self, case: Case, label: str) -> bool:
        seen = set(self.seen.get(case.place[:2], ())) | ({GOLD} if case.task_id in self.gold else set())
        return bool(FINAL_ONCE_SHOWN[self.rubric[label].view] & seen)

    def _fears_gold(self, label: str) -> bool:
        return GOLD in FINAL_ONCE_SHOWN[self.rubric[label].view]

    def could(self, case: Case, label: str) -> bool:
        """Whether this person may decide a label, now or later."""
        return self._why_never(case) is None and not self._is_spoilt(case, label)

    def takeable(self, queue: Queue) -> list[Case]:
        """What this person may take now, in the order of the queue."""
        return [case for case in queue.cases if self.why_not(case) is None]

    def kept_back(self, queue: Queue) -> Counter[str]:
        """How many cases are kept from this person, by reason."""
        return Counter(why for case in queue.cases if (why := self.why_not(case)))
