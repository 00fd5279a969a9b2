"""What the context audit found: which contexts are built wrongly, how many there are, and what surprised a reader."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit_app.actions.context_verdicts import ContextVerdict, DecidedContexts, context_verdicts, decided_contexts
from audit_app.actions.design import design_of
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.seal import Seal, require_open, require_results
from audit_app.actions.withholding import require_random_queue
from audit_app.actions.wording import percent, with_interval
from audit_app.language import _, mark, ngettext
from audit_app.reasons import told
from data import frame as frames
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.construction import Broken, Decided, broken_share, broken_shares
from metrics.correction import FLOOR
from metrics.estimate import Target
from sampling.design import Design

LEVEL = 0.95

SEEN: dict[Target, str] = {"A": mark("audited"), "B": mark("settled")}


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
    blind_note: str | None
    """What the blind reader said in words."""
    quotes: tuple[str, ...]
    """What shows the errors, each after the number of its passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenContexts:
    """The broken contexts of one condition, or of all."""

    condition: str | None
    """As the study states it, empty text where it states none; None for all contexts."""
    n_broken: int
    """Found among those with a verdict."""
    n_verdicts: int
    """Contexts with a verdict: audited ones (target A), or settled ones of the overlap (target B)."""
    target: Target
    estimate: Broken

    @property
    def note(self) -> str:
        """Why there is no share, or what the contexts without a verdict could do to it."""
        share, (lowest, highest) = self.estimate.share, (self.estimate.lowest, self.estimate.highest)
        if share.tier == "refused":
            return _("{n} {seen} contexts are too few for a share; {floor} are needed").format(
                n=self.n_verdicts, seen=_(SEEN[self.target]), floor=FLOOR
            )
        if not share.n_dropped or lowest is None or highest is None:
            return told(share.why_undefined)
        lost = ngettext("the one context", "all {n} contexts", share.n_dropped).format(n=share.n_dropped)
        return _("between {lowest} and {highest} if {lost} without a verdict were valid, or broken").format(
            lowest=percent(lowest), highest=percent(highest), lost=lost
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAudit:
    """The audited contexts of a sample, by the first person of the plan, and what they say of all contexts."""

    seal: Seal
    target: Target
    """Whose verdicts the shares of broken contexts rest on."""
    n_drawn: int
    n_audited: int
    n_frame: int
    """Contexts of the study."""
    findings: tuple[ContextFinding, ...]
    broken: tuple[BrokenContexts, ...]
    """The estimated shares of contexts that are not what they claim to be: of all, then by condition. Empty for target
    B where no context was planned for several people."""
    n_overlap: int
    """Contexts that several people were planned to audit, and of these, for target B, ..."""
    n_settled: int
    """... those before the first on which people disagree, or somebody has still to come; 0 for target A."""

    @property
    def sentence(self) -> str:
        """How much was looked at, how much was found, and what that says of all contexts."""
        wrong = sum(bool(finding.errors) for finding in self.findings)
        surprising = sum(finding.surprising for finding in self.findings)
        return (
            _(
                "{n} of {of} drawn contexts are audited; {wrong} have construction errors, and {surprising} read "
                "otherwise than their condition says. {estimate} Broken is a context with a construction error that "
                "is no blemish, or an absence in which a blind reader finds an answer or a passage supports the "
                "reference answer."
            ).format(n=self.n_audited, of=self.n_drawn, wrong=wrong, surprising=surprising, estimate=self._estimate)
            + self._remedy
        )

    @property
    def _estimate(self) -> str:
        if not self.broken:
            return _(
                "How many contexts are broken by what is adjudicated (target B) cannot be said, as no context was "
                "planned for several people; draw a sample with --overlap, or use target A."
            )
        share = self.broken[0].estimate.share
        if share.value is not None:
            said = _("Of all {n_frame} contexts an estimated {value} are broken{whose}.")
        else:
            said = _("How many of all {n_frame} contexts are broken{whose} cannot be estimated yet: {note}.")
        by = _(" (target B, by the first {n} of the {of} contexts that several people audit)")
        whose = by.format(n=self.n_settled, of=self.n_overlap) if self.target == "B" else ""
        value = with_interval(share.value, share.low, share.high)
        return said.format(n_frame=self.n_frame, value=value, whose=whose, note=self.broken[0].note)

    @property
    def _remedy(self) -> str:
        """How to have more contexts audited, where there are too few for a share; empty where there are enough."""
        if not any(found.estimate.share.tier == "refused" for found in self.broken):
            return ""
        if self.target == "B" and self.n_settled < self.n_overlap:
            return _(
                " For a share of the others, let the contexts of the overlap be audited and disagreements decided."
            )
        if self.n_audited < self.n_drawn:
            waiting = self.n_drawn - self.n_audited
            said = _(" For a share of the others, let people audit the {n} drawn contexts that still wait.")
            return said.format(n=waiting)
        if self.n_drawn == self.n_frame:
            return _(
                " For a share of the others there are too few contexts with a verdict, though all are drawn: what "
                "nobody could judge would have to be audited again, by somebody else."
            )
        return _(" For a share of the others, draw more contexts: evidence-audit sample extend --contexts N.")


def broken_rows(audit: ContextAudit) -> list[dict[str, str]]:
    """One row per condition, and one for all contexts: the share of broken ones with its interval."""
    return [
        {
            "condition": _("all contexts") if found.condition is None else found.condition or _("(none)"),
            "broken": _("{n} of {of} {seen}").format(n=found.n_broken, of=found.n_verdicts, seen=_(SEEN[found.target])),
            "estimated share": with_interval(share.value, share.low, share.high),
            "note": found.note,
        }
        for found in audit.broken
        for share in [found.estimate.share]
    ]


def broken_estimates(audit: ContextAudit) -> list[DetailedEstimate]:
    """The same as estimates, for JSON: of all contexts, then by condition."""
    return [
        DetailedEstimate.of_mean(
            found.estimate.share,
            scale=1,
            metric="broken-contexts",
            slice={} if found.condition is None else {"condition": found.condition},
            method="human-only",
            target=found.target,
            level=LEVEL,
        )
        for found in audit.broken
    ]


def context_audit(study: Study, *, sample_id: str | None = None, target: Target = "A") -> ContextAudit:
    """What the first person of the plan found in each audited context, and the shares of broken ones.

    For target B these shares are corrected by what is adjudicated or unanimous on the overlap; for target A no decision
    changes them.

    Raises:
        StudyProblem: Nothing is drawn, or results are sealed.
        Withheld: For target B, while what is decided is no random share.
    """
    require_results(study)
    with open_store(study) as store:
        if target == "B":
            require_random_queue(store, study)
        sample = items.find_sample(store, sample_id)
        seal = require_open(store)
        draws = items.draws(store, sample["sample_id"], "context")
        of_item = items.slices(store)
        everything = context_verdicts(store, study.rubric)
        decided = decided_contexts(store, study.rubric, sample)
    condition = {draw["item_id"]: of_item["context", draw["item_id"]]["condition"] for draw in draws}
    verdicts = {context: verdict for context, verdict in everything.items() if context in condition}
    findings = [_finding(context, verdict, condition[context]) for context, verdict in verdicts.items()]
    stated = frames.context_rows(frames.open_frame(study))["condition"].tolist()
    shares = _Shares(sample=sample, draws=draws, condition=condition, sizes=Counter(stated))
    broken = shares.of(verdicts, decided if target == "B" else None)
    return ContextAudit(
        seal=seal,
        target=target,
        n_drawn=len(draws),
        n_audited=len(verdicts),
        n_frame=len(stated),
        findings=tuple(finding for finding in findings if finding.errors or finding.surprising),
        broken=broken,
        n_overlap=decided.n_overlap,
        n_settled=len(decided.verdicts) if target == "B" else 0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shares:
    """The shares of broken contexts, from the contexts' own draw."""

    sample: Mapping[str, Any]
    draws: Sequence[Mapping[str, Any]]
    condition: Mapping[str, str | None]
    sizes: Mapping[str, int]

    def of(self, verdicts: Mapping[str, ContextVerdict], decided: DecidedContexts | None) -> tuple[BrokenContexts, ...]:
        """Of all contexts, then by condition; for target B with what is decided."""
        if decided is not None and not decided.n_overlap:
            return ()
        broken, second = self._broken(verdicts), None
        seen = broken
        if decided is not None:
            seen = self._broken(decided.verdicts)
            settled = np.array([draw["item_id"] in decided.verdicts for draw in self.draws], dtype=bool)
            second = Decided(overlap=settled, broken=seen)
        stated = self._stated
        everything = np.ones(len(self.draws), dtype=bool)
        every = broken_share(broken, everything, self._design, sum(self.sizes.values()), decided=second)
        sizes = {name: self.sizes[name] for name in sorted(self.sizes)}
        shares = broken_shares(broken, stated, self._design, sizes, decided=second)
        of = np.array(stated, dtype=object)

        def one(name: str | None, here: NDArray[np.bool_], estimate: Broken) -> BrokenContexts:
            return BrokenContexts(
                condition=name,
                n_broken=int(np.nansum(seen[here])),
                n_verdicts=int((~np.isnan(seen[here])).sum()),
                target="A" if decided is None else "B",
                estimate=estimate,
            )

        by_condition = shares.items() if len(shares) > 1 else ()
        return one(None, everything, every), *(one(name, of == name, share) for name, share in by_condition)

    @property
    def _stated(self) -> list[str]:
        return [self.condition[draw["item_id"]] or "" for draw in self.draws]

    def _broken(self, verdicts: Mapping[str, ContextVerdict]) -> NDArray[np.float64]:
        """1 or 0 for each drawn context, nan without a verdict."""
        found = [
            verdicts[draw["item_id"]].is_valid(name) if draw["item_id"] in verdicts else None
            for draw, name in zip(self.draws, self._stated, strict=True)
        ]
        return np.array([np.nan if valid is None else not valid for valid in found], dtype=np.float64)

    def _design(self, kept: NDArray[np.bool_]) -> Design:
        ones = np.ones(len(self.draws))
        columns = self.sample["context_strata"]
        return design_of(self.draws, kept, columns=columns, linked=False, first_fraction=ones)


def _finding(context: str, verdict: ContextVerdict, condition: str | None) -> ContextFinding:
    return ContextFinding(
        context_id=context,
        condition=condition,
        answerable=verdict.reading.answerable,
        surprising=bool(verdict.reading.is_surprising(condition)),
        errors=verdict.errors or (),
        comment=verdict.comment,
        blind_note=verdict.blind_note,
        quotes=verdict.quotes,
    )
