"""What a judge is asked: which labels of which responses, as a stream that is never whole in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from audit_app.actions.openings import read_items
from data import frame as frames
from data.errors import StudyProblem
from data.questions import Question
from data.records import LABELS
from data.store import items
from data.store.connection import open_store
from data.study import Study
from data.views import VIEWS, Item, possible
from judge.run import Work

DIAGNOSTICS = "diagnostics"
"""Among the labels: all diagnostics of the rubric."""

CHUNK = 1000
"""Responses that are read at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which labels of which responses."""

    labels: tuple[str, ...] | None = None
    """By name, `diagnostics` for all of these; None for D, A, G and C as far as the rubric has them."""
    everything: bool = False
    """All responses of the frame, and not only the drawn ones."""
    sample_id: str | None = None
    """Which sample's; the newest by default."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Slice columns and the value that a response must have there."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.where if name not in frames.SLICES]
        if unknown:
            raise StudyProblem(
                f"unknown column {unknown[0]!r}; responses can be told apart by {', '.join(frames.SLICES)}"
            )


def questions(study: Study, labels: Sequence[str] | None) -> list[Question]:
    """The questions behind names of labels, in the order of the rubric.

    Raises:
        StudyProblem: The rubric has no such label, or it is none of a response.
    """
    known = [question for question in study.rubric.questions if question.item_kind == "response"]
    if labels is None:
        labels = [question.name for question in known if question.name in LABELS] or [q.name for q in known]
    of_diagnostics = [question.name for question in known if question.diagnostic] if DIAGNOSTICS in labels else []
    wanted = {*labels, *of_diagnostics} - {DIAGNOSTICS}
    unknown = [name for name in labels if name != DIAGNOSTICS and name not in {q.name for q in known}]
    if unknown:
        have = ", ".join([*(question.name for question in known if not question.diagnostic), DIAGNOSTICS])
        raise StudyProblem(
            f"a judge cannot be asked for {', '.join(map(repr, unknown))}; the rubric asks of a response {have}"
        )
    return [question for question in known if question.name in wanted]


def response_ids(study: Study, asked: Asked) -> list[str]:
    """The responses in question: of a sample in the order of its draw, so that a run cut short is a random part.

    Raises:
        StudyProblem: Nothing is drawn, or nothing fits.
    """
    frame = frames.open_frame(study)
    if asked.everything:
        rows = frames.response_rows(frame)
        for name, value in asked.where.items():
            rows = rows[rows[name] == value]
        ids = sorted(rows["response_id"])
    else:
        with open_store(study) as store:
            sample = items.find_sample(store, asked.sample_id)
            of_item = items.slices(store)
            ids = [
                draw["item_id"]
                for draw in items.draws(store, sample["sample_id"], "response")
                if all((of_item["response", draw["item_id"]][n] or "") == v for n, v in asked.where.items())
            ]
    if not ids:
        raise StudyProblem("no response fits; loosen --where, or judge all of the frame with --all")
    return ids


def stream(study: Study, ids: Sequence[str], *, missing_ok: bool = False) -> Iterator[Item]:
    """The responses with their tasks and contexts, in this order; unknown ones may be passed over."""
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        read = read_items(study, [("response", response_id) for response_id in chunk])
        found = {item.response.response_id: item for item in read if item.response}
        yield from (found[response_id] for response_id in chunk if not missing_ok or response_id in found)


def work_of(item: Item, asked: Iterable[Question]) -> Iterator[Work]:
    """What is asked of one response: every label whose view it has all artifacts of."""
    for question in asked:
        if item.response and possible(question.view, item):
            yield Work(
                item_kind="response",
                item_id=item.response.response_id,
                question=question,
                view=VIEWS[question.view].of(item),
            )
