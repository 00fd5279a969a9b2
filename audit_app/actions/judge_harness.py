"""Which judge is put to a test: somebody's harness, or one of ours that is shown a label's view of each sample."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from audit_app.actions.answered import binary
from audit_app.actions.judge_choice import JudgeChoice, open_judge
from data.errors import StudyProblem
from data.questions import Question
from data.records import Context, Passage, Response, Task
from data.rubric import Rubric
from data.study import Study
from data.views import VIEWS, Item
from judge.harness import Answer, Harness, open_harness
from judge.judge import Judge, JudgeError, Judgement, Seen, canonical
from judge.run import IN_A_ROW
from judge.samples import Sample

ROUND = 16
"""Calls per place at a time that are handed out at once; the answers of a round come together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessChoice:
    """A harness by its name, or a judge as `judge run` takes it."""

    harness: str | None
    judge: JudgeChoice
    metrics: tuple[str, ...]
    """Empty for faithfulness of a harness, and G of one of our judges."""
    concurrency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A judge that is ready to be put to a test."""

    name: str
    """What it goes by in the records of tests."""
    harness: Harness
    metrics: tuple[str, ...]


def open_choice(rubric: Rubric, study: Study | None, choice: HarnessChoice) -> Opened:
    """The judge that was chosen.

    Args:
        rubric: Of the study, or the default one.
        study: Where recorded verdicts are looked up; None where there is no study.
        choice: Which judge.

    Raises:
        StudyProblem: None or several were chosen, it cannot be opened, or one of ours is asked for what is no label.
    """
    ours = choice.judge.model is not None or choice.judge.replay is not None or choice.judge.baseline
    if ours == (choice.harness is not None):
        raise StudyProblem("say which judge: one of --harness NAME, --model NAME, --replay FILE or --baseline")
    if choice.harness is not None:
        _check_secrets(choice)
        try:
            opened = open_harness(choice.harness, concurrency=choice.concurrency, timeout=choice.judge.timeout)
        except ValueError as error:
            raise StudyProblem(str(error)) from None
        name = choice.judge.name or choice.harness
        return Opened(name=name, harness=opened, metrics=choice.metrics or ("faithfulness",))
    metrics = choice.metrics or ("G",)
    labels = {question.name: question for question in rubric.questions if question.item_kind == "response"}
    unknown = [name for name in metrics if name not in labels]
    if unknown:
        raise StudyProblem(f"a judge of ours answers labels, not {', '.join(unknown)}; give --metric G, or another "
                           f"of {', '.join(labels)}")  # fmt: skip
    chosen = open_judge(study, choice.judge)
    asked = [labels[name] for name in metrics]
    made = harness_of(chosen.judge, asked, concurrency=choice.concurrency, closing=chosen.closing)
    parameters = dict(chosen.judge.parameters)
    name = choice.judge.name or (f"{chosen.name} {canonical(parameters)}" if choice.judge.parameters else chosen.name)
    return Opened(name=name, harness=made, metrics=metrics)


def _check_secrets(choice: HarnessChoice) -> None:
    """An address is the judge's name, which is kept and shown, unless it has another."""
    named = choice.harness or ""
    if choice.judge.name is None and named.startswith(("http://", "https://")) and any(mark in named for mark in "@?#"):
        raise StudyProblem(
            "the address of the harness holds a user name, a password or something behind ? or #, and would be kept as "
            "the judge's name; give it another with --judge NAME"
        )


def harness_of(
    judge: Judge,
    asked: Sequence[Question],
    *,
    concurrency: int = 8,
    closing: AbstractAsyncContextManager[Any] | None = None,
) -> Harness:
    """A judge of ours behind the protocol of `judge.harness`: each label gets its view of the sample and its prompt.

    What is not in the view cannot reach the judge, and neither can the sample's `instruction`. Every call is made,
    also of what was asked before: the judge's own noise is what others are measured against. The harness can be used
    once if `closing` is given, which is closed after the last answer.

    Raises:
        ValueError: From the harness: nothing can be judged like this (a wrong key, nobody at the address, or
            `judge.run.IN_A_ROW` calls in a row without a label).
    """

    def answers(samples: Sequence[Sample]) -> Iterator[Answer]:
        patient = _Patient(judge, max(IN_A_ROW, concurrency))
        with asyncio.Runner() as runner:
            try:
                for start in range(0, len(samples), ROUND * concurrency):
                    these = samples[start : start + ROUND * concurrency]
                    yield from runner.run(_round(patient, asked, these, concurrency))
            except JudgeError as problem:
                raise ValueError(str(problem)) from None
            finally:
                if closing is not None:
                    runner.run(_close(closing))

    return answers


class _Patient:
    """Asks a judge, until so many calls in a row have failed: every one of the others would be waited for, and paid."""

    def __init__(self, judge: Judge, many: int) -> None:
        self._judge, self._many, self._failed = judge, many, 0
        self._last: str | None = None

    async def judge(self, question: Question, view: Seen) -> Judgement:
        self._check()
        said = await self._judge.judge(question, view)
        self._failed = 0 if said.answered and not said.is_unreadable else self._failed + 1
        self._last = said.unscored_reason
        self._check()
        return said

    def _check(self) -> None:
        """Before a call, too: those that wait for their turn must not have it any more."""
        if self._failed >= self._many:
            raise JudgeError(f"{self._failed} calls in a row had no reply, or none that can be read; the last for "
                             f"this reason: {self._last}")  # fmt: skip


async def _close(closing: AbstractAsyncContextManager[Any]) -> None:
    await closing.__aexit__(None, None, None)


async def _round(
    judge: _Patient, asked: Sequence[Question], samples: Sequence[Sample], concurrency: int
) -> list[Answer]:
    places = asyncio.Semaphore(concurrency)

    async def one(sample: Sample) -> Answer:
        async with places:
            return await _answer(judge, asked, sample)

    return await asyncio.gather(*map(one, samples))


async def _answer(judge: _Patient, asked: Sequence[Question], sample: Sample) -> Answer:
    item, scores, problems = item_of(sample), {}, []
    for question in asked:
        said = await judge.judge(question, VIEWS[question.view].of(item))
        if said.value is None:
            problems.append(said.unscored_reason)
        else:
            scores[question.name] = _score(question, said.value)
    return Answer(scores) if scores else Answer(problem="; ".join(dict.fromkeys(filter(None, problems))))


def _score(question: Question, value: str) -> float:
    """A label as a share: G is grounded or not, the others are over their highest value."""
    highest = 1.0 if question.name == "G" else max(float(one.value) for one in question.values)
    return binary(question.name, value, "strict") / highest


def item_of(sample: Sample) -> Item:
    """The item that a sample shows; an artifact that was blanked is there and empty."""
    passages = tuple(
        Passage(
            passage_id=str(place),
            rank=int(shown.get("number") or place),
            title=shown.get("title"),
            url=shown.get("url"),
            publisher=shown.get("publisher"),
            source_type=shown.get("source_type"),
            text=shown["text"],
        )
        for place, shown in enumerate(sample["passages"], 1)
    )
    task = Task(
        task_id="task",
        question=sample["question"],
        gold_answer=sample["gold_answer"],
        gold_aliases=tuple(sample["gold_aliases"]),
    )
    return Item(
        task=task,
        context=Context(context_id="context", task_id="task", passages=passages),
        response=Response(response_id="response", context_id="context", text=sample["response"]),
    )
