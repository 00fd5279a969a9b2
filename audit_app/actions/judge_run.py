"""Running a judge over a study: what it is asked, what is kept, and how its verdicts join the others."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from typing import Any

from audit_app.actions.judge_claims import CLAIMS_QUESTION, support_work
from audit_app.actions.judge_verdicts import publish
from audit_app.actions.judge_work import Asked, questions, response_ids, stream, work_of
from data import frame as frames
from data.errors import StudyProblem
from data.questions import Question
from data.store import judgements
from data.store.connection import Store, open_store
from data.study import Study
from data.views import DisclosureView, Item
from judge.judge import Judge, JudgeError, Judgement, Key, Quote, canonical
from judge.prompts import judge_prompt
from judge.run import Run, Spending, Tally, Work
from judge.spending import OUTPUT_TOKENS, Ceiling, Estimate, Price, tokens_of

Told = Callable[[Tally, int], None]
"""Gets what was counted so far and how many labels need no answer (any more)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a judge is run."""

    asked: Asked = field(default_factory=Asked)
    claims: bool = False
    """Whether responses are split into claims as well, and each of them judged against the passages."""
    concurrency: int = 8
    price: Price | None = None
    max_cost: float | None = None
    """Of all runs of this judge in this study together."""
    again: bool = False
    """Whether what was answered unreadably is asked again."""
    fresh: bool = False
    """Whether everything is asked, also what another judge's name was answered already: for a second date."""

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.price is None:
            raise StudyProblem("a ceiling needs to know what tokens cost: give --price INPUT,OUTPUT per million tokens")


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


class Bench:
    """A judge at work in a study: what it knows already, and where its judgements go."""

    def __init__(self, study: Study, store: Store, name: str, judge: Judge, options: RunOptions) -> None:
        self._study, self._store, self._judge, self._options = study, store, judge, options
        self.name = name
        self.n_known = self.n_not_asked = 0
        self._parameters = canonical(judge.parameters)
        _check_name(study, store, name, judge)

    def work(self, asked: Sequence[Question], ids: Sequence[str]) -> Iterator[Work]:
        """What is to be asked and was not answered yet, item by item."""
        for item in stream(self._study, ids):
            found = list(work_of(item, asked))
            self.n_not_asked += len(asked) - len(found)
            yield from (work for work in found if not self._is_known(work))

    def claims(self, ids: Sequence[str]) -> Iterator[Work]:
        """The splitting of responses into claims."""
        for item in self._with_context(ids):
            work = Work(item_kind="response", item_id=_id(item), question=CLAIMS_QUESTION, view=DisclosureView.of(item))
            if not self._is_known(work):
                yield work

    def supports(self, ids: Sequence[str]) -> Iterator[Work]:
        """The claims that were found, beside the passages."""
        for item in self._with_context(ids):
            row = judgements.standing(self._store, self.name, "response", _id(item), CLAIMS_QUESTION.name)
            work = support_work(item, row["value"] if row else None)
            self.n_not_asked += work is None
            if work and not self._is_known(work):
                yield work

    def _with_context(self, ids: Sequence[str]) -> Iterator[Item]:
        for item in stream(self._study, ids):
            if item.context is None:
                self.n_not_asked += 1
            else:
                yield item

    def _is_known(self, work: Work) -> bool:
        row = judgements.standing(self._store, self.name, work.item_kind, work.item_id, work.question.name)
        prompt = judge_prompt(work.question, work.view)
        known = (
            row is not None
            and (row["view_hash"], row["prompt_hash"]) == (prompt.view_hash, self._judge.prompt_hash(work.question))
            and bool(row["answered"])
            and (row["value"] is not None or not self._options.again)
        )
        self.n_known += known
        return known

    def recall(self, key: Key) -> Judgement | None:
        """The stored answer to the same, whoever was asked about whichever item."""
        of = self.name if self._options.fresh else None
        row = judgements.recall(self._store, key.view_hash, key.prompt_hash, key.model, key.parameters, judge=of)
        return None if row is None or (self._options.again and row["value"] is None) else judgement_of(row)

    def keep(self, work: Work, key: Key, said: Judgement, asked: bool) -> None:
        """Stores a judgement at once: whatever happens next, this one is not asked for again."""
        judgements.add(self._store, {
            "judge": self.name, "item_kind": work.item_kind, "item_id": work.item_id, "label": work.question.name,
            "value": said.value, "evidence": [asdict(quote) for quote in said.evidence], "rationale": said.rationale,
            "unscored_reason": said.unscored_reason, "answered": int(said.answered), "asked": int(asked),
            "model": key.model, "judge_model": said.judge_model, "prompt_hash": key.prompt_hash,
            "view_hash": key.view_hash, "parameters": key.parameters, "input_tokens": said.input_tokens,
            "output_tokens": said.output_tokens, "seconds": said.seconds, "n_retries": said.n_retries,
            "reply_format": said.reply_format,
        })  # fmt: skip

    def spent(self) -> float:
        """What all runs of this judge have cost, at the given price."""
        price, so_far = self._options.price, judgements.judges(self._store).get(self.name)
        return price.cost(so_far["input_tokens"], so_far["output_tokens"]) if price and so_far else 0.0

    def spending(self) -> Spending | None:
        """The ceiling, if there is one."""
        price, limit = self._options.price, self._options.max_cost
        if price is None or limit is None:
            return None
        longest = self._judge.parameters.get("max_tokens") or self._judge.parameters.get("max_completion_tokens")
        output = int(str(longest)) if longest else 10 * OUTPUT_TOKENS
        return Spending(
            ceiling=Ceiling(limit, self.spent()),
            most=lambda work: price.cost(2 * tokens_of(judge_prompt(work.question, work.view).text), output),
            cost=lambda said: price.cost(said.input_tokens or 0, said.output_tokens or 0),
        )


def run_judge(
    study: Study,
    name: str,
    judge: Judge,
    options: RunOptions,
    *,
    closing: AbstractAsyncContextManager[Any] | None = None,
    told: Told = lambda tally, settled: None,
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

    Raises:
        StudyProblem: The name stands for another judge, nothing fits, or the judge cannot work; what was answered
            before is kept.
    """
    asked, ids, start = questions(study, options.asked.labels), response_ids(study, options.asked), time.monotonic()
    with open_store(study) as store:
        bench = Bench(study, store, name, judge, options)
        spending, before = bench.spending(), bench.spent()
        run = Run(
            judge,
            recall=bench.recall,
            keep=bench.keep,
            concurrency=options.concurrency,
            spending=spending,
            told=lambda tally: told(tally, bench.n_known + bench.n_not_asked),
        )
        try:
            asyncio.run(_over(run, bench, asked, ids, options.claims, closing))
        except JudgeError as problem:
            raise StudyProblem(str(problem)) from None
        finally:
            publish(study, store, name)
        n_labels = len(asked) + 2 * options.claims
        spent = bench.spent()
        n_quotes, n_not = judgements.quotes(store, name)
    tally = run.tally
    return JudgeRun(
        judge=name,
        model=judge.model,
        parameters=judge.parameters,
        n_responses=len(ids),
        labels=tuple(question.name for question in asked),
        n_known=bench.n_known,
        n_not_asked=bench.n_not_asked,
        n_left=max(0, len(ids) * n_labels - bench.n_known - bench.n_not_asked - tally.n) if tally.stopped else 0,
        seconds=time.monotonic() - start,
        cost=spent - before if options.price else None,
        cost_so_far=spent if options.price else None,
        quotes_so_far=n_quotes,
        quotes_not_in_context=n_not,
        tally=tally,
    )


async def _over(
    run: Run,
    bench: Bench,
    asked: Sequence[Question],
    ids: Sequence[str],
    claims: bool,
    closing: AbstractAsyncContextManager[Any] | None,
) -> None:
    try:
        await run.over(bench.work(asked, ids))
        if claims:
            await run.over(bench.claims(ids))
            await run.over(bench.supports(ids))
    finally:
        if closing is not None:
            await closing.__aexit__(None, None, None)


def estimate(study: Study, name: str, judge: Judge, options: RunOptions) -> Estimate:
    """What a run would ask and cost; asks nothing. The support of claims is known only once these are split.

    Raises:
        StudyProblem: The name stands for another judge, or nothing fits.
    """
    asked, ids = questions(study, options.asked.labels), response_ids(study, options.asked)
    seen: set[tuple[str, str]] = set()
    n_input = 0
    with open_store(study) as store:
        bench = Bench(study, store, name, judge, options)
        so_far = judgements.judges(store).get(name)
        works = [bench.work(asked, ids)] + ([bench.claims(ids)] if options.claims else [])
        for work in (work for several in works for work in several):
            prompt = judge_prompt(work.question, work.view)
            key = Key(view_hash=prompt.view_hash, prompt_hash=judge.prompt_hash(work.question), model=judge.model,
                      parameters=canonical(judge.parameters))  # fmt: skip
            if (key.view_hash, key.prompt_hash) not in seen and bench.recall(key) is None:
                seen.add((key.view_hash, key.prompt_hash))
                n_input += tokens_of(prompt.text)
    each = so_far["output_tokens"] / so_far["n_calls"] if so_far and so_far["n_calls"] else OUTPUT_TOKENS
    n_output = round(len(seen) * (each or OUTPUT_TOKENS))
    cost = options.price.cost(n_input, n_output) if options.price else None
    return Estimate(n_calls=len(seen), input_tokens=n_input, output_tokens=n_output, cost=cost)


def _check_name(study: Study, store: Store, name: str, judge: Judge) -> None:
    """One name is one model under one set of parameters; what was imported keeps its name to itself."""
    known = judgements.judges(store)
    if name in known:
        was = (known[name]["model"], known[name]["parameters"])
        if was != (judge.model, canonical(judge.parameters)):
            raise StudyProblem(
                f"judge {name!r} is {was[0]} with {was[1]} here, not {judge.model} with {canonical(judge.parameters)}; "
                "give this one a name of its own with --judge"
            )
    elif name in frames.judges(frames.open_frame(study)):
        raise StudyProblem(f"verdicts of a judge {name!r} were imported; give this one another name with --judge")


def _id(item: Item) -> str:
    return item.response.response_id if item.response else ""


def judgement_of(row: Mapping[str, Any]) -> Judgement:
    """A judgement from its stored row."""
    return Judgement(
        value=row["value"],
        evidence=tuple(Quote(**quote) for quote in json.loads(row["evidence"])),
        rationale=row["rationale"],
        unscored_reason=row["unscored_reason"],
        answered=bool(row["answered"]),
        judge_model=row["judge_model"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        seconds=row["seconds"],
        n_retries=row["n_retries"],
        reply_format=row["reply_format"],
    )
