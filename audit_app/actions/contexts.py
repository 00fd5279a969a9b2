"""What the context audit found: which contexts are built wrongly, and which surprised a blind reader."""

import json
from collections import defaultdict
from dataclasses import dataclass

from audit_app.actions.seal import Seal, require_open
from data.store import events, items
from data.store.connection import open_store
from data.study import Study

EXPECTED = {"clean": "established", "direct_conflict": "conflicting", "evidence_absence": "not_established"}
"""What a reader who knows nothing else should find, where the condition says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFinding:
    """One audited context in which something is wrong, or looked wrong to a blind reader."""

    context_id: str
    condition: str | None
    answerable: str | None
    """Stage 1, before the gold answer was shown."""
    surprising: bool
    """Stage 1 says otherwise than the condition: the strongest sign of a leak in evidence absence."""
    errors: tuple[str, ...]
    comment: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAudit:
    """The audited contexts of a sample, by the first person of the plan."""

    seal: Seal
    n_drawn: int
    n_audited: int
    findings: tuple[ContextFinding, ...]

    @property
    def sentence(self) -> str:
        """How much was looked at and how much was found."""
        wrong = sum(bool(finding.errors) for finding in self.findings)
        surprising = sum(finding.surprising for finding in self.findings)
        return (
            f"{self.n_audited} of {self.n_drawn} drawn contexts are audited; {wrong} have construction errors, and "
            f"{surprising} read otherwise than their condition says. These are counts of the sample, not estimates."
        )


def context_audit(study: Study, *, sample_id: str | None = None) -> ContextAudit:
    """What the first person of the plan found in each audited context.

    Raises:
        StudyProblem: Nothing is drawn, or results are sealed.
    """
    with open_store(study) as store:
        sample = items.find_sample(store, sample_id)
        seal = require_open(store)
        drawn = {draw["item_id"] for draw in items.draws(store, sample["sample_id"], "context")}
        of_item = items.slices(store)
        rows = events.answers(store, "context")
    said: dict[str, dict[str, str]] = defaultdict(dict)
    notes: dict[str, str] = {}
    for row in rows:
        if row["item_id"] in drawn and row["purpose"] == "plan" and row["plan_order"] == 1 and row["value"]:
            said[row["item_id"]][row["label"]] = row["value"]
            if row["label"] == "construction_errors" and row["comment"]:
                notes[row["item_id"]] = row["comment"]
    findings = [
        _finding(context, answers, of_item["context", context]["condition"], notes.get(context))
        for context, answers in sorted(said.items())
    ]
    return ContextAudit(
        seal=seal,
        n_drawn=len(drawn),
        n_audited=len(said),
        findings=tuple(finding for finding in findings if finding.errors or finding.surprising),
    )


def _finding(context: str, answers: dict[str, str], condition: str | None, note: str | None) -> ContextFinding:
    answerable, expected = answers.get("answerable"), EXPECTED.get(condition or "")
    errors = answers.get("construction_errors", "[]")
    return ContextFinding(
        context_id=context,
        condition=condition,
        answerable=answerable,
        surprising=expected is not None and answerable in EXPECTED.values() and answerable != expected,
        errors=tuple(json.loads(errors)) if errors.startswith("[") else (),
        comment=note,
    )
