"""The first screen of a lead: one corrected number per metric, for whom it holds, and what is missing."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from audit_app import figures, state
from audit_app.actions import budgeting, metric_rows, results
from audit_app.actions import report as reports
from audit_app.actions.choices import choices
from audit_app.actions.contexts import broken_rows, context_audit
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.leak_audit import leak_audit
from audit_app.actions.leak_rows import audit_tables
from audit_app.actions.seal import OPENING, unseal
from audit_app.actions.wording import percent
from audit_app.dot_plot import Dot, dots
from audit_app.language import _, joined, mark, speaking
from audit_app.reasons import described, titled, told
from audit_app.report_options import Options, choose
from data.errors import StudyProblem
from data.study import Study
from metrics.definitions import WARRANTS

METHODS = {
    "naive": mark("the judge's labels at face value, over all responses."),
    "human-only": mark("people's labels alone, weighted by how likely each response was to be drawn."),
    "corrected": mark(
        "the judge's labels on all responses, repaired by people's labels on the drawn ones. A "
        "poor judge makes the interval wider, not wrong."
    ),
}


def render() -> None:
    """Draws the screen."""
    study = state.study()
    with figures.screen(study, _("Report")):
        given = choices(study)
        top = st.container()
        options = choose(study, given)
        result = results.metrics(
            study,
            sample_id=options.sample_id,
            judge=options.judge,
            by=options.by,
            names=results.HEADLINE + (results.TAXONOMY if options.taxonomy else ()),
            grounding=options.grounding,
            target=options.target,
            about=options.about,
            annotators=options.annotators,
            average=options.average,
            borrow=options.borrow,
        )
        with top:
            _headline(study, result)
        _closer(result, options)
        if result.seal.is_open:
            if options.target == "A":
                figures.closer(_("What to buy next"), "budgets", partial(_budgets, study, options))
            if "context" in study.rubric.passes("context"):
                figures.closer(_("Construction errors"), "contexts", partial(_contexts, study, result, options.by))
                figures.closer(_("Leaks"), "leaks", partial(_leaks, study, result))
            _downloads(study, options)


def _headline(study: Study, result: results.MetricsResult) -> None:
    """For whom the numbers hold, the seal, the numbers, what is missing, what they mean."""
    overall = [estimate for estimate in result.estimates if not estimate.slice and estimate.metric in results.HEADLINE]
    st.html(figures.sentence(result.sentence))
    if result.seal.is_open:
        st.html(figures.sentence(result.seal.sentence, soft=True))
    else:
        _sealed(study, result)
    st.html(_figure({"": _by_metric(overall)}, sealed=not result.seal.is_open))
    st.html(figures.heading(_("What is missing")))
    st.html(figures.listed(missing(result)))
    with st.expander(_("What the numbers mean")):
        st.html(figures.defined(described(_names(result.estimates))))
        st.html(figures.defined(METHODS))


def _sealed(study: Study, result: results.MetricsResult) -> None:
    """Why nothing is shown, and the way to open it early."""
    st.html(figures.sentence(figures.sealed(result.seal), notice=True))
    with st.expander(_("Open results early")), st.form("unseal", border=False):
        st.html(
            figures.sentence(
                _("This is for good: results cannot be sealed again, and the reason is printed with every result.")
                + " "
                + _(OPENING)
            )
        )
        reason = st.text_input(_("Why now?"), max_chars=300)
        if st.form_submit_button(_("Open results for good")):
            if reason.strip():
                unseal(study, reason.strip())
                st.rerun()
            st.html(figures.sentence(_("Give a reason first; readers will want to know it."), notice=True))


def missing(result: results.MetricsResult) -> list[str]:
    """What the numbers do not rest on, in sentences."""
    found = []
    if result.n_answered < result.n_drawn:
        found.append(
            _("{n} of {of} drawn responses are not labelled yet.").format(
                n=result.n_drawn - result.n_answered, of=result.n_drawn
            )
        )
    if result.judge is None:
        found.append(_("No verdicts are imported: there is no naive number, and people's labels stand alone."))
    overall = [e for e in result.estimates if not e.slice]
    for count, names in _dropped(overall, "corrected").items():
        left_out = _("{names}: {n} of {of} answered responses left out (a label was skipped or could not be judged).")
        found.append(left_out.format(names=names, n=count, of=result.n_answered))
    for count, names in _dropped(overall, "naive").items() if result.judge else ():
        found.append(
            _("{names}: the judge gave no usable label for {count} of {n_frame} responses.").format(
                names=names, count=count, n_frame=result.n_frame
            )
        )
    for count, names in _waiting(overall, result.n_answered).items():
        found.append(
            _("{names}: {count} of {n_answered} answered responses still wait for a label.").format(
                names=names, count=count, n_answered=result.n_answered
            )
        )
    found += _bounded(overall)
    found += result.remarks
    if result.target == "B" and not result.seal.is_open:
        found.append(_("How much of the overlap is decided is said once results are open."))
    return found or [_("Nothing: every drawn response is labelled, and every label could be used.")]


def _dropped(estimates: Sequence[DetailedEstimate], method: str) -> dict[int, str]:
    """The metrics that leave out the same number of rows, by that number."""
    names = defaultdict(list)
    for estimate in estimates:
        if estimate.method == method and estimate.n_dropped:
            names[estimate.n_dropped].append(estimate.metric)
    return {count: joined(metrics) for count, metrics in names.items()}


def _bounded(estimates: Sequence[DetailedEstimate]) -> list[str]:
    """What unusable labels could do to the metrics, those together that lack as many."""
    ranges = defaultdict(list)
    for estimate in estimates:
        if estimate.bounds is not None:
            ends = _("between {lowest} and {highest}").format(
                lowest=percent(estimate.bounds.lowest), highest=percent(estimate.bounds.highest)
            )
            ranges[estimate.bounds.n_unusable].append(_("{metric} {ends}").format(metric=estimate.metric, ends=ends))
    return [f"{metric_rows.if_unusable(count).capitalize()}: {joined(those)}." for count, those in ranges.items()]


def _waiting(estimates: Sequence[DetailedEstimate], n_answered: int) -> dict[int, str]:
    """The metrics for which the same number of rows is not fully labelled yet, by that number."""
    names = defaultdict(list)
    for estimate in estimates:
        left = n_answered - estimate.n - estimate.n_dropped
        if estimate.method == "corrected" and left > 0 and estimate.metric not in WARRANTS:
            names[left].append(estimate.metric)
    return {count: joined(metrics) for count, metrics in names.items()}


def _closer(result: results.MetricsResult, options: Options) -> None:
    """The taxonomy and the slices that were asked for, and every number as text."""
    sealed = not result.seal.is_open
    if options.taxonomy:
        shares = [e for e in result.estimates if not e.slice and e.metric in results.TAXONOMY]
        st.html(_figure({_("Grounding taxonomy, all responses"): _by_metric(shares)}, sealed=sealed))
    if options.by:
        _sliced(result, results.HEADLINE, sealed=sealed)
    if options.by and options.taxonomy:
        with st.expander(_("Grounding taxonomy by {by}").format(by=joined(map(_, options.by)))):
            _sliced(result, results.TAXONOMY, sealed=sealed)
    if not sealed:
        with st.expander(_("All numbers, also from people's labels alone")):
            st.html(figures.table(metric_rows.metric_rows(result.estimates, details=True)))


def _budgets(study: Study, options: Options) -> None:
    """Where the width of each headline number comes from."""
    found = results.metrics(
        study,
        sample_id=options.sample_id,
        judge=options.judge,
        grounding=options.grounding,
        about=options.about,
        annotators=options.annotators,
        average=options.average,
        budget=True,
    )
    st.html(figures.sentence(_(reports.BUDGETED)))
    st.html(figures.table(budgeting.budget_rows(found.budgets)))
    st.html(figures.listed([*budgeting.budget_lines(found.budgets), *found.of_annotators]))


def _contexts(study: Study, result: results.MetricsResult, by: Sequence[str]) -> None:
    """What the context audit found, how many contexts that makes, and what it does to the numbers."""
    audit = context_audit(study, sample_id=result.sample_id, target=result.target)
    if not audit.n_drawn:
        st.html(
            figures.sentence(_("No contexts were drawn: draw a sample with contexts to audit how they were built."))
        )
        return
    st.html(figures.sentence(audit.sentence))
    st.html(figures.table(broken_rows(audit)))
    views = reports.views(study, result, by=by)
    if views:
        st.html(figures.sentence(_(reports.VIEWED)))
        st.html(figures.table(metric_rows.view_rows(views)))
    if audit.findings:
        st.html(figures.table(reports.finding_rows(audit)))


def _leaks(study: Study, result: results.MetricsResult) -> None:
    """How many contexts give the answer away, and what the screens find of it."""
    try:
        audit = leak_audit(study, sample_id=result.sample_id)
    except StudyProblem as problem:
        st.html(figures.sentence(told(str(problem))))
        return
    st.html(figures.sentence(audit.sentence))
    for title, rows in audit_tables(audit).items():
        st.html(figures.sentence(_(title)))
        st.html(figures.table(rows))


def _sliced(result: results.MetricsResult, names: Sequence[str], *, sealed: bool) -> None:
    sliced = [e for e in result.estimates if e.slice and e.metric in names]
    groups = {_title(name): _by_slice([e for e in sliced if e.metric == name]) for name in _names(sliced)}
    st.html(_figure(groups, sealed=sealed))


def _downloads(study: Study, options: Options) -> None:
    """The report as files; made when somebody asks for them, in English."""

    def made(form: Callable[[reports.Report], str]) -> str:
        with speaking("en"):
            return form(
                reports.report(study, sample_id=options.sample_id, judge=options.judge, grounding=options.grounding)
            )

    with st.container(horizontal=True):
        for label, form, name, kind in (
            (_("Download report.md"), reports.as_markdown, "report.md", "text/markdown"),
            (_("Download report.json"), reports.as_json, "report.json", "application/json"),
        ):
            st.download_button(label, partial(made, form), name, kind, on_click="ignore")


def _names(estimates: Sequence[DetailedEstimate]) -> list[str]:
    return list(dict.fromkeys(estimate.metric for estimate in estimates))


def _title(name: str) -> str:
    return _("{name}: {what}").format(name=name, what=titled(name)) if name in results.HEADLINE else titled(name)


def _by_metric(estimates: Sequence[DetailedEstimate]) -> list[Dot]:
    taxonomy = {name: titled(name) for name in results.TAXONOMY}
    return [
        _dot([e for e in estimates if e.metric == name], taxonomy.get(name, name), titled(name))
        for name in _names(estimates)
    ]


def _by_slice(estimates: Sequence[DetailedEstimate]) -> list[Dot]:
    slices = dict.fromkeys(tuple(e.slice.values()) for e in estimates)
    return [
        _dot([e for e in estimates if tuple(e.slice.values()) == values], " · ".join(v or _("(none)") for v in values))
        for values in slices
    ]


def _dot(estimates: Sequence[DetailedEstimate], name: str, title: str = "") -> Dot:
    """One metric on one slice: corrected as the dot, naive beside it."""
    by_method = {estimate.method: estimate for estimate in estimates}
    naive, corrected = by_method.get("naive"), by_method["corrected"]
    return Dot(
        name=name,
        title=_("borrowed") if corrected.tier == "borrowed" else "" if title == name else title,
        value=corrected.value,
        low=corrected.low,
        high=corrected.high,
        words=told(corrected.why_undefined) or metric_rows.number(corrected),
        beside=naive.value if naive else None,
        beside_words=(told(naive.why_undefined) or percent(naive.value)) if naive else "",
    )


def _figure(groups: dict[str, list[Dot]], *, sealed: bool) -> str:
    key = (_("corrected: as people would have scored, with its 95 % interval"), _("naive: the judge's word"))
    return dots(groups, words=_("Corrected"), beside="" if sealed else _("Naive"), key=key)
