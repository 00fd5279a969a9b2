"""Making a calibration set: agreed answers with their reasons, from a file, for items that are outside every draw."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from audit_app.actions.access import require_lead
from audit_app.actions.fitting import stored_value
from audit_app.actions.openings import read_items
from audit_app.actions.tries import PASSES
from audit_app.language import _, joined, mark
from data.errors import Problem, StudyProblem
from data.parsing import Bad, text
from data.reading import read
from data.records import Person
from data.rows import Row
from data.rubric import Rubric
from data.samples import read_samples
from data.store import calibrations, items
from data.store.calibrations import Agreed
from data.store.connection import Store, open_store
from data.study import Study
from data.views import Item

EXPECTED = {
    "response_id": "the id of a response",
    "label": "the name of a label",
    "value": "the agreed answer",
    "reason": "why that is the answer: people are shown it after theirs",
}
FIELDS = tuple(EXPECTED)
"""Of every row: whose answer to what was agreed, and why, as people will read it."""

FEW = 5
"""With fewer answers to a label, chance or one hard item decides who passes."""

HOW = mark(
    "No calibration set yet. Pick items that are in no draw with `evidence-audit calibration draft > agreed.csv`, "
    "agree on their answers with a colleague, fill in value and reason, and bring them in with `evidence-audit "
    "calibration import agreed.csv`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedAnswer:
    """One row of a calibration set."""

    response_id: str
    label: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSet:
    """The items that people practise on, and what was agreed on them."""

    set_id: int | None
    """None when there is no set."""
    created_at: str | None
    answers: tuple[AgreedAnswer, ...]
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The set in words; how to make one where there is none."""
        if self.set_id is None:
            return _(HOW)
        labels = Counter(answer.label for answer in self.answers)
        n = len({answer.response_id for answer in self.answers})
        counts = joined(f"{label} {often}" for label, often in labels.items())
        said = _("Calibration set {set_id}: {n} items, agreed answers: {counts}.")
        return " ".join([said.format(set_id=self.set_id, n=n, counts=counts), *self.notes])


Place = tuple[str, AgreedAnswer]
"""A row of the file, with where it stands."""


def calibration_set(study: Study, *, by: Person | None = None) -> CalibrationSet:
    """The set that people practise on now.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        found = calibrations.current(store)
        agreed = calibrations.agreed(store, found["set_id"]) if found else {}
    answers = tuple(
        AgreedAnswer(response_id=item, label=label, value=one.value, reason=one.reason)
        for item, of in agreed.items()
        for label, one in of.items()
    )
    notes = tuple(_notes(study.rubric, answers)) if found else ()
    return CalibrationSet(
        set_id=found["set_id"] if found else None,
        created_at=found["created_at"] if found else None,
        answers=answers,
        notes=notes,
    )


def remove_set(study: Study, *, by: Person | None = None) -> str:
    """Nobody practises any more; what was practised stays in the record. A sentence.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store, store.transaction():
        n = calibrations.withdraw(store)
    return "Removed: nobody practises any more; what was practised stays in the export." if n else _(HOW)


def import_set(
    study: Study, path: Path, *, items_file: Path | None = None, seed: int = 1, by: Person | None = None
) -> CalibrationSet:
    """Makes the rows of a file the calibration set, in the place of the one before: all of it, or every problem.

    Rows that are those of the set in use change nothing. Of another set, answers to items whose agreed values are as
    they were still count (see `data.store.calibrations.practised`).

    Args:
        study: The study.
        path: Rows with response_id, label, value and reason.
        items_file: Samples that bring their own texts (see `data.samples`), for items that the study does not hold.
        seed: Of the order of each try.
        by: Who asks; None for the command line.

    Raises:
        StudyProblem: Every problem of the file: an unknown response, label or value, a missing reason, an item of a
            task that is drawn.
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    rows, problems = _read(path)
    with open_store(study) as store, store.transaction():
        known = _items(store, study, items_file, dict.fromkeys(answer.response_id for __, answer in rows))
        drawn = {row["task_id"] for row in items.everything(store)}
        checked = [_checked(study.rubric, place, known.get(place[1].response_id), drawn) for place in rows]
        problems += [*(one for one in checked if isinstance(one, Problem)), *_twice(rows)]
        if problems:
            raise StudyProblem(sorted(problems, key=_line))
        agreed = [one for one in checked if not isinstance(one, Problem)]
        if not agreed:
            raise StudyProblem(f"{path}: no rows; expected the fields {', '.join(FIELDS)}")
        if _is_current(store, agreed):
            same = calibration_set(study)
            return replace(same, notes=(SAME, *same.notes))
        items.add(store, known.values())
        calibrations.add(store, seed, agreed)
    return calibration_set(study)


SAME = "Nothing changes: it holds these answers already, and whoever has passed stays so."


def _is_current(store: Store, agreed: Sequence[tuple[str, str, Agreed]]) -> bool:
    found = calibrations.current(store)
    before = calibrations.agreed(store, found["set_id"]) if found else {}
    rows = {(item, label): one for item, of in before.items() for label, one in of.items()}
    return rows == {(item, label): one for item, label, one in agreed}


def _items(store: Store, study: Study, items_file: Path | None, wanted: Collection[str]) -> dict[str, Item]:
    """The wanted items by the ids of the file: samples of the other file, else responses of the study."""
    own = _samples(store, items_file) if items_file else {}
    keys = [("response", name) for name in wanted if name not in own]
    held = {item.response.response_id: item for item in read_items(study, keys) if item.response}
    return {name: item for name, item in {**held, **own}.items() if name in wanted}


def _samples(store: Store, path: Path) -> dict[str, Item]:
    """The samples by their ids; those that an earlier set brought with the same texts are the same items."""
    before = {name: found.group() for name in calibrations.ever_agreed(store) if (found := _PREFIX.match(name))}
    own: dict[str, Item] = {}
    for prefix in [f"calibration {calibrations.next_number(store)}: ", *sorted(set(before.values()))]:
        for item in read_samples(path, prefix=prefix):
            name = item.response.response_id if item.response else ""
            short = name.removeprefix(prefix)
            if short not in own or (name in before and items.load(store, "response", name) == item):
                own[short] = item
    return own


_PREFIX = re.compile(r"calibration \d+: ")


def _read(path: Path) -> tuple[list[Place], list[Problem]]:
    rows: list[Place] = []
    problems: list[Problem] = []
    columns: dict[str, None] = {}
    for row in read(path):
        columns |= {} if isinstance(row, Problem) else dict.fromkeys(row.values)
        found = row if isinstance(row, Problem) else _row(row)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            rows.append((row.where, found))
    if columns and (missing := [name for name in FIELDS if name not in columns]):
        raise StudyProblem(f"{path}: there is no column {', '.join(missing)}; columns are {', '.join(columns)}")
    return rows, problems


def _row(row: Row) -> AgreedAnswer | Problem:
    values: dict[str, str] = {}
    for name in FIELDS:
        raw = row.values.get(name)
        try:
            values[name] = "" if raw is None else text(raw)
        except Bad as bad:
            return Problem(where=row.where, field=name, message=str(bad))
        if not values[name].strip():
            return Problem(where=row.where, field=name, message=f"is empty; expected {EXPECTED[name]}")
    return AgreedAnswer(**values)


def _checked(
    rubric: Rubric, place: Place, item: Item | None, drawn: Collection[str]
) -> tuple[str, str, Agreed] | Problem:
    """The row as it is stored, or what is wrong with it."""
    where, answer = place

    def problem(field: str, message: str) -> Problem:
        return Problem(where=where, field=field, message=message)

    if item is None or item.response is None:
        return problem("response_id", f"no response {answer.response_id!r}; import it, or give its texts with --items")
    if item.task.task_id in drawn:
        return problem("response_id", f"{answer.response_id!r} is of a task that is drawn: whoever practises on it "
                                      "would know its answers; take one that is in no draw")  # fmt: skip
    asked = [label for pass_ in PASSES for label in rubric.asked(item, pass_, diagnostics=True)]
    if answer.label not in asked:
        return problem("label", f"{answer.label!r} is not asked of this response; expected one of {', '.join(asked)}")
    try:
        value = stored_value(rubric[answer.label], answer.value)
    except ValueError as error:
        return problem("value", f"is {error}")
    return item.response.response_id, answer.label, Agreed(value=value or "", reason=answer.reason)


def _line(problem: Problem) -> int:
    number = problem.where.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def _twice(rows: Sequence[Place]) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for where, answer in rows:
        key = (answer.response_id, answer.label)
        if key in seen:
            message = f"{answer.label} of {answer.response_id!r} is there already; agree on one answer"
            yield Problem(where=where, field="label", message=message)
        seen.add(key)


def _notes(rubric: Rubric, answers: Sequence[AgreedAnswer]) -> Iterator[str]:
    """What somebody who makes a set would want to know."""
    count = Counter(answer.label for answer in answers)
    few = [f"{label} ({n})" for label, n in count.items() if n < FEW]
    if few:
        said = _("Few agreed answers: {few}; with fewer than {least} one hard item decides who passes.")
        yield said.format(few=joined(few), least=FEW)
    asked = [q.name for q in rubric.questions if q.pass_ in PASSES and not q.diagnostic and q.name not in count]
    if asked:
        yield _("Not practised: {labels}.").format(labels=joined(asked))


def answer_rows(found: CalibrationSet) -> list[dict[str, str]]:
    """One row per agreed answer."""
    return [
        {"response": one.response_id, "label": one.label, "agreed": one.value, "reason": one.reason}
        for one in found.answers
    ]
