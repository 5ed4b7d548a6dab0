"""Messages that are deleted a while after they were sent."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from bot.discordpy.deletions import Deletions


@pytest.mark.parametrize("error", [None, aiohttp.ClientError("gone")])
async def test_a_message_is_deleted_once_after_its_time(error: Exception | None) -> None:
    calls: list[float] = []
    clock = asyncio.get_running_loop().time
    start = clock()

    async def delete() -> None:
        calls.append(clock() - start)
        if error is not None:
            raise error

    deletions = Deletions()
    deletions.plan(0.02, delete)
    await asyncio.sleep(0)
    assert calls == []
    await asyncio.sleep(0.1)
    assert len(calls) == 1
    assert calls[0] >= 0.02
    await deletions.stop()


async def test_what_is_left_at_a_stop_is_not_deleted() -> None:
    calls: list[None] = []

    async def delete() -> None:
        calls.append(None)

    deletions = Deletions()
    deletions.plan(0.0, delete)
    deletions.plan(60.0, delete)
    await deletions.stop()
    assert calls == []
    assert asyncio.all_tasks() == {asyncio.current_task()}
