"""What people's labels say of leaks: how many contexts leak, and how good the screens are at finding them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.confusion import JudgeAgreement
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.leak_draws import DrawnContexts, LeakShare
from audit_app.actions.leak_labels import EXPECTED, blind_readings
from audit_app.actions.leaks import ABSENCE
from audit_app.actions.results import metrics
from audit_app.actions.seal import Seal, require_open, require_results
from audit_app.actions.wording import with_interval
from audit_app.language import _, joined, ngettext
from audit_app.reasons import told
from data.errors import StudyProblem
from data.leak_scores import ScreenedContext, screened_contexts
from data.leaks.calibration import Calibration, calibrate
from data.leaks.screen import FLAGGED
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.definitions import WARRANTS


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakChance:
    """How likely one absence leaks."""

    context_id: str
    score: float
    """Of the screens, raw."""
    chance: float | None
    """That people find it leaks; None where there is no calibration."""
    leaks: bool | None
    """Whether people found that it does; None where nobody has said it blind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakAudit:
    """Leaks as people found them in stages 1 and 2a, before a hit was shown, and the screens beside that."""

    seal: Seal
    sample_id: str
    n_drawn: int
    n_read: int
    """Drawn contexts of which people's labels say whether they give the reference answer."""
    n_spoiled: int
    """Drawn contexts whose reader had seen the task's reference answer or hits before; they count as unread."""
    unexpected: tuple[str, ...]
    """Conditions of read contexts of which it is not known what a blind reader should find."""
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
    chances: tuple[LeakChance, ...]
    """Of every absence of the study that is flagged or was read, the likeliest first."""
    abstentions: tuple[DetailedEstimate, ...]
    """How many responses abstain with and without warrant, by their contexts' audit."""
    why_no_abstentions: str | None
    """Why there are none of these; None where there are."""

    @property
    def sentence(self) -> str:
        """How many absences leak, and what the screens find of it."""
        rate = next((one for one in self.shares if one.condition == ABSENCE and one.regime is None), None)
        if rate is None:
            none = _("No {condition} contexts are in sample {sample!r}, so there is no leak rate.")
            said = none.format(condition=ABSENCE, sample=self.sample_id)
            return " ".join(filter(None, [said, self._of_readers, self._of_abstentions]))
        share = rate.estimate.share
        if share.value is None:
            said = _("{n} of {of} read {condition} contexts give the answer away; that is too few for a share.")
        else:
            said = _(
                "An estimated {share} of the {condition} contexts give the answer away, by people who had seen no hit."
            )
        known = with_interval(share.value, share.low, share.high)
        found = said.format(n=rate.n_true, of=share.n, condition=ABSENCE, share=known)
        more = [self._of_readers, self._of_screens, self._of_calibration, self._of_abstentions]
        return " ".join(filter(None, [found, *more]))

    @property
    def _of_readers(self) -> str:
        """What is not counted, and why."""
        spoiled = ngettext(
            "{n} drawn context was read by somebody who had seen the task's reference answer or hits before, and "
            "counts as unread.",
            "{n} drawn contexts were read by somebody who had seen the task's reference answer or hits before, and "
            "count as unread.",
            self.n_spoiled,
        ).format(n=self.n_spoiled)
        unexpected = _(
            "What a blind reader should find under {conditions} is not known, so nothing is held against it."
        )
        conditions = joined(self.unexpected)
        advice = _("More people who only audit contexts would read more (`people add --team context`).")
        said = [
            f"{spoiled} {advice}" if self.n_spoiled else "",
            unexpected.format(conditions=conditions) if conditions else "",
        ]
        return " ".join(filter(None, said))

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
            "The score is calibrated on {n} labelled contexts (mean squared error {brier:.4f}, cross-validated; "
            "{raw:.4f} raw)."
        ).format(n=self.calibration.n, brier=self.calibration.brier, raw=self.calibration.brier_raw)

    @property
    def _of_abstentions(self) -> str:
        why = told(self.why_no_abstentions)
        return _("Which abstentions were warranted is not known: {why}").format(why=why) if why else ""


def figure(against: JudgeAgreement, name: str) -> str:
    """Sensitivity, specificity or the share that is right of the screens with its interval, or why there is none."""
    found = getattr(against, name)
    if found.value is not None:
        return with_interval(found.value, found.low, found.high)
    why = {
        "sensitivity": _("none of the {n} that were read leaks"),
        "specificity": _("all of the {n} that were read leak"),
        "positive_predictive_value": _("none of the {n} that were read is flagged"),
    }[name]
    return _("an unknown share ({why})").format(why=why.format(n=against.n))


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
    screened = screened_contexts(study)
    scores = {one.context_id: one.screened.score if one.screened else None for one in screened}
    drawn = DrawnContexts.of(study, sample, draws, of_item, readings, scores)
    known, gives = ~np.isnan(drawn.gives), drawn.gives == 1
    absence = drawn.condition == ABSENCE
    flagged = drawn.score >= FLAGGED
    calibration = calibrate(
        drawn.score[absence & drawn.both].tolist(), gives[absence & drawn.both].tolist(), seed=sample["seed"]
    )
    ids = np.array([draw["item_id"] for draw in draws], dtype=object)
    abstentions, why = _abstentions(study, sample["sample_id"])
    return LeakAudit(
        seal=seal,
        sample_id=sample["sample_id"],
        n_drawn=len(draws),
        n_read=int(known.sum()),
        n_spoiled=sum(draw["item_id"] in readings and readings[draw["item_id"]].spoiled for draw in draws),
        unexpected=tuple(sorted({*drawn.condition[known].tolist()} - {"", *EXPECTED})),
        shares=drawn.shares(drawn.gives, by_regime=True),
        surprising=drawn.shares(drawn.surprising, by_regime=False),
        screens=drawn.against(),
        only_people=tuple(sorted(ids[absence & drawn.both & gives & ~flagged])),
        only_screens=tuple(sorted(ids[absence & drawn.both & ~gives & flagged])),
        calibration=calibration,
        chances=_chances(screened, dict(zip(ids.tolist(), drawn.gives.tolist(), strict=True)), calibration),
        abstentions=abstentions,
        why_no_abstentions=None if abstentions else why,
    )


def _chances(
    screened: Sequence[ScreenedContext], gives: Mapping[str, float], calibration: Calibration
) -> tuple[LeakChance, ...]:
    found = {one.context_id: one.screened.score for one in screened if one.condition == ABSENCE and one.screened}
    shown = {key: score for key, score in found.items() if score >= FLAGGED or not np.isnan(gives.get(key, np.nan))}
    chances = calibration.of(list(shown.values())).tolist()
    rows = [
        LeakChance(
            context_id=key,
            score=score,
            chance=None if calibration.why_raw else chance,
            leaks=None if np.isnan(gives.get(key, np.nan)) else gives[key] == 1,
        )
        for (key, score), chance in zip(shown.items(), chances, strict=True)
    ]
    return tuple(sorted(rows, key=lambda one: (-one.score, one.context_id)))


def _abstentions(study: Study, sample_id: str) -> tuple[tuple[DetailedEstimate, ...], str | None]:
    """The shares of warranted and unwarranted abstentions; or none, and why."""
    try:
        found = metrics(study, sample_id=sample_id, names=tuple(sorted(WARRANTS)))
    except StudyProblem as problem:
        return (), str(problem)
    return tuple(one for one in found.estimates if one.method == "human-only"), found.left_out
