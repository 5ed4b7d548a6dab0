"""Ends Discord's global rate limit although the request that has met it was given up.

The library holds back all requests until the one that was answered with such a limit has waited for its end.
If that one is cancelled meanwhile, as by a timeout, nothing lets the others go. Written for discord.py 2.7.1;
``tests/process/test_bot.py`` tests it with the library. If the library does this itself after an upgrade,
delete this module and its call in ``sharded_bot.py``.
"""

from __future__ import annotations

import asyncio
from typing import Any

import discord

PAUSE_SECONDS = 5.0
"""How long the others still wait then. If the limit is not over, Discord answers the next one so again."""


class _Limit(asyncio.Event):
    """The library's event that no global limit holds; it knows which task has met the present one."""

    met_by: asyncio.Task[Any] | None = None

    def clear(self) -> None:
        super().clear()
        self.met_by = asyncio.current_task()


def outlive_global_limits(client: discord.Client) -> None:
    """Let requests go on after the one that has met a global limit was cancelled."""
    http = client.http
    request = http.request

    async def request_and_go_on(*args: Any, **kwargs: Any) -> Any:
        if not isinstance(http._global_over, _Limit):
            # Login has just made its own, and this is the first request.
            http._global_over = _Limit()
            http._global_over.set()
        try:
            return await request(*args, **kwargs)
        except asyncio.CancelledError:
            limit = http._global_over
            if not limit.is_set() and limit.met_by is asyncio.current_task():
                asyncio.get_running_loop().call_later(PAUSE_SECONDS, limit.set)
            raise

    http.request = request_and_go_on  # type: ignore[method-assign]
