from collections import defaultdict
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.assignment import assign
from sampling.effort import Pace, effort
from sampling.overlap import shared

LAWS = settings(max_examples=60)


def test_hours_by_hand() -> None:
    pace = Pace(read_context=60, read_response=20, label=5, labels_per_context=2, labels_per_response=4, passes=2)
    work = effort(100, 50, overlap=0, pace=pace)
    # Two passes of 50 x 60 + 100 x 20, and 500 labels of 5 seconds.
    assert work.hours == pytest.approx((2 * (3000 + 2000) + 500 * 5) / 3600)
    assert work.rereading_hours == pytest.approx(5000 / 3600)
    assert (work.context_readings, work.response_readings) == (100, 200)
    assert effort(100, 50, overlap=1, people=3, pace=pace).hours == pytest.approx(3 * work.hours)


def test_readings_are_those_of_a_simulated_plan() -> None:
    random, readings, labels, runs = Random(2), 0, 0, 40
    context = {f"r{k}": f"c{k // 3}" for k in range(240)}
    for seed in range(runs):
        strata = {item: random.choice("xy") for item in context}
        people = shared(strata, share=0.25, seed=seed).people
        most: dict[str, int] = defaultdict(int)
        for item, number in people.items():
            most[context[item]] = max(most[context[item]], number)
        given_to = assign(dict.fromkeys(most, "x"), most, "pqr", seed=seed)
        readings += sum(len(those) for those in given_to.values())
        labels += sum(len(given_to[context[item]][:number]) for item, number in people.items())
    work = effort(240, 80, overlap=0.25, pace=Pace(passes=1))
    assert readings / runs == pytest.approx(work.context_readings, rel=0.02)
    assert labels / runs == pytest.approx(work.response_readings)


@LAWS
@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.integers(1, 4), st.floats(0, 1))
def test_more_of_anything_never_costs_less(
    n_responses: int, n_contexts: int, overlap: float, people: int, repeats: float
) -> None:
    hours = effort(n_responses, n_contexts, overlap=overlap, people=people, repeats=repeats).hours
    for more in (
        effort(n_responses + 9, n_contexts, overlap=overlap, people=people, repeats=repeats),
        effort(n_responses, n_contexts, overlap=overlap, people=people + 1, repeats=repeats),
        effort(n_responses, n_contexts, overlap=min(1, overlap + 0.1), people=people, repeats=repeats),
        effort(n_responses, n_contexts, overlap=overlap, people=people, repeats=min(1, repeats + 0.1)),
    ):
        assert more.hours >= hours - 1e-9


@pytest.mark.parametrize(
    ("numbers", "options", "message"),
    [
        ((-1, 2), {}, "-1 responses in 2 contexts"),
        ((1, 0), {}, "a context for every response"),
        ((1, 1), {"overlap": 1.5}, "overlap is 1.5"),
        ((1, 1), {"repeats": -1}, "repeats is -1"),
        ((1, 1), {"people": 0}, "at least 1 person"),
    ],
)
def test_wrong_numbers_are_refused(numbers: tuple[int, int], options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        effort(*numbers, **options)  # type: ignore[arg-type]  # mixed keyword values
