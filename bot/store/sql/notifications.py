"""How people want to be notified, in SQL; see :class:`~bot.store.notifications.NotificationStore`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.store.notifications import NotificationPreferences
from bot.store.sql.access import SqlPart


class SqlNotifications(SqlPart):
    """Implements :class:`~bot.store.notifications.NotificationStore` on both databases."""

    async def of(self, user_id: int) -> NotificationPreferences | None:
        row = await self._sql.reading.one("notifications_of", user_id=user_id)
        if row is None:
            return None
        start, end = row["quiet_from"], row["quiet_to"]
        quiet = None if start is None or end is None else (start, end)
        return NotificationPreferences(row["way"], row["moment"], quiet, row["zone"], row["locale"])

    async def choose(self, user_id: int, chosen: NotificationPreferences) -> None:
        start, end = chosen.quiet or (None, None)
        await self._sql.execute(
            "set_notifications",
            user_id=user_id,
            way=chosen.way,
            moment=chosen.moment,
            quiet_from=start,
            quiet_to=end,
            zone=chosen.zone,
            locale=chosen.locale,
        )

    async def export(self, user_id: int) -> Mapping[str, Any] | None:
        """Return what a person has chosen, for their export."""
        row = await self._sql.reading.one("notifications_of", user_id=user_id)
        return None if row is None else dict(row)
