"""How far a judge can be trusted: its labels against people's, and against saying always the same."""

from functools import partial
from typing import Literal

import streamlit as st

from agreement.confusion import JudgeAgreement
from agreement.result import Agreement
from audit_app import figures, state
from audit_app.actions import judge_overview, judge_rows, judges_tables
from audit_app.actions.choices import Choices, choices
from audit_app.actions.judge_trials import Trial, latest
from audit_app.actions.judges import Judges, JudgesQuestion, compare_judges
from audit_app.actions.judging import JudgeCheck, judge_check
from audit_app.actions.trust import RULE
from audit_app.actions.wording import coefficient, percent, when, with_interval
from audit_app.dot_plot import Dot, dots
from audit_app.language import _, isolated, mark
from audit_app.reasons import told
from data.rubric import Rubric
from data.study import Study

CEILING = mark(
    "What a judge can be expected to reach is what people reach with each other. Either is "
    "compared with one person drawn at random from those who labelled an item, never with a "
    "consensus; weighted to all responses."
)
NOBODY = mark(
    "Nobody has labelled a drawn response that the judge scored. People open their links and "
    "label; to see where they are, look at what is missing on the Report screen."
)
OVERLAP = mark("Draw a sample with an overlap, for example evidence-audit sample draw --name overlap --overlap 0.25.")

UNTESTED = mark(
    "No judge has been tested here. On the command line, evidence-audit judge canary asks a judge about answers that "
    "are right and in no passage, and evidence-audit judge ablate changes what it is shown."
)
NO_VERDICTS = mark(
    "There are no verdicts yet. Import them with evidence-audit import verdicts FILE, or let a judge give some, see "
    "below."
)
NOT_RUN = mark(
    "No judge was run here. Where no verdicts were imported, a command such as this lets a judge label what is drawn:"
)
GO_ON = mark("To go on with judge {judge}, or to judge what was drawn since, where the study is:")
TESTS: dict[Literal["canary", "ablation"], str] = {"canary": mark("canaries"), "ablation": mark("wiring")}
HEADINGS = (judges_tables.AGREEMENT, judges_tables.METRICS)
"""What is shown here; the orders of models are sentences, and a table on the Compare screen."""

WORDS = {
    "sensitivity": mark("of what people call yes, the share that the judge calls yes."),
    "specificity": mark("of what people call no, the share that the judge calls no."),
    "accuracy": mark(
        "the share on which the judge says what people say. Worth something only where it is "
        "above what always saying yes, or always saying no, would reach."
    ),
    "kappa": mark(
        "Cohen's kappa: agreement beyond what two raters with these shares of yes would reach by "
        "chance. It is low when almost everything is yes, or no, even if the two agree nearly "
        "always."
    ),
    "F1": mark("the harmonic mean of sensitivity and of how often people say yes where the judge does."),
    "MCC": mark("Matthews' correlation of the two labels: 1 is full agreement, 0 is none."),
    "kappa (quadratic), alpha (ordinal)": mark(
        "for diagnostics: agreement beyond chance, near misses counted in part."
    ),
    "n": mark("responses with a label of people and of the judge."),
    "dropped": mark("responses that people labelled but the judge left unscored."),
}


def render() -> None:
    """Draws the screen."""
    study = state.study()
    with figures.screen(study, _("Judge")):
        given = choices(study)
        if not given.seal.is_open:
            st.html(figures.sentence(figures.sealed(given.seal), notice=True))
            st.html(figures.sentence(_("They can be opened early on the Report screen."), soft=True))
        else:
            _checked(study, given)
        figures.closer(_("Judges that were run here"), "judges-run", partial(_run_here, study))
        _tested(study)


def _checked(study: Study, given: Choices) -> None:
    """A judge against people."""
    left, right = st.columns(2)
    with left:
        judge = figures.pick_judge(given)
    with right:
        sample_id = figures.pick_sample(given)
    if judge is None:
        st.html(figures.sentence(_(NO_VERDICTS), notice=True))
        return
    check = judge_check(study, sample_id=sample_id, judge=judge)
    if any(found.n for found in check.labels.values()):
        st.html(figures.sentence(check.answer))
        st.html(figures.sentence(_(RULE), soft=True))
    st.html(figures.sentence(check.sentence))
    if check.tuned_sentence:
        st.html(figures.sentence(check.tuned_sentence, notice=True))
    if check.undated_sentence:
        st.html(figures.sentence(check.undated_sentence, soft=True))
    _draw(check, study.rubric)
    st.html(figures.heading(_("Look closer")))
    by = figures.pick_slices(given, "judge-by")
    if by:
        sliced = judge_check(study, sample_id=sample_id, judge=judge, by=by)
        st.html(figures.table(judge_rows.judge_rows(sliced)))
    _closer(check, study.rubric)
    if len(given.judges) > 1 and st.toggle(_("All judges side by side"), key="judges-compared"):
        _compared(compare_judges(study, JudgesQuestion(sample_id=sample_id)))


def _run_here(study: Study) -> None:
    """How far judges are that were run here, and how to go on; nothing of what they said."""
    found = judge_overview.judge_overview(study)
    if found:
        st.html(figures.table(judge_overview.overview_rows(found)))
    for judge, command in judge_overview.commands(found).items():
        st.html(figures.sentence(_(GO_ON).format(judge=judge) if judge else _(NOT_RUN)))
        st.code(command, language=None, wrap_lines=True)


def _compared(found: Judges) -> None:
    """Every judge with people and with each other, and what the metrics and the order of models are under each."""
    for sentence in judges_tables.sentences(found):
        st.html(figures.sentence(sentence))
    shown = judges_tables.tables(found)
    for heading in (name for name in HEADINGS if name in shown):
        st.html(figures.heading(_(heading)))
        st.html(figures.table(shown[heading]))


def _tested(study: Study) -> None:
    """What came out when judges were put to a test here: no labels of people are needed for that."""
    with st.expander(_("Tests of judges: wiring and canaries")):
        found = latest(study)
        if not found:
            st.html(figures.sentence(_(UNTESTED), notice=True))
            return
        st.html(figures.table([_trial(one) for one in found]))


def _trial(one: Trial) -> dict[str, str]:
    return {
        "judge": one.judge,
        "test": _(TESTS[one.kind]),
        "metric": one.metric,
        "when": when(one.at),
        "outcome": _(_outcome(one)),
        "what was found": told(one.sentence),
    }


def _outcome(one: Trial) -> str:
    if one.baseline:
        return mark("baseline")
    return mark("cannot tell") if one.passed is None else mark("passed") if one.passed else mark("not passed")


def _draw(check: JudgeCheck, rubric: Rubric) -> None:
    compared = [_accuracy(name, rubric[name].title, found) for name, found in check.labels.items() if found.n]
    if compared:
        key = (_("the judge, with its 95 % interval"), _("the better of always saying yes and always saying no"))
        st.html(dots({"": compared}, words=_("Accuracy"), beside=_("Always saying"), key=key))
    else:
        st.html(figures.sentence(_(NOBODY), notice=True))
    st.html(figures.table([_row(name, found) for name, found in check.labels.items()]))


def _closer(check: JudgeCheck, rubric: Rubric) -> None:
    """What is one click away."""
    with st.expander(_("Two people with each other, on the same items")):
        _ceiling(check)
    if check.diagnostics:
        with st.expander(_("Diagnostics")):
            st.html(figures.table(judge_rows.diagnostic_rows(check)))
    with st.expander(_("May the judge stand in for an annotator?")):
        _alternative(check)
    with st.expander(_("The two-by-two tables behind it")):
        st.html(figures.sentence(_("Responses that the labelled ones stand for, and in brackets those labelled.")))
        for name, found in check.labels.items():
            st.html(figures.heading(_("{name}: {what}").format(name=name, what=rubric[name].title)))
            st.html(figures.cross(_cells(found)))
            st.html(figures.table(_more(found)))
    with st.expander(_("What the numbers mean")):
        st.html(figures.defined(WORDS))


def _ceiling(check: JudgeCheck) -> None:
    st.html(figures.sentence(_(CEILING)))
    rows = [row for row in judge_rows.ceiling_rows(check) if row["items"] != "0"]
    if rows:
        st.html(figures.table(rows))
    else:
        st.html(
            figures.sentence(
                _("No response has labels of two people and of the judge yet. {overlap}").format(overlap=_(OVERLAP)),
                notice=True,
            )
        )


def _alternative(check: JudgeCheck) -> None:
    if not check.alternative:
        st.html(figures.sentence(_(NOBODY), notice=True))
        return
    st.html(figures.sentence(judge_rows.alternative_sentence(check)))
    tested = judge_rows.alternative_rows(check)
    if tested:
        st.html(figures.table(tested))
        st.html(figures.heading(_("Against each annotator")))
        st.html(figures.table(judge_rows.contest_rows(check)))
    refused = judge_rows.refusals(check)
    if refused:
        st.html(figures.listed(refused))


def _accuracy(name: str, title: str, found: JudgeAgreement) -> Dot:
    """Accuracy as the dot; beside it the better of the two judges that look at nothing."""
    trivial = {"yes": found.always_yes.value, "no": found.always_no.value}
    best, value = max(trivial.items(), key=lambda item: item[1] or 0.0)
    return Dot(
        name=name,
        title=title,
        value=found.accuracy.value,
        low=found.accuracy.low,
        high=found.accuracy.high,
        words=share(found.accuracy),
        beside=value,
        beside_words=f"{_(best)} {percent(value)}" if value is not None else "",
    )


def _row(name: str, found: JudgeAgreement) -> dict[str, str]:
    if found.accuracy.why_undefined:
        return {
            "label": name,
            "note": told(found.accuracy.why_undefined),
            "n": str(found.n),
            "dropped": str(found.n_dropped),
        }
    return {
        "label": name,
        "sensitivity": share(found.sensitivity),
        "specificity": share(found.specificity),
        "accuracy": share(found.accuracy),
        "always yes": share(found.always_yes),
        "always no": share(found.always_no),
        "kappa": coefficient(found.kappa),
        "n": str(found.n),
        "dropped": str(found.n_dropped),
    }


def _cells(found: JudgeAgreement) -> list[list[str]]:
    """Weighted rows, and the labelled rows in brackets, as text."""
    return [
        [isolated(f"{weighted:.0f} ({count})") for weighted, count in zip(*rows, strict=True)]
        for rows in zip(found.table, found.counts, strict=True)
    ]


def _more(found: JudgeAgreement) -> list[dict[str, str]]:
    shares = {
        _("people say yes, where the judge says yes"): found.positive_predictive_value,
        _("people say no, where the judge says no"): found.negative_predictive_value,
        _("people say yes, of all"): found.human_prevalence,
        _("the judge says yes, of all"): found.judge_prevalence,
    }
    rows = [{"figure": what, "value": share(figure)} for what, figure in shares.items()]
    return [
        *rows,
        {"figure": "F1", "value": coefficient(found.f1)},
        {"figure": "MCC", "value": coefficient(found.mcc)},
    ]


def share(found: Agreement) -> str:
    """A share with its interval, or the sentence that says why there is none."""
    return told(found.why_undefined) or with_interval(found.value, found.low, found.high)
