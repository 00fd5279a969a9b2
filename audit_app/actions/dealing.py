"""Dealing the open work to the annotators at random, so that what they differ by can be told from what they read."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit_app.actions.access import require_lead
from audit_app.actions.attention import plan_canaries
from audit_app.actions.knowledge import Knowledge
from audit_app.actions.repeating import plan_repeats
from audit_app.actions.staffing import is_soft
from audit_app.language import _, ngettext
from data.errors import StudyProblem
from data.records import Person
from data.rubric import PASSES
from data.store import items, people, reservations
from data.store.connection import Store, now, open_store
from data.study import Study
from sampling.assignment import PURPOSE, Limits, assign
from sampling.strata import stratum_name

STRATA = ("condition", "regime")
"""Within these the contexts go to annotators at random."""

Place = tuple[str, str]
"""A task and one of its contexts (empty: none): what one person reads, with all its drawn responses."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """What one person has been dealt in one pass and has not begun."""

    pass_: str
    person_id: str
    display_name: str
    n_items: int
    n_contexts: int
    n_repeats: int
    n_canaries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """Who is to label what."""

    portions: tuple[Portion, ...]
    n_left: int
    """Openings of the dealt passes that are kept for nobody, because nobody there may have them or too few are."""
    soft: bool
    """Whether people are too few for one context of a task each."""

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if not self.portions:
            return _("Nothing to deal: every opening is begun or done.")
        names = {portion.person_id for portion in self.portions}
        waits = ngettext("; {n_left} opening waits for others", "; {n_left} openings wait for others", self.n_left)
        left = waits.format(n_left=self.n_left) if self.n_left else ""
        few = _(" They are too few for one context of a task each, so some will read two.") if self.soft else ""
        return _("Dealt {n_items} openings to {n_names} annotators at random within {strata}{left}.{few}").format(
            n_items=sum(portion.n_items for portion in self.portions),
            n_names=len(names),
            strata=" × ".join(map(_, STRATA)),
            left=left,
            few=few,
        )


def deal(study: Study, *, without: Collection[str] = (), by: Person | None = None) -> Dealt:
    """Deals the openings that nobody has begun to the active annotators; again, when people have come or gone.

    Args:
        study: The study.
        without: People who get nothing and whose share goes to the others.
        by: Who deals; None for the command line.

    Raises:
        StudyProblem: Nothing is drawn, somebody left out is unknown, or no pass has two annotators.
        Refused: Whoever deals is no lead.
    """
    require_lead(by)
    with open_store(study) as store, store.transaction():
        items.find_sample(store, None)
        unknown = [person_id for person_id in without if people.find(store, person_id) is None]
        if unknown:
            raise StudyProblem(f"there is no person {unknown[0]!r}; see `evidence-audit people list`")
        dealt = deal_in(store, study, without=without)
        if dealt is None:
            raise StudyProblem(
                _(
                    "dealing needs two active annotators of one team or more who can sign in; add people "
                    "with `evidence-audit people add NAME`. Until then everybody takes the next opening"
                )
            )
        return dealt


def deal_in(store: Store, study: Study, *, without: Collection[str] = ()) -> Dealt | None:
    """Deals inside a transaction; None, and nothing is changed, when no pass has two annotators who can sign in."""
    here = [person for person in ready(store) if person.person_id not in without]
    asked = {*study.rubric.passes("response"), *study.rubric.passes("context")}
    teams = {pass_: _team(here, pass_) for pass_ in PASSES if pass_ in asked}
    teams = {pass_: team for pass_, team in teams.items() if len(team) > 1}
    if not teams:
        return None
    sample, soft = items.find_sample(store, None), is_soft(store)
    rows = reservations.release(store, [person.person_id for person in here])
    strata = {key: stratum_name([of[c] or "" for c in STRATA]) for key, of in items.slices(store).items()}
    known = Knowledge.read_from(store)
    for pass_, team in teams.items():
        mine = [row for row in rows if row["pass"] == pass_]
        given = _deal_pass(pass_, mine, team, strata, known, soft=soft, seed=sample["seed"])
        for row in mine:
            row["reserved_for"] = given.get(row["assignment_id"], row["reserved_for"])
        reservations.reserve(store, given.items())
        known.add(pass_, mine)
    hidden = (
        plan_repeats(store, rows, share=sample["repeats"], seed=sample["seed"]),
        plan_canaries(store, rows, share=sample["canaries"], seed=sample["seed"]),
    )
    how = {"at": now(), "seed": sample["seed"], "strata": list(STRATA), "soft": soft, "people": teams}
    items.mark_dealt(store, how)
    return _dealt(rows, teams, {p.person_id: p.display_name for p in here}, hidden, soft)


def ready(store: Store) -> list[Person]:
    """The annotators who can sign in and label."""
    able = people.invited(store)
    return [p for p in people.everyone(store) if p.role == "annotator" and p.may_label and p.person_id in able]


def is_dealt(study: Study) -> bool:
    """Whether openings are kept for people, so that somebody new finds little to do until they are dealt again."""
    with open_store(study) as store:
        return any(sample["dealt"] for sample in items.samples(store))


def _team(here: Iterable[Person], pass_: str) -> list[str]:
    return [person.person_id for person in here if not person.teams or pass_ in person.teams]


def _place(row: Mapping[str, Any]) -> Place:
    return row["task_id"], row["context_id"] or ""


def _deal_pass(
    pass_: str,
    rows: Sequence[Row],
    team: Sequence[str],
    strata: Mapping[tuple[str, str], str],
    known: Knowledge,
    *,
    soft: bool,
    seed: int,
) -> dict[str, str]:
    """Who gets each opening of a pass that is free, by assignment_id."""
    places: dict[Place, list[Row]] = defaultdict(list)
    for row in rows:
        places[_place(row)].append(row)
    barred = {place: known.barred(pass_, place, soft=soft) & set(team) for place in places}
    had = {place: _readers(of, team, barred[place]) for place, of in places.items()}
    # A place that is finished by others has nothing to deal; one that people here have counts as part of their load.
    places = {place: of for place, of in places.items() if had[place] or any(row["free"] for row in of)}
    named = {place: "\x1f".join(place) for place in places}
    first = {place: (of[0]["item_kind"], of[0]["item_id"]) for place, of in places.items()}
    chosen = assign(
        {named[place]: strata[first[place]] for place in places},
        {named[place]: _wanted(of, had[place], len(team)) for place, of in places.items()},
        team,
        seed=seed,
        purpose=f"{PURPOSE}:{pass_}",
        already={named[place]: had[place] for place in places},
        limits=Limits(
            barred={named[place]: barred[place] for place in places},
            avoided={named[place]: known.avoided(pass_, place) for place in places},
            group={} if pass_ == "correctness" else {named[place]: place[0] for place in places},
            strict=pass_ == "evidence" and not soft,
        ),
    )
    return {a: who for place, of in places.items() for a, who in _share(of, chosen[named[place]])}


def _readers(rows: Iterable[Row], team: Collection[str], barred: Collection[str]) -> list[str]:
    """Who of the team has begun or finished something of a place and may go on, first people first."""
    held = sorted((row["plan_order"], row["person_id"]) for row in rows if not row["free"] and row["person_id"])
    return [who for who in dict.fromkeys(who for _order, who in held) if who in team and who not in barred]


def _by_item(rows: Iterable[Row]) -> dict[str, list[Row]]:
    of_item: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of_item[row["item_id"]].append(row)
    return of_item


def _holders(rows: Iterable[Row]) -> set[str]:
    return {row["person_id"] for row in rows if not row["free"]}


def _wanted(rows: Sequence[Row], had: Sequence[str], n_team: int) -> int:
    """How many readers it takes so that every opening of every item finds one who has not had that item."""
    needed = [
        sum(row["free"] for row in of) + len(_holders(of) & set(had))
        for of in _by_item(rows).values()
        if any(row["free"] for row in of)
    ]
    return min(n_team, max(needed, default=max(1, len(had))))


def _share(rows: Sequence[Row], readers: Sequence[str]) -> Iterable[tuple[str, str]]:
    """The free openings of each item go to the readers who have not had it, in the order of the plan."""
    for of in _by_item(rows).values():
        holders = _holders(of)
        free = sorted((row for row in of if row["free"]), key=lambda row: int(row["plan_order"]))
        able = [who for who in readers if who not in holders]
        for row, who in zip(free, able, strict=False):
            yield row["assignment_id"], who


def _dealt(
    rows: Sequence[Row],
    teams: Mapping[str, Sequence[str]],
    names: Mapping[str, str],
    hidden: tuple[Mapping[tuple[str, str], int], Mapping[tuple[str, str], int]],
    soft: bool,
) -> Dealt:
    """The outcome, by pass and person; `hidden` are the repeats and the canaries mixed in."""
    free = [row for row in rows if row["free"] and row["pass"] in teams]
    n_items = Counter((row["pass"], row["reserved_for"]) for row in free)
    places = {(row["pass"], row["reserved_for"], _place(row)) for row in free}
    n_contexts = Counter((pass_, who) for pass_, who, _place in places)
    return Dealt(
        portions=tuple(
            Portion(
                pass_=pass_,
                person_id=who,
                display_name=names[who],
                n_items=n_items[pass_, who],
                n_contexts=n_contexts[pass_, who],
                n_repeats=hidden[0].get((who, pass_), 0),
                n_canaries=hidden[1].get((who, pass_), 0),
            )
            for pass_, team in teams.items()
            if any(row["pass"] == pass_ for row in free)
            for who in team
        ),
        n_left=sum(row["reserved_for"] is None for row in free),
        soft=soft,
    )
