"""What judging costs, and a ceiling that a run stays below."""

import asyncio
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 4
"""Roughly so for English prose and the common tokenisers; for an estimate only."""

LIMITS = ("max_tokens", "max_completion_tokens")
"""Parameters that say how long a reply may be."""

OUTPUT_TOKENS = 150
"""Of one reply, before any was seen: a sentence, a quote or two, a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in whatever currency the ceiling is in."""

    input: float
    output: float

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """The cost of so many tokens.

        >>> Price(input=2, output=8).cost(500_000, 100_000)
        1.8
        """
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would take, before it is begun."""

    n_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    """None where no price was given."""


def tokens_of(text: str) -> int:
    """About how many tokens a text has.

    >>> tokens_of("a" * 10)
    3
    """
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class Ceiling:
    """Lets calls begin as long as what was spent and what is under way cannot pass the limit.

    A call is let in for the most that it may cost; what it did cost counts once it is over. So the limit is passed only
    by as much as a prompt has more tokens than was thought.

    Args:
        limit: The most that may be spent.
        spent: What was spent before.
    """

    def __init__(self, limit: float, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self._held = 0.0
        self._changed = asyncio.Event()

    async def enter(self, most: float) -> bool:
        """Whether a call that costs so much at most may begin; waits while calls under way may still leave room."""
        while self.spent + self._held + most > self.limit:
            if not self._held or self.spent + most > self.limit:
                return False
            self._changed.clear()
            await self._changed.wait()
        self._held += most
        return True

    def leave(self, most: float, cost: float) -> None:
        """A call is over, and cost so much."""
        self._held = max(0.0, self._held - most)
        self.spent += cost
        self._changed.set()
