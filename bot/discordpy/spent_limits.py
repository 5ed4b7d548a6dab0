"""Lets a request return as soon as Discord has answered it, also if its rate limit allows no further one yet.

The library keeps such an answer back until the limit is over, seconds or minutes; an edit that has succeeded
would count as failed, and the game's next table would wait for it. Here only the next request waits. Written
for discord.py 2.7.1; ``tests/process/test_bot.py`` tests it with the library. If the library does this itself
after an upgrade, delete this module and its call in ``sharded_bot.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from discord.http import Ratelimit
from discord.webhook.async_ import AsyncDeferredLock

_leave: Callable[..., Coroutine[Any, Any, None]] = Ratelimit.__aexit__
_refilling: set[asyncio.Task[None]] = set()
"""Limits that are used up, until requests may go on."""


async def _leave_at_once(limit: Ratelimit, *error: object) -> None:
    """Leave the limit of a route as the library does, but wait in the background for its end."""
    if limit.remaining >= limit.outgoing:
        await _leave(limit, *error)
        return
    refilling = asyncio.get_running_loop().create_task(_leave(limit, *error), name="rate-limit")
    _refilling.add(refilling)
    refilling.add_done_callback(_refilling.discard)


async def _release_later(lock: AsyncDeferredLock, *error: object) -> None:
    """Release the lock of an interaction's webhook when its limit is over, without waiting for that."""
    if lock.delta:
        asyncio.get_running_loop().call_later(lock.delta, lock.lock.release)
    else:
        lock.lock.release()


def answer_at_once() -> None:
    """Let all requests return as soon as they are answered."""
    Ratelimit.__aexit__ = _leave_at_once  # type: ignore[method-assign, assignment]
    AsyncDeferredLock.__aexit__ = _release_later  # type: ignore[method-assign, assignment]
