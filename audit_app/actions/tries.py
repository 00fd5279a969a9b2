"""How somebody did in the calibration round: their tries on the set, label by label, against the pass marks."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit_app.actions.turns import may
from data.records import Person
from data.store import calibrations
from data.store.calibrations import Answers
from data.store.connection import Store
from data.study import Study
from sampling.numbers import permanent_number

PASSES = ("evidence", "correctness")
"""The stages of the round: reference answers are shown only once nothing is owed that must not know them."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One try at one label."""

    n_right: int
    n: int
    """Agreed answers; what was skipped counts as not right."""

    @property
    def share(self) -> float:
        """The share that was as agreed."""
        return self.n_right / self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTries:
    """One label in all finished tries of somebody, the first try first."""

    label: str
    mark: float
    scores: tuple[Score, ...]
    n_before: int = 0
    """The first so many tries count no more: since then they were made to practise again."""

    @property
    def passed(self) -> bool:
        """Whether any try that counts reached the pass mark."""
        return any(score.share >= self.mark for score in self.scores[self.n_before :])

    @property
    def best(self) -> Score | None:
        """The best try that counts; None before the first is finished."""
        return max(self.scores[self.n_before :], key=lambda score: score.share, default=None)

    @property
    def best_before(self) -> Score | None:
        """The best of those that count no more; None where all count."""
        return max(self.scores[: self.n_before], key=lambda score: score.share, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where somebody stands in one pass of the round."""

    set_id: int
    pass_: str
    occasion: int
    """Of the try that is under way or comes next."""
    number: int
    """The same try, counted from 1 within this set, anew where somebody was made to practise again."""
    order: tuple[str, ...]
    """The items of that try in its order; empty when nothing can be asked."""
    is_begun: bool
    """Whether that try is under way."""
    done: frozenset[str]
    """Those that are done."""
    labels: tuple[LabelTries, ...]

    @property
    def passed(self) -> bool:
        """Whether every label has reached its mark."""
        return all(label.passed for label in self.labels)

    def is_due(self, *, required: bool) -> bool:
        """Whether there is practice for them now: what is begun is finished, and repeated until passed if required."""
        return bool(self.order) and (self.is_begun or (not self.passed and (required or self.number == 1)))


def stages(store: Store, study: Study, person: Person) -> list[Stage]:
    """The passes of the calibration set in use that this person works in, in order; none when there is no set."""
    found = calibrations.current(store)
    if found is None:
        return []
    agreed = calibrations.agreed(store, found["set_id"])
    rows = calibrations.practised(store, found["set_id"], person.person_id)
    here = [pass_ for pass_ in PASSES if labels_of(study, agreed, pass_) and may(person, pass_)]
    return [_stage(store, study, person, found, agreed, rows, pass_) for pass_ in here]


def labels_of(study: Study, agreed: Answers, pass_: str) -> list[str]:
    """The labels of a pass that have agreed answers, in the rubric's order."""
    there = {label for answers in agreed.values() for label in answers}
    return [q.name for q in study.rubric.questions if q.pass_ == pass_ and q.name in there]


def _stage(
    store: Store, study: Study, person: Person, found: Row, agreed: Answers, rows: Sequence[Row], pass_: str
) -> Stage:
    labels, who = labels_of(study, agreed, pass_), person.person_id
    since, mine = calibrations.count_no_more(store, who, pass_), [row for row in rows if row["pass"] == pass_]
    items = {item for item, answers in agreed.items() if answers.keys() & set(labels)}
    if pass_ == "evidence":
        # Grounding is not asked of somebody who has seen the reference answer, not even for practice; but who is made
        # to practise again was told the agreed grounding of these very items already.
        known, of_task = calibrations.gold_seen(store, who), calibrations.item_tasks(store, found["set_id"])
        told = {row["item_id"] for row in mine if row["occasion"] <= since}
        items = {item for item in items if item in told or of_task[item] not in known}
    newest = calibrations.last_occasion(store, who, pass_)
    tries = _tries([row for row in mine if row["occasion"] > since], found["set_id"], items, newest + 1)
    before = _tries([row for row in mine if row["occasion"] <= since], found["set_id"], items, newest + 1)
    last = max(tries, default=newest)
    done = _done(tries.get(last, ()))
    is_over = last not in tries or done >= items
    earlier, finished = ([of for _, of in sorted(each.items()) if _done(of) >= items] for each in (before, tries))
    occasion = max(last, newest) + 1 if is_over else last
    fresh, every = (_scores(labels, agreed, of) for of in (finished, [*earlier, *finished]))
    scored = [
        LabelTries(label=label, mark=study.calibration.mark(label), scores=every[label],
                   n_before=len(every[label]) - len(fresh[label]))
        for label in labels
    ]  # fmt: skip
    return Stage(
        set_id=found["set_id"],
        pass_=pass_,
        occasion=occasion,
        number=len(finished) + 1,
        order=_shuffled(items, found["seed"], who, occasion),
        is_begun=not is_over,
        done=frozenset() if is_over else frozenset(done & items),
        labels=tuple(each for each in scored if each.scores or any(each.label in agreed[item] for item in items)),
    )


def _tries(rows: Sequence[Row], set_id: int, items: Collection[str], following: int) -> dict[int, list[Row]]:
    """The rows of each try, by its occasion; `following` is that of a try that would come next.

    When the last try on an earlier set lacks items of this one, its answers are the beginning of the first try here.
    """
    tries: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        tries[row["occasion"]].append(row)
    start = min((row["occasion"] for row in rows if row["set_id"] == set_id), default=following)
    earlier = max((n for n in tries if n < start), default=None)
    if earlier is not None and not _done(tries[earlier]) >= set(items):
        tries[start] = [*tries.pop(earlier), *tries[start]]
    return tries


def _done(rows: Iterable[Row]) -> set[str]:
    return {row["item_id"] for row in rows if row["state"] in ("done", "skipped")}


def _shuffled(items: Collection[str], seed: int, person_id: str, occasion: int) -> tuple[str, ...]:
    purpose = f"calibration:{person_id}:{occasion}"
    return tuple(sorted(items, key=lambda item: (permanent_number(seed, purpose, item), item)))


def _scores(labels: Iterable[str], agreed: Answers, finished: Sequence[Sequence[Row]]) -> dict[str, tuple[Score, ...]]:
    """What each try came to, by label, of the items that were in it and have an agreed answer."""
    return {label: tuple(_score(label, agreed, rows) for rows in finished if _asked(label, agreed, rows))
            for label in labels}  # fmt: skip


def _asked(label: str, agreed: Answers, rows: Sequence[Row]) -> set[str]:
    return {row["item_id"] for row in rows if label in agreed[row["item_id"]]}


def _score(label: str, agreed: Answers, rows: Sequence[Row]) -> Score:
    asked = _asked(label, agreed, rows)
    given = {row["item_id"]: row["value"] for row in rows if row["label"] == label}
    return Score(n_right=sum(given.get(item) == agreed[item][label].value for item in asked), n=len(asked))
