"""What still waits for somebody, and when nothing does, why: in words."""

from typing import Any

from audit_app.actions import practising
from audit_app.actions.staffing import is_soft
from audit_app.actions.turns import SCREEN_TITLES, SCREENS, in_evidence, midnight, passes_of, tag
from audit_app.language import _, mark, ngettext
from data.records import Person
from data.store import assignments, claims
from data.store.connection import Store
from data.study import Study

STEADY, NEAR_THE_END = 300.0, 60.0
"""Seconds for which a server believes how much there is for somebody: counting it looks through the whole plan."""

FEW = 50
"""Items left, from which on somebody looks forward to the end."""


def progress(store: Store, study: Study, person: Person, passes: list[str]) -> dict[str, int]:
    """Items finished, and items there are for this person, the one in hand included."""
    done = assignments.done_by(store, person.person_id, passes)
    key = ("progress", person, *passes)

    def count() -> int:
        return done + waiting(store, study, person, passes)

    of = store.lately(key, STEADY, count)
    if of - done <= FEW:
        of = store.lately(key, NEAR_THE_END, count)
    return {"done": done, "of": max(of, done + 1)}


def waiting(store: Store, study: Study, person: Person, passes: list[str]) -> int:
    """Items that this person has in hand or could be given now."""
    soft, evidence = is_soft(store), in_evidence(study, person)
    begun = 1 if assignments.in_hand(store, person.person_id, passes) else 0
    return begun + sum(
        claims.open_for(store, person.person_id, pass_, evidence=evidence, soft=soft) for pass_ in passes
    )


def is_enough_for_today(store: Store, study: Study, person: Person) -> bool:
    """Whether this person has reached the lead's daily limit."""
    limit = study.labelling.daily_limit
    return bool(limit) and assignments.done_since(store, person.person_id, midnight()) >= limit


def nothing(store: Store, study: Study, person: Person, screen: str, passes: list[str]) -> dict[str, Any]:
    """What the browser gets when there is nothing to do: why, in words, and where there is more."""
    done = assignments.done_by(store, person.person_id, passes) if passes else 0
    states = [row for row in assignments.progress(store) if row["pass"] in passes]
    left = sum(row["n"] for row in states if row["state"] == "open")
    reason = _why(store, study, person, passes, states)
    other = next(name for name in SCREENS if name != screen)
    more = waiting(store, study, person, passes_of(study, person, other))
    told = (
        is_enough_for_today(store, study, person)
        or practising.due(store, study, person)
        or _waits_for_evidence(store, study, person, passes)
    )
    if more and not told:
        there = ngettext(
            "There is more for you on the screen {screen}: {n} item.",
            "There is more for you on the screen {screen}: {n} items.",
            more,
        )
        reason += " " + there.format(screen=_(SCREEN_TITLES[other]), n=more)
    return {
        "state": "empty",
        "who": tag(person),
        "reason": reason,
        "progress": {"done": done, "of": done or left},
    }


def _why(store: Store, study: Study, person: Person, passes: list[str], states: list[dict[str, Any]]) -> str:
    count = {state: sum(row["n"] for row in states if row["state"] == state) for state in ("open", "claimed")}
    if person.results_opened_at and person.role != "lead":
        return _("You have seen results of this study, so there is nothing for you to label in it.")
    if person.role == "lead":
        return _("Leads see results and therefore do not label. Sign in with an annotator's link to label.")
    if not passes:
        return _("You are not on the team for this screen. Ask the lead if you expected work here.")
    if not states:
        return _("Nothing is planned for this screen yet. The lead draws a sample with `evidence-audit sample draw`.")
    if is_enough_for_today(store, study, person):
        limit = study.labelling.daily_limit
        return ngettext(
            "That is enough for today: the lead has set a limit of {n} item a day, and you have "
            "reached it. There may be more tomorrow. Thank you!",
            "That is enough for today: the lead has set a limit of {n} items a day, and you have "
            "reached it. There may be more tomorrow. Thank you!",
            limit,
        ).format(n=limit)
    if practising.due(store, study, person):
        return _("Practise first, on the screen Label: after each answer you see what was agreed, and why.")
    if count["open"] and _waits_for_evidence(store, study, person, passes):
        return _(
            "Label the responses first (screen Label): the work here shows reference answers, "
            "so it is offered once you have judged the grounding of what is planned for you."
        )
    if count["open"]:
        kept = _kept_back(store, study, person, passes)
        return _("Nothing more for you here. {kept_back} Thank you!").format(kept_back=kept)
    if count["claimed"]:
        return ngettext(
            "You are done for now: other people are at work on the last item. Thank you!",
            "You are done for now: other people are at work on the last {n} items. Thank you!",
            count["claimed"],
        ).format(n=count["claimed"])
    return _("All done: everything that was planned for this screen has been labelled. Thank you!")


WHY = {
    "mine": mark("on items that you have labelled or skipped, which other people label as well"),
    "dealt": mark("dealt to other people"),
    "gold": mark("on questions whose reference answer you have seen"),
    "context": mark("on questions that you have read in another version"),
    "evidence": mark("on questions whose grounding you still have to judge"),
}
"""Why an opening is kept from somebody, in words; the names are those of `claims.kept_back`."""


def _kept_back(store: Store, study: Study, person: Person, passes: list[str]) -> str:
    soft, evidence = is_soft(store), in_evidence(study, person)
    count = dict.fromkeys(WHY, 0)
    for pass_ in passes:
        for why, n in claims.kept_back(store, person.person_id, pass_, evidence=evidence, soft=soft).items():
            count[why] += n
    n = sum(count.values())
    reasons = [_("{n} {why}").format(n=many, why=_(WHY[why])) for why, many in count.items() if many]
    if len(reasons) == 1:
        reasons = [next(_(WHY[why]) for why, many in count.items() if many)]
    said = ngettext(
        "{n} assignment is left, but not for you: {reasons}.",
        "{n} assignments are left, but not for you: {reasons}.",
        n,
    )
    return said.format(n=n, reasons=_("; ").join(reasons))


def _waits_for_evidence(store: Store, study: Study, person: Person, passes: list[str]) -> bool:
    """Whether this person could still be given evidence work, or has some in hand; then gold answers wait."""
    if "evidence" in passes or not in_evidence(study, person):
        return False
    return waiting(store, study, person, ["evidence"]) > 0
