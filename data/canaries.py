"""Canaries: responses that are right by general knowledge, while no passage establishes what they say.

Whoever reads the passages calls them not supported; whoever answers from what they know does not. The set ships with
the product and never changes without a new hash, so that what is measured with it can be compared over time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import as_file, files

from data.samples import read_samples
from data.views import Item

PREFIX = "canary:"
"""Before every id, so that none is taken for one of a study's own."""

_FILE = files("data").joinpath("canaries.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """One sample, and what a careful reader answers."""

    item: Item
    expected: Mapping[str, str]
    """The stored value of each label; of G the decision value."""

    @property
    def item_id(self) -> str:
        """The id of its response, with the prefix."""
        return self.item.response.response_id if self.item.response else ""


@cache
def canaries() -> tuple[Canary, ...]:
    """The shipped set, in its order."""
    with as_file(_FILE) as path:
        items = read_samples(path, prefix=PREFIX)
    rows = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]
    return tuple(Canary(item=item, expected=row["expected"]) for item, row in zip(items, rows, strict=True))


def canary_hash() -> str:
    """SHA-256 of the set as it is shipped."""
    return sha256(_FILE.read_bytes()).hexdigest()
