"""Whether people found the reference answer in a context before any hit of the screens was shown to them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from audit_app.actions.context_verdicts import EXPECTED
from audit_app.actions.leaks import ABSENCE
from data.records import SUPPORTS
from data.store import events, items
from data.store.connection import Store

ESTABLISHED = "established"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindReading:
    """What the plan's first person said of a context in stages 1 and 2a, which the screens could not have swayed."""

    answerable: str | None = None
    """Stage 1: one of the rubric's values, None when not said or cannot judge."""
    supports: Mapping[str, str] = field(default_factory=dict)
    """Stage 2a: what each passage supports, by its number; what could not be judged is left out."""
    passages: Sequence[str] = ()
    """The numbers of all passages."""

    def gives(self, condition: str | None) -> bool | None:
        """Whether the context gives the reference answer; None while that is not known.

        It does where a passage supports the reference answer. An absence also does where a blind reader finds an
        answer established, which passages may do together.

        >>> BlindReading(answerable="established", supports={"1": "neither"}, passages=["1"]).gives("evidence_absence")
        True
        >>> BlindReading(answerable="conflicting", supports={"1": "neither"}, passages=["1", "2"]).gives("clean")
        """
        if "gold" in self.supports.values() or (condition == ABSENCE and self.answerable == ESTABLISHED):
            return True
        known = set(self.supports) >= set(self.passages) and (condition != ABSENCE or self.answerable is not None)
        return False if known and self.passages else None

    def is_surprising(self, condition: str | None) -> bool | None:
        """Whether stage 1 says otherwise than the condition; None where nothing is said or nothing expected."""
        expected = EXPECTED.get(condition or "")
        if expected is None or self.answerable not in EXPECTED.values():
            return None
        return self.answerable != expected


def blind_readings(store: Store) -> Mapping[str, BlindReading]:
    """The readings by context_id."""
    numbers = items.passage_numbers(store)
    answerable: dict[str, str] = {}
    supports: dict[str, dict[str, str]] = defaultdict(dict)
    for row in events.answers(store, "context"):
        if (row["purpose"], row["plan_order"]) != ("plan", 1) or not row["value"]:
            continue
        label, _, passage = row["label"].partition(".")
        if label == "answerable" and row["value"] in EXPECTED.values():
            answerable[row["item_id"]] = row["value"]
        if label == "supports" and row["value"] in SUPPORTS:
            supports[row["item_id"]][passage] = row["value"]
    return {
        context: BlindReading(
            answerable=answerable.get(context), supports=supports[context], passages=numbers.get(context, ())
        )
        for context in sorted({*answerable, *supports})
    }
