"""The baseline: rules that can be checked by eye."""

import asyncio
import json

import pytest

from data.questions import Question
from data.rubric import default_text, parse_rubric
from data.views import ClaimsView, CorrectnessView, DisclosureView, GroundingView, ShownPassage, SubstanceView
from judge.judge import Judgement, Quote, Seen
from judge.lexical import MODEL, LexicalJudge

RUBRIC = parse_rubric(default_text(), "rubric.toml")
PASSAGE = ShownPassage(
    number=3, title=None, url=None, publisher=None, source_type=None,
    text="The agency was founded in November 1974. Its seat is in Paris.",
)  # fmt: skip


def said(label: str, view: Seen) -> Judgement:
    return asyncio.run(LexicalJudge().judge(RUBRIC[label], view))


@pytest.mark.parametrize(
    ("label", "view", "value"),
    [
        ("D", DisclosureView(response="The results do not name it; from general knowledge, it is the IEA."), "1"),
        ("D", DisclosureView(response="It is the IEA."), "0"),
        ("A", SubstanceView(question="Which?", response="It is the IEA."), "1"),
        ("A", SubstanceView(question="Which?", response="The body cannot be determined."), "0"),
        ("C", CorrectnessView(response="The IEA, in Paris.", gold_answer="X", gold_aliases=("IEA",)), "1"),
        ("C", CorrectnessView(response="The niea.", gold_answer="IEA", gold_aliases=()), "0"),
        ("C", CorrectnessView(response="Anything.", gold_answer="?", gold_aliases=()), "0"),
        ("G", GroundingView(response="The agency was founded in November 1974.", passages=(PASSAGE,)), "established"),
        ("G", GroundingView(response="Bananas are yellow.", passages=(PASSAGE,)), "not_supported"),
        ("G", GroundingView(response="The agency was founded in November 1974.", passages=()), "not_supported"),
        ("G", GroundingView(response="…", passages=(PASSAGE,)), "not_supported"),
        ("evidence_adherence", GroundingView(response="Its seat is in Paris.", passages=(PASSAGE,)), "2"),
    ],
)
def test_a_rule(label: str, view: Seen, value: str) -> None:
    assert said(label, view).value == value


def test_what_it_quotes_stands_in_the_passage() -> None:
    found = said("G", GroundingView(response="The agency was founded in November 1974.", passages=(PASSAGE,)))
    assert found.evidence == (Quote(text="The agency was founded in November 1974.", passage=3),)


def test_it_says_that_it_is_no_llm_and_what_it_has_no_rule_for() -> None:
    found = said("provenance_honesty", GroundingView(response="x", passages=(PASSAGE,)))
    assert found.value is None
    assert "no rule for provenance_honesty" in (found.unscored_reason or "")
    assert "not an LLM" in MODEL == LexicalJudge().model == found.judge_model


def test_claims_are_sentences_and_each_is_judged() -> None:
    blank = {"title": "", "item_kind": "response", "pass_": "evidence", "question": "", "definition": "", "values": ()}
    split = Question(name="claims", view="DisclosureView", kind="claims", **blank)  # type: ignore[arg-type]  # of one value type
    support = Question(name="faithfulness", view="ClaimsView", kind="support", **blank)  # type: ignore[arg-type]  # of one value type
    judge = LexicalJudge()
    claims = asyncio.run(judge.judge(split, DisclosureView(response="Its seat is in Paris. Bananas are yellow.")))
    texts = json.loads(claims.value or "")
    assert texts == ["Its seat is in Paris.", "Bananas are yellow."]
    found = asyncio.run(judge.judge(support, ClaimsView(claims=tuple(texts), passages=(PASSAGE,))))
    assert json.loads(found.value or "") == [[1, 1], [2, 0]]
    assert found.evidence == (Quote(text="Its seat is in Paris.", passage=3, claim=1),)
