"""The screens on RAMDocs and PoisonedRAG, where the sets are there."""

from pathlib import Path

import pytest

from benchmarks.leak_screens import READ, is_called_leak, poisonedrag, ramdocs

REAL = Path(__file__).parents[3].parent / "shared" / "real"

pytestmark = pytest.mark.skipif(
    not (REAL / "ramdocs").is_dir() or not (REAL / "poisonedrag").is_dir(), reason="the real sets are not here"
)


def test_ramdocs() -> None:
    found = ramdocs(REAL)
    flagged = {name: {one.item for one in contexts if one.screened.is_flagged} for name, contexts in found.items()}
    # The one document that repeats an answer word for word; the others were read one by one.
    assert "ram304" in flagged["absence"]
    assert len(flagged["absence"] - set(READ)) < 0.02 * len(found["absence"])
    assert len(flagged["clean"]) > 0.95 * len(found["clean"])
    assert len(flagged["conflict"]) > 0.95 * len(found["conflict"])


def test_poisonedrag() -> None:
    named = list(poisonedrag(REAL))
    assert len(named) == 240
    assert sum(map(is_called_leak, named)) <= 0.2 * len(named)
    # What the passages assert is not to be taken for a denial.
    asserted = list(poisonedrag(REAL, "counter"))
    assert sum(map(is_called_leak, asserted)) > 0.95 * len(asserted)
