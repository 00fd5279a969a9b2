"""What people found in each audited context, and what the context is by that."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit_app.actions.answered import answered, overlap_of
from data.rubric import Rubric
from data.store import events
from data.store.connection import Store

EXPECTED = {"clean": "established", "direct_conflict": "conflicting", "evidence_absence": "not_established"}
"""What a reader who knows nothing else should find, where the condition says so."""

LEAKED = "answer_leaked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextVerdict:
    """One audited context; what is not said yet, or could not be judged, is None."""

    answerable: str | None
    """Stage 1, before the gold answer was shown."""
    errors: tuple[str, ...] | None
    """Stage 2; empty when nothing is wrong."""
    comment: str | None
    blemishes: frozenset[str] = frozenset()
    """The errors that the rubric calls blemishes; any other breaks the context."""

    def is_surprising(self, condition: str | None) -> bool:
        """Whether stage 1 says otherwise than the condition: the strongest sign of a leak in evidence absence."""
        expected = EXPECTED.get(condition or "")
        return expected is not None and self.answerable in EXPECTED.values() and self.answerable != expected

    def real_condition(self, condition: str | None) -> str | None:
        """The other condition that a broken context really is: an absence that gives the answer away is clean.

        >>> leak = ContextVerdict(answerable="established", errors=(), comment=None)
        >>> leak.real_condition("evidence_absence"), leak.is_valid("evidence_absence"), leak.is_valid("clean")
        ('clean', False, True)
        """
        leaks = self.answerable == "established" or LEAKED in (self.errors or ())
        return "clean" if condition == "evidence_absence" and leaks else None

    def is_valid(self, condition: str | None) -> bool | None:
        """Whether the context is what its condition claims; None while that is not known.

        A construction error breaks it unless it is a blemish, and so does an absence in which a blind reader finds the
        answer.
        """
        if self.real_condition(condition) is not None:
            return False
        return None if self.errors is None else self.blemishes.issuperset(self.errors)


def context_verdicts(store: Store, rubric: Rubric) -> Mapping[str, ContextVerdict]:
    """The verdicts of the plan's first person, by context_id."""
    said: dict[str, dict[str, str]] = defaultdict(dict)
    notes: dict[str, str] = {}
    for row in events.answers(store, "context"):
        if (row["purpose"], row["plan_order"]) == ("plan", 1) and row["value"]:
            said[row["item_id"]][row["label"]] = row["value"]
            if row["label"] == "construction_errors" and row["comment"]:
                notes[row["item_id"]] = row["comment"]
    return {
        context: ContextVerdict(
            answerable=answers.get("answerable"),
            errors=_errors(answers.get("construction_errors")),
            comment=notes.get(context),
            blemishes=rubric.blemishes,
        )
        for context, answers in sorted(said.items())
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedContexts:
    """The overlap of a sample's contexts, as far as it is settled: adjudicated or unanimous (target B)."""

    n_overlap: int
    verdicts: Mapping[str, ContextVerdict]
    """By context_id, of those before the first of the overlap that is not settled."""


def decided_contexts(store: Store, rubric: Rubric, sample: Mapping[str, Any]) -> DecidedContexts:
    """What is adjudicated, else unanimous, on the contexts that several people were planned to audit.

    Decisions on other contexts (flags, slips) are no random share, and stay out.
    """
    found = answered(store, rubric, kind="context")
    overlap = overlap_of(store, sample, found, kind="context")
    chosen = overlap.settled(("answerable", "construction_errors"))
    return DecidedContexts(
        n_overlap=len(overlap.order),
        verdicts={
            context: ContextVerdict(
                answerable=found.adjudicated.get((context, "answerable")),
                errors=_errors(found.adjudicated.get((context, "construction_errors"))),
                comment=None,
                blemishes=rubric.blemishes,
            )
            for context in sorted(chosen)
        },
    )


def _errors(value: str | None) -> tuple[str, ...] | None:
    return tuple(json.loads(value)) if value is not None and value.startswith("[") else None
