"""What is known of people as raters, as rows of text."""

from collections.abc import Iterator, Mapping, Sequence

from agreement.result import Agreement
from audit_app.actions.consensus import ConsensusResult
from audit_app.actions.habits import Habits, HabitsResult, LabelHabits
from audit_app.actions.raters import AgreementResult, LabelAgreement
from audit_app.actions.wording import coefficient, dashed, of, percent, points, reasons, slice_name, spread
from audit_app.language import _, joined, mark
from audit_app.reasons import told

Row = dict[str, str]

TITLES = {
    "percent_agreement": "percent",
    "krippendorff_alpha_nominal": "alpha",
    "krippendorff_alpha_ordinal": mark("alpha (ordinal)"),
    "krippendorff_alpha_interval": mark("alpha (interval)"),
    "krippendorff_alpha_ratio": mark("alpha (ratio)"),
    "gwet_ac1": "AC1",
    "gwet_ac2": "AC2",
    "fleiss_kappa": mark("Fleiss' kappa"),
    "conger_kappa": mark("Conger's kappa"),
    "brennan_prediger": mark("Brennan–Prediger"),
}

FIGURES = {
    "agreement": mark("agreement with the others"),
    "bias": mark("bias"),
    "self_consistency": mark("self-consistency"),
    "median_seconds": mark("median seconds"),
    "agreement_by_day": mark("drift of agreement over days"),
    "agreement_by_minute": mark("drift of agreement within a sitting"),
    "bias_by_day": mark("drift of bias over days"),
    "bias_by_minute": mark("drift of bias within a sitting"),
}
"""What is known of an annotator, by field."""

PLAIN, DRIFT = tuple(FIGURES)[:4], tuple(FIGURES)[4:]


def title(found: Agreement, n_categories: int) -> str:
    """What a coefficient is called, with its weights or category.

    >>> one = Agreement(name="gwet_ac2_linear", value=1, low=1, high=1, se=0, level=0.95, n=1, n_dropped=0)
    >>> title(one, 3)
    'AC2 (linear)'
    """
    if found.name == "brennan_prediger" and n_categories == 2:
        return _("Brennan–Prediger (PABAK)")
    if found.name in TITLES:
        return _(TITLES[found.name])
    base, bracket, category = found.name.partition("[")
    if bracket:
        return _("{base} of “{category}”").format(base=_(TITLES[base]), category=category.removesuffix("]"))
    base, _sign, weights = found.name.rpartition("_")
    return f"{_(TITLES[base])} ({_(weights)})"


INTERPENETRATED = mark(
    "rho_int is the share of the variance of a label that lies between annotators, where "
    "contexts went to them at random: 0 means that it does not matter who labelled, 1 that "
    "nothing else does. The design effect, 1 + (labels each - 1) rho_int, is how many times "
    "larger the variance of a mean is for annotators like these than for these."
)


def called(label: LabelAgreement) -> str:
    """A label; people are compared on the four decision values of G, not on the yes or no that metrics read it as."""
    return _("G (four values)") if label.label == "G" else label.label


def agreement_rows(result: AgreementResult) -> list[Row]:
    """One row per label (and slice): how well people agree."""
    return [
        {
            "label": f"{label.label} ({label.title}{', four values' if label.label == 'G' else ''})",
            **_slice(result, label),
            **{TITLES[found.name]: coefficient(found) for found in label.coefficients},
            "items": str(label.n_items),
            "dropped": str(label.n_dropped),
            "cannot judge": str(label.n_cannot_judge),
        }
        for label in result.labels
    ]


def coefficient_rows(result: AgreementResult) -> list[Row]:
    """One row per label (and slice) and coefficient, with what each rests on."""
    return [
        {
            "label": called(label),
            **_slice(result, label),
            "coefficient": title(found, len(label.prevalence)),
            "value": coefficient(found),
            "SE": _se(found),
            "items": str(label.n_items),
            "dropped": str(label.n_dropped),
            "cannot judge": percent(label.cannot_judge_rate),
        }
        for label in result.labels
        for found in label.coefficients
    ]


def _se(found: Agreement) -> str:
    """The standard error; nothing where no item showed disagreement, as the interval does not rest on it there."""
    unseen = found.se is not None and found.se < 1e-7 and found.low != found.high
    return "" if found.se is None or unseen else f"{found.se:.3f}"


def prevalence_rows(result: AgreementResult) -> list[Row]:
    """One row per label (and slice) and value: how often it was given, and its share with an interval."""
    return [
        {
            "label": called(label),
            **_slice(result, label),
            "value": value,
            "given": str(count),
            "share": coefficient(share),
        }
        for label in result.labels
        for (value, count), share in zip(label.prevalence.items(), label.shares, strict=True)
    ]


def _slice(result: AgreementResult, label: LabelAgreement) -> Row:
    return {"slice": slice_name(label.slice)} if any(one.slice for one in result.labels) else {}


def pair_rows(result: AgreementResult) -> list[Row]:
    """One row per label and pair of people: Cohen's kappa."""
    return [
        {
            "label": called(label),
            "people": " · ".join(result.names.get(person, person) for person in pair["people"]),
            "Cohen's kappa": coefficient(pair["kappa"]),
            "weighted (quadratic)": coefficient(pair["weighted_kappa"]) if "weighted_kappa" in pair else "",
            "items": str(pair["kappa"].n),
        }
        for label in result.labels
        for pair in label.pairs
    ]


def decision_rows(result: AgreementResult) -> list[Row]:
    """One row per label that adjudicators had, or have, something to decide on."""
    return [
        {
            "label": f"{one.label} ({one.title})",
            "decided": str(one.n_decided),
            "waiting": str(one.n_waiting),
            "first answer changed": of(one.n_changed, one.n_first),
            "answers that are the final value": of(one.n_final, one.n_labels),
            "own blind vote kept": of(one.n_kept, one.n_votes),
            "causes": " · ".join(f"{_(cause)} {n}" for cause, n in one.causes.items()),
        }
        for one in result.decisions
    ]


def habit_rows(result: HabitsResult) -> list[Row]:
    """One row per label and annotator."""
    return [
        {
            "label": label.label,
            "annotator": result.names.get(one.person_id, one.person_id),
            "labels": str(one.figures.n_labels),
            "shared": str(one.figures.agreement.n),
            "with the others": dashed(one.figures.agreement),
            "bias (points)": points(one.figures.bias),
            "self-consistency": dashed(one.figures.self_consistency),
            "median seconds": _seconds(one.figures.median_seconds),
            "cannot judge": percent(one.cannot_judge_rate),
            "skipped": percent(one.skip_rate),
        }
        for label, one in _each(result)
    ]


def drift_rows(result: HabitsResult) -> list[Row]:
    """One row per label and annotator: how agreement and bias change as time goes by, in points."""
    return [
        {
            "label": label.label,
            "annotator": result.names.get(one.person_id, one.person_id),
            "agreement, a day": points(one.figures.agreement_by_day),
            "agreement, an hour at work": points(one.figures.agreement_by_minute, 60),
            "bias, a day": points(one.figures.bias_by_day),
            "bias, an hour at work": points(one.figures.bias_by_minute, 60),
        }
        for label, one in _each(result)
    ]


def variance_rows(result: HabitsResult) -> list[Row]:
    """One row per label: how much of it depends on who labelled."""
    return [
        {
            "label": label.label,
            "annotators": str(label.variance.n_annotators),
            "labels each": f"{label.variance.mean_load:.1f}",
            "rho_int": coefficient(label.variance.rho_int),
            "design effect": f"{label.variance.design_effect:.2f}"
            if label.variance.design_effect is not None
            else told(label.variance.why_no_design_effect)
            if label.variance.rho_int.value is not None
            else "–",
        }
        for label in result.labels
    ]


def habit_reasons(result: HabitsResult, fields: Sequence[str]) -> list[str]:
    """Why some of these figures are a dash."""
    return reasons(
        (_(FIGURES[field]), label.label, getattr(one.figures, field))
        for field in fields
        for label, one in _each(result)
    )


def bias_sentence(result: HabitsResult) -> str:
    """Which value bias counts on each label."""
    labels: dict[str, list[str]] = {}
    for label in result.labels:
        labels.setdefault(label.yes, []).append(label.label)
    counted = [_("“{value}” of {labels}").format(value=yes, labels=_(" and ").join(of)) for yes, of in labels.items()]
    return _("Bias counts {values}.").format(values=joined(counted))


def _each(result: HabitsResult) -> Iterator[tuple[LabelHabits, Habits]]:
    return ((label, one) for label in result.labels for one in label.annotators)


def _seconds(found: Agreement) -> str:
    return "–" if found.value is None else spread(f"{found.value:.1f}", f"{found.low:.1f}", f"{found.high:.1f}")


def consensus_rows(result: ConsensusResult) -> list[Row]:
    """One row per label: what its items are estimated to be, and whether to believe it."""
    return [
        {
            "label": label.label,
            "shares": _shares(label.values, label.shares),
            "items": str(label.n_items),
            "labels": str(label.n_labels),
            "iterations": str(label.iterations) if label.converged else _("{n} (stopped)").format(n=label.iterations),
            "log-likelihood": f"{label.log_likelihood:.2f}",
            "note": told(label.why_not_identified),
        }
        for label in result.labels
    ]


def _shares(called: Mapping[str, str], shares: Mapping[str, float]) -> str:
    """The values that come up at all, with their shares."""
    return " · ".join(f"{called[value]} {percent(share)}" for value, share in shares.items() if share >= 0.0005)


def error_rate_rows(result: ConsensusResult) -> list[Row]:
    """One row per label, person and estimated true value: how often each answer was given."""
    return [
        {
            "label": label.label,
            "person": result.names.get(person, person),
            "where it is": label.values[true],
            "answers": _shares(label.values, rates) if rates else _("met no such item"),
        }
        for label in result.labels
        for person, by_true in label.error_rates.items()
        for true, rates in by_true.items()
    ]
