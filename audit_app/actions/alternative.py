"""May the judge stand in for one of these annotators? The alternative-annotator test on every label."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agreement.alternative_annotator import AlternativeAnnotatorTest, alternative_annotator_test, over_labels
from audit_app.actions.beside_people import BesidePeople

EPSILON = 0.15
"""How much worse than an annotator the judge may be, for being cheaper: the authors' choice for trained people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelContest:
    """The test on one label."""

    label: str
    title: str
    persons: tuple[str, ...]
    """Whom the judge was set against, by person_id, in the order of the contests."""
    test: AlternativeAnnotatorTest


def alternative(
    labels: Sequence[BesidePeople], names: Mapping[str, str], *, epsilon: float = EPSILON, level: float = 0.95
) -> tuple[LabelContest, ...]:
    """The test on every label, one multiple-testing step over all of them; near misses count in part where ordered."""
    tests = [
        alternative_annotator_test(
            label.people,
            label.judge,
            n_categories=len(label.categories),
            epsilon=epsilon,
            cluster=label.tasks,
            alignment="distance" if label.question.diagnostic else "accuracy",
            level=level,
        )
        for label in labels
    ]
    return tuple(
        LabelContest(
            label=label.question.name,
            title=label.question.title,
            persons=tuple(label.persons[contest.rater] for contest in test.contests),
            test=_named(test, label.persons, names),
        )
        for label, test in zip(labels, over_labels(tests) if tests else (), strict=True)
    )


def _named(
    test: AlternativeAnnotatorTest, persons: Sequence[str], names: Mapping[str, str]
) -> AlternativeAnnotatorTest:
    """The arithmetic knows people by their column; a reader knows them by name."""
    if test.why_refused is None:
        return test

    def name(found: re.Match[str]) -> str:
        person = persons[int(found[1])]
        return names.get(person) or person

    return replace(test, why_refused=re.sub(r"\bannotator (\d+)\b", name, test.why_refused))
