"""Which artifacts a metric may receive: those that its numerator and its denominator compare, and no others.

A metric that is handed more than it compares measures something else: a faithfulness judge that has the gold answer in
its prompt can find a claim supported that no passage supports.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from data.questions import Question
from data.views import artifacts

Artifact = Literal["question", "response", "passages", "gold"]
ARTIFACTS: tuple[Artifact, ...] = get_args(Artifact)

_FIELDS: dict[str, Artifact] = {
    "question": "question",
    "response": "response",
    "passages": "passages",
    "gold_answer": "gold",
    "gold_aliases": "gold",
}
"""Which artifact a field of a view is part of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Numerator or denominator of a metric: what is counted, and the artifacts that one must see to count it."""

    counts: str
    sees: frozenset[Artifact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """A metric as the two terms that it divides."""

    name: str
    numerator: Term
    denominator: Term
    vanishing: frozenset[Artifact] = frozenset()
    """Without one of these nothing is left to count in the numerator: the score has to fall towards 0."""

    @property
    def receives(self) -> frozenset[Artifact]:
        """What the metric needs to see: what either term sees."""
        return self.numerator.sees | self.denominator.sees

    @property
    def outside(self) -> tuple[Artifact, ...]:
        """What it must never be given, in one fixed order."""
        return tuple(artifact for artifact in ARTIFACTS if artifact not in self.receives)

    @property
    def inside(self) -> tuple[Artifact, ...]:
        """What it must be given, in one fixed order."""
        return tuple(artifact for artifact in ARTIFACTS if artifact in self.receives)


def _wiring(name: str, numerator: tuple[str, set[Artifact]], denominator: tuple[str, set[Artifact]]) -> Wiring:
    return Wiring(
        name=name,
        numerator=Term(counts=numerator[0], sees=frozenset(numerator[1])),
        denominator=Term(counts=denominator[0], sees=frozenset(denominator[1])),
        vanishing=frozenset(numerator[1] - denominator[1]),
    )


GENERAL: tuple[Wiring, ...] = (
    _wiring(
        "faithfulness",
        ("claims of the response that the passages support", {"response", "passages"}),
        ("claims of the response", {"response"}),
    ),
    _wiring(
        "relevance",
        ("parts of the response that answer the question", {"response", "question"}),
        ("parts of the response", {"response"}),
    ),
    _wiring(
        "context_precision",
        ("passages that help to answer the question", {"passages", "question"}),
        ("passages", {"passages"}),
    ),
    _wiring(
        "context_recall",
        ("claims of the gold answer that the passages support", {"gold", "passages"}),
        ("claims of the gold answer", {"gold"}),
    ),
    _wiring(
        "correctness",
        ("claims that response and gold answer share", {"response", "gold"}),
        ("claims of the response or of the gold answer", {"response", "gold"}),
    ),
)
"""The five metrics that tools for retrieval-augmented generation share, under their usual names."""


def wiring_of(question: Question) -> Wiring:
    """The wiring of a label of the rubric: it compares what its view holds; its denominator is one per response.

    Raises:
        KeyError: The view holds something that is no artifact of a sample, as the last stage of a context audit does.

    >>> from data.rubric import default_text, parse_rubric
    >>> wiring_of(parse_rubric(default_text(), "rubric.toml")["G"]).outside
    ('question', 'gold')
    """
    sees = frozenset(_FIELDS[name] for name in artifacts(question.view))
    counts = f"“yes” to: {question.question}"
    return Wiring(
        name=question.name,
        numerator=Term(counts=counts, sees=sees),
        denominator=Term(counts="responses", sees=frozenset()),
        # Of the other labels nobody can say which way they go: a blank response may well count as declined.
        vanishing=frozenset({"passages"}) if question.name == "G" else frozenset(),
    )


def wirings(questions: Iterable[Question]) -> dict[str, Wiring]:
    """The labels of the rubric that are about responses, then the five general metrics, by name."""
    own = [wiring_of(question) for question in questions if question.item_kind == "response"]
    return {wiring.name: wiring for wiring in (*own, *GENERAL)}
