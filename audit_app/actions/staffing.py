"""Whether there are people enough for the plan."""

from audit_app.language import _
from data.store import assignments, people
from data.store.connection import Store, open_store
from data.study import Study

STEADY = 5.0
"""Seconds for which a server believes whether there are people enough: it is asked before every item."""


def is_soft(store: Store) -> bool:
    """Whether there are too few people to give everyone at most one context per task."""
    return bool(store.lately("soft", STEADY, lambda: _lacking(store) > 0))


def _lacking(store: Store) -> int:
    return assignments.most_contexts(store) - people.at_work(store, "evidence")


def few_people(study: Study) -> str | None:
    """A warning when there are too few annotators for one context per task each; None when there are enough."""
    with open_store(study) as store:
        needed = assignments.people_needed(store, "context")
        known = [
            _(
                "Too few annotators: with {most_contexts} in the evidence pass nobody would read two "
                "contexts of one task. As it is, some people will; what they had seen before is kept "
                "with every label."
            ).format(most_contexts=assignments.most_contexts(store))
            if is_soft(store)
            else "",
            _(
                "Too few annotators: with {needed} in the context pass nobody would audit two contexts of one task. "
                "As it is, some people will, the second one with the reference answer in mind; whether a context "
                "leaks and reads otherwise than its condition says is then told without what they said of it."
            ).format(needed=needed)
            if needed > people.at_work(store, "context")
            else "",
        ]
    return " ".join(filter(None, known)) or None
