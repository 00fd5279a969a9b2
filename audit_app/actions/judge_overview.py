"""The judges that were run here: what is judged, what is unscored and why, what it took, and how to go on.

It says nothing of what a judge said, so it may be seen while results are sealed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit_app.actions.judge_command import EXAMPLE, command_for
from audit_app.actions.seal import require_results
from audit_app.actions.wording import of, percent, when
from audit_app.language import _, isolated
from data.records import LABELS
from data.store import judge_runs, judgements
from data.store.connection import Store, open_store
from data.study import Study

MOST_REASONS = 4
"""Reasons that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCount:
    """How far a judge is with one label."""

    label: str
    n: int
    n_scored: int
    n_no_reply: int
    """Of the others; the next run asks for them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOverview:
    """A judge that was run here."""

    judge: str
    model: str
    labels: tuple[LabelCount, ...]
    reasons: Mapping[str, int]
    """Why labels are unscored, with how many, the most frequent first."""
    n_quotes: int
    n_not_in_context: int
    n_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    """Of the runs that were given a price; None when none was."""
    all_priced: bool
    """Whether each of its calls is in the cost."""
    last_at: str
    """When the last judgement came."""
    stopped: str | None
    """Why the last run ended before everything was asked; None when it did not, or was killed."""
    n_left: int | None
    """Labels that the last run left without an answer; None when it was killed, or an older version ran it."""
    command: str | None
    """Goes on with the last run; None where what is stored does not say how."""

    @property
    def n(self) -> int:
        """Labels of all items."""
        return sum(one.n for one in self.labels)

    @property
    def n_scored(self) -> int:
        """Those with a value."""
        return sum(one.n_scored for one in self.labels)


def judge_overview(study: Study) -> list[JudgeOverview]:
    """Every judge that was run here, by name.

    Raises:
        Refused: 403, whoever asks may not see results.
    """
    require_results(study)
    with open_store(study) as store:
        return [_one(store, judge, facts) for judge, facts in judgements.judges(store).items()]


def _one(store: Store, judge: str, facts: Mapping[str, Any]) -> JudgeOverview:
    runs = judge_runs.of_judge(store, judge)
    # After a run that was killed there are judgements that came later than the last end of one.
    last = runs[-1] if runs and runs[-1]["ended_at"] >= facts["last_at"] else None
    priced = [run for run in runs if run["cost"] is not None]
    n_quotes, n_not = judgements.quotes(store, judge)
    commands = [run["command"] for run in runs if run["command"]]
    return JudgeOverview(
        judge=judge,
        model=facts["model"],
        labels=tuple(sorted((LabelCount(**row) for row in judgements.counts(store, judge)), key=_place)),
        reasons=judgements.reasons(store, judge),
        n_quotes=n_quotes,
        n_not_in_context=n_not,
        n_calls=facts["n_calls"],
        input_tokens=facts["input_tokens"],
        output_tokens=facts["output_tokens"],
        cost=sum(run["cost"] for run in priced) if priced else None,
        all_priced=sum(run["n_calls"] for run in priced) == facts["n_calls"],
        last_at=facts["last_at"],
        stopped=last["stopped"] if last else None,
        n_left=last["n_left"] if last else None,
        command=commands[-1] if commands else command_for(judge, facts["model"], facts["parameters"]),
    )


def _place(one: LabelCount) -> tuple[int, str]:
    """D, A, G and C in the order in which they are asked, then the others."""
    return (LABELS.index(one.label) if one.label in LABELS else len(LABELS)), one.label


def overview_rows(found: Sequence[JudgeOverview]) -> list[dict[str, str]]:
    """One row per judge, in words."""
    return [
        {
            "judge": one.judge,
            "model": one.model if one.model != one.judge else "",
            "labels judged": isolated(", ".join(f"{label.label} {label.n_scored}" for label in one.labels)),
            "unscored": of(one.n - one.n_scored, one.n),
            "why unscored": _why(one),
            "quotes not in context": _quotes(one),
            "calls": f"{one.n_calls:,}",
            "tokens": isolated(f"{one.input_tokens:,} + {one.output_tokens:,}"),
            "cost": _cost(one),
            "last run": _last(one),
        }
        for one in found
    ]


def _why(one: JudgeOverview) -> str:
    named = [isolated(f"{n} × {reason}") for reason, n in list(one.reasons.items())[:MOST_REASONS]]
    return "; ".join([*named, *["…"] * (len(one.reasons) > MOST_REASONS)])


def _quotes(one: JudgeOverview) -> str:
    if not one.n_quotes:
        return _("no quotes")
    # A hard space: the share is not broken over two lines, wherever it ends up in a sentence that runs to the left.
    share = percent(one.n_not_in_context / one.n_quotes).replace(" ", "\xa0")
    return f"{of(one.n_not_in_context, one.n_quotes)} ({share})"


def _cost(one: JudgeOverview) -> str:
    if one.cost is None:
        return ""
    cost = f"{one.cost:.4g}"
    return cost if one.all_priced else _("{cost} or more: some calls had no price").format(cost=cost)


def _last(one: JudgeOverview) -> str:
    at = when(one.last_at)
    if one.n_left is None:
        return at
    if one.stopped:
        return _("{at}, stopped, labels left: {n} ({why})").format(at=at, n=one.n_left, why=one.stopped)
    return _("{at}, labels left: {n}").format(at=at, n=one.n_left) if one.n_left else _("{at}, complete").format(at=at)


def commands(found: Sequence[JudgeOverview]) -> dict[str, str]:
    """The command that goes on with each judge, where that is known; an example under no name where there is none."""
    return {one.judge: one.command for one in found if one.command} or {"": EXAMPLE}
