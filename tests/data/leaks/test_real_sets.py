"""The screens on RAMDocs and PoisonedRAG, where the sets are there: no worse than asked for, and as documented."""

import re
from pathlib import Path

import pytest

from benchmarks.leak_screens import READ, is_called_leak, poisonedrag, ramdocs

REAL = Path(__file__).parents[3].parent / "shared" / "real"
DOCUMENTED = re.sub(r"\s+", " ", (Path(__file__).parents[3] / "docs" / "leaks.md").read_text(encoding="utf-8"))

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
    # Any other count, a better one too, is a change that the document has to tell.
    rows = re.findall(r"\| (absence|clean|conflict) \([^|]*\| (\d+) \| (\d+) \(", DOCUMENTED)
    assert {name: (len(found[name]), len(ids)) for name, ids in flagged.items()} == {
        name: (int(n), int(flags)) for name, n, flags in rows
    }


def test_poisonedrag() -> None:
    named = list(poisonedrag(REAL))
    assert len(named) == 240
    assert sum(map(is_called_leak, named)) <= 0.2 * len(named)
    # What the passages assert is not to be taken for a denial.
    asserted = list(poisonedrag(REAL, "counter"))
    called = sum(map(is_called_leak, asserted))
    assert called > 0.95 * len(asserted)
    spared = len(named) - sum(map(is_called_leak, named))
    assert f"{spared} ({spared / len(named):.1%}".replace("%", " %") + ") are not called a leak" in DOCUMENTED
    assert f"of the {len(asserted):,} passages that contain the answer they assert, {called:,} (" in DOCUMENTED
