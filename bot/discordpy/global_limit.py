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


def outlive_global_limits(client: discord.Client) -> None:
    """Let requests go on after one was cancelled during a global limit."""
    http = client.http
    request = http.request

    async def request_and_go_on(*args: Any, **kwargs: Any) -> Any:
        try:
            return await request(*args, **kwargs)
        except asyncio.CancelledError:
            no_limit = http._global_over
            if not no_limit.is_set():
                asyncio.get_running_loop().call_later(PAUSE_SECONDS, no_limit.set)
            raise

    http.request = request_and_go_on  # type: ignore[method-assign]
