"""Asking finished items again under the rubric as it is now, of the same people, where their answer is still blind."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from audit_app.actions.access import require_lead
from data.errors import StudyProblem
from data.records import Person
from data.store import assignments, events, people, rounds
from data.store.connection import Store, open_store
from data.study import Study
from data.views import FINAL_ONCE_SHOWN

ARTIFACTS = {"passages": "the supplied context", "gold_answer": "the reference answer", "condition": "the condition"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """What will be asked again, and what stays as it was answered."""

    n_labels: int
    n_items: int
    kept: dict[str, int]
    """Answers of earlier rounds that stay, by reason."""

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        stay = "".join(f" {n} stay: {why}." for why, n in self.kept.items())
        if not self.n_labels:
            return f"Nothing to ask again.{stay}"
        return (
            f"{self.n_labels} answers on {self.n_items} items are asked again of the people who gave them. Until then "
            f"the earlier ones count, and they stay in the record.{stay}"
        )


def ask_again(study: Study, labels: Collection[str] = (), *, by: Person | None = None) -> AskedAgain:
    """Asks for answers of the plan again that were given under an earlier version of the rubric.

    A label is asked again only of somebody who has not been shown since what would make it worthless: an answer that
    is no longer blind is no better than the one before.

    Args:
        study: The study.
        labels: Which labels; all of them by default.
        by: Who asks; None for the command line.

    Raises:
        StudyProblem: A label is unknown.
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    unknown = [label for label in labels if label not in study.rubric.names()]
    if unknown:
        raise StudyProblem(f"unknown label {unknown[0]!r}; the rubric has {', '.join(study.rubric.names())}")
    wanted = set(labels or study.rubric.names())
    kept, asked = Counter[str](), []
    with open_store(study) as store, store.transaction():
        able = {person.person_id for person in people.everyone(store) if person.may_label} & people.invited(store)
        for row in rounds.outdated(store, study.rubric.hash):
            if row["label"].split(".")[0] not in wanted:
                continue
            why = "they cannot label any more" if row["person_id"] not in able else _why_not(store, study, row)
            if why:
                kept[why] += 1
            else:
                asked.append((row["assignment_id"], row["label"]))
        rounds.begin(store, study.rubric)
        rounds.ask_again(store, asked, study.rubric.hash)
    return AskedAgain(n_labels=len(asked), n_items=len({one for one, _ in asked}), kept=dict(kept))


def _why_not(store: Store, study: Study, row: dict[str, Any]) -> str:
    """Why an answer stays; empty when it can be asked again."""
    if events.is_resolved(store, row["item_kind"], row["item_id"], row["label"]):
        return "an adjudicator has decided on them"
    given = events.first_given(store, row["assignment_id"])[row["label"]]
    seen = events.shown_since(store, row["assignment_id"], row["person_id"], given)
    spoilt = sorted(FINAL_ONCE_SHOWN[study.rubric[row["label"]].view] & seen)
    if spoilt:
        return f"whoever gave them has seen {ARTIFACTS[spoilt[0]]} since"
    found = assignments.find(store, row["assignment_id"])
    return "they were asked a second time" if found and assignments.came_again(store, found) else ""
