"""A language model as a judge: the prompt of a view goes out, a judgement comes back."""

from dataclasses import replace

from data.questions import Question
from data.views import AnswerabilityView, ClaimsView, ConstructionView, GroundingView, ShownPassage, SupportView
from judge.client import Client
from judge.completion import Reply
from judge.judge import Judgement, Parameters, Quote, Seen
from judge.prompts import judge_prompt, prompt_hash, shown
from judge.quotes import found_in
from judge.replies import Unreadable, form_of, read_reply
from judge.spending import tokens_of


class ChatJudge:
    """A model behind an OpenAI-compatible server.

    Args:
        client: Speaks to the server; whoever opened it closes it.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def model(self) -> str:
        """What the server is told."""
        return self._client.model

    @property
    def parameters(self) -> Parameters:
        """What is sent with every request."""
        return self._client.parameters

    def prompt_hash(self, question: Question) -> str:
        """Of the question's prompt."""
        return prompt_hash(question)

    async def judge(self, question: Question, view: Seen) -> Judgement:
        """The model's judgement.

        Raises:
            JudgeError: The key, the model or the address is wrong.
        """
        prompt = judge_prompt(question, view)
        reply = await self._client.ask(prompt, form_of(question).schema)
        if reply.answered:
            # A server that does not count must not look free to whoever pays for it.
            sent, said = reply.input_tokens, reply.output_tokens
            sent = tokens_of(prompt) if sent is None else sent
            said = tokens_of(reply.text or "") if said is None else said
            reply = replace(reply, input_tokens=sent, output_tokens=said)
        return judgement(question, view, reply)


def judgement(question: Question, view: Seen, reply: Reply) -> Judgement:
    """What a reply says, its quotes looked up in the passages; unscored when it cannot be read."""
    unscored = Judgement(
        unscored_reason=reply.why_none or "no text",
        answered=reply.answered,
        judge_model=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        seconds=reply.seconds,
        n_retries=reply.n_retries,
        reply_format=reply.reply_format,
    )
    if reply.text is None:
        return unscored
    try:
        answer = read_reply(question, reply.text, (text for _, text in shown(view)))
    except Unreadable as problem:
        cut = "the reply was cut off at its limit of tokens: " if reply.cut else ""
        return replace(unscored, unscored_reason=f"{cut}{problem}")
    quotes: tuple[Quote, ...] = ()
    for claim in dict.fromkeys(claim for _, claim in answer.quotes):
        quotes += found_in(passages_of(view), [quote for quote, of in answer.quotes if of == claim], claim)
    return replace(unscored, value=answer.value, unscored_reason=None, evidence=quotes, rationale=answer.rationale)


def passages_of(view: Seen) -> tuple[ShownPassage, ...]:
    """The passages that a view shows; none where it shows none."""
    if isinstance(view, GroundingView | AnswerabilityView | SupportView | ConstructionView | ClaimsView):
        return tuple(view.passages)
    return ()
