"""What is known of leaks, as rows of text."""

from collections.abc import Sequence

from audit_app.actions.leak_audit import LeakAudit, LeakShare, figure
from audit_app.actions.metric_rows import metric_rows
from audit_app.actions.wording import percent, with_interval
from metrics.construction import Broken

Row = dict[str, str]


def audit_tables(audit: LeakAudit) -> dict[str, list[Row]]:
    """The tables of an audit of leaks by what each shows; those without rows are left out."""
    tables = {
        "Contexts that give the reference answer, by people who had seen no hit:": share_rows(audit.shares, "give it"),
        "Contexts that a blind reader (stage 1) reads otherwise than their condition says:": share_rows(
            audit.surprising, "read otherwise"
        ),
        "The screens against these people:": screen_rows(audit),
        "Abstentions, by the audit of their contexts:": metric_rows(audit.abstentions),
    }
    return {title: rows for title, rows in tables.items() if rows}


def share_rows(shares: Sequence[LeakShare], what: str) -> list[Row]:
    """One row per condition (and regime): how many of the read contexts, and the share of all."""
    return [
        {
            "condition": one.condition or "(none)",
            "regime": "" if one.regime is None else one.regime or "(none)",
            what: f"{one.n_true} of {one.estimate.share.n} read",
            "estimated share": with_interval(share.value, share.low, share.high),
            "note": _note(one.estimate),
        }
        for one in shares
        for share in [one.estimate.share]
    ]


def _note(found: Broken) -> str:
    share = found.share
    if share.value is None:
        return share.why_undefined or ""
    if not share.n_dropped or found.lowest is None or found.highest is None:
        return ""
    return (
        f"between {percent(found.lowest)} and {percent(found.highest)}, whatever the {share.n_dropped} unread ones are"
    )


def screen_rows(audit: LeakAudit) -> list[Row]:
    """The screens against people: of absences, and of all contexts."""
    return [
        {
            "contexts": "all conditions" if name == "all" else name,
            "sensitivity": figure(found, "sensitivity"),
            "specificity": figure(found, "specificity"),
            "right when they flag": figure(found, "positive_predictive_value"),
            "n": str(found.n),
        }
        for name, found in audit.screens.items()
    ]
