"""Running a judge over a study: what it is asked, what is kept, and how its verdicts join the others."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from audit_app.actions.judge_ledger import Ledger, RunOptions
from audit_app.actions.judge_verdicts import publish
from audit_app.actions.judge_work import questions, response_ids
from data.errors import StudyProblem
from data.questions import Question
from data.store import judge_runs, judgements
from data.store.connection import Store, now, open_store
from data.store.turns import turns
from data.study import Study
from judge.judge import Judge, JudgeError, Key, canonical
from judge.prompts import judge_prompt, view_hash
from judge.run import Run, Tally
from judge.spending import OUTPUT_TOKENS, Estimate, tokens_of

Told = Callable[[Tally, int], None]
"""Gets what was counted so far and how many labels need no answer (any more)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRun:
    """What a run did."""

    judge: str
    model: str
    parameters: Mapping[str, object]
    n_responses: int
    labels: tuple[str, ...]
    n_known: int
    """Labels that were there already."""
    n_not_asked: int
    """Labels of responses that lack what they compare: a context, a gold answer."""
    n_left: int
    """Labels that are still to be asked for."""
    seconds: float
    cost: float | None
    """Of this run; None where no price was given."""
    cost_so_far: float | None
    """Of all runs of this judge."""
    quotes_so_far: int
    quotes_not_in_context: int
    tally: Tally

    @property
    def complete(self) -> bool:
        """Whether every label has an answer, if only an unreadable one."""
        return not (self.n_left or self.tally.n_no_reply)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "complete": self.complete}


def run_judge(
    study: Study,
    name: str,
    judge: Judge,
    options: RunOptions,
    *,
    closing: AbstractAsyncContextManager[Any] | None = None,
    told: Told = lambda tally, settled: None,
    command: str | None = None,
) -> JudgeRun:
    """Asks a judge, keeps every answer as it comes, and lets its verdicts join those of the others.

    What is there already is not asked again: the same command goes on where it was stopped or killed.

    Args:
        study: The study.
        name: What the judge is called in results.
        judge: Who judges.
        options: What is asked, and how.
        closing: Closed when all is done, such as the connections of the judge.
        told: Called after every judgement.
        command: The command line that does this, kept with the run.

    Raises:
        StudyProblem: The name stands for another judge, nothing fits, another run of this judge is asking for the same
            labels, or the judge cannot work; what was answered before is kept.
    """
    asked, ids, start = questions(study, options.asked.labels), response_ids(study, options.asked), time.monotonic()
    labels = [question.name for question in asked] + ["claims"] * options.claims
    with _turn(study, name, labels), open_store(study) as store:
        ledger = Ledger(study, store, name, judge, options)
        before, begun, stopped = ledger.spent(), now(), "interrupted"
        run = Run(
            judge,
            recall=ledger.recall,
            keep=ledger.keep,
            concurrency=options.concurrency,
            spending=ledger.spending(),
            told=lambda tally: told(tally, ledger.n_known + ledger.n_not_asked),
        )
        try:
            asyncio.run(_over(run, ledger, asked, ids, options.claims, closing))
            stopped = run.tally.stopped or ""
        except JudgeError as problem:
            stopped = str(problem)
            raise StudyProblem(stopped) from None
        finally:
            publish(study, store, name)
            wanted = len(ids) * (len(asked) + 2 * options.claims)
            left = max(0, wanted - ledger.n_known - ledger.n_not_asked - run.tally.n) if stopped else 0
            cost = ledger.spent() - before if options.price else None
            kept = {"judge": name, "command": command, "begun_at": begun, "n_calls": run.tally.n_calls, "cost": cost,
                    "n_left": left + run.tally.n_no_reply, "stopped": stopped or None}  # fmt: skip
            judge_runs.add(store, kept)
        return _outcome(store, ledger, run.tally, asked, len(ids), options, cost, left, time.monotonic() - start)


@contextmanager
def _turn(study: Study, judge: str, labels: Sequence[str]) -> Iterator[None]:
    """What two runs ask for at the same time both would ask for, and pay for."""
    label_of = {f"judge\x1f{judge}\x1f{label}": label for label in labels}
    with turns(study, list(label_of)) as busy:
        if busy is not None:
            raise StudyProblem(
                f"another run of judge {judge!r} is asking for {label_of[busy]} in this study just now; "
                "nothing was asked. Wait until it is over, and give the command again: it asks for what is left"
            )
        yield


def _outcome(
    store: Store,
    ledger: Ledger,
    tally: Tally,
    asked: Sequence[Question],
    n_responses: int,
    options: RunOptions,
    cost: float | None,
    n_left: int,
    seconds: float,
) -> JudgeRun:
    """What a run did, and what stands of the judge by now."""
    n_quotes, n_not = judgements.quotes(store, ledger.name)
    return JudgeRun(
        judge=ledger.name,
        model=ledger.judge.model,
        parameters=ledger.judge.parameters,
        n_responses=n_responses,
        labels=tuple(question.name for question in asked),
        n_known=ledger.n_known,
        n_not_asked=ledger.n_not_asked,
        n_left=n_left,
        seconds=seconds,
        cost=cost,
        cost_so_far=ledger.spent() if options.price else None,
        quotes_so_far=n_quotes,
        quotes_not_in_context=n_not,
        tally=tally,
    )


async def _over(
    run: Run,
    ledger: Ledger,
    asked: Sequence[Question],
    ids: Sequence[str],
    claims: bool,
    closing: AbstractAsyncContextManager[Any] | None,
) -> None:
    try:
        await run.over(ledger.work(asked, ids))
        if claims:
            await run.over(ledger.claims(ids))
            await run.over(ledger.supports(ids))
    finally:
        if closing is not None:
            await closing.__aexit__(None, None, None)


def estimate(study: Study, name: str, judge: Judge, options: RunOptions) -> Estimate:
    """What a run would ask and cost; asks nothing. The support of claims is known only once these are split.

    Raises:
        StudyProblem: The name stands for another judge, or nothing fits.
    """
    asked, ids = questions(study, options.asked.labels), response_ids(study, options.asked)
    prompts: dict[Key, int] = {}
    with open_store(study) as store:
        ledger = Ledger(study, store, name, judge, options)
        so_far = judgements.judges(store).get(name)
        for work in ledger.all_work(asked, ids):
            key = Key(
                view_hash=view_hash(work.view),
                prompt_hash=judge.prompt_hash(work.question),
                model=judge.model,
                parameters=canonical(judge.parameters),
            )
            if ledger.recall(key) is None:
                prompts[key] = tokens_of(judge_prompt(work.question, work.view))
    known = so_far["output_tokens"] / so_far["n_calls"] if so_far and so_far["n_calls"] else 0
    n_input, n_output = sum(prompts.values()), round(len(prompts) * (known or OUTPUT_TOKENS))
    cost = options.price.cost(n_input, n_output) if options.price else None
    return Estimate(n_calls=len(prompts), input_tokens=n_input, output_tokens=n_output, cost=cost)
