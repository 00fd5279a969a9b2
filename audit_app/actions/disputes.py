"""The queue as a lead sees it: what waits for a decision, why, in whose hands, and what nobody can decide."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from audit_app.actions.access import require_lead
from audit_app.actions.adjudicators import Adjudicator
from audit_app.actions.cases import WHY, Case, read_queue
from audit_app.actions.people import shown_names
from audit_app.language import _, joined, mark, ngettext
from data.records import Person
from data.store import adjudications, events, people
from data.store.connection import open_store
from data.study import Study

ORDERS = {
    "random": mark("by permanent number, so that what is decided is a random share at any time"),
    "informative": mark("most informative first, so target B is withheld until the queue is empty"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One label of one item that waits for a decision. What people said is not in it."""

    item_id: str
    item_kind: str
    pass_: str
    label: str
    why: tuple[str, ...]
    n_answers: int
    in_hand: str | None
    """Who is at work on it, by name."""
    nobody: bool
    """Whether none of the adjudicators may decide it, now or later."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the pass under its own name."""
        plain = asdict(self)
        return {("pass" if name == "pass_" else name): value for name, value in plain.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """Everything that waits for a decision, in the order of the queue."""

    order: str
    waiting: tuple[Waiting, ...]
    n_unripe: int
    """Items with something to decide that somebody of the plan has still to label."""
    n_decided: int
    n_adjudicators: int
    """People with a way in who may decide."""

    @property
    def reasons(self) -> dict[str, int]:
        """How many labels wait, by reason; one with two reasons counts for both."""
        counts = Counter(why for one in self.waiting for why in one.why)
        return {why: counts[why] for why in WHY}

    @property
    def sentences(self) -> list[str]:
        """The state of the queue in words."""
        items = len({(one.item_kind, one.item_id) for one in self.waiting})
        said = [
            ngettext(
                "{n_waiting} label of {items} item waits for a decision; decided so far: {n_decided}.",
                "{n_waiting} labels of {items} items wait for a decision; decided so far: {n_decided}.",
                len(self.waiting),
            ).format(n_waiting=len(self.waiting), items=items, n_decided=self.n_decided)
        ]
        if self.waiting:
            said.append(_("The order is {order}.").format(order=_(ORDERS[self.order])))
        if self.n_unripe:
            said.append(
                ngettext(
                    "{n_unripe} item will come up once everybody of the plan has labelled it.",
                    "{n_unripe} items will come up once everybody of the plan has labelled them.",
                    self.n_unripe,
                ).format(n_unripe=self.n_unripe)
            )
        stuck = sum(one.nobody for one in self.waiting)
        if self.waiting and not self.n_adjudicators:
            said.append(_("Nobody can decide: invite an adjudicator (role adjudicator) who has labelled none of them."))
        elif stuck:
            said.append(
                _(
                    "{stuck} labels can be decided by none of the {n_adjudicators} adjudicators, who "
                    "labelled or gave back the item, or have seen what its label must not see: invite "
                    "another."
                ).format(stuck=stuck, n_adjudicators=self.n_adjudicators)
            )
        return said

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        counts = {"n_unripe": self.n_unripe, "n_decided": self.n_decided, "n_adjudicators": self.n_adjudicators}
        rows = [one.as_dict() for one in self.waiting]
        return {"order": self.order, "n_waiting": len(rows), "reasons": self.reasons, **counts, "waiting": rows}


def disputes(study: Study, *, by: Person | None = None) -> Disputes:
    """The queue as it is now.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        queue, everyone = read_queue(store, study), people.everyone(store)
        invited, names, held = people.invited(store), shown_names(everyone), adjudications.held(store)
        able = [one for one in everyone if one.may_adjudicate and one.person_id in invited]
        deciding = [Adjudicator.read_from(store, study, one, queue) for one in able]
        decided = {(one.item_kind, one.item_id, one.label) for one in events.resolutions(store)}
    return Disputes(
        order=queue.order,
        waiting=tuple(
            row for case in queue.cases for row in _rows(case, deciding, names.get(held.get(case.place, "")))
        ),
        n_unripe=queue.n_unripe,
        n_decided=len(decided),
        n_adjudicators=len(able),
    )


def _rows(case: Case, deciding: list[Adjudicator], in_hand: str | None) -> list[Waiting]:
    return [
        Waiting(
            item_id=case.place.item_id,
            item_kind=case.place.item_kind,
            pass_=case.place.pass_,
            label=dispute.label,
            why=dispute.why,
            n_answers=len(dispute.values),
            in_hand=in_hand,
            nobody=not any(one.could(case, dispute.label) for one in deciding),
        )
        for dispute in case.disputes
    ]


def dispute_rows(found: Disputes) -> list[dict[str, str]]:
    """One row per label that waits, as text."""
    return [
        {
            "item": one.item_id,
            "pass": _(one.pass_),
            "label": one.label,
            "why": joined(map(_, one.why)),
            "answers": str(one.n_answers),
            "in hand": one.in_hand or "",
            "note": _("none of the adjudicators may decide it") if one.nobody and found.n_adjudicators else "",
        }
        for one in found.waiting
    ]


def reason_rows(found: Disputes) -> list[dict[str, str]]:
    """How many labels wait for each reason, as text."""
    return [{"why": f"{_(why)}: {_(WHY[why])}", "labels": str(n)} for why, n in found.reasons.items()]
