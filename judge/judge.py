"""What a judge is: something that is shown one view, is asked one question, and gives a judgement or says why not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, Self

from data.questions import Question
from data.views import ClaimsView, View

Seen = View | ClaimsView
"""What a judge can be shown."""

Parameters = Mapping[str, object]


class JudgeError(Exception):
    """No judge can work like this: a wrong key, an unknown model, nobody at the address. Says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a judge quotes from the passages."""

    text: str
    passage: int | None
    """Number of the passage that holds it; None is a quote that is not in the context."""
    claim: int | None = None
    """Of which claim it is the evidence, where claims are judged one by one; the first is 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one judge said to one question about one view.

    Exactly one of `value` and `unscored_reason` is there: what cannot be read is unscored, never a zero.
    """

    value: str | None = None
    """As the rubric stores it: "1", "0", a decision value, or a JSON list."""
    evidence: tuple[Quote, ...] = ()
    rationale: str | None = None
    unscored_reason: str | None = None
    answered: bool = True
    """Whether there was a reply at all, readable or not; what got none is asked again by the next run."""
    judge_model: str | None = None
    """The model as whoever answered named it, which may be another than the one that was asked."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    """From the request to the reply, repeats of the request included."""
    n_retries: int = 0
    reply_format: str | None = None
    """How the form of the reply was asked for: json_schema, json_object or text."""

    def __post_init__(self) -> None:
        if (self.value is None) == (self.unscored_reason is None):
            raise ValueError("a judgement has a value or a reason why there is none, not both and not neither")

    @property
    def n_not_in_context(self) -> int:
        """How many quotes stand in no passage: a judge that makes them up, or has read them elsewhere."""
        return sum(quote.passage is None for quote in self.evidence)

    @property
    def is_unreadable(self) -> bool:
        """Whether a server answered, and not with a label."""
        return self.value is None and self.answered and self.reply_format is not None

    def again(self) -> Self:
        """The same for a second item that shows the same: nothing more was asked, spent or waited for."""
        return replace(self, input_tokens=0, output_tokens=0, seconds=0.0, n_retries=0)


class Judge(Protocol):
    """Anything that labels: a model behind a server, recorded verdicts, rules.

    What a judge may see is decided by whoever builds the view, and a view holds nothing but what its label compares.
    """

    @property
    def model(self) -> str:
        """What is asked, as a server would be told."""
        ...

    @property
    def parameters(self) -> Parameters:
        """What else decides the answer: temperature and so on. Two judges that differ here are two judges."""
        ...

    def prompt_hash(self, question: Question) -> str:
        """Changes with everything that is said to the judge apart from the view."""
        ...

    async def judge(self, question: Question, view: Seen) -> Judgement:
        """The judgement.

        Raises:
            JudgeError: Nothing can be judged like this.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What an answer depends on: asked twice with the same key, the stored answer is as good as a new one."""

    view_hash: str
    prompt_hash: str
    model: str
    parameters: str
    """As canonical JSON."""


def canonical(parameters: Parameters) -> str:
    """Parameters as JSON in one order.

    >>> canonical({"temperature": 0, "max_tokens": 2048})
    '{"max_tokens": 2048, "temperature": 0}'
    """
    return json.dumps(dict(parameters), sort_keys=True, ensure_ascii=False)
