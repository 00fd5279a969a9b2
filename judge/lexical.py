"""A baseline without a language model: word overlap and lists of phrases, so that everything runs with no network.

It is transparent, not good: what it says can be checked by eye, and a judge that is no better than this is no judge.
"""

import json
import re
from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from data.questions import Question
from data.views import ClaimsView, CorrectnessView, DisclosureView, GroundingView, ShownPassage, SubstanceView
from judge.judge import Judgement, Parameters, Quote, Seen
from judge.prompts import prompt_hash
from judge.replies import CLAIMS

MODEL = "lexical baseline (not an LLM)"

GROUNDED, PARTLY = 0.5, 0.25
"""Mean similarity of a response's sentences to their nearest passage sentence, from which it counts as grounded."""

BEYOND = re.compile(
    r"from (my )?(general|background|own|prior) knowledge|beyond the (context|passages|sources|results|documents)"
    r"|(results|passages|sources|documents|context|fragments) (do|does|did) not (\w+ )?"
    r"(say|name|state|mention|establish|answer|contain|give|support)"
    r"|not (in|from|established by|supported by) the (provided |supplied |given )?"
    r"(results|passages|sources|documents|context)",
    re.IGNORECASE,
)
"""Phrases by which a response says that it goes beyond what it was given."""

DECLINES = re.compile(
    r"\b(cannot|can't|can’t|unable to|not possible to) (be )?(answer|determine|say|tell|establish|identif)"
    r"|\bno answer\b|insufficient (information|evidence)|not enough (information|evidence)",
    re.IGNORECASE,
)
"""Phrases by which a response declines to answer."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")


def sentences(text: str) -> list[str]:
    r"""The sentences of a text, by their marks and line ends; those without a word are left out.

    >>> sentences("It was 1974. In Paris!\n- ")
    ['It was 1974.', 'In Paris!']
    """
    return [part.strip() for part in _SENTENCE.split(text) if _WORD.search(part)]


class LexicalJudge:
    """Word overlap in the place of reading; it has rules for D, A, G, C, evidence adherence and claims."""

    @property
    def model(self) -> str:
        """A name that says what it is not."""
        return MODEL

    @property
    def parameters(self) -> Parameters:
        """Which rules."""
        return {"version": 1}

    def prompt_hash(self, question: Question) -> str:
        """Of the question, as for any judge; the rules themselves are the version among the parameters."""
        return prompt_hash(question)

    async def judge(self, question: Question, view: Seen) -> Judgement:
        """What the rules say."""
        allowed = {value.value for value in question.values}
        match question.name, view:
            case "D", DisclosureView():
                return _said(str(int(bool(BEYOND.search(view.response)))), why=_found(BEYOND, view.response))
            case "A", SubstanceView():
                return _said(str(int(not DECLINES.search(view.response))), why=_found(DECLINES, view.response))
            case "C", CorrectnessView():
                named = _names(view.response, (view.gold_answer, *view.gold_aliases))
                return _said(str(int(named)), why=f"{'An' if named else 'No'} accepted answer is in it, word for word.")
            case _, DisclosureView() if question.kind == CLAIMS:
                return _said(json.dumps(sentences(view.response), ensure_ascii=False))
            case _, ClaimsView():
                return _claims(view)
            case _, GroundingView() if allowed >= {"established", "partly", "not_supported"}:
                return _grounded(view, "established", "partly", "not_supported")
            case "evidence_adherence", GroundingView():
                return _grounded(view, "2", "1", "0")
        return Judgement(unscored_reason=f"the lexical baseline has no rule for {question.name}", judge_model=MODEL)


def _said(value: str, quotes: tuple[Quote, ...] = (), why: str | None = None) -> Judgement:
    return Judgement(value=value, evidence=quotes, rationale=why, judge_model=MODEL)


def _found(words: re.Pattern[str], response: str) -> str:
    """Why a rule about words says what it says."""
    found = words.search(response)
    return f"It says “{found[0]}”." if found else "It has none of the words that the rule looks for."


def _names(response: str, answers: Sequence[str]) -> bool:
    """Whether a response has all words of one of the answers, one after the other."""
    said = f" {' '.join(_WORD.findall(response.casefold()))} "
    wanted = [" ".join(_WORD.findall(answer.casefold())) for answer in answers]
    return any(f" {words} " in said for words in wanted if words)


def _nearest(texts: Sequence[str], passages: Sequence[ShownPassage]) -> list[tuple[float, Quote | None]]:
    """For every text the passage sentence that is nearest by TF-IDF of its words, with their cosine similarity."""
    places = [(part, passage.number) for passage in passages for part in sentences(passage.text)]
    if not texts or not places:
        return [(0.0, None)] * len(texts)
    vectors = TfidfVectorizer(token_pattern=r"\w+", sublinear_tf=True).fit_transform([*texts, *(p for p, _ in places)])
    similar = (vectors[: len(texts)] @ vectors[len(texts) :].T).toarray()
    return [
        (float(row.max()), Quote(text=places[best][0], passage=places[best][1]) if row.max() > 0 else None)
        for row, best in zip(similar, np.argmax(similar, axis=1).tolist(), strict=True)
    ]


def _grounded(view: GroundingView, yes: str, partly: str, no: str) -> Judgement:
    found = _nearest(sentences(view.response), view.passages)
    mean = sum(score for score, _ in found) / len(found) if found else 0.0
    best = max(found, key=lambda entry: entry[0], default=(0.0, None))[1]
    value = yes if mean >= GROUNDED else partly if mean >= PARTLY else no
    why = f"Mean similarity of {len(found)} sentences to their nearest passage sentence: {mean:.2f}."
    return _said(value, (best,) if best and value != no else (), why)


def _claims(view: ClaimsView) -> Judgement:
    found = _nearest(view.claims, view.passages)
    verdicts = [[number, int(score >= GROUNDED)] for number, (score, _) in enumerate(found, 1)]
    quotes = tuple(
        Quote(text=quote.text, passage=quote.passage, claim=number)
        for number, (score, quote) in enumerate(found, 1)
        if quote and score >= GROUNDED
    )
    why = {str(number): f"similarity {score:.2f}" for number, (score, _) in enumerate(found, 1)}
    return _said(json.dumps(verdicts), quotes, json.dumps(why))
