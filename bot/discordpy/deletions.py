"""Deletes messages a while after they were sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bot.discordpy.errors import DISCORD_ERRORS


class Deletions:
    """The deletions that are still to come. Those that are left when the bot stops are not carried out."""

    def __init__(self) -> None:
        # The event loop itself keeps only weak references to tasks.
        self._tasks: set[asyncio.Task[None]] = set()

    def plan(self, seconds: float, delete: Callable[[], Awaitable[object]]) -> None:
        """Call ``delete`` after so many seconds. Errors of Discord's are ignored."""
        task = asyncio.create_task(_later(seconds, delete), name="delete a message")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel what was planned."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _later(seconds: float, delete: Callable[[], Awaitable[object]]) -> None:
    await asyncio.sleep(seconds)
    # The person may have dismissed the message.
    with suppress(*DISCORD_ERRORS):
        await delete()
