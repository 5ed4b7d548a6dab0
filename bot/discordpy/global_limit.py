"""Ends Discord's global rate limit even if the request that met it is cancelled.

When Discord answers a request with such a limit, the library holds back all others until this request has
waited for its end. If it is cancelled meanwhile, as by a timeout, the others wait forever. Written for
discord.py 2.7.1; ``tests/process/test_bot.py`` tests it with the library. If the library does this itself
after an upgrade, delete this module and its call in ``sharded_bot.py``.
"""

from __future__ import annotations

import asyncio
from typing import Any

import discord

PAUSE_SECONDS = 5.0
"""How long the others wait after that. If the limit is not over, the next request meets it again."""


class _Limit(asyncio.Event):
    """The library's event, set while there is no global limit; remembers which task met the present limit."""

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
            # The login has just replaced it by a plain event; no other request has begun.
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
