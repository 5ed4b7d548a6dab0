"""How people want to be called, in SQL; see :class:`~bot.store.calls.CallStore`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.store.calls import CallPreferences
from bot.store.sql import Connection, Reader
from bot.store.sql_daily import Write


class SqlCalls:
    """Implements :class:`~bot.store.calls.CallStore` on both databases."""

    def __init__(self, reading: Reader, write: Write) -> None:
        self._reading = reading
        self._write = write

    async def of(self, user_id: int) -> CallPreferences | None:
        row = await self._reading.one("calls_of", user_id=user_id)
        if row is None:
            return None
        start, end = row["quiet_from"], row["quiet_to"]
        quiet = None if start is None or end is None else (start, end)
        return CallPreferences(row["way"], row["moment"], quiet, row["zone"], row["locale"])

    async def choose(self, user_id: int, calls: CallPreferences) -> None:
        start, end = calls.quiet or (None, None)

        async def job(connection: Connection) -> None:
            await connection.execute(
                "set_calls",
                user_id=user_id,
                way=calls.way,
                moment=calls.moment,
                quiet_from=start,
                quiet_to=end,
                zone=calls.zone,
                locale=calls.locale,
            )

        await self._write(job)

    async def export(self, user_id: int) -> Mapping[str, Any] | None:
        """Return what a person has chosen, for their export."""
        row = await self._reading.one("calls_of", user_id=user_id)
        return None if row is None else dict(row)
