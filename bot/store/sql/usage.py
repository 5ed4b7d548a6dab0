"""How much the bot is used, in a few numbers that need no metrics server."""

from __future__ import annotations

from bot.store.base import Usage
from bot.store.sql.connection import Reader

DAY_SECONDS = 86_400
_DISCORD_EPOCH = 1_420_070_400
"""The first second of Discord's ids, in Unix seconds."""


async def usage_of(reader: Reader, now: float) -> Usage:
    """Count everything; ``now`` is in Unix seconds."""
    midnight = int(now) // DAY_SECONDS * DAY_SECONDS
    row = await reader.one("usage", since=(midnight - _DISCORD_EPOCH) * 1000 << 22)
    assert row is not None
    return Usage(*row)
