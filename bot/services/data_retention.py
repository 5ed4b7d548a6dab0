"""Deletes the data of servers that the bot was removed from, of people on request, and unused data."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection

from bot.services.jobs import PeriodicJob
from bot.store.base import Store

KEEP_SECONDS = 30 * 86_400.0
"""How long to keep the data of a server after the bot was removed from it."""

ROUND_SECONDS, FIRST_SECONDS = 3600.0, 60.0
"""How often to look for data to delete, and how long after a start to look for the first time."""

DAY_SECONDS = 86_400.0
"""How often to ask Discord about servers that the bot doesn't see, and to delete unused data."""

MIN_ALARM = 3
"""If at least this many servers, and over half of all, seem gone in one day, don't believe it."""

_log = logging.getLogger(__name__)


class DataRetention:
    """Looks once an hour for data to delete.

    ``seen`` returns the servers that the bot knows it is in, including those with an outage.
    ``is_in(guild_id)`` asks Discord whether the bot is in a server; it returns None if Discord doesn't
    answer. Only False counts: a server that is merely missing or unavailable loses no data.
    """

    def __init__(
        self,
        store: Store,
        now: Callable[[], float],
        seen: Callable[[], Collection[int]],
        is_in: Callable[[int], Awaitable[bool | None]],
        purged: Callable[[int], None],
        is_responsible_for: Callable[[int], bool],
        is_certain: Callable[[], bool],
        erase: Callable[[int], Awaitable[None]],
    ) -> None:
        """``purged`` is called for every server whose data was deleted.

        ``is_responsible_for`` returns whether this process deletes the data of a server or a person, by their
        id, ``is_certain`` whether the clock can be trusted; until then only people's data is deleted.
        ``erase`` deletes that of one person.
        """
        self._store = store
        self._now = now
        self._seen = seen
        self._is_in = is_in
        self._purged = purged
        self._is_responsible_for = is_responsible_for
        self._is_certain = is_certain
        self._erase_person = erase
        self._departed: dict[int, float] = {}
        """When the bot was removed from each server whose data is still kept, in Unix seconds."""
        self._audited = self._tidied = float("-inf")
        self._job = PeriodicJob(
            "data retention",
            self._run,
            failure="Data retention has failed; the next try is in an hour",
            retry_seconds=ROUND_SECONDS,
        )

    async def start(self) -> None:
        self._departed = dict(await self._store.departures())
        self._job.wake(FIRST_SECONDS)

    async def stop(self) -> None:
        await self._job.stop()

    async def departed(self, guild_id: int) -> None:
        """Store that the bot was removed from a server.

        While the clock is not certain this is left to the daily audit: a wrong time would count as 30 days.
        """
        if guild_id not in self._departed and self._is_certain():
            at = self._now()
            await self._store.depart(guild_id, at)
            self._departed[guild_id] = at

    async def came_back(self, guild_id: int) -> None:
        """Store that the bot is in a server, from which it may have been removed before."""
        if guild_id in self._departed:
            await self._store.come_back(guild_id)
            self._departed.pop(guild_id, None)

    async def _run(self) -> float:
        await self.round()
        return ROUND_SECONDS

    async def round(self) -> None:
        """Do all steps that the clock allows. If one fails, log that and do the others."""
        timed = (self._audit, self._purge, self._tidy) if self._is_certain() else ()
        for step in (self._erase, *timed):
            try:
                await step()
            except Exception:
                _log.exception("Data retention has failed; the next try is in an hour")

    async def _erase(self) -> None:
        """Delete the data of people as an operator, or a restored backup, has asked."""
        for user_id in await self._store.to_erase():
            # A second process would delete again what they may have done just after the first one.
            if not self._is_responsible_for(user_id):
                continue
            try:
                await self._erase_person(user_id)
            except Exception:
                _log.exception("The data of person %s was not deleted; the next try is in an hour", user_id)

    async def _audit(self) -> None:
        """Find servers that the bot was removed from while it was not running."""
        for guild_id in set(self._seen()) & self._departed.keys():
            await self.came_back(guild_id)
        now = self._now()
        if now - self._audited < DAY_SECONDS:
            return
        servers = {
            guild_id for guild_id in await self._store.known_guilds() if self._is_responsible_for(guild_id)
        }
        servers -= self._departed.keys()
        gone = [guild_id for guild_id in servers - set(self._seen()) if await self._is_in(guild_id) is False]
        if len(gone) >= MIN_ALARM and 2 * len(gone) > len(servers):
            _log.error(
                "Discord says that the bot is in none of %s of its %s servers; their data is kept. "
                "Is this the token of another application?",
                len(gone),
                len(servers),
            )
            gone = []
        for guild_id in gone:
            _log.info("The bot is no longer in server %s; its data is kept for 30 days", guild_id)
            await self.departed(guild_id)
        self._audited = now

    async def _purge(self) -> None:
        """Delete the data of servers that the bot has left for so long, once Discord confirms it."""
        for guild_id, at in list(self._departed.items()):
            if (
                self._now() - at < KEEP_SECONDS
                or guild_id in self._seen()
                or not self._is_responsible_for(guild_id)
            ):
                continue
            try:
                await self._purge_if_gone(guild_id)
            except Exception:
                _log.exception("The data of server %s was not deleted; the next try is in an hour", guild_id)

    async def _purge_if_gone(self, guild_id: int) -> None:
        is_in = await self._is_in(guild_id)
        if is_in:
            await self.came_back(guild_id)
        elif is_in is False:
            await self._store.purge(guild_id)
            self._departed.pop(guild_id, None)
            self._purged(guild_id)
            _log.info("The data of server %s was deleted", guild_id)

    async def _tidy(self) -> None:
        """Delete unused data, once a day."""
        now = self._now()
        if now - self._tidied >= DAY_SECONDS:
            await self._store.tidy(now)
            self._tidied = now
