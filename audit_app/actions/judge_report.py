"""What a run of a judge did, in sentences."""

import re
from collections.abc import Iterator, Mapping

from audit_app.actions.judge_claims import Faithfulness
from audit_app.actions.judge_run import JudgeRun
from audit_app.actions.wording import percent
from judge.spending import LIMITS, Estimate

_REFUSED = re.compile(r"the server answered 4(?!08|09|29)\d\d")
"""Errors that are not over by waiting."""

MOST_REASONS = 8
"""Reasons that are named; the others are in the export."""


def run_sentences(done: JudgeRun) -> Iterator[str]:
    """What happened, what is unscored and why, what is left and what to do about it."""
    tally = done.tally
    yield (
        f"Judge {done.judge}: {tally.n_scored} labels of {done.n_responses} responses scored, {tally.n_unscored} "
        f"unscored, {tally.n_no_reply} without a reply; {done.n_known} were there already."
    )
    if done.n_not_asked:
        lack = "a context, a reference answer"
        yield f"Not asked: {done.n_not_asked} labels of responses that lack what they compare ({lack})."
    for reason, n in _most(tally.reasons)[:MOST_REASONS]:
        example = tally.examples.get(reason)
        yield f"  {n} × {reason}" + (f", such as: {example}" if example else "")
    yield _effort(done)
    if len(tally.judge_models) > 1:
        yield f"Several models answered: {', '.join(f'{name} ({n})' for name, n in _most(tally.judge_models))}."
    if done.quotes_not_in_context:
        share = percent(done.quotes_not_in_context / done.quotes_so_far)
        yield (
            f"Quote not in context: {done.quotes_not_in_context} of this judge's {done.quotes_so_far} quotes "
            f"({share}). Such a judge makes them up, or has seen what it should not."
        )
    if tally.stopped:
        n_left = done.n_left + tally.n_no_reply
        yield f"Stopped: {tally.stopped}. {n_left} labels are left; what was answered is kept."
    yield from _advice(done)


def _advice(done: JudgeRun) -> Iterator[str]:
    """What to do about what is left or cut off."""
    refused = sum(n for reason, n in done.tally.reasons.items() if _REFUSED.fullmatch(reason))
    if any(reason.startswith("the reply was cut off") for reason in done.tally.reasons):
        limit = next((name for name in LIMITS if name in done.parameters), LIMITS[0])
        yield (
            f"Replies are cut off at {limit}={done.parameters.get(limit, 'as the server has it')}: give more with "
            f"--parameter {limit}=NUMBER, under another name (--judge NAME), because that is another judge."
        )
    if refused:
        yield (
            f"{refused} requests were refused as they are, and would be again: change what the server says is wrong "
            "with them (the length of its context, a --parameter), and then give the command again."
        )
    if not done.complete and refused < done.n_left + done.tally.n_no_reply:
        more = "raise --max-cost and give" if done.tally.stopped and "ceiling" in done.tally.stopped else "give"
        yield f"To go on, {more} the same command again: nothing that was answered is asked twice."


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: -entry[1])


def _effort(done: JudgeRun) -> str:
    tally = done.tally
    cost = f", cost {done.cost:.4g} ({done.cost_so_far:.4g} in all runs)" if done.cost is not None else ""
    retries = f" ({tally.n_retries} repeated requests)" if tally.n_retries else ""
    return (
        f"{tally.n_calls} calls{retries}, {tally.input_tokens:,} + {tally.output_tokens:,} tokens{cost}, "
        f"{done.seconds:.0f} s."
    )


def estimate_sentences(judge: str, found: Estimate) -> Iterator[str]:
    """What a run would take."""
    cost = f", cost about {found.cost:.4g}" if found.cost is not None else "; give --price for the cost"
    yield (
        f"Judge {judge} would be asked {found.n_calls} times: about {found.input_tokens:,} + {found.output_tokens:,} "
        f"tokens{cost}. Nothing was asked."
    )


def faithfulness_sentence(found: Faithfulness) -> str:
    """The supported share of claims."""
    if found.value is None:
        return f"Faithfulness is undefined: {found.why_undefined}."
    without = f"; {found.n_without} responses have no claims that were all judged" if found.n_without else ""
    return (
        f"Faithfulness (supported share of a response's claims, mean of {found.n} responses): {percent(found.value)}"
        f"{without}. Claim by claim: evidence-audit export claims."
    )
