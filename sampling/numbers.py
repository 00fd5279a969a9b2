"""Permanent random numbers: one number per unit and purpose, the same on every engine and machine."""

from hashlib import md5

SEPARATOR = "\x1f"


def permanent_number(seed: int, purpose: str, unit: str) -> str:
    """Sixteen hex digits that depend on these three values alone.

    The first 64 bits of MD5 over the UTF-8 of `seed:purpose:unit`, for randomisation and not for security.
    Compared as text, they order the units at random. Different purposes give independent orders.

    Args:
        seed: The study's seed.
        purpose: The decision being made, such as "draw" or "overlap": a fixed word of the code, never data.
        unit: What is numbered, such as the `unit_key` of a task, condition and run.

    Source: Ohlsson (1995), Coordination of samples using permanent random numbers, in Business Survey
    Methods, 153-169, doi:10.1002/9781118150504.ch9.

    >>> permanent_number(7, "draw", "task-1")
    '4668e664648df0c9'
    """
    return md5(f"{seed}:{purpose}:{unit}".encode(), usedforsecurity=False).hexdigest()[:16]


def unit_key(*parts: str | None) -> str:
    r"""The parts joined by U+001F; a missing part is empty.

    Two different keys come from different parts as long as no part contains U+001F itself. A missing and an
    empty part give the same key on purpose: files do not tell them apart.

    >>> unit_key("task-1", "clean", None)
    'task-1\x1fclean\x1f'
    """
    return SEPARATOR.join(part or "" for part in parts)


def as_share(number: str) -> float:
    """A permanent number as a number in [0, 1), uniform over units: below a share p with probability p.

    >>> round(as_share("4668e664648df0c9"), 4)
    0.275
    """
    return int(number, 16) / (1 << 4 * len(number))
