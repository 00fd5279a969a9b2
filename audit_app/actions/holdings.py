"""Who holds which work, and giving it to others: only what has no answer ever changes hands."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audit_app.actions.access import require_lead
from audit_app.actions.knowledge import Knowledge
from audit_app.actions.people import shown_names
from audit_app.actions.staffing import is_soft
from audit_app.language import _, ngettext
from data.errors import StudyProblem
from data.records import Assignment, Person
from data.store import assignments, people, reservations, rounds
from data.store.connection import Store, now, open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand:
    """One item that somebody has begun and not finished."""

    assignment_id: str
    person_id: str
    name: str
    pass_: str
    number: int
    """Of the item in this list, from 1."""
    item_id: str | None
    """None for a lead who votes blind on what is in dispute: ids of the data often say condition and model."""
    purpose: str
    """plan; or calibration, canary or repeat, which counts for no result."""
    n_answers: int
    """Labels answered so far; with any, the item stays with them."""
    shown_at: str | None
    """When a view of it was last on their screen."""
    ran_out: bool
    """Whether the lease is over: without an answer, the next who asks may take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What is kept for one person in one pass and not begun."""

    person_id: str
    name: str
    pass_: str
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """All work that is not finished."""

    in_hand: tuple[InHand, ...]
    waiting: tuple[Waiting, ...]
    n_anybodys: int
    """Openings of the plan that are kept for nobody and not begun."""
    n_finished: int
    takers: tuple[Person, ...]
    """Who can be given more."""

    @property
    def sentence(self) -> str:
        """All of it in words."""
        kept = sum(each.n_items for each in self.waiting)
        return _(
            "{n_finished} assignments are finished, {n_in_hand} in hand, {kept} kept for somebody "
            "and not begun, {n_anybodys} open to whoever asks next."
        ).format(n_finished=self.n_finished, n_in_hand=len(self.in_hand), kept=kept, n_anybodys=self.n_anybodys)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """What went from one person to another, and what did not."""

    n_moved: int
    kept: dict[str, int]
    """Openings that stay as they were, by reason."""

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        stay = "".join(
            ngettext(" {n} stays: {why}.", " {n} stay: {why}.", n).format(n=n, why=why) for why, n in self.kept.items()
        )
        went = ngettext("{n_moved} opening went over.{stay}", "{n_moved} openings went over.{stay}", self.n_moved)
        return went.format(n_moved=self.n_moved, stay=stay)


def holdings(study: Study, *, by: Person | None = None) -> Holdings:
    """Who holds what.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        held, blind = reservations.in_hand(store), by is not None and by.may_adjudicate
        numbers = {one: n for n, one in enumerate(dict.fromkeys(row["item_id"] for row in held), start=1)}
        everyone, invited = people.everyone(store), people.invited(store)
        names = shown_names(everyone)
        kept = Counter((row["reserved_for"], row["pass"]) for row in reservations.dealt(store))
        states: Counter[str] = Counter()
        for row in assignments.progress(store):
            states[row["state"]] += row["n"]
        at = now()
        return Holdings(
            in_hand=tuple(_in_hand(row, names, numbers[row["item_id"]], blind=blind, at=at) for row in held),
            waiting=tuple(
                Waiting(person_id=who, name=names.get(who, who), pass_=pass_, n_items=n)
                for (who, pass_), n in sorted(kept.items())
            ),
            n_anybodys=states["open"] - kept.total(),
            n_finished=states["done"] + states["skipped"],
            takers=tuple(person for person in everyone if person.may_label and person.person_id in invited),
        )


def _in_hand(row: dict[str, Any], names: dict[str, str], number: int, *, blind: bool, at: str) -> InHand:
    return InHand(
        assignment_id=row["assignment_id"],
        person_id=row["person_id"],
        name=names.get(row["person_id"], row["person_id"]),
        pass_=row["pass"],
        number=number,
        item_id=None if blind else row["item_id"],
        purpose=row["purpose"],
        n_answers=row["n_answers"],
        shown_at=row["shown_at"],
        ran_out=row["lease_until"] is not None and row["lease_until"] < at,
    )


def release(study: Study, assignment_id: str, *, by: Person | None = None) -> bool:
    """Takes an item without an answer out of somebody's hands: whoever asks next may have it.

    Returns:
        Whether it is free now; an item that was asked again is finished again instead, with its earlier answers.

    Raises:
        StudyProblem: There is no such assignment, it has an answer, or it is not begun.
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store, store.transaction():
        if rounds.let_rest(store, of=assignment_id):
            return False
        _free(store, _known(store, assignment_id), None)
    return True


def reassign(study: Study, assignment_id: str, to: str, *, by: Person | None = None) -> None:
    """Keeps an item without an answer for somebody else, who may have it by the rules of blinding.

    Raises:
        StudyProblem: There is no such assignment or person, it has an answer, or they may not have it.
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store, store.transaction():
        opening, wish = _known(store, assignment_id), Taker.find(store, to)
        why = wish.why_not(opening)
        if why:
            raise StudyProblem(_("{to} cannot have this item: {why}").format(to=to, why=why))
        _free(store, opening, to)


def hand_over(study: Study, person_id: str, to: str, *, by: Person | None = None) -> HandedOver:
    """Keeps for somebody else what was kept for a person and is not begun, as far as they may have it.

    Raises:
        StudyProblem: There is no such person.
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    n_moved, kept = 0, Counter[str]()
    with open_store(study) as store, store.transaction():
        _somebody(store, person_id)
        wish = Taker.find(store, to)
        for row in reservations.dealt(store):
            if row["reserved_for"] == person_id:
                opening = assignments.of_row(row)
                why = wish.why_not(opening)
                if why:
                    kept[why] += 1
                    continue
                reservations.pass_on(store, opening, to)
                wish.take(opening)
                n_moved += 1
    return HandedOver(n_moved=n_moved, kept=dict(kept))


def _known(store: Store, assignment_id: str) -> Assignment:
    found = assignments.find(store, assignment_id)
    if found is None:
        said = _("there is no assignment {assignment!r}; see `evidence-audit assignments list`")
        raise StudyProblem(said.format(assignment=assignment_id))
    return found


def _somebody(store: Store, person_id: str) -> Person:
    person = people.find(store, person_id)
    if person is None:
        said = _("there is no person {person!r}; see `evidence-audit people list`")
        raise StudyProblem(said.format(person=person_id))
    return person


def _free(store: Store, opening: Assignment, to: str | None) -> None:
    """Out of the hands it is in, and kept for somebody, or for nobody."""
    begun = opening.state == "claimed"
    if opening.state not in ("open", "claimed") or (begun and not reservations.take_back(store, opening.assignment_id)):
        raise StudyProblem(_("this item has an answer: what is answered stays with whoever answered it"))
    if opening.purpose == "plan":
        reservations.pass_on(store, opening, to)
    elif to is not None:
        raise StudyProblem(
            _("this item is a {purpose}: it is meant for one person and cannot go to another").format(
                purpose=_(opening.purpose)
            )
        )


class Taker:
    """Somebody who might be given more, with what they have and have seen."""

    def __init__(self, person: Person, had: Iterable[dict[str, Any]], known: Knowledge, *, soft: bool) -> None:
        self.person, self.known, self.soft = person, known, soft
        self.items: set[tuple[str, str]] = set()
        self.contexts: defaultdict[str, set[str]] = defaultdict(set)
        for row in had:
            self.take(assignments.of_row(row))

    @classmethod
    def find(cls, store: Store, person_id: str) -> "Taker":
        """Somebody by id.

        Raises:
            StudyProblem: There is no such person, or they have no way in.
        """
        person = _somebody(store, person_id)
        if person_id not in people.invited(store):
            raise StudyProblem(
                _("{person_id} has no link to sign in with; see `evidence-audit people link`").format(
                    person_id=person_id
                )
            )
        had = reservations.of_person(store, person_id)
        return cls(person, had, Knowledge.read_from(store), soft=is_soft(store))

    def take(self, opening: Assignment) -> None:
        """They have one more."""
        self.items.add((opening.pass_, opening.item_id))
        if opening.pass_ == "evidence":
            self.contexts[opening.task_id].add(opening.context_id or "")

    def why_not(self, opening: Assignment) -> str:
        """Why they may not have an opening; empty when they may."""
        person, place = self.person, (opening.task_id, opening.context_id or "")
        if not person.may_label:
            return _("they are not at work, or have seen results")
        if person.teams and opening.pass_ not in person.teams:
            return _("they are not in the team {team}").format(team=_(opening.pass_))
        if (opening.pass_, opening.item_id) in self.items:
            return _("they have, or had, this item already")
        if person.person_id in self.known.barred(opening.pass_, place, soft=self.soft):
            return _("they know its reference answer, or read another context of its task")
        if opening.pass_ == "evidence" and not self.soft and self.contexts[place[0]] - {place[1]}:
            return _("another context of its task is meant for them")
        return ""
