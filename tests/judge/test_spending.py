"""A ceiling lets in what fits, lets the next wait for what is under way, and is not passed."""

import asyncio

import pytest

from judge.spending import Ceiling, Price


def test_a_call_waits_while_those_under_way_may_leave_room() -> None:
    async def tried() -> tuple[bool, bool]:
        ceiling = Ceiling(10)
        assert await ceiling.enter(8)
        waiting = asyncio.create_task(ceiling.enter(8))
        await asyncio.sleep(0)
        waits = not waiting.done()
        ceiling.leave(8, 1)
        return waits, await waiting

    assert asyncio.run(tried()) == (True, True)


def test_a_call_that_can_never_fit_is_told_at_once() -> None:
    async def tried() -> bool:
        ceiling = Ceiling(10, spent=3)
        assert await ceiling.enter(1)
        return await ceiling.enter(8)

    assert asyncio.run(tried()) is False


def test_who_waits_is_told_when_the_room_is_gone() -> None:
    async def tried() -> bool:
        ceiling = Ceiling(10)
        await ceiling.enter(8)
        waiting = asyncio.create_task(ceiling.enter(8))
        await asyncio.sleep(0)
        ceiling.leave(8, 8)
        return await waiting

    assert asyncio.run(tried()) is False


def test_the_price_of_tokens() -> None:
    assert Price(input=0.15, output=0.6).cost(1_000_000, 500_000) == pytest.approx(0.45)
