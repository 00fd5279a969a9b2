"""What a judge has said of a study and has still to say: its work, the stored answers, and where new ones go."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from audit_app.actions.judge_claims import CLAIMS_QUESTION, support_work
from audit_app.actions.judge_work import Asked, stream, work_of
from data import frame as frames
from data.errors import StudyProblem
from data.questions import Question
from data.store import judgements
from data.store.connection import Store
from data.study import Study
from data.views import DisclosureView, Item
from judge.judge import Judge, Judgement, Key, Quote, canonical
from judge.prompts import judge_prompt, view_hash
from judge.run import Spending, Work
from judge.spending import LIMITS, OUTPUT_TOKENS, Ceiling, Price, tokens_of


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
    """Whether what another judge's name was answered is asked all the same: for a second date of one judge."""

    def __post_init__(self) -> None:
        if self.asked.labels == () and not self.claims:
            raise StudyProblem("--labels is empty; expected labels of the rubric with commas between, such as D,G")
        if self.max_cost is not None and self.price is None:
            raise StudyProblem("a ceiling needs to know what tokens cost: give --price INPUT,OUTPUT per million tokens")


class Ledger:
    """One judge in one study.

    Args:
        study: The study.
        store: Its database, open as long as the ledger is used.
        name: What the judge is called in results.
        judge: Who judges.
        options: What is asked, and how.

    Raises:
        StudyProblem: The name stands for another judge.
    """

    def __init__(self, study: Study, store: Store, name: str, judge: Judge, options: RunOptions) -> None:
        self._study, self._store, self._options = study, store, options
        self.name, self.judge = name, judge
        self.n_known = self.n_not_asked = 0
        _check_name(study, store, name, judge)

    def work(self, asked: Sequence[Question], ids: Sequence[str]) -> Iterator[Work]:
        """What is to be asked and was not answered yet, item by item."""
        for item in stream(self._study, ids):
            found = list(work_of(item, asked))
            self.n_not_asked += len(asked) - len(found)
            yield from (work for work in found if not self._is_known(work))

    def all_work(self, asked: Sequence[Question], ids: Sequence[str]) -> Iterator[Work]:
        """What can be said to be asked before anything is: the claims that will be judged are not known yet."""
        yield from self.work(asked, ids)
        if self._options.claims:
            yield from self.claims(ids)

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
        known = (
            row is not None
            and bool(row["answered"])
            and row["prompt_hash"] == self.judge.prompt_hash(work.question)
            and row["view_hash"] == view_hash(work.view)
            and (row["value"] is not None or not self._options.again)
        )
        self.n_known += known
        return known

    def recall(self, key: Key) -> Judgement | None:
        """The stored answer to the same, about whichever item; whoever was asked, or with `fresh` this judge only."""
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
        limits = (self.judge.parameters.get(name) for name in LIMITS)
        output = next((limit for limit in limits if isinstance(limit, int) and limit > 0), 10 * OUTPUT_TOKENS)
        return Spending(
            ceiling=Ceiling(limit, self.spent()),
            most=lambda work: price.cost(2 * tokens_of(judge_prompt(work.question, work.view)), output),
            cost=lambda said: price.cost(said.input_tokens or 0, said.output_tokens or 0),
        )


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
