"""How much the bot is used, in a few numbers that need no metrics server."""

from __future__ import annotations

from bot.store.base import Usage
from bot.store.sql.connection import Reader
from bot.store.sql.servers import first_id_at

DAY_SECONDS = 86_400


async def usage_of(reader: Reader, now: float) -> Usage:
    """Count everything; ``now`` is in Unix seconds."""
    midnight = int(now) // DAY_SECONDS * DAY_SECONDS
    row = await reader.one("usage", since=first_id_at(midnight))
    assert row is not None
    return Usage(*row)
