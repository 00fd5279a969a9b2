"""Asking finished items again under the rubric as it is now, of the same people, where their answer is still blind."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from audit_app.actions.access import require_lead
from audit_app.language import _, mark
from data.errors import StudyProblem
from data.records import Person
from data.store import assignments, events, people, rounds
from data.store.connection import Store, open_store
from data.study import Study
from data.views import FINAL_ONCE_SHOWN

ARTIFACTS = {
    "passages": mark("whoever gave them has seen the supplied context since"),
    "gold_answer": mark("whoever gave them has seen the reference answer since"),
    "condition": mark("whoever gave them has seen the condition since"),
}
GONE = mark("they cannot label any more")
DECIDED = mark("an adjudicator has decided on them")
REPEATED = mark("they were asked a second time")


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
        stay = "".join(" " + _("{n} stay: {why}.").format(n=n, why=_(why)) for why, n in self.kept.items())
        if not self.n_labels:
            return _("Nothing to ask again.") + stay
        said = _(
            "{n_labels} answers on {n_items} items are asked again of the people who gave them. Until then "
            "the earlier ones count, and they stay in the record."
        )
        return said.format(n_labels=self.n_labels, n_items=self.n_items) + stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """How far asking again has come under the rubric as it is."""

    n_old: int
    """Answers under earlier versions, on finished items: what could be asked again, as far as it is still blind."""
    n_labels: int
    """Answers that are asked again and not given anew."""
    n_items: int
    """Their items."""
    answers: tuple[tuple[str, str], ...]
    """Those that can be taken back, by (assignment, label): of items where nothing is answered anew."""

    @property
    def sentence(self) -> str:
        """Where it stands, in words."""
        said = _("{n} answers on finished items were given under earlier versions.").format(n=self.n_old)
        if not self.n_labels:
            return said
        more = _("Asked again and not answered yet: {n_labels} answers on {n_items} items.")
        return f"{said} {more.format(n_labels=self.n_labels, n_items=self.n_items)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """What is asked no more."""

    n_labels: int
    n_items: int
    n_begun: int
    """Items that stay asked: something of them is answered anew."""

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        said = _("Nothing to take back.")
        if self.n_labels:
            said = _("{n_labels} answers on {n_items} items are asked no more: the earlier ones stand.")
        if self.n_begun:
            said += " " + _("{n_begun} items stay: they are answered anew in part.")
        return said.format(n_labels=self.n_labels, n_items=self.n_items, n_begun=self.n_begun)


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
            why = GONE if row["person_id"] not in able else _why_not(store, study, row)
            if why:
                kept[why] += 1
            else:
                asked.append((row["assignment_id"], row["label"]))
        rounds.begin(store, study.rubric)
        rounds.ask_again(store, asked, study.rubric.hash, by=by.person_id if by else None)
    return AskedAgain(n_labels=len(asked), n_items=len({one for one, _ in asked}), kept=dict(kept))


def pending(study: Study, *, by: Person | None = None) -> Pending:
    """How far asking again has come, and what of it can be taken back.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        return _pending(store, study)


def _pending(store: Store, study: Study) -> Pending:
    rows = rounds.pending(store, study.rubric.hash)
    begun = {row["assignment_id"] for row in rows if row["is_answered"]}
    owed = [(row["assignment_id"], row["label"]) for row in rows if not row["is_answered"]]
    return Pending(
        n_old=len(rounds.outdated(store, study.rubric.hash)),
        n_labels=len(owed),
        n_items=len({one for one, _ in owed}),
        answers=tuple(answer for answer in owed if answer[0] not in begun),
    )


def take_back(study: Study, *, by: Person | None = None) -> TakenBack:
    """Asks no more for what was asked again under the rubric as it is, item by item where nothing is answered anew.

    That it was asked, and taken back, stays in the record.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store, store.transaction():
        found = _pending(store, study)
        rounds.take_back(store, found.answers, study.rubric.hash, by=by.person_id if by else None)
    n_items = len({one for one, _ in found.answers})
    return TakenBack(n_labels=len(found.answers), n_items=n_items, n_begun=found.n_items - n_items)


def _why_not(store: Store, study: Study, row: dict[str, Any]) -> str:
    """Why an answer stays; empty when it can be asked again."""
    if events.is_resolved(store, row["item_kind"], row["item_id"], row["label"]):
        return DECIDED
    given = events.first_given(store, row["assignment_id"])[row["label"]]
    seen = events.shown_since(store, row["assignment_id"], row["person_id"], given)
    spoilt = sorted(FINAL_ONCE_SHOWN[study.rubric[row["label"]].view] & seen)
    if spoilt:
        return ARTIFACTS[spoilt[0]]
    found = assignments.find(store, row["assignment_id"])
    return REPEATED if found and assignments.came_again(store, found) else ""
