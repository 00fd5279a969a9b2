"""A sample as a harness receives it, and the same sample with one artifact taken out or exchanged."""

import random
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from data.views import Item, show
from judge.wiring import Artifact

Sample = dict[str, Any]
"""`id`, `question`, `response`, `passages` (objects with `text` and what the model saw of the source), `gold_answer`,
`gold_aliases`, `instruction` (empty, or a sentence that a harness adds to its prompt), and perhaps `false_gold`."""

Change = Literal["blank", "swap", "false"]

_EMPTY: dict[Artifact, Sample] = {
    "question": {"question": ""},
    "response": {"response": ""},
    "passages": {"passages": []},
    "gold": {"gold_answer": "", "gold_aliases": []},
}


def sample_of(item: Item, name: str) -> Sample:
    """The sample of an item under an id that says nothing; support labels, condition and model stay behind.

    Raises:
        ValueError: The item has no response.
    """
    if item.response is None:
        raise ValueError("a sample needs a response")
    passages = item.context.passages if item.context else ()
    return {
        "id": name,
        "question": item.task.question,
        "response": item.response.text,
        "passages": [asdict(show(passage)) for passage in passages],
        "gold_answer": item.task.gold_answer or "",
        "gold_aliases": list(item.task.gold_aliases),
        "instruction": "",
    }


def blanked(sample: Sample, artifact: Artifact) -> Sample:
    """The sample without this artifact.

    >>> blanked({"question": "Who?", "response": "Ann."}, "question")
    {'question': '', 'response': 'Ann.'}
    """
    return {**sample, **_EMPTY[artifact]}


def exchanged(sample: Sample, artifact: Artifact, other: Sample) -> Sample:
    """The sample with this artifact of another one.

    >>> exchanged({"question": "Who?", "response": "Ann."}, "response", {"response": "Ben."})
    {'question': 'Who?', 'response': 'Ben.'}
    """
    return {**sample, **{name: other[name] for name in _EMPTY[artifact]}}


def misled(sample: Sample) -> Sample:
    """The sample with a false gold answer: its own `false_gold`, or else the words of the response itself.

    A judge that looks at the gold answer finds the response confirmed by it, whatever the passages say.
    """
    return {**sample, "gold_answer": sample.get("false_gold") or sample["response"], "gold_aliases": []}


def partners(tasks: Sequence[str], seed: int) -> list[int]:
    """For each sample the place of one of another task, at random, so that an exchange really changes something.

    Args:
        tasks: The task of each sample; the question where there are no tasks.
        seed: Of the choice.

    Raises:
        ValueError: All samples are of one task.

    >>> partners(["a", "b"], 1)
    [1, 0]
    """
    if len(set(tasks)) < 2:
        raise ValueError("all samples are of one task; exchanging artifacts needs samples of two tasks or more")
    rng, places = random.Random(seed), range(len(tasks))
    return [_drawn(rng, places, tasks, task) for task in tasks]


def _drawn(rng: random.Random, places: Sequence[int], tasks: Sequence[str], own: str) -> int:
    while True:
        place = rng.choice(places)
        if tasks[place] != own:
            return place


def sample_from(row: Sample, name: str) -> tuple[Sample, str]:
    """A sample and its task from a row that somebody wrote: `question`, `response`, `passages` and `gold_answer`.

    `passages` are texts or objects with a `text`; `gold_aliases`, `false_gold` and `task_id` (the question stands for
    it) may be missing.

    Raises:
        ValueError: What is wrong, field by field.
    """
    wrong = [
        f"field '{field}' is {'missing' if field not in row else repr(row[field])[:60]}; expected text"
        for field in ("question", "response", "gold_answer")
        if not isinstance(row.get(field), str)
    ]
    passages = row.get("passages")
    listed = passages if isinstance(passages, list) else []
    shown = [{"number": k, "text": entry} if isinstance(entry, str) else entry for k, entry in enumerate(listed, 1)]
    if listed is not passages or not all(isinstance(p, dict) and isinstance(p.get("text"), str) for p in shown):
        wrong.append("field 'passages': expected a list of texts, or of objects with a text")
    if wrong:
        raise ValueError("; ".join(wrong))
    optional: Sample = {"gold_aliases": row.get("gold_aliases") or [], "instruction": ""}
    kept: Sample = {
        field: row[field] for field in ("question", "response", "gold_answer", "false_gold") if field in row
    }
    return {**kept, "id": name, "passages": shown, **optional}, str(row.get("task_id") or row["question"])
