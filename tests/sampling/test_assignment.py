from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.assignment import Limits, assign

LAWS = settings(max_examples=60)
CONTEXTS = st.dictionaries(st.integers(0, 999).map(str), st.sampled_from("xyz"), min_size=1, max_size=40)
NAMES = "pqrstu"


def shared(given_to: dict[str, tuple[str, ...]], annotators: str) -> list[int]:
    counts = Counter(frozenset(pair) for those in given_to.values() for pair in combinations(those, 2))
    return [counts[frozenset(pair)] for pair in combinations(annotators, 2)]


@LAWS
@given(CONTEXTS, st.integers(2, 6), st.integers(0, 99), st.randoms(use_true_random=False))
def test_pairs_are_balanced_and_the_order_of_people_and_contexts_does_not_matter(
    contexts: dict[str, str], n: int, seed: int, random: Random
) -> None:
    people = {context: random.choice([1, 2]) for context in contexts}
    given_to = assign(contexts, people, NAMES[:n], seed=seed)
    assert list(given_to) == list(contexts)
    assert all(len(set(those)) == people[context] for context, those in given_to.items())
    counts = shared(given_to, NAMES[:n])
    assert max(counts) - min(counts) <= 1
    if sum(number == 2 for number in people.values()) >= len(counts):
        assert min(counts) >= 1
    others, names = list(contexts.items()), list(NAMES[:n])
    random.shuffle(others)
    random.shuffle(names)
    assert assign(dict(others), people, names, seed=seed) == given_to


@LAWS
@given(CONTEXTS, st.integers(1, 6), st.integers(0, 99))
def test_single_readings_are_even_in_every_stratum(contexts: dict[str, str], n: int, seed: int) -> None:
    given_to = assign(contexts, dict.fromkeys(contexts, 1), NAMES[:n], seed=seed)
    for stratum in set(contexts.values()):
        firsts = Counter(those[0] for context, those in given_to.items() if contexts[context] == stratum)
        assert max(firsts.values()) - min(firsts[who] for who in NAMES[:n]) <= 1


@pytest.mark.parametrize(("n", "share"), [(3, 0.25), (4, 0.5), (6, 1.0)])
def test_work_is_even_with_an_overlap(n: int, share: float) -> None:
    random = Random(1)
    contexts = {str(k): "xyz"[k % 3] for k in range(300)}
    people = {context: 1 + (random.random() < share) for context in contexts}
    given_to = assign(contexts, people, NAMES[:n], seed=1)
    firsts = Counter((contexts[context], those[0]) for context, those in given_to.items())
    for stratum in "xyz":
        counts = [firsts[stratum, who] for who in NAMES[:n]]
        assert max(counts) - min(counts) <= 2
    loads = Counter(who for those in given_to.values() for who in those)
    assert max(loads.values()) - min(loads.values()) <= 3


def test_three_readers_share_with_everybody() -> None:
    contexts = dict.fromkeys(map(str, range(60)), "x")
    counts = shared(assign(contexts, dict.fromkeys(contexts, 3), NAMES[:5], seed=1), NAMES[:5])
    # 60 x 3 pairs over 10 couples
    assert sum(counts) == 180
    assert max(counts) - min(counts) <= 1


def test_who_gets_a_context_is_random() -> None:
    contexts = {str(k): "xy"[k % 2] for k in range(12)}
    people = {str(k): 1 + (k < 4) for k in range(12)}
    firsts: Counter[tuple[str, str]] = Counter()
    for seed in range(900):
        for context, those in assign(contexts, people, "pqr", seed=seed).items():
            firsts[context, those[0]] += 1
    # 300 +- 14 each
    assert all(245 < firsts[context, who] < 355 for context in contexts for who in "pqr")


@LAWS
@given(CONTEXTS, CONTEXTS, st.integers(3, 6), st.integers(0, 99))
def test_an_extended_plan_keeps_who_has_what(few: dict[str, str], more: dict[str, str], n: int, seed: int) -> None:
    before = assign(few, {context: 1 + int(context) % 2 for context in few}, NAMES[:n], seed=seed)
    contexts = more | few
    people = {context: 2 + int(context) % 2 for context in contexts}
    after = assign(contexts, people, NAMES[:n], seed=seed, already=before)
    assert all(after[context][: len(those)] == those for context, those in before.items())
    assert all(len(set(those)) == people[context] for context, those in after.items())


@pytest.mark.parametrize(
    ("people", "annotators", "message"),
    [
        ({"c": 3}, "pq", "'c' needs 3 people; expected 1 to 2"),
        ({"c": 0}, "pq", "'c' needs 0 people"),
        ({}, "pq", "'c' needs None people"),
        ({"c": 1}, "pp", "listed twice"),
    ],
)
def test_impossible_plans_are_refused(people: dict[str, int], annotators: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        assign({"c": "x"}, people, annotators, seed=1)


@LAWS
@given(CONTEXTS, st.integers(2, 6), st.integers(0, 99), st.randoms(use_true_random=False))
def test_limits_come_before_balance(contexts: dict[str, str], n: int, seed: int, random: Random) -> None:
    people = {context: random.choice([1, 2]) for context in contexts}
    group = {context: str(int(context) % 7) for context in contexts}
    barred = {context: random.sample(NAMES[:n], random.choice([0, 1, n])) for context in contexts}
    limits = Limits(barred=barred, group=group, strict=True)
    given_to = assign(contexts, people, NAMES[:n], seed=seed, limits=limits)
    had: dict[str, list[str]] = {name: [] for name in "0123456"}
    for context, those in given_to.items():
        assert not set(those) & set(barred[context])
        had[group[context]] += those
    assert all(len(set(those)) == len(those) for those in had.values())
    for context, those in given_to.items():
        able = set(NAMES[:n]) - set(barred[context]) - (set(had[group[context]]) - set(those))
        assert len(those) == people[context] or set(those) == able


@LAWS
@given(CONTEXTS, st.integers(0, 99))
def test_enough_people_are_enough_for_one_context_of_a_group_each(contexts: dict[str, str], seed: int) -> None:
    people = {context: 1 + int(context) % 2 for context in contexts}
    group = {context: str(int(context) % 5) for context in contexts}
    needed = max(sum(people[c] for c in contexts if group[c] == g) for g in set(group.values()))
    names = [f"p{k}" for k in range(needed)]
    given_to = assign(contexts, people, names, seed=seed, limits=Limits(group=group, strict=True))
    assert all(len(those) == people[context] for context, those in given_to.items())


def test_avoided_people_get_a_context_when_nobody_else_is_left() -> None:
    contexts = {str(k): "x" for k in range(6)}
    limits = Limits(avoided={context: ["p", "q"] for context in contexts})
    given_to = assign(contexts, {c: 1 + (c == "0") for c in contexts}, "pqr", seed=1, limits=limits)
    assert all(given_to[context] == ("r",) for context in contexts if context != "0")
    assert "r" in given_to["0"]
    assert len(given_to["0"]) == 2
    few = assign(contexts, dict.fromkeys(contexts, 1), "pq", seed=1, limits=Limits(group=dict.fromkeys(contexts, "t")))
    assert Counter(those[0] for those in few.values()) == {"p": 3, "q": 3}
