"""Usage is counted since midnight, by the ids that Discord has given since then."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.store.base import Usage
from bot.store.sql.usage import usage_of

DAY = datetime(2026, 11, 29, tzinfo=UTC)
USAGE = Usage(*range(len(Usage.__dataclass_fields__)))


@pytest.mark.parametrize("seconds", [0.0, 0.5, 86_399.9])
async def test_a_day_begins_at_midnight(seconds: float) -> None:
    asked: list[Any] = []

    async def one(query: str, **values: Any) -> Any:
        asked.append((query, values))
        return tuple(range(len(Usage.__dataclass_fields__)))

    reader: Any = SimpleNamespace(one=one)
    assert await usage_of(reader, DAY.timestamp() + seconds) == USAGE
    assert asked == [("usage", {"since": discord.utils.time_snowflake(DAY)})]
