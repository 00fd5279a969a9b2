"""What people know of a task already, and which of its contexts they therefore may not, or had better not, be given."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from data.store import reservations
from data.store.connection import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """By task: who saw its gold answer, who read which of its contexts, who has been dealt what."""

    gold: Mapping[str, set[str]]
    read: Mapping[str, Mapping[str, set[str]]]
    """Person to contexts (empty: none), by task."""
    dealt: Mapping[str, Mapping[str, set[str]]]
    """Pass to people, by task."""

    @classmethod
    def read_from(cls, store: Store) -> Self:
        """What has been on people's screens or is in their hands."""
        known = cls(gold=defaultdict(set), read=defaultdict(lambda: defaultdict(set)),
                    dealt=defaultdict(lambda: defaultdict(set)))  # fmt: skip
        for row in reservations.knowledge(store):
            if row["gold"]:
                known.gold[row["task_id"]].add(row["person_id"])
            if row["passages"]:
                known.read[row["task_id"]][row["person_id"]].add(row["context_id"] or "")
        return known

    def add(self, pass_: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Takes in who has, or has been dealt, the openings of a pass."""
        for row in rows:
            who = row["reserved_for"] if row["free"] else row["person_id"]
            if who is not None:
                self.dealt[row["task_id"]][pass_].add(who)

    def barred(self, pass_: str, place: tuple[str, str], *, soft: bool) -> set[str]:
        """Who may not ground answers here: they saw the gold answer or, with people enough, another context."""
        if pass_ != "evidence":
            return set()
        task, context = place
        elsewhere = {who for who, contexts in self.read[task].items() if contexts - {context}}
        return self.gold[task] | (set() if soft else elsewhere)

    def avoided(self, pass_: str, place: tuple[str, str]) -> set[str]:
        """Who would do better with another task: C and the audits go to people who ground no answer of it."""
        task, context = place
        before = {who for earlier, those in self.dealt[task].items() if earlier != pass_ for who in those}
        elsewhere = {who for who, contexts in self.read[task].items() if contexts - {context}}
        return before if pass_ == "correctness" else before | elsewhere
