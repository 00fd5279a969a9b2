import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.mcnemar import Discordant, mcnemar, tango

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "comparison_cases.json").read_text(encoding="utf-8"))
FIELDS = {"p_exact": "exact", "p_midp": "mid_p", "p_chi2": "chi2_p", "p_chi2_cc": "chi2_corrected_p"}
TESTS = [case for case in GOLDEN["cases"] if case["quantity"] in FIELDS]
INTERVALS = [case for case in GOLDEN["cases"] if case["quantity"].startswith("tango")]
counts = st.integers(0, 30)


def of_table(table: list[list[int]]) -> Discordant:
    return Discordant(only_first=table[0][1], only_second=table[1][0], n=sum(map(sum, table)))


@pytest.mark.parametrize("case", TESTS, ids=[case["id"] for case in TESTS])
def test_p_values_match_published_ones(case: dict[str, Any]) -> None:
    found = getattr(mcnemar(of_table(case["data"]["values"])), FIELDS[case["quantity"]])
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("case", INTERVALS, ids=[case["id"] for case in INTERVALS])
def test_the_interval_matches_published_ones(case: dict[str, Any]) -> None:
    level = int(case["quantity"].removeprefix("tango_")) / 100
    found = tango(of_table(case["data"]["values"]), level=level)
    assert (found.low, found.high) == pytest.approx(case["expected"], abs=case["tolerance"])


@settings(max_examples=60)
@given(counts, counts, counts)
def test_swapping_the_two_mirrors_the_interval_and_keeps_every_p(b: int, c: int, same: int) -> None:
    assume(b + c + same > 0)
    there = Discordant(only_first=b, only_second=c, n=b + c + same)
    back = Discordant(only_first=c, only_second=b, n=b + c + same)
    assert mcnemar(there) == mcnemar(back)
    one, other = tango(there), tango(back)
    assert one.low is not None
    assert one.high is not None
    assert (-one.high, -one.low) == pytest.approx((other.low, other.high), abs=1e-9)


@settings(max_examples=60)
@given(counts, counts, counts, st.floats(0.5, 0.995))
def test_the_interval_holds_its_value_and_is_never_a_point(b: int, c: int, same: int, level: float) -> None:
    assume(b + c + same > 0)
    found = tango(Discordant(only_first=b, only_second=c, n=b + c + same), level=level)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 1e-3


@settings(max_examples=60)
@given(counts, counts, st.integers(1, 30))
def test_the_interval_excludes_0_exactly_when_the_plain_test_rejects(b: int, c: int, same: int) -> None:
    pairs = Discordant(only_first=b, only_second=c, n=b + c + same)
    found, p = tango(pairs), mcnemar(pairs).chi2_p
    assert found.low is not None
    assert found.high is not None
    assume(abs(p - 0.05) > 1e-6)
    assert (found.low > 0 or found.high < 0) == (p < 0.05)


@settings(max_examples=40)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 30))
def test_an_end_solves_the_score_equation_at_the_most_likely_nuisance(b: int, c: int, same: int) -> None:
    n = b + c + same
    low = tango(Discordant(only_first=b, only_second=c, n=n)).low
    assert low is not None
    # The likelihood by brute force over the share of "only second", the difference held at the end.
    share = np.linspace(max(0.0, -low), (1 - low) / 2, 200_003)[1:-1]
    likelihood = b * np.log(share + low) + c * np.log(share) + same * np.log(1 - 2 * share - low)
    best = share[likelihood.argmax()]
    z = (b - c - n * low) / sqrt(n * (2 * best + low * (1 - low)))
    assert z == pytest.approx(stats.norm.ppf(0.975), abs=2e-3)


def test_the_interval_covers() -> None:
    rng = np.random.default_rng(3)
    for only_first, only_second, n in ((0.15, 0.05, 50), (0.04, 0.02, 100)):
        drawn = rng.multinomial(n, [only_first, only_second, 1 - only_first - only_second], size=1000)
        kinds, often = np.unique(drawn[:, :2], axis=0, return_counts=True)
        holds = 0
        for (b, c), count in zip(kinds.tolist(), often.tolist(), strict=True):
            found = tango(Discordant(only_first=b, only_second=c, n=n))
            assert found.low is not None
            assert found.high is not None
            holds += count * (found.low <= only_first - only_second <= found.high)
        # Score intervals of counts are at their level on average, cell by cell within a point or two.
        assert 0.93 <= holds / 1000 <= 0.98


def test_no_discordant_pair_gives_1_and_a_width() -> None:
    pairs = Discordant.of_answers([1, 1, 0], [1, 1, 0])
    test = mcnemar(pairs)
    assert (test.exact, test.mid_p, test.chi2, test.chi2_p, test.chi2_corrected_p) == (1, 1, 0, 1, 1)
    found = tango(pairs)
    # z^2 / (n + z^2)
    assert found.high == pytest.approx(1.959964**2 / (3 + 1.959964**2), abs=1e-6)
    assert found.low == pytest.approx(-(1.959964**2) / (3 + 1.959964**2), abs=1e-6)


@pytest.mark.parametrize(("b", "c"), [(5, 5), (1, 1), (0, 1)])
def test_p_values_never_pass_1(b: int, c: int) -> None:
    test = mcnemar(Discordant(only_first=b, only_second=c, n=20))
    assert test.exact == pytest.approx(1)
    assert max(test.exact, test.mid_p) <= 1
    assert test.mid_p == pytest.approx(1 if b == c else 0.5)
    assert test.chi2_corrected == 0


def test_no_pair_says_why_and_wrong_answers_are_refused() -> None:
    nothing = Discordant.of_answers([1, np.nan], [np.nan, 0])
    assert tango(nothing).why_undefined == "undefined: none of the 2 pairs has both answers"
    assert mcnemar(nothing).exact == 1
    with pytest.raises(ValueError, match="neither 0, 1 nor nan"):
        Discordant.of_answers([2], [0])
    with pytest.raises(ValueError, match="neither 0, 1 nor nan"):
        Discordant.of_answers([np.inf], [0])
    with pytest.raises(ValueError, match="one entry per pair"):
        Discordant.of_answers([1, 0], [1])
    with pytest.raises(ValueError, match="no more than all pairs"):
        Discordant(only_first=3, only_second=2, n=4)
    with pytest.raises(ValueError, match="share in"):
        tango(Discordant(only_first=1, only_second=0, n=2), level=95)
