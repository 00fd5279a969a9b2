"""How much there is of everything, and how completely each judge labelled."""

from collections import defaultdict
from dataclasses import dataclass

from data.parsing import KEYS
from data.records import LABELS
from data.study import Study
from data.texts import read_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """How completely one judge labelled."""

    judge: str
    n_verdicts: int
    n_without_verdict: int
    """Responses that it gave no verdict on."""
    n_unscored: int
    """Verdicts that lack C, A, G or D, of those labels that it gives at all; all when it gives none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How much there is of everything."""

    n_tasks: int
    n_contexts: int
    n_responses: int
    n_verdicts: int
    judges: tuple[JudgeSummary, ...]
    """By name."""


def summary(study: Study) -> Summary:
    """The counts of everything imported."""
    n = {kind: read_columns(study, kind, [key]).num_rows for kind, key in KEYS.items()}
    rows: dict[str, list[list[int | None]]] = defaultdict(list)
    for row in read_columns(study, "verdicts", ["judge", *LABELS]).to_pylist():
        rows[row["judge"]].append([row[label] for label in LABELS])
    return Summary(
        n_tasks=n["tasks"],
        n_contexts=n["contexts"],
        n_responses=n["responses"],
        n_verdicts=sum(map(len, rows.values())),
        judges=tuple(_judge(name, rows[name], n["responses"]) for name in sorted(rows)),
    )


def _judge(name: str, verdicts: list[list[int | None]], n_responses: int) -> JudgeSummary:
    # A judge that is only asked for G does not leave C unscored.
    given = [i for i in range(len(LABELS)) if any(verdict[i] is not None for verdict in verdicts)]
    scored = sum(bool(given) and all(verdict[i] is not None for i in given) for verdict in verdicts)
    return JudgeSummary(
        judge=name,
        n_verdicts=len(verdicts),
        n_without_verdict=n_responses - len(verdicts),
        n_unscored=len(verdicts) - scored,
    )
