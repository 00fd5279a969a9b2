"""What is known of leaks, as rows of text."""

from collections.abc import Sequence

from audit_app.actions.leak_audit import LeakAudit, figure
from audit_app.actions.leak_draws import LeakShare
from audit_app.actions.leaks import ABSENCE
from audit_app.actions.metric_rows import metric_rows
from audit_app.actions.wording import percent, with_interval
from audit_app.language import _, mark, ngettext
from audit_app.reasons import told
from metrics.construction import Broken
from metrics.correction import FLOOR

Row = dict[str, str]

LISTED = 20
"""Absences that are listed unless all are asked for."""


def audit_tables(audit: LeakAudit, *, every: bool = False) -> dict[str, list[Row]]:
    """The tables of an audit of leaks by what each shows; those without rows are left out.

    Absences come first, and by regime; other conditions by regime only where `every` one is wanted.
    """
    shares = [one for one in audit.shares if every or one.regime is None or one.condition == ABSENCE]
    shares = sorted(shares, key=lambda one: one.condition != ABSENCE)
    reads = mark("Contexts that a blind reader (stage 1) reads otherwise than their condition says:")
    gives = mark("Contexts that give the reference answer, by people who had seen no hit:")
    tables = {
        gives: share_rows(shares, mark("give it")),
        reads: share_rows(audit.surprising, mark("read otherwise")),
        mark("The screens against these people:"): screen_rows(audit),
        mark("Absences that are flagged or were read, the likeliest leak first:"): chance_rows(
            audit, None if every else LISTED
        ),
        mark("Abstentions, by the audit of their contexts:"): metric_rows(audit.abstentions),
    }
    return {title: rows for title, rows in tables.items() if rows}


def share_rows(shares: Sequence[LeakShare], what: str) -> list[Row]:
    """One row per condition (and regime): how many of the read contexts, and the share of all."""
    return [
        {
            "condition": one.condition or _("(none)"),
            "regime": "" if one.regime is None else one.regime or _("(none)"),
            what: _("{n} of {of} read").format(n=one.n_true, of=one.estimate.share.n),
            "estimated share": with_interval(share.value, share.low, share.high),
            "note": _note(one.estimate),
        }
        for one in shares
        for share in [one.estimate.share]
    ]


def _note(found: Broken) -> str:
    share = found.share
    if share.tier == "refused":
        few = ngettext(
            "{n} read context is too few for a share; {least} are needed",
            "{n} read contexts are too few for a share; {least} are needed",
            share.n,
        )
        return few.format(n=share.n, least=FLOOR)
    if share.value is None:
        return told(share.why_undefined)
    if not share.n_dropped or found.lowest is None or found.highest is None:
        return ""
    said = ngettext(
        "between {lowest} and {highest}, whatever the {n} unread context is",
        "between {lowest} and {highest}, whatever the {n} unread contexts are",
        share.n_dropped,
    )
    return said.format(lowest=percent(found.lowest), highest=percent(found.highest), n=share.n_dropped)


def screen_rows(audit: LeakAudit) -> list[Row]:
    """The screens against people: of absences, and of all contexts."""
    return [
        {
            "contexts": _("all conditions") if name == "all" else name,
            "sensitivity": figure(found, "sensitivity"),
            "specificity": figure(found, "specificity"),
            "right when they flag": figure(found, "positive_predictive_value"),
            "n": str(found.n),
        }
        for name, found in audit.screens.items()
    ]


def chance_rows(audit: LeakAudit, most: int | None = None) -> list[Row]:
    """One row per flagged or read absence: its score, the chance of a leak where there is one, and what people say."""
    said = {True: _("leak"), False: _("no leak"), None: _("not read")}
    rows = [
        {
            "context": one.context_id,
            "score": f"{one.score:.2f}",
            **({} if one.chance is None else {"chance of a leak": percent(one.chance)}),
            "people": said[one.leaks],
        }
        for one in audit.chances[:most]
    ]
    left = len(audit.chances) - len(rows)
    more = _("… and {n} more (all with --all)").format(n=left)
    return [*rows, {**dict.fromkeys(rows[0], ""), "context": more}] if left else rows
