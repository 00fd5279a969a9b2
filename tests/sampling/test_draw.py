from collections import Counter, defaultdict
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.allocation import equal, proportional
from sampling.draw import Candidate, Chosen, draw, linked_draw, reach

LAWS = settings(max_examples=50)


def population(**sizes: int) -> list[Candidate]:
    """Strata of the given sizes on the shared units 0, 1, 2, ..."""
    return [
        Candidate(item_id=f"{stratum}{k}", stratum=stratum, unit=str(k))
        for stratum, size in sizes.items() for k in range(size)
    ]  # fmt: skip


def ids(chosen: list[Chosen]) -> list[str]:
    return [item.item_id for item in chosen]


def test_the_sample_is_the_items_with_the_smallest_numbers() -> None:
    # for u in 0 1 2 3; do printf "7:draw:$u" | md5sum; done
    numbers = {"0": "62b7d713fa45fe79", "1": "d004d40bf8c2db91", "2": "637cd0169e6551e8", "3": "a6d81935e6b13d64"}
    expected = sorted(numbers, key=lambda unit: numbers[unit])[:2]
    chosen = draw(population(a=4), {"a": 2}, seed=7, purpose="draw")
    assert ids(chosen) == [f"a{unit}" for unit in expected]
    assert [c.permanent_number for c in chosen] == [numbers[unit] for unit in expected]
    assert {(c.stratum_size, c.sample_size, c.inclusion_probability) for c in chosen} == {(4, 2, 0.5)}


def test_strata_are_drawn_on_the_same_units() -> None:
    chosen = draw(population(a=50, b=50), {"a": 10, "b": 25}, seed=1, purpose="draw")
    units = {h: {c.item_id[1:] for c in chosen if c.stratum == h} for h in "ab"}
    assert units["a"] < units["b"]


SAMPLES = st.tuples(st.integers(1, 12), st.integers(0, 12)).map(lambda pair: (pair[0], min(pair)))


@LAWS
@given(SAMPLES, SAMPLES, st.integers(0, 99), st.randoms(use_true_random=False))
def test_a_draw_has_its_sizes_and_weights_and_does_not_depend_on_order(
    a: tuple[int, int], b: tuple[int, int], seed: int, random: Random
) -> None:
    candidates = population(a=a[0], b=b[0])
    sizes = {"a": a[1], "b": b[1]}
    chosen = draw(candidates, sizes, seed=seed, purpose="draw")
    random.shuffle(candidates)
    assert draw(iter(candidates), sizes, seed=seed, purpose="draw") == chosen
    assert Counter(c.stratum for c in chosen) == {h: n for h, n in sizes.items() if n}
    assert all(0 < c.inclusion_probability <= 1 for c in chosen)
    for stratum, (size, sample) in {"a": a, "b": b}.items():
        weights = [1 / c.inclusion_probability for c in chosen if c.stratum == stratum]
        assert sum(weights) == pytest.approx(size if sample else 0)


@LAWS
@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 99))
def test_asking_for_more_keeps_everything_drawn(fewer: int, more: int, seed: int) -> None:
    fewer, more = sorted((fewer, more))
    small = draw(population(a=20), {"a": fewer}, seed=seed, purpose="draw")
    large = draw(population(a=20), {"a": more}, seed=seed, purpose="draw")
    assert ids(small) == ids(large)[:fewer]


def test_seeds_and_purposes_draw_different_items() -> None:
    draws = [
        set(ids(draw(population(a=400), {"a": 200}, seed=seed, purpose=purpose)))
        for seed, purpose in [(1, "draw"), (2, "draw"), (1, "diagnostics")]
    ]
    # Independent halves share 100 +- 5 of 400 items.
    assert all(70 < len(draws[0] & other) < 130 for other in draws[1:])


def test_every_item_is_drawn_equally_often() -> None:
    counts: Counter[str] = Counter()
    for seed in range(500):
        counts.update(ids(draw(population(a=5), {"a": 2}, seed=seed, purpose="draw")))
    # 200 +- 11 each
    assert all(155 < counts[f"a{k}"] < 245 for k in range(5))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"a": 1, "b": 1, "z": 1}, "'z' has a sample size of 1 but no candidates"),
        ({"a": 1}, "'b' has 2 candidates but no sample size"),
        ({"a": 4, "b": 1}, "'a': 4 items cannot be drawn from 3"),
        ({"a": -1, "b": 1}, "'a': -1 items"),
    ],
)
def test_sizes_that_do_not_fit_the_strata_are_refused(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw(population(a=3, b=2), sizes, seed=1, purpose="draw")


def test_an_item_listed_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'a0' occurs twice"):
        draw([*population(a=2), *population(a=1)], {"a": 1}, seed=1, purpose="draw")


def test_two_items_of_one_unit_in_a_stratum_are_refused() -> None:
    twins = [Candidate(item_id=i, stratum="a", unit="t1") for i in ("r1", "r2")]
    with pytest.raises(ValueError, match=r"'r1' and 'r2' .* add model and prompt to the strata or use the response id"):
        draw(twins, {"a": 1}, seed=1, purpose="draw")


def study(contexts: dict[str, int], settings_: str = "mn", runs: int = 3) -> tuple[list[Candidate], list[Candidate]]:
    """Contexts of each stratum, each answered by every setting in every run."""
    of = [Candidate(item_id=f"{h}{k}", stratum=h, unit=f"{h}{k}") for h, size in contexts.items() for k in range(size)]
    return of, [
        Candidate(item_id=f"{c.item_id}-{m}-{run}", stratum=f"{c.stratum} | {m}", unit=f"{c.item_id}-{run}",
                  cluster=c.item_id)
        for c in of for m in settings_ for run in range(runs)
    ]  # fmt: skip


@LAWS
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 60), st.integers(0, 99), st.randoms(use_true_random=False))
def test_linked_draw_law(x: int, y: int, extra: int, seed: int, random: Random) -> None:
    contexts, responses = study({"x": 6, "y": 6})
    sizes, total = {"x": x, "y": y}, 8 + extra
    floor = 2
    both = linked_draw(contexts, sizes, responses, total, floor, seed=seed)
    drawn = {c.item_id: c for c in both.contexts}
    rows = {r.item_id: r for r in responses}
    assert Counter(c.stratum for c in both.contexts) == sizes
    assert len(both.responses) == min(total, 6 * (x + y))
    available = Counter(r.stratum for r in responses if r.cluster in drawn)
    for response in both.responses:
        context = drawn[rows[response.item_id].cluster or ""]
        second = response.sample_size / available[response.stratum]
        assert response.inclusion_probability == pytest.approx(context.inclusion_probability * second)
        assert 0 < response.inclusion_probability <= 1
        assert response.stratum_size == 18
        assert response.sample_size >= floor
    random.shuffle(contexts)
    random.shuffle(responses)
    assert linked_draw(contexts, sizes, responses, total, floor, seed=seed) == both


def test_weights_of_a_linked_draw_sum_to_the_population_when_contexts_are_alike() -> None:
    contexts, responses = study({"x": 10})
    both = linked_draw(contexts, {"x": 4}, responses, 9, 2, seed=3)
    assert sum(1 / r.inclusion_probability for r in both.responses) == pytest.approx(60)


def test_with_the_same_contexts_a_larger_total_keeps_the_responses() -> None:
    contexts, responses = study({"x": 10}, settings_="m")
    small, large = (linked_draw(contexts, {"x": 5}, responses, total, 1, seed=3) for total in (4, 9))
    assert small.contexts == large.contexts
    assert set(ids(small.responses)) < set(ids(large.responses))


def test_the_two_stages_have_their_own_numbers() -> None:
    contexts, responses = study({"x": 10})
    both = linked_draw(contexts, {"x": 4}, responses, 9, 2, seed=3)
    assert both.contexts == draw(contexts, {"x": 4}, seed=3, purpose="draw:context")
    reachable = [r for r in responses if r.cluster in {c.item_id for c in both.contexts}]
    second = draw(reachable, {"x | m": 5, "x | n": 4}, seed=3, purpose="draw:response")
    assert ids(both.responses) == ids(second)


def test_a_response_stratum_across_context_strata_is_refused_by_name() -> None:
    contexts, responses = study({"x": 3, "y": 3})
    loose = [Candidate(item_id=r.item_id, stratum=r.stratum[-1], unit=r.unit, cluster=r.cluster) for r in responses]
    with pytest.raises(ValueError, match="response stratum 'm' spans the context strata 'x' and 'y'"):
        linked_draw(contexts, {"x": 1, "y": 1}, loose, 9, 1, seed=1)


def test_a_response_without_a_known_context_is_refused() -> None:
    contexts, responses = study({"x": 3})
    stray = Candidate(item_id="r", stratum="x | m", unit="r")
    with pytest.raises(ValueError, match="response 'r' belongs to context None"):
        linked_draw(contexts, {"x": 1}, [*responses, stray], 9, 1, seed=1)


def test_a_response_stratum_that_no_drawn_context_reaches_is_refused() -> None:
    contexts, responses = study({"x": 3, "y": 3})
    with pytest.raises(ValueError, match=r"'y \| m': none of its 9 responses belongs to a drawn context; draw more"):
        linked_draw(contexts, {"x": 1, "y": 0}, responses, 4, 1, seed=1)


def test_a_linked_draw_needs_a_floor_and_a_total_that_covers_it() -> None:
    contexts, responses = study({"x": 3})
    with pytest.raises(ValueError, match="at least 1"):
        linked_draw(contexts, {"x": 1}, responses, 4, 0, seed=1)
    with pytest.raises(ValueError, match="smallest total that works is 4"):
        linked_draw(contexts, {"x": 1}, responses, 3, 2, seed=1)


@LAWS
@given(st.integers(4, 30), st.integers(0, 30), st.integers(0, 99))
def test_a_larger_total_over_strata_keeps_everything_drawn(first: int, more: int, seed: int) -> None:
    candidates = population(a=17, b=15, c=6)
    available = Counter(c.stratum for c in candidates)
    before = draw(candidates, proportional(available, first, floor=1), seed=seed, purpose="draw")
    ranks = reach(candidates, set(ids(before)), seed=seed, purpose="draw")
    assert ranks == Counter(c.stratum for c in before)
    sizes = proportional(available, first + more, floor=1, at_least=ranks)
    after = draw(candidates, sizes, seed=seed, purpose="draw")
    assert set(ids(before)) <= set(ids(after))
    assert len(after) == min(first + more, 38)


@LAWS
@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 12), st.integers(0, 99))
def test_extending_a_linked_draw_keeps_everything_drawn(few: int, more: int, extra: int, seed: int) -> None:
    contexts, responses = study({"x": 8, "y": 8})
    before = linked_draw(contexts, {"x": few, "y": few}, responses, 4 + few, 1, seed=seed)
    many = min(8, few + more)
    after = linked_draw(contexts, {"x": many, "y": few}, responses, 96, 1, seed=seed, keep=ids(before.responses))
    reachable = {r for r in responses if r.cluster in ids(after.contexts)}
    least = reach(reachable, ids(before.responses), seed=seed, purpose="draw:response")
    total = sum(least.get(stratum, 1) for stratum in {r.stratum for r in responses}) + extra
    after = linked_draw(contexts, {"x": many, "y": few}, responses, total, 1, seed=seed, keep=ids(before.responses))
    assert set(ids(before.contexts)) <= set(ids(after.contexts))
    assert set(ids(before.responses)) <= set(ids(after.responses))
    assert len(after.responses) == min(total, len(reachable))
    for response in after.responses:
        size = sum(r.stratum == response.stratum for r in reachable)
        first = many / 8 if response.stratum[0] == "x" else few / 8
        assert response.inclusion_probability == pytest.approx(first * response.sample_size / size)


def test_a_total_too_small_to_keep_what_was_drawn_is_refused() -> None:
    contexts, responses = study({"x": 10}, settings_="m")
    before = linked_draw(contexts, {"x": 5}, responses, 9, 1, seed=3)
    with pytest.raises(ValueError, match="what was already drawn; the smallest total that works is 9"):
        linked_draw(contexts, {"x": 5}, responses, 8, 1, seed=3, keep=ids(before.responses))
    with pytest.raises(ValueError, match="was drawn but cannot be kept"):
        linked_draw(contexts, {"x": 1}, responses, 9, 1, seed=3, keep=ids(before.responses))


def test_a_linked_draw_can_share_its_total_by_another_rule() -> None:
    contexts, responses = study({"x": 9, "y": 3}, settings_="m")
    both = linked_draw(contexts, {"x": 9, "y": 3}, responses, 12, 1, seed=3, rule=equal)
    assert Counter(r.stratum for r in both.responses) == {"x | m": 6, "y | m": 6}


def test_an_extended_linked_draw_gives_unbiased_totals_and_every_response_its_chance() -> None:
    # 12 contexts, 4 of them drawn and then 8, with as few responses as keep what was drawn.
    contexts, responses = study({"x": 12}, settings_="m")
    value = {r.item_id: float(k**2 % 17) for k, r in enumerate(responses)}
    truth, seeds = sum(value.values()), 1500
    totals: list[float] = []
    drawn: defaultdict[str, float] = defaultdict(float)
    for seed in range(seeds):
        before = linked_draw(contexts, {"x": 4}, responses, 5, 1, seed=seed)
        inside = linked_draw(contexts, {"x": 8}, responses, 99, 1, seed=seed).responses
        reachable = [r for r in responses if r.item_id in ids(inside)]
        least = reach(reachable, ids(before.responses), seed=seed, purpose="draw:response")
        after = linked_draw(
            contexts, {"x": 8}, responses, sum(least.values()), 1, seed=seed, keep=ids(before.responses)
        )
        totals.append(sum(value[r.item_id] / r.inclusion_probability for r in after.responses))
        for r in after.responses:
            drawn[r.item_id] += 1 / r.inclusion_probability
    error = (sum((t - truth) ** 2 for t in totals) / seeds**2) ** 0.5
    assert sum(totals) / seeds == pytest.approx(truth, abs=3 * error)
    # A response counts with its weight in every draw it is part of: 1 on average.
    assert all(0.8 < drawn[r.item_id] / seeds < 1.2 for r in responses)


def test_every_response_of_a_linked_draw_is_drawn_as_often_as_its_probability_says() -> None:
    contexts, responses = study({"x": 6, "y": 3}, runs=2)
    seeds, drawn = 1200, Counter[str]()
    expected: dict[str, float] = {}
    for seed in range(seeds):
        both = linked_draw(contexts, {"x": 3, "y": 2}, responses, 12, 2, seed=seed)
        for item in (*both.contexts, *both.responses):
            drawn[item.item_id] += 1
            expected[item.item_id] = item.inclusion_probability
    for item_id, probability in expected.items():
        error = (probability * (1 - probability) / seeds) ** 0.5
        assert drawn[item_id] / seeds == pytest.approx(probability, abs=4 * error)


@LAWS
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_coordinated_strata_differ_only_by_their_sizes(a: int, b: int, seed: int) -> None:
    chosen = draw(population(a=12, b=12), {"a": a, "b": b}, seed=seed, purpose="draw")
    units = {h: [c.item_id[1:] for c in chosen if c.stratum == h] for h in "ab"}
    assert units["a"][: min(a, b)] == units["b"][: min(a, b)]
    assert {c.permanent_number for c in chosen if c.stratum == "a"} <= {c.permanent_number for c in chosen}
    assert len({c.permanent_number for c in chosen}) == max(a, b)


@LAWS
@given(st.integers(0, 12), st.integers(0, 99))
def test_a_stratum_does_not_depend_on_what_is_drawn_elsewhere(other: int, seed: int) -> None:
    alone = draw(population(a=12), {"a": 5}, seed=seed, purpose="draw")
    both = draw(population(a=12, b=12), {"a": 5, "b": other}, seed=seed, purpose="draw")
    assert [c for c in both if c.stratum == "a"] == alone
