"""Judging many: how many at once, what is asked twice (nothing), where it stops, and that all of it is kept."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from data.questions import Question
from data.rubric import default_text, parse_rubric
from data.views import DisclosureView
from judge.judge import JudgeError, Judgement, Key, Parameters, Quote, Seen
from judge.prompts import prompt_hash
from judge.run import IN_A_ROW, Run, Spending, Tally, Work
from judge.spending import Ceiling

D = parse_rubric(default_text(), "rubric.toml")["D"]
YES = Judgement(value="1", input_tokens=10, output_tokens=5, judge_model="m1")
SILENT = Judgement(unscored_reason="no connection", answered=False)


@dataclass
class Scripted:
    """Says what it is told to for a text; counts how often it is asked, and how many at once."""

    said: dict[str, Judgement] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    n_open: int = 0
    most_open: int = 0
    model: str = "m"
    parameters: Parameters = field(default_factory=dict)

    def prompt_hash(self, question: Question) -> str:
        return prompt_hash(question)

    async def judge(self, question: Question, view: Seen) -> Judgement:
        assert isinstance(view, DisclosureView)
        self.asked.append(view.response)
        self.n_open += 1
        self.most_open = max(self.most_open, self.n_open)
        await asyncio.sleep(0.002)
        self.n_open -= 1
        if view.response == "hopeless":
            raise JudgeError("the key was refused")
        return self.said.get(view.response, YES)


@dataclass
class Kept:
    """What a run stores, in memory."""

    rows: list[tuple[str, Judgement, bool]] = field(default_factory=list)
    by_key: dict[Key, Judgement] = field(default_factory=dict)

    def keep(self, work: Work, key: Key, said: Judgement, asked: bool) -> None:
        self.rows.append((work.item_id, said, asked))
        if said.answered:
            self.by_key[key] = said


def works(*texts: str) -> Iterator[Work]:
    for n, text in enumerate(texts):
        yield Work(item_kind="response", item_id=f"r{n}", question=D, view=DisclosureView(response=text))


def run(judge: Scripted, kept: Kept, *texts: str, **options: object) -> Tally:
    machine = Run(judge, recall=kept.by_key.get, keep=kept.keep, **options)  # type: ignore[arg-type]  # as given
    return asyncio.run(machine.over(works(*texts)))


def test_everything_is_judged_and_so_many_at_once() -> None:
    judge, kept = Scripted(), Kept()
    tally = run(judge, kept, *(f"text {n}" for n in range(50)), concurrency=7)
    assert judge.most_open == 7
    assert sorted(kept.rows, key=lambda row: int(row[0][1:])) == [(f"r{n}", YES, True) for n in range(50)]
    assert (tally.n_scored, tally.n_calls, tally.input_tokens, tally.output_tokens) == (50, 50, 500, 250)
    assert tally.judge_models == {"m1": 50}


def test_nothing_is_read_ahead_of_the_workers() -> None:
    judge, kept, read = Scripted(), Kept(), []

    def counted() -> Iterator[Work]:
        for work in works(*(f"text {n}" for n in range(30))):
            read.append(len(kept.rows))
            yield work

    asyncio.run(Run(judge, recall=kept.by_key.get, keep=kept.keep, concurrency=4).over(counted()))
    assert all(n_read - n_kept <= 4 for n_read, n_kept in enumerate(read))


def test_the_same_is_asked_once_even_at_the_same_time() -> None:
    judge, kept = Scripted(), Kept()
    tally = run(judge, kept, *["same"] * 20, "other", concurrency=10)
    assert sorted(judge.asked) == ["other", "same"]
    assert len(kept.rows) == tally.n_scored == 21
    assert (tally.n_calls, tally.input_tokens) == (2, 20)
    again = run(judge, kept, "same", "other")
    assert (again.n_calls, again.n_scored, again.input_tokens) == (0, 2, 0)


def test_who_waits_for_the_same_asks_when_there_was_no_reply() -> None:
    judge, kept = Scripted({"same": SILENT}), Kept()
    tally = run(judge, kept, *["same"] * 5, concurrency=5)
    assert (len(judge.asked), tally.n_no_reply, kept.by_key) == (5, 5, {})


def test_reasons_and_quotes_are_counted() -> None:
    quotes = (Quote(text="a", passage=1), Quote(text="b", passage=None))
    unreadable = Judgement(unscored_reason="the reply is not of the form asked for: value = 3", evidence=())
    judge = Scripted({"a": Judgement(value="1", evidence=quotes), "b": unreadable, "c": SILENT})
    tally = run(judge, Kept(), "a", "b", "c")
    assert (tally.n_scored, tally.n_unscored, tally.n_no_reply) == (1, 1, 1)
    assert (tally.n_quotes, tally.n_not_in_context) == (2, 1)
    assert tally.reasons == {"the reply is not of the form asked for": 1, "no connection": 1}
    assert tally.examples == {"the reply is not of the form asked for": "value = 3", "no connection": ""}


@pytest.mark.parametrize(("patient", "n"), [(False, IN_A_ROW), (True, 60)])
def test_replies_that_can_never_be_read_end_the_run(patient: bool, n: int) -> None:
    unreadable = Judgement(unscored_reason="no JSON object", reply_format="text")
    judge = Scripted({f"{k}": unreadable for k in range(60) if k != 5})
    tally = run(judge, Kept(), *map(str, range(60)), concurrency=1, patient=patient)
    assert tally.n == (n if patient else n + 6)
    said = "20 replies in a row could not be read, the last for this reason: no JSON object"
    assert tally.stopped == (None if patient else said)


def test_what_a_record_does_not_hold_ends_no_run() -> None:
    judge = Scripted({f"{k}": Judgement(unscored_reason="nothing is recorded") for k in range(60)})
    assert run(judge, Kept(), *map(str, range(60))).n_unscored == 60


def test_a_judge_that_cannot_work_ends_the_run_and_what_was_answered_is_kept() -> None:
    judge, kept = Scripted(), Kept()
    with pytest.raises(JudgeError, match="the key was refused"):
        run(judge, kept, "one", "two", "hopeless", *(f"text {n}" for n in range(50)), concurrency=2)
    assert [row[0] for row in kept.rows[:2]] == ["r0", "r1"]
    assert len(judge.asked) < 10


def test_many_calls_in_a_row_without_a_reply_end_the_run() -> None:
    texts = [f"text {n}" for n in range(200)]
    judge, kept = Scripted(dict.fromkeys(texts, SILENT)), Kept()
    tally = run(judge, kept, *texts, concurrency=4)
    assert IN_A_ROW <= tally.n_no_reply < IN_A_ROW + 4
    assert "in a row had no reply" in (tally.stopped or "")
    assert "no connection" in (tally.stopped or "")


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_ceiling_stops_before_it_is_passed_and_uses_what_it_allows(concurrency: int) -> None:
    judge, kept = Scripted(), Kept()
    ceiling = Ceiling(10.0, spent=2.5)
    spending = Spending(ceiling=ceiling, most=lambda work: 2.0, cost=lambda said: 1.0)
    tally = run(judge, kept, *(f"text {n}" for n in range(50)), concurrency=concurrency, spending=spending)
    # With 9.5 spent nothing that may cost 2 can begin, nor with 8.5 and 0.5 to spare: 6 calls or 7.
    assert ceiling.spent == 2.5 + tally.n_calls <= 10
    assert tally.n_calls == 6
    assert tally.stopped == "the ceiling of 10 is reached"


def test_a_judgement_has_a_value_or_a_reason() -> None:
    with pytest.raises(ValueError, match="a value or a reason"):
        Judgement()
    with pytest.raises(ValueError, match="a value or a reason"):
        Judgement(value="1", unscored_reason="cut")
