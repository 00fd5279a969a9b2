"""From a view to a judgement over real HTTP: nothing outside the view leaves, quotes are looked up."""

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.records import Context, Passage, Response, Task
from data.rubric import default_text, parse_rubric
from data.views import VIEWS, ClaimsView, GroundingView, Item, artifacts
from judge.chat import ChatJudge, judgement
from judge.client import Client
from judge.completion import Reply
from judge.judge import Judgement, Quote
from judge.replies import SUPPORT
from tests.judge.model_server import ModelServer, completion, serving

RUBRIC = parse_rubric(default_text(), "rubric.toml")
KEY = "sk-KEY-MARKER"
NEVER = ("task_id", "context_id", "response_id", "passage_id", "model", "prompt", "run", "regime", "supports")
SHOWABLE = ("question", "gold_answer", "gold_aliases", "passages", "response", "condition")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


def marker(name: str) -> str:
    return f"<<MARKER-{name}>>"


def item_with(texts: dict[str, str]) -> Item:
    """Every field holds its own marker somewhere in whatever text it was given."""
    at = {name: f"{text}{marker(name)}{text[::-1]}" for name, text in texts.items()}
    passage = Passage(
        passage_id=at["passage_id"], rank=1, title=at["passages"], publisher=at["passages"], url=at["passages"],
        source_type=at["passages"], text=at["passages"], supports=at["supports"],
    )  # fmt: skip
    return Item(
        task=Task(task_id=at["task_id"], regime=at["regime"], question=at["question"], gold_answer=at["gold_answer"],
                  gold_aliases=(at["gold_aliases"],)),
        context=Context(context_id=at["context_id"], task_id=at["task_id"], condition=at["condition"],
                        passages=(passage, passage)),
        response=Response(response_id=at["response_id"], context_id=at["context_id"], model=at["model"],
                          prompt=at["prompt"], run=at["run"], text=at["response"]),
    )  # fmt: skip


class Lines(logging.Handler):
    """Every line that anything logs."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage()


async def ask_all(server: ModelServer, item: Item) -> dict[str, str]:
    """Everything that leaves, and everything that is logged, for every label of the rubric."""
    found = {}
    root, lines = logging.getLogger(), Lines()
    level = root.level
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    try:
        async with Client("m", base_url=server.address) as client:
            for question in RUBRIC.questions:
                server.seen.clear()
                lines.text = ""
                await ChatJudge(client).judge(question, VIEWS[question.view].of(item))
                sent = server.seen[0]
                # The body is JSON, in which anything may be written as an escape.
                found[question.name] = json.dumps([sent.body, sent.headers, lines.text], ensure_ascii=False)
    finally:
        root.removeHandler(lines)
        root.setLevel(level)
    return found


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries({name: st.text(max_size=30) for name in (*NEVER, *SHOWABLE)}))
def test_nothing_outside_the_view_is_in_a_request_or_a_log_line(server: ModelServer, texts: dict[str, str]) -> None:
    item = item_with(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        for label, out in asyncio.run(ask_all(server, item)).items():
            view = RUBRIC[label].view
            # What the leak screens found is made of the reference answer and the passages, and has no text of its own.
            shown = (artifacts(view) - {"screen_hits"}) | ({"supports"} if view == "ConstructionView" else set())
            assert {name for name in texts if marker(name) in out} == shown, label
            assert out.count(KEY) == 1  # in the header that is for it


def grounded(server: ModelServer, content: str, **more: str) -> Judgement:
    server.answers = lambda body, times: completion(content, **more)
    passage = Passage(passage_id="p", rank=2, text="The embargo was “lifted”\nin 1974.")
    item = Item(
        task=Task(task_id="t", question="?"),
        context=Context(context_id="c", task_id="t", passages=(passage,)),
        response=Response(response_id="r", context_id="c", text="In 1974."),
    )

    async def asked() -> Judgement:
        async with Client("m", base_url=server.address, retries=0) as client:
            return await ChatJudge(client).judge(RUBRIC["G"], GroundingView.of(item))

    return asyncio.run(asked())


def test_a_judgement_has_its_quotes_looked_up(server: ModelServer) -> None:
    reply = {"rationale": "Said.", "evidence": ['was "lifted" in 1974', "in 1975"], "value": "established"}
    found = grounded(server, json.dumps(reply))
    assert (found.value, found.rationale, found.unscored_reason) == ("established", "Said.", None)
    assert found.evidence == (
        Quote(text='was "lifted" in 1974', passage=2),
        Quote(text="in 1975", passage=None),
    )
    assert found.n_not_in_context == 1
    assert (found.judge_model, found.input_tokens, found.output_tokens) == ("model-2026-01", 100, 20)
    assert found.seconds is not None
    assert found.seconds > 0


def test_a_reply_that_cannot_be_read_is_unscored_with_the_reason(server: ModelServer) -> None:
    found = grounded(server, '{"rationale": "It is', finish="length")
    assert found.value is None
    assert found.answered
    assert "cut off at its limit of tokens" in (found.unscored_reason or "")
    assert found.output_tokens == 20


def test_a_server_that_does_not_count_is_not_free(server: ModelServer) -> None:
    found = grounded(server, '{"value": "partly"}', usage=None)  # type: ignore[arg-type]  # as such servers say it
    assert (found.input_tokens or 0) > 200
    assert found.output_tokens == 5


@pytest.mark.parametrize(
    ("numbers", "wrong"), [([1, 2, 3], None), ([1, 3], "2"), ([0, 1, 2], "0, 3"), ([1, 2, 3, 9], "9")]
)
def test_every_claim_is_judged_or_the_reply_is_unscored(numbers: list[int], wrong: str | None) -> None:
    question = replace(RUBRIC["G"], kind=SUPPORT, view="ClaimsView")
    said = {"verdicts": [{"claim": n, "rationale": "so", "evidence": [], "supported": True} for n in numbers]}
    view = ClaimsView(claims=("One.", "Two.", "Three."), passages=())
    found = judgement(question, view, Reply(text=json.dumps(said)))
    assert (found.value is None) == (wrong is not None)
    assert wrong is None or (found.unscored_reason or "").endswith(f"these differ: {wrong}")
