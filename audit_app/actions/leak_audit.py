"""What people's labels say of leaks: how many contexts leak, and how good the screens are at finding them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.confusion import JudgeAgreement, confusion
from audit_app.actions.design import design_of
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.leak_labels import BlindReading, blind_readings
from audit_app.actions.leaks import ABSENCE
from audit_app.actions.results import metrics
from audit_app.actions.seal import Seal, require_open, require_results
from audit_app.actions.wording import with_interval
from audit_app.language import _, joined
from audit_app.reasons import bare, told
from data import frame as frames
from data.errors import StudyProblem
from data.leak_scores import leak_scores
from data.leaks.calibration import Calibration, calibrate
from data.leaks.screen import FLAGGED
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.construction import Broken, broken_share
from metrics.definitions import WARRANTS
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakShare:
    """The contexts of a condition (and regime) of which something is true."""

    condition: str
    """Empty text where a context states none."""
    regime: str | None
    """None for all regimes together."""
    n_true: int
    estimate: Broken
    """Its share, by the design; with bounds for drawn contexts of which nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakAudit:
    """Leaks as people found them in stages 1 and 2a, before a hit was shown, and the screens beside that."""

    seal: Seal
    sample_id: str
    n_drawn: int
    n_read: int
    """Drawn contexts of which people's labels say whether they give the reference answer."""
    shares: tuple[LeakShare, ...]
    """Contexts that give the reference answer: by condition, then by condition and regime. Of absences: the leaks."""
    surprising: tuple[LeakShare, ...]
    """Contexts that a blind reader (stage 1) reads otherwise than their condition says, by condition."""
    screens: Mapping[str, JudgeAgreement]
    """The screens' flags against people: of absences, and of all contexts ("all")."""
    only_people: tuple[str, ...]
    """Absences in which people found a leak and the screens flagged none."""
    only_screens: tuple[str, ...]
    """Flagged absences in which people found no leak."""
    calibration: Calibration
    """From the score of an absence to the chance that people find a leak."""
    chances: Mapping[str, float]
    """By context_id of every flagged or read absence; the raw score where there is no calibration."""
    abstentions: tuple[DetailedEstimate, ...]
    """How many responses abstain with and without warrant, by their contexts' audit; empty without such labels."""

    @property
    def sentence(self) -> str:
        """How many absences leak, and what the screens find of it."""
        rate = next((one for one in self.shares if one.condition == ABSENCE and one.regime is None), None)
        if rate is None:
            return _("No {condition} contexts are in sample {sample!r}, so there is no leak rate.").format(
                condition=ABSENCE, sample=self.sample_id
            )
        share = rate.estimate.share
        if share.value is None:
            said = _("{n} of {of} read {condition} contexts give the answer away; that is too few for a share.")
        else:
            said = _(
                "An estimated {share} of the {condition} contexts give the answer away, by people who had seen no hit."
            )
        known = with_interval(share.value, share.low, share.high)
        found = said.format(n=rate.n_true, of=share.n, condition=ABSENCE, share=known)
        return f"{found} {self._of_screens} {self._of_calibration}"

    @property
    def _of_screens(self) -> str:
        against = self.screens.get(ABSENCE)
        if against is None:
            return _("Nothing can be said of the screens yet.")
        said = _("The screens flag {sensitivity} of the leaks and leave {specificity} of the others alone.").format(
            sensitivity=figure(against, "sensitivity"), specificity=figure(against, "specificity")
        )
        if not self.only_people:
            return said
        return f"{said} " + _("Only people found {contexts}.").format(contexts=joined(self.only_people))

    @property
    def _of_calibration(self) -> str:
        why = told(self.calibration.why_raw)
        if why:
            return f"{why[0].upper()}{why[1:]}."
        return _(
            "The score is calibrated on {n} labelled contexts (mean squared error {brier:.3f}, cross-validated; "
            "{raw:.3f} raw)."
        ).format(n=self.calibration.n, brier=self.calibration.brier, raw=self.calibration.brier_raw)


def figure(against: JudgeAgreement, name: str) -> str:
    """Sensitivity or specificity with its interval, or why there is none."""
    found = getattr(against, name)
    if found.value is None:
        return _("an unknown share ({why})").format(why=bare(found.why_undefined))
    return with_interval(found.value, found.low, found.high)


def leak_audit(study: Study, *, sample_id: str | None = None) -> LeakAudit:
    """What people's labels on a probability sample say of leaks, weighted by the design.

    Raises:
        StudyProblem: Nothing is drawn, no contexts are, or results are sealed.
    """
    require_results(study)
    with open_store(study) as store:
        sample = items.find_sample(store, sample_id)
        seal = require_open(store)
        draws = items.draws(store, sample["sample_id"], "context")
        of_item = items.slices(store)
        readings = blind_readings(store)
    if not draws:
        said = _("no contexts are drawn in sample {sample!r}; draw one from a study with contexts")
        raise StudyProblem(said.format(sample=sample["sample_id"]))
    scores = leak_scores(study)
    drawn = _Drawn.of(study, sample, draws, of_item, readings, scores)
    known, gives = ~np.isnan(drawn.gives), drawn.gives == 1
    absence = drawn.condition == ABSENCE
    flagged = drawn.score >= FLAGGED
    calibration = calibrate(
        drawn.score[absence & drawn.both].tolist(), gives[absence & drawn.both].tolist(), seed=sample["seed"]
    )
    ids = np.array([draw["item_id"] for draw in draws], dtype=object)
    shown = absence & drawn.both & (flagged | known)
    return LeakAudit(
        seal=seal,
        sample_id=sample["sample_id"],
        n_drawn=len(draws),
        n_read=int(known.sum()),
        shares=drawn.shares(drawn.gives, by_regime=True),
        surprising=drawn.shares(drawn.surprising, by_regime=False),
        screens=drawn.against(),
        only_people=tuple(sorted(ids[absence & drawn.both & gives & ~flagged])),
        only_screens=tuple(sorted(ids[absence & drawn.both & ~gives & flagged])),
        calibration=calibration,
        chances=dict(zip(ids[shown].tolist(), calibration.of(drawn.score[shown].tolist()).tolist(), strict=True)),
        abstentions=_abstentions(study, sample["sample_id"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drawn:
    """The drawn contexts as arrays, shape (draws,)."""

    sample: Mapping[str, Any]
    draws: Sequence[Mapping[str, Any]]
    condition: NDArray[np.object_]
    regime: NDArray[np.object_]
    gives: Floats
    """1, 0, or nan where people's labels do not say."""
    surprising: Floats
    """1, 0, or nan."""
    score: Floats
    """nan where there is nothing to look for."""
    sizes: Mapping[tuple[str, str], int]
    """Contexts of the study by condition and regime."""

    @classmethod
    def of(
        cls,
        study: Study,
        sample: Mapping[str, Any],
        draws: Sequence[Mapping[str, Any]],
        of_item: Mapping[tuple[str, str], Mapping[str, Any]],
        readings: Mapping[str, BlindReading],
        scores: Mapping[str, float | None],
    ) -> "_Drawn":
        facts = [of_item["context", draw["item_id"]] for draw in draws]
        found = [readings.get(draw["item_id"], BlindReading()) for draw in draws]
        conditions = [fact["condition"] for fact in facts]
        rows = frames.context_rows(frames.open_frame(study))
        return cls(
            sample=sample,
            draws=draws,
            condition=np.array([name or "" for name in conditions], dtype=object),
            regime=np.array([fact["regime"] or "" for fact in facts], dtype=object),
            gives=_floats([one.gives(name) for one, name in zip(found, conditions, strict=True)]),
            surprising=_floats([one.is_surprising(name) for one, name in zip(found, conditions, strict=True)]),
            score=_floats([scores.get(draw["item_id"]) for draw in draws]),
            sizes=Counter(frames.pick(rows, ["condition", "regime"])),
        )

    @property
    def both(self) -> Flags:
        """Contexts that people and the screens both speak of."""
        return ~np.isnan(self.gives) & ~np.isnan(self.score)

    def design(self, kept: Flags) -> Design:
        ones = np.ones(len(self.draws))
        columns = self.sample["context_strata"]
        return design_of(self.draws, kept, columns=columns, linked=False, first_fraction=ones)

    def shares(self, values: Floats, *, by_regime: bool) -> tuple[LeakShare, ...]:
        """The share of contexts with 1, by condition, and by condition and regime where there are several regimes."""
        regimes = sorted({regime for _, regime in self.sizes}) if by_regime else []
        names = sorted({condition for condition, _ in self.sizes})
        slices = [(name, regime) for regime in (None, *(regimes if len(regimes) > 1 else ())) for name in names]
        return tuple(self._share(values, name, regime) for name, regime in slices if self._has(values, name, regime))

    def _inside(self, condition: str, regime: str | None) -> Flags:
        inside = self.condition == condition
        return np.asarray(inside if regime is None else inside & (self.regime == regime), dtype=bool)

    def _has(self, values: Floats, condition: str, regime: str | None) -> bool:
        return bool((self._inside(condition, regime) & ~np.isnan(values)).any())

    def _share(self, values: Floats, condition: str, regime: str | None) -> LeakShare:
        inside = self._inside(condition, regime)
        size = sum(n for (name, of), n in self.sizes.items() if name == condition and regime in (None, of))
        return LeakShare(
            condition=condition,
            regime=regime,
            n_true=int(np.nansum(values[inside])),
            estimate=broken_share(values, inside, self.design, size),
        )

    def against(self) -> dict[str, JudgeAgreement]:
        """The screens' flags against people, of absences and of all contexts."""
        usable = self.both
        if not usable.any():
            return {}
        design = self.design(usable)
        human, flags = self.gives[usable].astype(int), (self.score[usable] >= FLAGGED).astype(int)
        parts = {ABSENCE: self.condition[usable] == ABSENCE, "all": np.ones(int(usable.sum()), dtype=bool)}
        return {
            name: confusion(
                human,
                flags,
                category_names=("no leak", "leak"),
                weights=design.weight,
                variance=design.variance,
                degrees_of_freedom=design.degrees_of_freedom(inside),
                rows=inside,
                census=len(human) == sum(self.sizes.values()),
            )
            for name, inside in parts.items()
            if inside.any()
        }


def _floats(values: Sequence[bool | float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)


def _abstentions(study: Study, sample_id: str) -> tuple[DetailedEstimate, ...]:
    """The shares of warranted and unwarranted abstentions; none where nobody labels responses for them."""
    try:
        found = metrics(study, sample_id=sample_id, names=tuple(sorted(WARRANTS))).estimates
    except StudyProblem:
        return ()
    return tuple(one for one in found if one.method == "human-only")
