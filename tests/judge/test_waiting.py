"""Whoever was turned away comes back no earlier than the server said, and not all in the same instant."""

import asyncio
import time
from email.utils import formatdate

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.waiting import LONGEST, retry_after, scatter


def waits(headers: dict[str, str], status: int = 429) -> float | None:
    response = httpx2.Response(status, headers=headers)
    asyncio.run(scatter(response))
    return retry_after(response.headers)


@given(st.floats(0.001, LONGEST))
def test_nobody_comes_back_earlier_or_after_the_longest_wait(seconds: float) -> None:
    later = waits({"Retry-After": repr(seconds)})
    assert later is not None
    assert seconds * (1 - 1e-12) <= later <= min(LONGEST, seconds + max(1.0, seconds / 4))


def test_those_turned_away_at_once_come_back_spread_out() -> None:
    later = sorted(waits({"Retry-After": "20"}) or 0.0 for _ in range(50))
    assert later[-1] - later[0] > 1
    assert len(set(later)) == 50


def test_a_date_and_milliseconds_are_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    assert 10 <= (waits({"Retry-After": formatdate(time.time() + 10, usegmt=True)}) or 0) <= 12.5
    assert 0.25 <= (waits({"retry-after-ms": "250", "Retry-After": "60"}) or 0) <= 1.25


@pytest.mark.parametrize("said", ["0", "-1", "121", "inf", "nan", "soon", "", f"Mon, 01 Jan {10**20} 00:00:00 GMT"])
def test_what_openai_does_not_wait_for_stays_as_it_was_said(said: str) -> None:
    response = httpx2.Response(429, headers={"Retry-After": said})
    asyncio.run(scatter(response))
    assert (response.headers["retry-after"], "retry-after-ms" in response.headers) == (said, False)


def test_an_answer_is_left_alone() -> None:
    assert waits({"Retry-After": "3"}, 200) == 3
