"""What the context audit found: which contexts are built wrongly, how many there are, and what surprised a reader."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit_app.actions.context_verdicts import ContextVerdict, context_verdicts
from audit_app.actions.design import design_of
from audit_app.actions.seal import Seal, require_open, require_results
from audit_app.actions.wording import percent, with_interval
from data import frame as frames
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.construction import Broken, broken_share, broken_shares
from metrics.correction import FLOOR
from sampling.design import Design


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
class BrokenContexts:
    """The broken contexts of one condition, or of all."""

    condition: str | None
    """As the study states it, empty text where it states none; None for all contexts."""
    n_broken: int
    """Found among the audited ones."""
    estimate: Broken

    @property
    def note(self) -> str:
        """Why there is no share, or what the contexts without a verdict could do to it."""
        share, (lowest, highest) = self.estimate.share, (self.estimate.lowest, self.estimate.highest)
        if share.tier == "refused":
            return f"{share.n} audited contexts are too few for a share; {FLOOR} are needed"
        if not share.n_dropped or lowest is None or highest is None:
            return share.why_undefined or ""
        lost = f"all {share.n_dropped} contexts" if share.n_dropped > 1 else "the one context"
        return f"between {percent(lowest)} and {percent(highest)} if {lost} without a verdict were valid, or broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAudit:
    """The audited contexts of a sample, by the first person of the plan, and what they say of all contexts."""

    seal: Seal
    n_drawn: int
    n_audited: int
    n_frame: int
    """Contexts of the study."""
    findings: tuple[ContextFinding, ...]
    broken: tuple[BrokenContexts, ...]
    """The estimated shares of contexts that are not what they claim to be: of all, then by condition."""

    @property
    def sentence(self) -> str:
        """How much was looked at, how much was found, and what that says of all contexts."""
        wrong = sum(bool(finding.errors) for finding in self.findings)
        surprising = sum(finding.surprising for finding in self.findings)
        every = self.broken[0]
        share = every.estimate.share
        estimate = (
            f"Of all {self.n_frame} contexts an estimated {with_interval(share.value, share.low, share.high)} are "
            "broken"
            if share.value is not None
            else f"How many of all {self.n_frame} contexts are broken cannot be estimated yet: {every.note}"
        )
        return (
            f"{self.n_audited} of {self.n_drawn} drawn contexts are audited; {wrong} have construction errors, and "
            f"{surprising} read otherwise than their condition says. {estimate}. Broken is a context with a "
            "construction error that is no blemish, or an absence in which a blind reader finds the answer."
        )


def broken_rows(audit: ContextAudit) -> list[dict[str, str]]:
    """One row per condition, and one for all contexts: the share of broken ones with its interval."""
    return [
        {
            "condition": "all contexts" if found.condition is None else found.condition or "(none)",
            "broken": f"{found.n_broken} of {found.estimate.share.n} audited",
            "estimated share": with_interval(share.value, share.low, share.high),
            "note": found.note,
        }
        for found in audit.broken
        for share in [found.estimate.share]
    ]


def context_audit(study: Study, *, sample_id: str | None = None) -> ContextAudit:
    """What the first person of the plan found in each audited context.

    Raises:
        StudyProblem: Nothing is drawn, or results are sealed.
    """
    require_results(study)
    with open_store(study) as store:
        sample = items.find_sample(store, sample_id)
        seal = require_open(store)
        draws = items.draws(store, sample["sample_id"], "context")
        of_item = items.slices(store)
        everything = context_verdicts(store, study.rubric)
    condition = {draw["item_id"]: of_item["context", draw["item_id"]]["condition"] for draw in draws}
    verdicts = {context: verdict for context, verdict in everything.items() if context in condition}
    findings = [_finding(context, verdict, condition[context]) for context, verdict in verdicts.items()]
    stated = frames.context_rows(frames.open_frame(study))["condition"].tolist()
    broken = _broken(sample, draws, condition, verdicts, Counter(stated))
    return ContextAudit(
        seal=seal,
        n_drawn=len(draws),
        n_audited=len(verdicts),
        n_frame=len(stated),
        findings=tuple(finding for finding in findings if finding.errors or finding.surprising),
        broken=broken,
    )


def _broken(
    sample: Mapping[str, Any],
    draws: Sequence[Mapping[str, Any]],
    condition: Mapping[str, str | None],
    verdicts: Mapping[str, ContextVerdict],
    sizes: Mapping[str, int],
) -> tuple[BrokenContexts, ...]:
    """The shares of broken contexts, from the contexts' own draw."""
    stated = [condition[draw["item_id"]] or "" for draw in draws]
    found = [
        verdicts[draw["item_id"]].is_valid(name) if draw["item_id"] in verdicts else None
        for draw, name in zip(draws, stated, strict=True)
    ]
    broken = np.array([np.nan if valid is None else not valid for valid in found], dtype=np.float64)

    def design(kept: NDArray[np.bool_]) -> Design:
        ones = np.ones(len(draws))
        return design_of(draws, kept, columns=sample["context_strata"], linked=False, first_fraction=ones)

    every = broken_share(broken, np.ones(len(draws), dtype=bool), design, sum(sizes.values()))
    shares = broken_shares(broken, stated, design, {name: sizes[name] for name in sorted(sizes)})
    of = np.array(stated, dtype=object)
    return (
        BrokenContexts(condition=None, n_broken=int(np.nansum(broken)), estimate=every),
        *(
            BrokenContexts(condition=name, n_broken=int(np.nansum(broken[of == name])), estimate=share)
            for name, share in (shares.items() if len(shares) > 1 else ())
        ),
    )


def _finding(context: str, verdict: ContextVerdict, condition: str | None) -> ContextFinding:
    return ContextFinding(
        context_id=context,
        condition=condition,
        answerable=verdict.answerable,
        surprising=verdict.is_surprising(condition),
        errors=verdict.errors or (),
        comment=verdict.comment,
    )
