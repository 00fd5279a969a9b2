"""Judges of one study compared: with people, with each other, by the numbers and orders that come of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit_app.actions.comparable import Question
from audit_app.actions.compared import FOR, JUDGE, Compared, Order
from audit_app.actions.compared import PEOPLE as CORRECTED
from audit_app.actions.comparing import compare
from audit_app.actions.judge_drift import Drift, judge_drift
from audit_app.actions.judge_pairs import PEOPLE, JudgePair, OwnFamily, judge_pairs, own_family
from audit_app.actions.judged import find_judge
from audit_app.actions.labelled import Grounding, Labelled, labelled
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, read_seal, require_results
from audit_app.actions.wording import percent
from audit_app.language import _, joined
from data import frame as frames
from data.errors import StudyProblem
from data.frame import Frame
from data.store import items, judgements
from data.store.connection import Store, open_store
from data.study import Study
from metrics.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesQuestion:
    """What is asked about judges; everything has a default."""

    judges: tuple[str, ...] | None = None
    """Which, by name; None for all."""
    families: Mapping[str, tuple[str, ...]] | None = None
    """By judge: the models of its own family, for the self-preference check."""
    drift: tuple[str, str] | None = None
    """Names of one judge's earlier and later verdicts."""
    sample_id: str | None = None
    grounding: Grounding = "strict"
    level: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """What was found; what rests on people's labels is empty while results are sealed or nothing is labelled."""

    judges: tuple[str, ...]
    level: float
    seal: Seal
    pairs: tuple[JudgePair, ...]
    numbers: tuple[tuple[str, Estimate], ...]
    """Judge and headline metric, naive and corrected; empty for a single judge."""
    orders: tuple[Order, ...]
    """The models as two judges have them, or a judge and people."""
    families: tuple[OwnFamily, ...]
    drift: tuple[Drift, ...]
    dates: tuple[str, str] | None
    """The earlier and the later verdicts of `drift`."""
    notes: tuple[str, ...]
    """What is missing, and why."""

    @property
    def sentence(self) -> str:
        """Which judge is nearest to people, label by label."""
        with_people = [one for one in self.pairs if one.second == PEOPLE]
        if not with_people:
            return _("Nothing can be said of {judges} beside people yet.").format(judges=joined(self.judges))
        best: dict[str, list[str]] = {}
        for label in dict.fromkeys(one.label for one in with_people):
            ours = [one for one in with_people if one.label == label and one.percent.value is not None]
            highest = max((one.percent.value or 0.0 for one in ours), default=None)
            for one in ours:
                if one.percent.value == highest:
                    best.setdefault(one.first, []).append(f"{label} ({percent(highest)})")
        said = _("; ").join(
            _("{judge} on {labels}").format(judge=judge, labels=joined(labels)) for judge, labels in best.items()
        )
        nearest = _(
            "Nearest to people, on responses that all have labelled: {said}. Kappa says what chance does not explain."
        ).format(said=said)
        # `metrics` is about these responses, and its intervals are others.
        about = _("Corrected intervals hold for {population}.").format(population=_(FOR["such tasks"]))
        return f"{nearest} {about}" if self.numbers else nearest


def compare_judges(study: Study, question: JudgesQuestion) -> Judges:
    """Compares judges on what all of them labelled.

    Raises:
        StudyProblem: There is no judge or no such judge or model, the two dates share nothing, or results are sealed
            and no drift is asked for, which alone needs no labels of people.
    """
    require_results(study)
    frame = frames.open_frame(study)
    judges = _judges(frame, question)
    families = dict(question.families or {})
    _check_families(frame, judges, families)
    drift = judge_drift(frame, *question.drift, level=question.level) if question.drift else []
    with open_store(study) as store:
        seal = read_seal(store)
        if not seal.is_open and not drift:
            raise StudyProblem(seal.sentence)
        notes = _dates_differ(store, question.drift) if question.drift else []
        drawn = bool(items.samples(store))
        rows = _rows(study, store, frame, judges, question) if seal.is_open and drawn else {}
    labels = Scope.of(study, next(iter(rows.values())).human).labels if rows else ()
    found = _compared(study, question, notes) if seal.is_open and len(judges) > 1 else None
    chosen = {*judges, CORRECTED}
    if not seal.is_open:
        notes.append(seal.sentence)
    elif not drawn:
        notes.append(_("Nothing is drawn, so there are no labels of people to compare with."))
    return Judges(
        judges=judges,
        level=question.level,
        seal=seal,
        pairs=tuple(judge_pairs(rows, labels, level=question.level)) if rows else (),
        numbers=tuple(one for one in found.under_judges if one[0] in chosen) if found else (),
        orders=tuple(one for one in found.orders if {one.first, one.second} <= chosen) if found else (),
        families=tuple(own_family(rows, families, labels, level=question.level)) if rows else (),
        drift=tuple(drift),
        dates=question.drift,
        notes=tuple(notes),
    )


def _judges(frame: Frame, question: JudgesQuestion) -> tuple[str, ...]:
    """The judges asked for, and those with a family."""
    wanted = question.judges or tuple(frames.judges(frame))
    if not wanted:
        raise StudyProblem("no verdicts are imported; bring them in with `evidence-audit import verdicts FILE`")
    named = (*wanted, *(question.families or {}))
    return tuple(dict.fromkeys(find_judge(frame, judge) or "" for judge in named))


def _check_families(frame: Frame, judges: Sequence[str], families: Mapping[str, Sequence[str]]) -> None:
    models = sorted(set(frames.pattern_counts(frame, judges[0], ["model"])["model"]))
    for judge, family in families.items():
        unknown = [model for model in family if model not in models]
        if unknown:
            raise StudyProblem(f"no model {unknown[0]!r} for the family of {judge}; there are {', '.join(models)}")


def _rows(
    study: Study, store: Store, frame: Frame, judges: Sequence[str], question: JudgesQuestion
) -> dict[str, Labelled]:
    return {
        judge: labelled(study, store, frame, sample_id=question.sample_id, judge=judge, grounding=question.grounding)
        for judge in judges
    }


def _compared(study: Study, question: JudgesQuestion, notes: list[str]) -> Compared | None:
    """Every headline metric under all judges; why not, where there is none, is noted."""
    asked = Question(by=JUDGE, sample_id=question.sample_id, grounding=question.grounding, level=question.level)
    try:
        return compare(study, asked)
    except StudyProblem as problem:
        notes.append(str(problem))
        return None


def _dates_differ(store: Store, dates: tuple[str, str]) -> list[str]:
    """Whether the two dates are of one judge at all, as far as it was run here."""
    known = judgements.judges(store)
    facts = [(known[name]["model"], known[name]["parameters"]) for name in dates if name in known]
    if len(facts) < 2 or facts[0] == facts[1]:
        return []
    said = _("{first} is {one}, {second} is {other}: this is no drift of one judge, but a comparison of two.")
    one, other = (_("{model} with {parameters}").format(model=model, parameters=given) for model, given in facts)
    return [said.format(first=dates[0], one=one, second=dates[1], other=other)]
