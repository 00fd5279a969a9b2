"""What people found in each audited context, and what the context is by that."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from audit_app.actions.answered import Key, Overlap, answered, overlap_of
from audit_app.actions.leak_labels import ESTABLISHED, BlindReading, readings_of
from audit_app.actions.leaks import ABSENCE
from data.rubric import Rubric
from data.store import events, items
from data.store.connection import Store

LEAKED = "answer_leaked"
ASKED = ("answerable", "construction_errors")
"""What every verdict rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextVerdict:
    """One audited context; what is not said yet, or could not be judged, is None."""

    reading: BlindReading
    """Stages 1 and 2a."""
    errors: tuple[str, ...] | None
    """Stage 2b; empty when nothing is wrong."""
    comment: str | None
    blind_note: str | None = None
    """The blind reader's own words in stage 1."""
    quotes: tuple[str, ...] = ()
    """What shows the errors, each with its passage and, where that is known, the error."""
    blemishes: frozenset[str] = frozenset()
    """The errors that the rubric calls blemishes; any other breaks the context."""

    def real_condition(self, condition: str | None) -> str | None:
        """The other condition that a broken context really is: an absence that gives the answer away is clean.

        One that supports something wrong, too, is neither.

        >>> found = BlindReading(answerable="established", supports={"1": "neither"}, passages=["1"])
        >>> leak = ContextVerdict(reading=found, errors=(), comment=None)
        >>> leak.real_condition("evidence_absence"), leak.is_valid("evidence_absence"), leak.is_valid("clean")
        ('clean', False, True)
        """
        if condition != ABSENCE or "wrong" in self.reading.supports.values():
            return None
        marked = LEAKED in set(self.errors or ()) - self.blemishes
        return "clean" if self.reading.gives(condition) or marked else None

    def is_valid(self, condition: str | None) -> bool | None:
        """Whether the context is what its condition claims; None while that is not known.

        A construction error breaks it unless it is a blemish. So does an absence that gives the reference answer, or in
        which a reader finds any answer established, if a wrong one.
        """
        if condition == ABSENCE and (self.reading.answerable == ESTABLISHED or self.reading.gives(condition)):
            return False
        if self.real_condition(condition) is not None:
            return False
        return None if self.errors is None else self.blemishes.issuperset(self.errors)


def context_verdicts(store: Store, rubric: Rubric) -> Mapping[str, ContextVerdict]:
    """The verdicts of the plan's first person, by context_id."""
    said: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    rows = events.answers(store, "context")
    for row in rows:
        if (row["purpose"], row["plan_order"]) == ("plan", 1) and row["value"]:
            said[row["item_id"]][row["label"]] = row
    readings = readings_of(rows, items.passage_numbers(store))
    return {
        context: _verdict(answers, readings.get(context, BlindReading()), rubric)
        for context, answers in sorted(said.items())
    }


def _verdict(answers: Mapping[str, Mapping[str, Any]], reading: BlindReading, rubric: Rubric) -> ContextVerdict:
    blind, built = answers.get("answerable", {}), answers.get("construction_errors", {})
    return ContextVerdict(
        reading=reading,
        errors=_errors(built.get("value")),
        comment=built.get("comment") or None,
        blind_note=blind.get("comment") or None,
        quotes=tuple(_quoted(one) for one in json.loads(built.get("evidence") or "[]")),
        blemishes=rubric.blemishes,
    )


def _quoted(quote: Mapping[str, Any]) -> str:
    place = "" if quote.get("passage") is None else f"{quote['passage']}: "
    code = f" ({quote['code']})" if quote.get("code") else ""
    return f"{place}“{quote['text']}”{code}"


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
    numbers = items.passage_numbers(store)
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for (context, label), value in found.adjudicated.items():
        said[context][label] = value
    return DecidedContexts(
        n_overlap=len(overlap.order),
        verdicts={
            context: ContextVerdict(
                reading=BlindReading.of(said[context], numbers.get(context, ())),
                errors=_errors(said[context].get("construction_errors")),
                comment=None,
                blemishes=rubric.blemishes,
            )
            for context in sorted(_settled(overlap, _conditions(store)))
        },
    )


def _settled(overlap: Overlap, condition: Mapping[str, str | None]) -> frozenset[str]:
    """The contexts before the first whose verdict is open; only that of an absence rests on what passages support."""

    def matters(key: Key) -> bool:
        context, label = key
        return label in ASKED or (label.startswith("supports.") and condition.get(context) == ABSENCE)

    waiting = frozenset(filter(matters, overlap.undecided | overlap.noted))
    return replace(overlap, undecided=waiting, noted=frozenset()).settled({*ASKED, *(label for _, label in waiting)})


def _conditions(store: Store) -> dict[str, str | None]:
    return {key: of["condition"] for (kind, key), of in items.slices(store).items() if kind == "context"}


def _errors(value: str | None) -> tuple[str, ...] | None:
    return tuple(json.loads(value)) if value is not None and value.startswith("[") else None
