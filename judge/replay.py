"""A judge that asks nobody: it says what was recorded for the same view."""

from collections.abc import Mapping

from data.questions import Question
from judge.judge import Judgement, Parameters, Seen
from judge.prompts import prompt_hash, view_hash

Recorded = Mapping[tuple[str, str], Judgement]
"""By label and view hash."""


class ReplayJudge:
    """Recorded judgements. For what was not recorded it has none, and says so.

    Args:
        recorded: What was said, by label and view hash.
        model: Of which model, as it is named in results.
        parameters: Under which parameters, and from which record.
    """

    def __init__(self, recorded: Recorded, *, model: str, parameters: Parameters) -> None:
        self._recorded = recorded
        self.model = model
        self.parameters = parameters

    def prompt_hash(self, question: Question) -> str:
        """Of the question as it is asked now; what was recorded is looked up by what was shown."""
        return prompt_hash(question)

    async def judge(self, question: Question, view: Seen) -> Judgement:
        """What was recorded."""
        missing = Judgement(unscored_reason=f"nothing is recorded for {question.name} of this view")
        return self._recorded.get((question.name, view_hash(view)), missing)
