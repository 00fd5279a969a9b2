from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.patterns import MISSING, PATTERNS, decode, encode, merge_unseen, restrict


def test_every_code_comes_back() -> None:
    assert encode(*decode(range(PATTERNS))).tolist() == list(range(PATTERNS))


def test_a_pattern_reads_as_base_three() -> None:
    assert encode([1], [0], [np.nan], [1]).tolist() == [1 * 27 + 0 * 9 + 2 * 3 + 1]


def test_nothing_but_zero_one_and_missing_is_a_label() -> None:
    with pytest.raises(ValueError, match="neither 0, 1 nor nan"):
        encode([2], [0], [0], [0])


@pytest.mark.parametrize("code", [-1, 81])
def test_a_code_out_of_range_is_refused(code: int) -> None:
    with pytest.raises(ValueError, match=r"outside 0\.\.80"):
        decode([code])


def test_restricting_hides_the_other_labels() -> None:
    C, A, G, D = decode(restrict(range(PATTERNS), {"A", "D"}))
    assert np.isnan([C, G]).all()
    np.testing.assert_equal([A, D], [decode(range(PATTERNS))[1], decode(range(PATTERNS))[3]])


@pytest.mark.parametrize(
    ("sampled", "weight", "expected"),
    [
        pytest.param([40, 0], [1, 9], 40, id="fewest labels differ: 1111 is nearer to 1110 than 0000"),
        pytest.param([36, 30], [2, 3], 30, id="of equals, the one that stands for more"),
        pytest.param([36, 30], [2, 2], 30, id="of equals again, the smaller code"),
        pytest.param([36, 30, 36], [2, 3, 2], 36, id="the rows of a pattern add up"),
        pytest.param([MISSING], [1], MISSING, id="only unjudged rows"),
    ],
)
def test_an_unseen_pattern_borrows_from(sampled: list[int], weight: list[float], expected: int) -> None:
    assert merge_unseen([39], sampled, weight) == {39: expected}


def test_seen_patterns_keep_their_own_rows() -> None:
    assert merge_unseen([0, 40], [0, 40, 40], [1, 1, 1]) == {}


def test_without_a_sampled_row_there_is_nothing_to_borrow() -> None:
    with pytest.raises(ValueError, match="no sampled row"):
        merge_unseen([0], [], [])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 80), st.integers(1, 30)), min_size=1, max_size=20), st.randoms())
def test_merging_does_not_depend_on_the_order_of_rows(rows: list[tuple[int, int]], random: Random) -> None:
    shuffled = random.sample(rows, len(rows))
    merged = [merge_unseen(range(81), [c for c, _ in order], [w / 7 for _, w in order]) for order in (rows, shuffled)]
    assert merged[0] == merged[1]
