"""What a label compares: one frozen view per kind of label, the same for judge prompt and annotator screen.

A view is built from an `Item` here and nowhere else. Nothing that a view does not name can be reached from it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Self

from data.records import Context, Passage, Response, Task
from data.screening import screen_context


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Everything known of one thing that can be labelled. Never leaves the server: views do."""

    task: Task
    context: Context | None = None
    response: Response | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage:
    """A passage as the model saw it: no id, no support label."""

    number: int
    title: str | None
    url: str | None
    publisher: str | None
    source_type: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPassage(ShownPassage):
    """A passage with the builder's support label, for the last stage of a context audit."""

    supports: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """A place where the leak screens found the reference answer, for the last stage of a context audit."""

    passage: int
    field: str
    """text, title, url or publisher."""
    start: int
    end: int
    """Code-point offsets in that field."""
    text: str
    """The words that stand there."""
    reason: str
    """Name of the detector."""
    kind: str
    """leak, or mention."""


def show(passage: Passage) -> ShownPassage:
    """The passage as the model saw it."""
    return ShownPassage(
        number=passage.rank,
        title=passage.title,
        url=passage.url,
        publisher=passage.publisher,
        source_type=passage.source_type,
        text=passage.text,
    )


def _passages(item: Item) -> tuple[ShownPassage, ...]:
    return tuple(show(passage) for passage in _context(item).passages)


def _context(item: Item) -> Context:
    if item.context is None:
        raise ValueError("this item has no context; its label needs one")
    return item.context


def _response(item: Item) -> str:
    if item.response is None:
        raise ValueError("this item has no response; its label needs one")
    return item.response.text


def _gold(item: Item) -> str:
    if item.task.gold_answer is None:
        raise ValueError(f"task {item.task.task_id} has no gold_answer; its label needs one")
    return item.task.gold_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureView:
    """For D: the response alone."""

    response: str

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        return cls(response=_response(item))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstanceView:
    """For A: the question and the response."""

    question: str
    response: str

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        return cls(question=item.task.question, response=_response(item))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingView:
    """For G and the diagnostics: the response and the passages; never the gold answer."""

    response: str
    passages: tuple[ShownPassage, ...]

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        return cls(response=_response(item), passages=_passages(item))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectnessView:
    """For C: the response, the gold answer and its aliases; never the passages."""

    response: str
    gold_answer: str
    gold_aliases: tuple[str, ...]

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        return cls(response=_response(item), gold_answer=_gold(item), gold_aliases=item.task.gold_aliases)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityView:
    """Context audit, stage 1: the question and the passages, blind."""

    question: str
    passages: tuple[ShownPassage, ...]

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        return cls(question=item.task.question, passages=_passages(item))


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportView:
    """Context audit, stage 2a: the gold answer and the passages, without the builder's support labels."""

    gold_answer: str
    gold_aliases: tuple[str, ...]
    passages: tuple[ShownPassage, ...]

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        return cls(gold_answer=_gold(item), gold_aliases=item.task.gold_aliases, passages=_passages(item))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstructionView:
    """Context audit, stage 2b: everything the builder claimed of the context."""

    question: str
    gold_answer: str
    gold_aliases: tuple[str, ...]
    condition: str | None
    screen_hits: tuple[ShownHit, ...]
    passages: tuple[BuiltPassage, ...]

    @classmethod
    def of(cls, item: Item) -> Self:
        """The view of this item."""
        context = _context(item)
        return cls(
            question=item.task.question,
            gold_answer=_gold(item),
            gold_aliases=item.task.gold_aliases,
            condition=context.condition,
            passages=tuple(
                BuiltPassage(
                    number=p.rank,
                    title=p.title,
                    url=p.url,
                    publisher=p.publisher,
                    source_type=p.source_type,
                    text=p.text,
                    supports=p.supports,
                )
                for p in context.passages
            ),
            screen_hits=tuple(_hits(item.task, context)),
        )


def _hits(task: Task, context: Context) -> Iterator[ShownHit]:
    screened = screen_context(task, context)
    for hit in screened.hits if screened else ():
        fields_ = (getattr(p, hit.field) or "" for p in context.passages if p.rank == hit.passage)
        text = next((text for text in fields_ if len(text) >= hit.end), "")
        yield ShownHit(passage=hit.passage, field=hit.field, start=hit.start, end=hit.end,
                       text=text[hit.start : hit.end], reason=hit.reason, kind=hit.kind)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsView:
    """For faithfulness: the claims that a response makes, and the passages. No label of a rubric owns it."""

    claims: tuple[str, ...]
    passages: tuple[ShownPassage, ...]

    @classmethod
    def of(cls, item: Item, claims: tuple[str, ...]) -> Self:
        """The view of this item, once its response was split."""
        return cls(claims=claims, passages=_passages(item))


View = (
    DisclosureView
    | SubstanceView
    | GroundingView
    | CorrectnessView
    | AnswerabilityView
    | SupportView
    | ConstructionView
)

VIEWS: dict[str, type[View]] = {
    view.__name__: view
    for view in (
        DisclosureView,
        SubstanceView,
        GroundingView,
        CorrectnessView,
        AnswerabilityView,
        SupportView,
        ConstructionView,
    )
}

TITLES = {
    "question": "Question",
    "response": "Response",
    "passages": "Supplied context",
    "gold_answer": "Reference answer",
    "gold_aliases": "Also accepted",
    "condition": "Condition",
    "screen_hits": "What the leak screens found",
}
"""What each artifact is called, on the screen and in the prompt."""

FINAL_ONCE_SHOWN: dict[str, frozenset[str]] = {
    "DisclosureView": frozenset({"passages", "gold_answer"}),
    "SubstanceView": frozenset({"passages", "gold_answer"}),
    "GroundingView": frozenset({"gold_answer"}),
    "CorrectnessView": frozenset(),
    "AnswerabilityView": frozenset({"gold_answer", "condition", "screen_hits"}),
    "SupportView": frozenset({"condition", "screen_hits"}),
    "ConstructionView": frozenset(),
}
"""Artifacts that, once shown for an item, make its labels of that view final."""


def artifacts(view: str) -> frozenset[str]:
    """The names of what a view shows.

    >>> sorted(artifacts("GroundingView"))
    ['passages', 'response']
    """
    return frozenset(field.name for field in fields(VIEWS[view]))


def possible(view: str, item: Item) -> bool:
    """Whether this item has what the view shows: a response, a context, a gold answer."""
    shown = artifacts(view)
    return not (
        ("passages" in shown and item.context is None)
        or ("response" in shown and item.response is None)
        or ("gold_answer" in shown and item.task.gold_answer is None)
    )
