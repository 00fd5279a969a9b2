"""How far everybody is: what they have finished and hold, how fast they are, when they were last here."""

import json
from collections import Counter
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from audit_app.actions.access import require_lead
from audit_app.actions.attention import Attention, attention
from audit_app.actions.sign_in import since
from audit_app.actions.wording import of
from data.records import Person
from data.store import people, sessions
from data.store.connection import open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One person and their work; counts are items, of all passes together."""

    person: Person
    ways_in: tuple[str, ...] = ()
    """What lets them sign in, unless paused: link, password or both; people whose labels were imported have neither."""
    n_done: int = 0
    n_skipped: int = 0
    n_in_hand: int = 0
    n_waiting: int = 0
    """Dealt to them and not begun."""
    seconds_per_item: float | None = None
    """Median of the active seconds of a finished item of the plan; None where nothing was timed."""
    n_timed: int = 0
    """Finished items with a time: what the median is of."""
    attention: Attention | None = None
    """How they did on the canaries mixed into their work; None when they had none."""
    n_sessions: int = 0
    email: str | None = None
    """The address of their account with the organisation's sign-in, where one is registered."""
    last_seen: str | None = None

    @property
    def has_link(self) -> bool:
        """Whether anything lets them in."""
        return bool(self.ways_in)

    @property
    def checks(self) -> str:
        """The attention checks in words; empty when there was none."""
        return of(self.attention.n_hit, self.attention.n) if self.attention else ""

    def as_dict(self) -> dict[str, Any]:
        """The person's fields and the counts side by side."""
        counts = asdict(self)
        return {**counts.pop("person"), "has_link": self.has_link, **counts}


def progress(study: Study, *, by: Person | None = None) -> tuple[Progress, ...]:
    """Everybody with their progress, in the order in which they came.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        everyone, ways_in, emails = people.everyone(store), people.ways_in(store), people.emails(store)
        checks = attention(store)
        work = {row["person_id"]: row for row in people.work(store)}
        seen = sessions.last_seen(store)
        here = Counter(row["person_id"] for row in sessions.running(store, since=since(study)))
    return tuple(
        Progress(
            person=person,
            ways_in=ways_in.get(person.person_id, ()),
            attention=checks.get(person.person_id),
            n_sessions=here[person.person_id],
            email=emails.get(person.person_id),
            last_seen=seen.get(person.person_id),
            **_counts(work.get(person.person_id)),
        )
        for person in everyone
    )


def _counts(row: dict[str, Any] | None) -> dict[str, Any]:
    if row is None:
        return {}
    seconds = json.loads(row["seconds"])
    counts = {name: row[name] for name in ("n_done", "n_skipped", "n_in_hand", "n_waiting")}
    return {**counts, "seconds_per_item": median(seconds) if seconds else None, "n_timed": len(seconds)}
