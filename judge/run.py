"""Judging many items: so many at once, every answer kept as it comes, nothing asked twice."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from data.questions import Question
from judge.judge import Judge, Judgement, Key, Seen, canonical
from judge.prompts import view_hash
from judge.spending import Ceiling

IN_A_ROW = 20
"""So many calls without a reply, and none with one in between, end a run: nobody is there. So do so many replies that
cannot be read: nobody who knows how to answer is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One label of one item that is to be judged."""

    item_kind: str
    item_id: str
    question: Question
    view: Seen


@dataclass(slots=True, kw_only=True)
class Tally:
    """What happened in a run so far."""

    n_scored: int = 0
    n_unscored: int = 0
    """Answered, but not with a label."""
    n_no_reply: int = 0
    """To be asked again by the next run."""
    n_calls: int = 0
    """Asked of the judge; the others were taken from an answer to the same."""
    n_retries: int = 0
    n_quotes: int = 0
    n_not_in_context: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    """Why labels are unscored, with how many."""
    examples: dict[str, str] = field(default_factory=dict)
    """What was said more of a reason the first time that it came."""
    judge_models: dict[str, int] = field(default_factory=dict)
    """Who answered."""
    stopped: str | None = None
    """Why not all was asked."""

    @property
    def n(self) -> int:
        """Labels dealt with."""
        return self.n_scored + self.n_unscored + self.n_no_reply

    def add(self, said: Judgement, *, asked: bool) -> None:
        """Counts one judgement."""
        self.n_calls += asked
        self.n_retries += said.n_retries
        self.n_quotes += len(said.evidence)
        self.n_not_in_context += said.n_not_in_context
        self.input_tokens += said.input_tokens or 0
        self.output_tokens += said.output_tokens or 0
        self.n_scored += said.value is not None
        self.n_unscored += said.value is None and said.answered
        self.n_no_reply += not said.answered
        if said.unscored_reason:
            reason, _, more = said.unscored_reason.partition(": ")
            _count(self.reasons, reason)
            self.examples.setdefault(reason, more)
        if said.judge_model and asked:
            _count(self.judge_models, said.judge_model)


def _count(counts: dict[str, int], name: str) -> None:
    # Not a Counter: `dataclasses.asdict` makes nonsense of one.
    counts[name] = counts.get(name, 0) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """How a run is kept below a ceiling."""

    ceiling: Ceiling
    most: Callable[[Work], float]
    """The most that one call may cost."""
    cost: Callable[[Judgement], float]
    """What it did cost."""


Keep = Callable[[Work, Key, Judgement, bool], None]
"""Stores a judgement, so that it is there after a crash; the last says whether the judge was asked for it."""


class Run:
    """One judge over a stream of work.

    Args:
        judge: Who judges.
        recall: The stored judgement for a key; None when it was not asked before.
        keep: Stores a judgement.
        concurrency: How many calls are under way at once, at most.
        spending: The ceiling, if there is one.
        patient: Whether replies that cannot be read never end the run, however many.
        told: Called after every judgement, for a progress bar.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        recall: Callable[[Key], Judgement | None],
        keep: Keep,
        concurrency: int = 8,
        spending: Spending | None = None,
        patient: bool = False,
        told: Callable[[Tally], None] = lambda tally: None,
    ) -> None:
        self.tally = Tally()
        self._judge = judge
        self._parameters = canonical(judge.parameters)
        self._recall = recall
        self._keep = keep
        self._concurrency = concurrency
        self._spending = spending
        self._told = told
        self._under_way: dict[Key, asyncio.Future[Judgement | None]] = {}
        self._patient = patient
        self._silent = self._unreadable = 0

    async def over(self, works: Iterator[Work]) -> Tally:
        """Judges all of it, or as much as the ceiling and the server allow.

        Raises:
            JudgeError: The judge cannot work at all; what was answered before is kept.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._concurrency):
                    group.create_task(self._worker(works))
        except* Exception as several:
            # All workers fail for the same reason, and one of them says it.
            raise several.exceptions[0] from None
        return self.tally

    def key(self, work: Work) -> Key:
        """What the answer to a piece of work depends on."""
        return Key(
            view_hash=view_hash(work.view),
            prompt_hash=self._judge.prompt_hash(work.question),
            model=self._judge.model,
            parameters=self._parameters,
        )

    async def _worker(self, works: Iterator[Work]) -> None:
        # Nothing is read ahead: however long the stream is, as many pieces are in memory as there are workers.
        for work in works:
            if self.tally.stopped:
                return
            await self._one(work)

    async def _one(self, work: Work) -> None:
        key = self.key(work)
        known = self._recall(key)
        while known is None and key in self._under_way:
            known = await self._under_way[key]
        if known is not None:
            return self._done(work, key, known.again(), asked=False)
        self._under_way[key] = asyncio.get_running_loop().create_future()
        said = None
        try:
            said = await self._asked(work)
            if said is not None:
                self._done(work, key, said, asked=True)
        finally:
            # Whoever waits for the same gets it, and asks for themselves when there was no reply.
            self._under_way.pop(key).set_result(said if said is not None and said.answered else None)

    async def _asked(self, work: Work) -> Judgement | None:
        """The judgement; None when the ceiling does not allow the call."""
        if self._spending is None:
            return await self._judge.judge(work.question, work.view)
        ceiling, most = self._spending.ceiling, self._spending.most(work)
        if not await ceiling.enter(most):
            self.tally.stopped = self.tally.stopped or f"the ceiling of {ceiling.limit:g} is reached"
            return None
        cost = 0.0
        try:
            said = await self._judge.judge(work.question, work.view)
            cost = self._spending.cost(said)
            return said
        finally:
            ceiling.leave(most, cost)

    def _done(self, work: Work, key: Key, said: Judgement, *, asked: bool) -> None:
        self._keep(work, key, said, asked)
        self.tally.add(said, asked=asked)
        self._silent = 0 if said.answered else self._silent + 1
        if asked:
            self._unreadable = self._unreadable + 1 if said.is_unreadable else 0
        many = max(IN_A_ROW, self._concurrency)
        if self._silent >= many:
            self._stop(f"{self._silent} calls in a row had no reply", said.unscored_reason)
        elif self._unreadable >= many and not self._patient:
            # Not what the reply says: how far runs are is shown while results are sealed.
            reason = (said.unscored_reason or "").partition(": ")[0]
            self._stop(f"{self._unreadable} replies in a row could not be read", reason)
        self._told(self.tally)

    def _stop(self, why: str, reason: str | None) -> None:
        self.tally.stopped = self.tally.stopped or f"{why}, the last for this reason: {reason}"
