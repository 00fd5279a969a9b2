"""How long to leave a server alone that has said so: as long as it says, and a random while more."""

import random
import time
from email.utils import parsedate_to_datetime

import httpx2

LONGEST = 120.0
"""Seconds; openai asks nobody again who says more, and waits no longer."""

SPREAD = 0.25
"""The most that is put on top, as a share of the wait; at least a second."""


async def scatter(response: httpx2.Response) -> None:
    """Puts a random while on top of what a server says in Retry-After, of which openai waits exactly that.

    All who were turned away at once were told the same, and would be back in the same instant.
    """
    wait = retry_after(response.headers) if response.is_error else None
    if wait is not None and 0 < wait <= LONGEST:
        later = wait + random.uniform(0, max(1.0, SPREAD * wait))
        response.headers["retry-after-ms"] = str(1000 * min(later, LONGEST))


def retry_after(headers: httpx2.Headers) -> float | None:
    """How many seconds a server wants to be left alone; None when it does not say.

    >>> retry_after(httpx2.Headers({"Retry-After": "20"}))
    20.0
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return float(headers.get(name, "")) / unit
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time()
    except (ValueError, OverflowError, OSError):
        return None  # No date, or one that no clock has.
