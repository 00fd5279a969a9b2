from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.construction import Broken, Decided, broken_share, broken_shares
from sampling.design import Design

NAN = float("nan")
SIZES = {"clean": 100, "absence": 60}


def shares(
    broken: list[float], condition: list[str], floor: int = 30, decided: Decided | None = None
) -> dict[str, Broken]:
    """Contexts drawn at random within each condition."""

    def design_of(usable: NDArray[np.bool_]) -> Design:
        kept = [name for name, use in zip(condition, usable, strict=True) if use]
        return Design.of_draws(
            stratum=kept,
            stratum_size=[SIZES[name] for name in kept],
            inclusion_probability=[condition.count(name) / SIZES[name] for name in kept],
            unit=[str(row) for row in np.flatnonzero(usable)],
        )

    return broken_shares(broken, condition, design_of, SIZES, decided=decided, floor=floor)


def test_by_hand() -> None:
    # 2 of 40 clean of 100; 12 of 36 absences of 60, and 4 without a verdict
    broken = [1.0] * 2 + [0.0] * 38 + [1.0] * 12 + [0.0] * 24 + [NAN] * 4
    found = shares(broken, ["clean"] * 40 + ["absence"] * 40)
    clean, absence = found["clean"], found["absence"]
    assert clean.share.value == pytest.approx(0.05)
    assert clean.share.se == pytest.approx(sqrt((1 - 0.4) * (40 / 39 * 0.05 * 0.95) / 40))
    assert (clean.share.n, clean.share.n_dropped) == (40, 0)
    assert [clean.lowest, clean.highest, clean.low, clean.high] == pytest.approx(
        [clean.share.value, clean.share.value, clean.share.low, clean.share.high]
    )
    assert absence.share.value == pytest.approx(12 / 36)
    assert (absence.share.n, absence.share.n_dropped) == (36, 4)
    assert [absence.lowest, absence.highest] == pytest.approx([12 / 40, 16 / 40])
    assert absence.low is not None
    assert absence.high is not None
    assert absence.low < 12 / 40 < 16 / 40 < absence.high


def test_few_audits_are_refused_but_all_of_them_are_enough() -> None:
    found = shares([0.0, 1.0] * 10, ["clean"] * 20)
    why = "refused: 20 labels in the denominator, 30 needed; label about 10 more"
    assert (found["clean"].share.value, found["clean"].share.why_undefined) == (None, why)
    assert found["clean"].lowest is None
    assert found["absence"].share.tier == "refused"
    everyone = shares([1.0] * 15 + [0.0] * 45, ["absence"] * 60)["absence"].share
    assert (everyone.value, everyone.low, everyone.high) == (0.25, 0.25, 0.25)


def test_none_broken_still_has_a_width() -> None:
    share = shares([0.0] * 40, ["clean"] * 40)["clean"].share
    assert (share.value, share.low) == (0, 0)
    assert share.high == pytest.approx(1 - 0.025 ** (1 / 40))


def test_wrong_arguments_are_refused() -> None:
    def nothing(usable: NDArray[np.bool_]) -> Design:
        return Design.of_draws(stratum=[], stratum_size=[], inclusion_probability=[], unit=[])

    with pytest.raises(KeyError, match="'majority'"):
        shares([0.0], ["majority"])
    with pytest.raises(ValueError, match="a verdict is 2 in 1 rows"):
        broken_share([2.0, 0.0], [True, True], nothing, 5)
    with pytest.raises(ValueError, match="differ in shape"):
        broken_share([0.0], [True, True], nothing, 5)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_order_does_not_matter_and_the_bounds_hold_the_share(seed: int) -> None:
    rng = np.random.default_rng(seed)
    broken = rng.choice([0.0, 0.0, 1.0, NAN], 80)
    condition = np.where(np.arange(80) < 45, "clean", "absence")
    order = rng.permutation(80)
    before = shares(broken.tolist(), condition.tolist(), floor=5)
    after = shares(broken[order].tolist(), condition[order].tolist(), floor=5)
    for name in SIZES:
        one, other = before[name], after[name]
        assert [one.share.value, one.low, one.high] == pytest.approx([other.share.value, other.low, other.high])
        assert one.share.value is not None
        assert one.share.low is not None
        assert one.share.high is not None
        assert one.lowest is not None
        assert one.highest is not None
        assert one.share.low <= one.share.value <= one.share.high
        assert one.lowest - 1e-12 <= one.share.value <= one.highest + 1e-12


def test_what_is_decided_corrects_the_share_in_three_phases() -> None:
    # 40 of 100 clean contexts: 12 are broken by the first person; of every other one it is decided, 4 of 6 are not.
    first = [1.0] * 12 + [0.0] * 28
    decided = np.where(np.arange(40) % 2 == 0, [1.0] * 4 + [0.0] * 36, NAN)
    known = Decided(overlap=np.arange(40) % 2 == 0, broken=decided)
    found = shares(first, ["clean"] * 40, decided=known, floor=20)["clean"]
    # 12/40 + 40/20 * (2 - 6) / 40
    assert found.share.value == pytest.approx(4 / 40)
    assert found.lowest == found.highest == found.share.value
    assert shares(first, ["clean"] * 40, floor=20)["clean"].share.value == pytest.approx(12 / 40)
    # What nobody can say, once decided, is left out and bounded.
    known = Decided(overlap=known.overlap, broken=np.where(np.arange(40) == 38, NAN, decided))
    found = shares(first, ["clean"] * 40, decided=known, floor=19)["clean"]
    assert found.share.n_dropped == 1
    # The number takes it to differ as the other 19 do; if it is valid it is 4/40, and 6/40 if it is broken.
    assert found.lowest == found.share.value == pytest.approx(12 / 40 - 4 / 19)
    assert found.highest == pytest.approx(6 / 40)


def test_all_decided_is_what_is_decided() -> None:
    decided = Decided(overlap=np.ones(40, dtype=bool), broken=np.array([1.0] * 4 + [0.0] * 36))
    assert shares([1.0] * 40, ["clean"] * 40, decided=decided)["clean"].share.value == pytest.approx(4 / 40)


def test_what_is_decided_has_the_shape_of_the_verdicts() -> None:
    with pytest.raises(ValueError, match="another shape than the verdicts"):
        shares([1.0] * 40, ["clean"] * 40, decided=Decided(overlap=np.ones(3, dtype=bool), broken=np.zeros(3)))
