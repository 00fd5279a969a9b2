"""The records: what files hold, what people do, with the field names used everywhere.

Ids are text, compared byte for byte; texts are kept byte for byte; label values are text as stored
("1", "0", a decision value, or "cannot_judge"); times are UTC in ISO 8601.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LABELS = ("D", "A", "G", "C")
"""The four labels of a response, in the order in which people are asked."""

DIAGNOSTICS = (
    "conflict_awareness",
    "source_sensitivity",
    "uncertainty_expression",
    "graceful_degradation",
    "evidence_adherence",
    "provenance_honesty",
)
"""The six diagnostics, each 0, 1 or 2."""

CANNOT_JUDGE = "cannot_judge"
"""A row with a reason, never a label."""

SUPPORTS = ("gold", "wrong", "neither")

QUOTED = ("text", "title", "url", "publisher")
"""What of a passage can be quoted; `text` when nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question with its reference answer."""

    task_id: str
    regime: str | None = None
    question: str
    gold_answer: str | None = None
    gold_aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One search result or local fragment of a context."""

    passage_id: str
    rank: int
    title: str | None = None
    url: str | None = None
    publisher: str | None = None
    source_type: str | None = None
    text: str
    supports: str | None = None
    """The builder's claim: gold, wrong or neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The evidence supplied with one task under one condition."""

    context_id: str
    task_id: str
    condition: str | None = None
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What one model answered; names its context, or its task when there was no context."""

    response_id: str
    context_id: str | None = None
    task_id: str | None = None
    model: str | None = None
    prompt: str | None = None
    run: str | None = None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One judge's labels of one response; a label that is None is unscored."""

    response_id: str
    judge: str
    judge_model: str | None = None
    prompt_hash: str | None = None
    C: int | None = None
    A: int | None = None
    G: int | None = None
    D: int | None = None
    conflict_awareness: int | None = None
    source_sensitivity: int | None = None
    uncertainty_expression: int | None = None
    graceful_degradation: int | None = None
    evidence_adherence: int | None = None
    provenance_honesty: int | None = None
    evidence: tuple[str, ...] = ()
    rationale: str | None = None
    unscored_reason: str | None = None
    created_at: str | None = None
    """When it was given; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A text that somebody marked as evidence, where it stands if that is known, and what it shows."""

    passage: int | None = None
    """Number of the passage."""
    start: int | None = None
    """First code point of the stored text."""
    end: int | None = None
    """The code point after the last."""
    text: str
    field: str | None = None
    """Where the words stand when not in the text of the passage: one of `QUOTED`."""
    code: str | None = None
    """Which of several chosen values it shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One recorded label in a file: who said what of which item."""

    item_id: str
    item_kind: str
    person_id: str
    label: str | None = None
    """None is for a skip of the item, which has a reason."""
    value: str | None = None
    """None is a blank: a skip where a reason is given, else it says nothing."""
    reason: str | None = None
    """Why there is no value, as for a skip on the screen; of an adjudication why it was decided so."""
    cause: str | None = None
    """Of an adjudication, one of `CAUSES`."""
    pass_: str | None = None
    """Column `pass`, of a skip without a label; the first that is asked of such an item by default."""
    purpose: str = "plan"
    occasion: int = 1
    evidence: tuple[Quote, ...] = ()
    comment: str | None = None
    created_at: str | None = None
    active_seconds: float | None = None
    """Seconds of work on it."""
    seen_before: Mapping[str, object] | None = None
    """What this person had seen of the task before, as an export tells it: which artifacts, how many other contexts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One item chosen for human review."""

    sample_id: str
    item_id: str
    item_kind: str
    stratum: str
    stratum_size: int
    sample_size: int
    inclusion_probability: float
    """Chance in (0, 1] that the design picks this item; its weight is the inverse."""
    permanent_number: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who labels, adjudicates or leads; the id is opaque, the name is for display only."""

    person_id: str
    display_name: str
    role: str
    teams: tuple[str, ...] = ()
    """Passes this person works in (evidence, correctness, context); empty means any."""
    status: str = "active"
    """active; paused (for a while, by a lead) or revoked (no way in left); only the active get in."""
    results_opened_at: str | None = None
    """When this person first opened a screen with results."""
    language: str | None = None
    """The language they chose for the screens; None as long as that of their browser will do."""

    @property
    def may_label(self) -> bool:
        """Whether this person may be given work: leads, and whoever has opened results, know too much."""
        return self.status == "active" and self.role != "lead" and self.results_opened_at is None

    @property
    def may_adjudicate(self) -> bool:
        """Whether this person may be given disagreements to decide: not whoever has opened results, lead or not."""
        roles = ("adjudicator", "lead")
        return self.status == "active" and self.role in roles and self.results_opened_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One opening of the plan, or what became of it."""

    assignment_id: str
    item_id: str
    item_kind: str
    task_id: str
    context_id: str | None
    person_id: str | None
    pass_: str
    """Column `pass`: evidence, correctness or context."""
    purpose: str
    occasion: int
    plan_order: int
    """1 is the first person of the plan, whose label target A uses."""
    state: str
    lease_until: str | None
    reserved_for: str | None = None
    """Whom the opening was dealt to; None when anybody may take it."""
    reason: str | None = None
    """Why it was skipped."""
    finished_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEvent:
    """One answer as it was given; never changed or deleted afterwards."""

    event_id: int
    assignment_id: str
    label: str
    value: str
    evidence: tuple[dict[str, object], ...]
    comment: str | None
    seen_before: dict[str, object]
    active_seconds: float | None
    rubric_hash: str
    client_seq: int
    created_at: str


CAUSES = {
    "rubric unclear": "The definition does not say how to answer this.",
    "slip": "Somebody pressed or read the wrong thing.",
    "genuinely ambiguous": "Careful people can differ here, whatever the definition says.",
    "context broken": "The passages or the reference answer are not as they should be.",
}
"""Why people differed, as an adjudicator sees it, with what each means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The adjudicated value of one label of one item; added to, never changed, the last one stands."""

    item_id: str
    item_kind: str
    label: str
    value: str
    person_id: str
    reason: str | None
    cause: str | None
    """One of `CAUSES`; None for what was imported."""
    resolves: tuple[int, ...]
    """The answers that were before the adjudicator, as event ids; empty for what was imported."""
    created_at: str
    assignment_id: str | None = None
    """Where the adjudicator's own blind vote is kept."""
    rubric_hash: str | None = None
    queue_order: str | None = None
    """In which order the queue was worked on, see `data.study.QUEUE_ORDERS`; None for what was imported."""


def task_of(row: dict[str, Any]) -> Task:
    """A task from its stored row."""
    return Task(**{**row, "gold_aliases": tuple(row["gold_aliases"] or ())})


def context_of(row: dict[str, Any]) -> Context:
    """A context from its stored row."""
    return Context(**{**row, "passages": tuple(Passage(**passage) for passage in row["passages"])})
