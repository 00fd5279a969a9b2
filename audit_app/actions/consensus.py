"""One label an item from many people: their error rates and the true labels estimated together (Dawid and Skene)."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.dawid_skene import dawid_skene
from audit_app.actions.label_table import LabelTable
from audit_app.actions.planned import read_planned
from audit_app.actions.seal import Seal
from audit_app.language import _, joined, mark
from audit_app.reasons import told
from data.errors import StudyProblem
from data.study import Study

SENTENCE = mark(
    "Error rates of people and true values are estimated together (Dawid and Skene 1979), "
    "from planned labels alone, taking people to err independently. A description of the "
    "labels; no metric uses it."
)
"""What a consensus is, whatever the labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """How likely each value is for one item."""

    item_id: str
    label: str
    """As stored; for passages with their number."""
    posterior: dict[str, float]
    """By stored value; adds up to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelConsensus:
    """What one label is taken to be on every item that somebody labelled."""

    label: str
    title: str
    values: dict[str, str]
    """What each stored value is called."""
    n_items: int
    n_labels: int
    shares: dict[str, float]
    """Estimated share of each value among the items."""
    error_rates: dict[str, dict[str, dict[str, float] | None]]
    """By person_id and true value the share of each answer; None where nobody's item had that value."""
    posteriors: tuple[Posterior, ...]
    iterations: int
    converged: bool
    log_likelihood: float
    why_not_identified: str | None
    """Why the labels cannot settle the estimates, as a sentence; None if nothing speaks against them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusResult:
    """The estimate for every label."""

    seal: Seal
    labels: tuple[LabelConsensus, ...]
    names: dict[str, str]

    @property
    def sentence(self) -> str:
        """What the estimates are, and for which labels they are not to be believed."""
        doubts: dict[str, list[str]] = {}
        for one in self.labels:
            if one.why_not_identified:
                doubts.setdefault(one.why_not_identified, []).append(one.label)
        return _(SENTENCE) + "".join(f" {joined(labels)}: {told(why)}." for why, labels in doubts.items())


def consensus(study: Study, *, sample_id: str | None = None) -> ConsensusResult:
    """The most likely values of every label that people gave, and how each person errs.

    Raises:
        StudyProblem: Nothing is drawn, or results are sealed.
    """
    planned = read_planned(study, sample_id)
    tables = [table for question in planned.questions if (table := planned.table(question))]
    return ConsensusResult(seal=planned.seal, labels=tuple(map(_consensus, tables)), names=planned.names)


def _consensus(table: LabelTable) -> LabelConsensus:
    values = {value.value: value.text for value in table.question.values}
    unit, who = np.nonzero(table.labels >= 0)
    found = dawid_skene(unit, who, table.labels[unit, who], n_categories=len(values))

    def named(shares: Sequence[float]) -> dict[str, float]:
        return dict(zip(values, map(float, shares), strict=True))

    return LabelConsensus(
        label=table.question.name,
        title=table.question.title,
        values=values,
        n_items=len(found.items),
        n_labels=found.n,
        shares=named(found.class_shares.tolist()),
        error_rates={
            table.people[int(person)]: {
                true: named(row) if row else None for true, row in zip(values, rates, strict=True)
            }
            for person, rates in zip(found.raters.tolist(), found.error_rates, strict=True)
        },
        posteriors=tuple(
            Posterior(item_id=table.items[int(i)], label=table.names[int(i)], posterior=named(row.tolist()))
            for i, row in zip(found.items.tolist(), found.posterior, strict=True)
        ),
        iterations=found.iterations,
        converged=found.converged,
        log_likelihood=found.log_likelihood,
        why_not_identified=found.why_not_identified,
    )


def posterior_text(found: ConsensusResult, kind: str) -> str:
    """The posteriors as CSV or JSON lines: item_id, label, value, posterior, one row per item, label and value.

    Raises:
        StudyProblem: The kind is neither csv nor jsonl.
    """
    rows = [
        {"item_id": one.item_id, "label": one.label, "value": value, "posterior": share}
        for label in found.labels
        for one in label.posteriors
        for value, share in one.posterior.items()
    ]
    if kind == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    if kind != "csv":
        raise StudyProblem(f"posteriors are written as .csv or .jsonl, not as .{kind}; name the file accordingly")
    out = io.StringIO()
    writer = csv.DictWriter(out, ["item_id", "label", "value", "posterior"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
