"""Contexts of one task that are nearly the same under two conditions, though their support labels are, too.

Likeness is the cosine of TF-IDF vectors of character n-grams (scikit-learn), which needs no words and so works in any
script. Only contexts of one task with the same number of supporters of each side are compared. The cost is linear in
the characters of such contexts (about 6 ms for 10,000) and in the number of tasks, quadratic only in the contexts of
one task; one task's vectors are in memory at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from data.records import Context
from data.rules import BREAKS, Found, Material, rule

SAME = 0.95
"""Likeness from which nothing was degraded: of 600 words not 30 were changed."""

GRAM = 4
"""Characters of an n-gram."""

FITTED = 1000
"""Contexts from which the weights of n-grams are learned, the first by id."""


@rule(BREAKS)
def nothing_degraded(material: Material) -> Found:
    """No two conditions of a task have nearly the same passages with the same support: something must be degraded."""
    groups = [group for contexts in material.by_task.values() for group in _comparable(contexts)]
    if not groups:
        return
    vectors = Vectors(sorted((c for group in groups for c in group), key=lambda context: context.context_id)[:FITTED])
    for group in groups:
        for context, other, likeness in _alike(group, vectors):
            message = (
                f"is {likeness:.0%} like {other.context_id} ({other.condition}) and has the same support labels; "
                f"expected {context.condition} to differ"
            )
            yield context.context_id, message


def _comparable(contexts: Sequence[Context]) -> Iterator[list[Context]]:
    """Those with the same number of supporters of each side, if they are of several conditions."""
    groups: dict[frozenset[tuple[str | None, int]], list[Context]] = defaultdict(list)
    for context in contexts:
        groups[frozenset(Counter(passage.supports for passage in context.passages).items())].append(context)
    for group in groups.values():
        if len({context.condition for context in group}) > 1:
            yield group


def _alike(group: Sequence[Context], vectors: "Vectors") -> Iterator[tuple[Context, Context, float]]:
    """Each context that is nearly the same as one before it of another condition, with the first such."""
    likeness = vectors.likeness(group)
    for row, context in enumerate(group):
        for column in range(row):
            same = float(likeness[row, column])
            if same >= SAME and group[column].condition != context.condition:
                yield context, group[column], same
                break


class Vectors:
    """TF-IDF of the character n-grams of contexts."""

    def __init__(self, contexts: Sequence[Context]) -> None:
        # Slow to load, and only needed where contexts are compared.
        from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

        self._counts = HashingVectorizer(analyzer="char", ngram_range=(GRAM, GRAM), norm=None, alternate_sign=False)
        self._weights = TfidfTransformer().fit(self._counts.transform(map(_text, contexts)))

    def likeness(self, contexts: Sequence[Context]) -> Any:
        """The cosine of every two contexts, shape (n, n), in [0, 1]; 1 where the texts are the same."""
        rows = self._weights.transform(self._counts.transform(map(_text, contexts)))
        return (rows @ rows.T).toarray()


def _text(context: Context) -> str:
    # As long as an n-gram, so that the order of passages hardly matters and no text is too short; and no white space,
    # which is drawn together.
    return ("\u241e" * GRAM).join(["", *sorted(passage.text for passage in context.passages), ""])
