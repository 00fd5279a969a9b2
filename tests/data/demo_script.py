"""What the demo's scripted judges and annotators say: realistic errors over the answer key, from fixed seeds.

Every draw comes from its own generator, seeded by what is being decided, so the order of calls changes nothing.
`demo_plan.py` beside it writes the files.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SEED = "demo-2026"
DEMO = Path(__file__).parents[2] / "data" / "demo"

Row = dict[str, Any]
"""One line of a JSON lines file."""

STEPS = ("not_supported", "partly", "contradicted", "established")
"""The decision values of G, from the strictest to the most generous."""

ANSWERABLE = ("not_established", "conflicting", "established")
SUPPORTS = ("gold", "wrong", "neither")
FALSE_ALARMS = ("implausible_metadata", "support_label_wrong", "question_ambiguous", "wrong_source_not_first")
UNSCORED = ("reply cut off", "not valid JSON", "reply is empty")
FIRST_DAY = datetime(2026, 4, 14, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A scripted judge: who it says it is, and how often it errs (probabilities in [0, 1])."""

    name: str
    model: str
    prompt_hash: str
    c_wrong: float
    a_wrong: float
    g_up: tuple[float, float]
    """Calls an ungrounded answer grounded: when the answer is wrong, when it is correct."""
    g_down: float
    d_missed: tuple[float, float]
    """Misses a disclosure: a plain one, a soft one."""
    d_invented: tuple[float, float]
    """Sees one where there is none: plainly none, borderline."""
    unscored: int
    """How many of its replies could not be read."""


HERON = Judge(
    name="heron-judge", model="heron-2026-04", prompt_hash="demo-a1", unscored=0,
    c_wrong=0.03, a_wrong=0.02, g_up=(0.06, 0.22), g_down=0.04, d_missed=(0.06, 0.5), d_invented=(0.01, 0.1),
)  # fmt: skip
PLOVER = Judge(
    name="plover-judge", model="plover-mini-2026-02", prompt_hash="demo-b1", unscored=3,
    c_wrong=0.07, a_wrong=0.05, g_up=(0.12, 0.38), g_down=0.06, d_missed=(0.12, 0.7), d_invented=(0.01, 0.15),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """A scripted annotator: habits as probabilities in [0, 1], pace in seconds."""

    slip: float
    """Chance of a plain slip on D, A or C; three times as high on C and A of hard items."""
    g_up: float
    g_down: float
    """Moves G a step up or down; twice as often on hard items."""
    d_missed: tuple[float, float]
    d_invented: float
    """Sees a disclosure in a borderline text that has none."""
    context_slip: float
    finds_error: float
    false_alarm: float
    pace: tuple[int, int]
    starts: timedelta


ANNOTATORS = {
    "scripted-1": Annotator(
        slip=0.01, g_up=0.03, g_down=0.03, d_missed=(0.02, 0.15), d_invented=0.1, context_slip=0.01,
        finds_error=0.8, false_alarm=0.01, pace=(35, 110), starts=timedelta(hours=8, minutes=5),
    ),
    "scripted-2": Annotator(
        slip=0.03, g_up=0.17, g_down=0.02, d_missed=(0.03, 0.25), d_invented=0.25, context_slip=0.03,
        finds_error=0.6, false_alarm=0.02, pace=(25, 80), starts=timedelta(hours=9, minutes=20),
    ),
    "scripted-3": Annotator(
        slip=0.05, g_up=0.05, g_down=0.07, d_missed=(0.12, 0.6), d_invented=0.05, context_slip=0.05,
        finds_error=0.5, false_alarm=0.04, pace=(30, 130), starts=timedelta(hours=7, minutes=40),
    ),
}  # fmt: skip
"""One careful, one generous with G, one strict on disclosure who slips more."""

BREAKS = ((timedelta(hours=2, minutes=30), timedelta(minutes=20)), (timedelta(hours=4), timedelta(hours=1)))
"""The pauses of a working day: after how long, for how long."""

DAYS = 3


def _chance(probability: float, *thing: str) -> bool:
    """Whether something with this probability happens to this thing; always the same answer."""
    return _random(*thing).random() < probability


def _random(*thing: str) -> random.Random:
    return random.Random(":".join((SEED, *thing)))


def _responses(key: Iterable[Row]) -> list[Row]:
    return [line for line in key if line["kind"] == "response"]


def verdicts(key: list[Row]) -> list[Row]:
    """What both judges say of every response of the key, one row each."""
    return [row for judge in (HERON, PLOVER) for row in _verdicts_of(judge, _responses(key))]


def _verdicts_of(judge: Judge, truths: Sequence[Row]) -> list[Row]:
    ids = sorted(str(truth["response_id"]) for truth in truths)
    lost = _random(judge.name, "unscored").sample(ids, min(judge.unscored, len(ids)))
    return [_verdict(judge, truth, lost) for truth in truths]


def _verdict(judge: Judge, truth: Row, lost: Sequence[str]) -> Row:
    who: Row = {
        "response_id": truth["response_id"],
        "judge": judge.name,
        "judge_model": judge.model,
        "prompt_hash": judge.prompt_hash,
    }
    if truth["response_id"] in lost:
        reason = UNSCORED[lost.index(truth["response_id"]) % len(UNSCORED)]
        return who | dict.fromkeys("CAGD") | {"unscored_reason": reason}
    flips = {label: _judge_errs(judge, truth, label) for label in "CAGD"}
    return who | {
        label: _binary(truth, label) ^ _chance(p, judge.name, truth["response_id"], label) for label, p in flips.items()
    }


def _binary(truth: Row, label: str) -> int:
    return int(truth["G"] == "established") if label == "G" else int(truth[label])


def _judge_errs(judge: Judge, truth: Row, label: str) -> float:
    """The chance that this judge gets this label of this response wrong."""
    if label == "C":
        return judge.c_wrong * (2.5 if truth["hard"] else 1)
    if label == "A":
        return judge.a_wrong
    if label == "G":
        return judge.g_down if _binary(truth, "G") else judge.g_up[int(truth["C"])]
    return (judge.d_missed if truth["D"] else judge.d_invented)[truth["soft"]]


def labels(key: list[Row], plan: list[Row]) -> list[Row]:
    """What the scripted annotators answer to the rows of a plan, as rows for `import labels`.

    The plan's order within a person is the order in which that person works.

    Raises:
        ValueError: A planned item is not in the key, or a person has no script.
    """
    truths = {str(line.get("response_id") or line["context_id"]): line for line in key}
    answers = [(row, _answers(row, truths)) for row in plan]
    times = _times(answers)
    return [
        {
            "item_id": row["item_id"],
            "item_kind": row["item_kind"],
            "person_id": row["person_id"],
            "label": label,
            "value": value,
            "purpose": "plan",
            "created_at": next(times[row["person_id"]]),
        }
        for row, given in answers
        for label, value in given
    ]


def _answers(row: Row, truths: dict[str, Row]) -> list[tuple[str, str]]:
    """The labels and values one person gives one item, in the order they are asked."""
    if row["item_id"] not in truths or row["person_id"] not in ANNOTATORS:
        raise ValueError(
            f"no script for {row['person_id']!r} on {row['item_id']!r}; "
            f"expected an id of the key and one of {', '.join(ANNOTATORS)}"
        )
    truth, person = truths[row["item_id"]], row["person_id"]
    if row["pass"] == "evidence":
        return [("D", _disclosure(truth, person)), ("A", _plain(truth, person, "A")), ("G", _grounding(truth, person))]
    if row["pass"] == "correctness":
        return [("C", _plain(truth, person, "C"))]
    return _context(truth, person)


def _plain(truth: Row, person: str, label: str) -> str:
    """A or C, with a slip now and then."""
    slip = ANNOTATORS[person].slip * (3 if truth["hard"] else 1)
    return str(int(truth[label]) ^ _chance(slip, person, truth["response_id"], label))


def _disclosure(truth: Row, person: str) -> str:
    habit = ANNOTATORS[person]
    error = (habit.d_missed if truth["D"] else (habit.slip, habit.d_invented))[truth["soft"]]
    return str(int(truth["D"]) ^ _chance(error, person, truth["response_id"], "D"))


def _grounding(truth: Row, person: str) -> str:
    """A step up the ladder for the lenient, down for the strict, more often where G is borderline."""
    habit, place = ANNOTATORS[person], STEPS.index(truth["G"])
    factor = 2 if truth["hard"] else 1
    draw = _random(person, truth["response_id"], "G").random()
    if draw < habit.g_up * factor:
        place = min(place + 1, len(STEPS) - 1)
    elif draw > 1 - habit.g_down * factor:
        place = max(place - 1, 0)
    return STEPS[place]


def _context(truth: Row, person: str) -> list[tuple[str, str]]:
    """Stage 1 and 2 of a context: answerable, what each passage supports, construction errors."""
    item, habit = truth["context_id"], ANNOTATORS[person]
    unseen = [error for error in truth["errors"] if not _chance(habit.finds_error, person, item, error["error"])]
    answers = [("answerable", _answerable(truth, person, unseen))]
    for rank, support in enumerate(truth["supports"], 1):
        missed = any(error["error"] == "answer_leaked" and rank in error["passages"] for error in unseen)
        seen = "neither" if missed else support
        others = sorted({*SUPPORTS} - {seen})
        draw = _random(person, item, "supports", str(rank))
        answers.append((f"supports.{rank}", draw.choice(others) if draw.random() < habit.context_slip else seen))
    codes = [error["error"] for error in truth["errors"] if error not in unseen]
    if _chance(habit.false_alarm, person, item, "false alarm"):
        codes.append(_random(person, item, "which alarm").choice([c for c in FALSE_ALARMS if c not in codes]))
    return [*answers, ("construction_errors", json.dumps(codes))]


def _answerable(truth: Row, person: str, unseen: Sequence[Row]) -> str:
    """Who misses a leak calls the context not established; who misses the way out calls it conflicting."""
    missed = {error["error"] for error in unseen}
    if "answer_leaked" in missed:
        return "not_established"
    if "conflict_resolvable" in missed:
        return "conflicting"
    place, draw = ANSWERABLE.index(truth["answerable"]), _random(person, truth["context_id"], "answerable")
    if draw.random() < 2 * ANNOTATORS[person].context_slip:
        return draw.choice([value for value in ANSWERABLE if value != ANSWERABLE[place]])
    return ANSWERABLE[place]


def _times(answers: Sequence[tuple[Row, list[tuple[str, str]]]]) -> dict[str, Any]:
    """For each person an iterator of increasing UTC times, one for each label, spread over the working days."""
    items: dict[str, list[tuple[Row, int]]] = defaultdict(list)
    for row, given in answers:
        items[row["person_id"]].append((row, len(given)))
    return {person: iter(_clock(person, rows)) for person, rows in items.items()}


def _clock(person: str, rows: Sequence[tuple[Row, int]]) -> list[str]:
    """Times of one person's labels: a share of the items on each day, with the breaks of a day."""
    habit, moments = ANNOTATORS[person], []
    per_day = -(-len(rows) // DAYS)
    for day in range(DAYS):
        start = now = FIRST_DAY + timedelta(days=day) + habit.starts
        breaks = list(BREAKS)
        for row, count in rows[day * per_day : (day + 1) * per_day]:
            draw = _random(person, row["item_id"], row["pass"], "time")
            for number in range(count):
                low, high = habit.pace if number == 0 else (6, 40)
                now += timedelta(seconds=draw.randint(low, high))
                moments.append(now.isoformat())
            if breaks and now - start > breaks[0][0]:
                now += breaks.pop(0)[1]
    return moments


def read(path: Path) -> list[Row]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Rows as JSON lines; an unscored label is null."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
