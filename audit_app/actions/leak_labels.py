"""Whether people found the reference answer in a context before any hit of the screens was shown to them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit_app.actions.leaks import ABSENCE
from data.records import SUPPORTS
from data.store import events, items
from data.store.connection import Store

ESTABLISHED = "established"
ANSWERABLE = (ESTABLISHED, "conflicting", "not_established")
"""What stage 1 can say; of a value that somebody's own rubric adds nothing is known here."""

EXPECTED: Mapping[str, frozenset[str]] = {
    "clean": frozenset({ESTABLISHED}),
    "authority_contamination": frozenset({ESTABLISHED, "conflicting"}),
    "majority_contamination": frozenset({ESTABLISHED, "conflicting"}),
    "direct_conflict": frozenset({"conflicting"}),
    "evidence_absence": frozenset({"not_established"}),
}
"""What a reader who knows nothing else may find, by condition; a contamination may take readers in, or not."""

SPOILS = {"answerable": {"gold_answer", "screen_hits"}, "supports": {"screen_hits"}}
"""What somebody must not have seen of a task, in another context or response, to say these blind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindReading:
    """What one person said of a context in stages 1 and 2a, which its hits could not have swayed."""

    answerable: str | None = None
    """Stage 1: one of the rubric's values, None when not said or cannot judge."""
    supports: Mapping[str, str] = field(default_factory=dict)
    """Stage 2a: what each passage supports, by its number; what could not be judged is left out."""
    passages: Sequence[str] = ()
    """The numbers of all passages."""
    spoiled: bool = False
    """Whether this person had seen the task's reference answer, or hits of the screens, before: not blind after all."""

    def gives(self, condition: str | None) -> bool | None:
        """Whether the context gives the reference answer; None while that is not known.

        It does where a passage supports the reference answer. An absence also does where the reader finds an answer
        established that no passage supports alone: several do so together. Where a passage supports something wrong,
        that is what was found established, and no leak.

        >>> together = BlindReading(answerable="established", supports={"1": "neither"}, passages=["1"])
        >>> deceived = BlindReading(answerable="established", supports={"1": "wrong"}, passages=["1"])
        >>> together.gives("evidence_absence"), deceived.gives("evidence_absence")
        (True, False)
        >>> BlindReading(answerable="conflicting", supports={"1": "neither"}, passages=["1", "2"]).gives("clean")
        """
        said = set(self.supports.values())
        if "gold" in said:
            return True
        if not self.passages or not set(self.supports) >= set(self.passages):
            return None
        if condition != ABSENCE or "wrong" in said:
            return False
        return None if self.answerable is None else self.answerable == ESTABLISHED

    def is_surprising(self, condition: str | None) -> bool | None:
        """Whether stage 1 says otherwise than the condition; None where nothing is said blind, or nothing expected."""
        expected = EXPECTED.get(condition or "")
        if expected is None or self.spoiled or self.answerable not in ANSWERABLE:
            return None
        return self.answerable not in expected

    @classmethod
    def of(cls, said: Mapping[str, str], passages: Sequence[str], *, spoiled: bool = False) -> "BlindReading":
        """The reading among somebody's answers to a context, by label; what could not be judged is left out."""
        supports = {label.partition(".")[2]: value for label, value in said.items() if label.startswith("supports.")}
        answerable = said.get("answerable")
        return cls(
            answerable=answerable if answerable in ANSWERABLE else None,
            supports={passage: value for passage, value in supports.items() if value in SUPPORTS},
            passages=passages,
            spoiled=spoiled,
        )


def blind_readings(store: Store) -> Mapping[str, BlindReading]:
    """The readings of the plan's first person, by context_id; spoiled ones too."""
    return readings_of(events.answers(store, "context"), items.passage_numbers(store))


def readings_of(
    answers: Iterable[Mapping[str, Any]], numbers: Mapping[str, Sequence[str]]
) -> Mapping[str, BlindReading]:
    """The same, from the answers to contexts and the numbers of the passages of each."""
    said: dict[str, dict[str, str]] = defaultdict(dict)
    spoiled: set[str] = set()
    for row in answers:
        label = (row["label"] or "").partition(".")[0]
        if (row["purpose"], row["plan_order"]) != ("plan", 1) or not row["value"] or label not in SPOILS:
            continue
        said[row["item_id"]][row["label"]] = row["value"]
        if is_spoiled(row):
            spoiled.add(row["item_id"])
    readings = {
        context: BlindReading.of(answers, numbers.get(context, ()), spoiled=context in spoiled)
        for context, answers in sorted(said.items())
    }
    return {context: one for context, one in readings.items() if one.answerable or one.supports}


def is_spoiled(answer: Mapping[str, Any]) -> bool:
    """Whether somebody gave this answer after having seen, elsewhere in the task, what it must not rest on."""
    spoils = SPOILS.get((answer["label"] or "").partition(".")[0], set())
    return not spoils.isdisjoint(json.loads(answer["seen_before"] or "{}").get("fields", ()))
