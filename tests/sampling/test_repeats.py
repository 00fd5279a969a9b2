from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.overlap import overlap
from sampling.repeats import repeat_after, with_repeats

LAWS = settings(max_examples=60)


@LAWS
@given(st.integers(0, 60), st.integers(0, 100), st.integers(1, 30), st.integers(1, 4), st.integers(0, 99))
def test_repeats_come_later_once_and_apart(n: int, percent: int, gap: int, per_context: int, seed: int) -> None:
    queue = [f"r{k}" for k in range(n)]
    context = {item: f"c{k // per_context}" for k, item in enumerate(queue)}
    showings = with_repeats(queue, percent / 100, annotator="p", seed=seed, gap=gap, together=context)
    assert [s.item_id for s in showings if not s.repeat] == queue
    again = [s.item_id for s in showings if s.repeat]
    assert len(again) == len(set(again)) == min((2 * percent * n + 100) // 200, max(0, n - gap))
    for item in again:
        first, second = (i for i, s in enumerate(showings) if s.item_id == item)
        assert len({s.item_id for s in showings[first + 1 : second]}) >= gap
        assert showings[second].repeat
    firsts_in_a_row = groupby(s.item_id if s.repeat else context[s.item_id] for s in showings)
    blocks = [name for name, _ in firsts_in_a_row if name.startswith("c")]
    assert len(blocks) == len(set(blocks))


def test_every_item_that_can_repeat_does_so_equally_often_and_at_every_place() -> None:
    queue = [str(k) for k in range(30)]
    counts, places = dict.fromkeys(queue, 0), []
    for seed in range(600):
        showings = with_repeats(queue, 0.2, annotator="p", seed=seed, gap=10)
        for i, showing in enumerate(showings):
            if showing.repeat:
                counts[showing.item_id] += 1
                places.append(i)
    # 6 of 20: 180 +- 11 of 600
    assert all(135 < counts[item] < 225 for item in queue[:20])
    assert all(counts[item] == 0 for item in queue[20:])
    assert min(places) <= 13
    assert max(places) == 35


def test_repeats_differ_by_annotator_and_do_not_nest_with_the_overlap() -> None:
    queue = [str(k) for k in range(1000)]
    again = [
        {s.item_id for s in with_repeats(queue, 0.4, annotator=who, seed=1, gap=1) if s.repeat} for who in ("p", "q")
    ]
    doubled = overlap(dict.fromkeys(queue, "x"), 0.4, seed=1)
    for a, b in [(again[0], again[1]), (again[0], doubled), (again[1], doubled)]:
        assert 120 < len(a & b) < 200


def test_where_the_queue_is_unknown_a_share_repeats_at_every_distance() -> None:
    found = [repeat_after(str(k), 0.3, annotator="p", seed=1, gap=10) for k in range(2000)]
    later = [n for n in found if n is not None]
    # 600 +- 20 of 2000
    assert 520 < len(later) < 680
    assert set(later) == set(range(10, 21))
    assert {repeat_after(str(k), 0.0, annotator="p", seed=1) for k in range(50)} == {None}
    planned = {s.item_id for s in with_repeats(list(map(str, range(2000))), 0.3, annotator="p", seed=1) if s.repeat}
    again = {str(k) for k, n in enumerate(found) if n is not None}
    assert len(again & planned) > 0.9 * min(len(again), len(planned))


@pytest.mark.parametrize(("share", "gap"), [(-0.1, 1), (1.1, 1), (0.5, 0)])
def test_a_share_or_gap_that_makes_no_sense_is_refused(share: float, gap: int) -> None:
    with pytest.raises(ValueError, match="expected a share from 0 to 1 and a gap of at least 1"):
        repeat_after("a", share, annotator="p", seed=1, gap=gap)


@pytest.mark.parametrize(("queue", "share", "gap"), [(["a"], 1.1, 1), (["a"], 0.5, 0), (["a", "a"], 0.5, 1)])
def test_wrong_arguments_are_refused(queue: list[str], share: float, gap: int) -> None:
    with pytest.raises(ValueError, match="expected a share from 0 to 1"):
        with_repeats(queue, share, annotator="p", seed=1, gap=gap)
