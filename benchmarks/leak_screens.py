"""What the leak screens say of two public sets: which contexts they flag, and which they call a mention.

    python -m benchmarks.leak_screens ../shared/real

RAMDocs is built into conditions: noise documents only = evidence absence, correct ones only = clean, correct and
misinforming ones = conflict. PoisonedRAG has false passages that name the reference answer, often to deny it.
"""

import argparse
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.leaks.screen import FLAGGED, LEAK, Fields, Screened, screen

KINDS = {"absence": ("noise",), "clean": ("correct",), "conflict": ("correct", "misinfo")}
"""Which documents of RAMDocs make a context of each condition."""

READ = {
    "ram173": "calls her a middle distance runner",
    "ram196": "a football team, a football league",
    "ram199": "calls him a cross-country skier, another one a weightlifter",
    "ram253": "has ten libraries",
    "ram281": "names the singer Rain",
    "ram300": "calls him a divine, and a bishop",
    "ram304": "gives the Chinese name with its English meaning",
    "ram337": "an album by a rock band",
    "ram346": "was born on June 25, 1942",
    "ram391": "the population was 8,695",
    "ram436": "a population of 3,046",
    "ram439": "calls him a speed skater, another one a boxer",
    "ram442": "was rated the best two-year-old filly",
    "ram456": "its population was 887",
    "ram460": "lies in Duplain Township, Michigan",
}
"""Flagged absence contexts that were read and found to give one of the reference answers, and by what."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """One context with what the screen says of it."""

    item: str
    screened: Screened
    passages: tuple[Fields, ...]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ramdocs(folder: Path) -> Mapping[str, list[Found]]:
    """Every context of each condition that RAMDocs can make."""
    found: dict[str, list[Found]] = {name: [] for name in KINDS}
    for row in rows(folder / "ramdocs" / "ramdocs_test.jsonl"):
        for condition, kinds in KINDS.items():
            texts = [one["text"] for one in row["documents"] if one["type"] in kinds]
            if {one["type"] for one in row["documents"]} >= set(kinds):
                passages = tuple(Fields(number=n, text=text) for n, text in enumerate(texts, 1))
                screened = screen(row["question"], row["gold_answers"], passages)
                found[condition].append(Found(item=row["item"], screened=screened, passages=passages))
    return found


def plain(text: str) -> str:
    """Lower case, without accents and punctuation: what a simple check compares."""
    letters = unicodedata.normalize("NFKD", text).casefold()
    words = re.findall(r"\w+", "".join(c for c in letters if not unicodedata.combining(c)))
    return f" {' '.join(words)} "


def poisonedrag(folder: Path, asked: str = "gold") -> Iterator[Found]:
    """The false passages that contain one answer as whole plain words: the gold one, or the one they assert."""
    for row in rows(folder / "poisonedrag" / "poisonedrag.jsonl"):
        for number, text in enumerate(row["adv_texts"]):
            if plain(row[asked]) in plain(text):
                passage = Fields(number=1, text=text)
                # The asserted answer is looked for as if the question were unknown: the question may name both.
                screened = screen(row["question"] if asked == "gold" else "", [row[asked]], [passage])
                yield Found(item=f"{row['item']}/{number}", screened=screened, passages=(passage,))


def is_called_leak(found: Found) -> bool:
    return any(hit.kind == LEAK for hit in found.screened.hits)


def quote(found: Found) -> str:
    """The strongest hit in its surroundings."""
    hit = max(found.screened.hits, key=lambda hit: (hit.kind == LEAK, hit.strength))
    text = found.passages[hit.passage - 1].text
    before, said, after = text[max(hit.start - 50, 0) : hit.start], text[hit.start : hit.end], text[hit.end :][:30]
    return f"{hit.reason}: …{before}[{said}]{after}…"


def share(part: Sequence[object], whole: Sequence[object]) -> str:
    return f"{len(part)} of {len(whole)} ({100 * len(part) / len(whole):.1f} %)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the folders ramdocs and poisonedrag are")
    folder = parser.parse_args().folder
    for condition, contexts in ramdocs(folder).items():
        flagged = [one for one in contexts if one.screened.is_flagged]
        print(f"ramdocs, {condition}: {share(flagged, contexts)} flagged (score of {FLAGGED} or more)")
        if condition == "absence":
            false = [one for one in flagged if one.item not in READ]
            print(f"  read and found to give an answer: {len(flagged) - len(false)}")
            print(f"  falsely flagged: {share(false, contexts)}")
            print("\n".join(f"  {one.item}: {READ.get(one.item, 'FALSE')} | {quote(one)}" for one in flagged))
    named = list(poisonedrag(folder))
    leaks = [one for one in named if is_called_leak(one)]
    rest = [one for one in named if not is_called_leak(one)]
    print(f"poisonedrag, gold answer in a false passage: {share(rest, named)} not called a leak; the misses:")
    print("\n".join(f"  {one.item} | {quote(one)}" for one in leaks))
    asserted = list(poisonedrag(folder, "counter"))
    found = [one for one in asserted if is_called_leak(one)]
    print(f"poisonedrag, the asserted answer: {share(found, asserted)} called a leak")


if __name__ == "__main__":
    main()
