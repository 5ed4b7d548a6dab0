"""Closes the seasons of all servers when a month is over in UTC, and posts cards where servers want them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from bot.registry import GAMES
from bot.screens.model import Screen
from bot.screens.seasons import card
from bot.services.guild_settings import GuildSettingsCache
from bot.services.jobs import PeriodicJob
from bot.standings.seasons import SeasonLine, month_at, starts_at
from bot.store.base import Store

FIRST_SECONDS, ROUND_SECONDS = 30.0, 3600.0
"""How long after a start to look for something to close or to post, and how often."""

GRACE_SECONDS = 600.0
"""How long after its end a season is closed, so that the last games are stored and all clocks agree."""

UNCERTAIN_SECONDS = 60.0
"""How soon to look again while the time is uncertain."""

BATCH = 50
"""How many servers to look up at a time."""

_log = logging.getLogger(__name__)


class Post(Protocol):
    """Posts a screen in a channel of a server. Returns False if Discord does not take it there.

    The ``nonce`` is the same for each try. With ``since``, a time in Unix seconds, nothing is posted if the
    screen was posted there after it.
    """

    def __call__(
        self, guild_id: int, channel_id: int, screen: Screen, nonce: str, since: float | None
    ) -> Awaitable[bool]: ...


class SeasonCloser:
    """Closes seasons. Each is closed in one transaction, and the note that its card is due is part of it."""

    def __init__(
        self,
        store: Store,
        servers: GuildSettingsCache,
        now: Callable[[], float],
        is_certain: Callable[[], bool],
        post: Post,
    ) -> None:
        """Nothing is closed unless the time ``is_certain``."""
        self._store = store
        self._servers = servers
        self._now = now
        self._is_certain = is_certain
        self._post = post
        self._job = PeriodicJob(
            "seasons",
            self._run,
            failure="Seasons can't be closed now; the next try is in an hour",
            retry_seconds=ROUND_SECONDS,
        )

    async def start(self) -> None:
        self._job.wake(FIRST_SECONDS)

    async def stop(self) -> None:
        await self._job.stop()

    async def _run(self) -> float:
        if not self._is_certain():
            return UNCERTAIN_SECONDS
        await self.round()
        now = self._now()
        due = starts_at(month_at(now - GRACE_SECONDS) + 1) + GRACE_SECONDS
        return min(ROUND_SECONDS, due - now + 1)

    async def round(self) -> None:
        """Close all seasons that are over, then post the cards that are due. A server that fails is tried
        again in the next round and stops no other."""
        await self._close(month_at(self._now() - GRACE_SECONDS) - 1)
        for guild_id, month in await self._store.seasons.cards():
            try:
                await self._post_card(guild_id, month)
            except Exception as error:
                _log.warning("The card of a season can't be posted in server %s now: %s", guild_id, error)

    async def _close(self, through: int) -> None:
        """Close the open seasons of all servers, up to the month ``through``."""
        after = 0
        while guild_ids := await self._store.seasons.with_open(through, after, BATCH):
            for guild_id in guild_ids:
                after = guild_id
                try:
                    while await self._store.seasons.close_next(guild_id, through):
                        pass
                except Exception:
                    _log.warning("The season of server %s can't be closed now", guild_id, exc_info=True)

    async def _post_card(self, guild_id: int, month: int) -> None:
        """Post the card of a season in each channel that the server has chosen for it."""
        refused = False
        best: Mapping[str, tuple[SeasonLine, ...]] = {
            game: lines for game in GAMES if (lines := await self._store.seasons.lines(guild_id, game, month))
        }
        for channel_id in self._servers.of(guild_id).seasons if best else ():
            nonce = f"sn.{guild_id:x}.{month:x}"
            # If an earlier try was interrupted, Discord may have posted the card.
            again = await self._store.seasons.try_card(guild_id, month)
            since = starts_at(month + 1) if again else None
            refused = not await self._post(guild_id, channel_id, card(month, best), nonce, since)
            if refused:
                _log.info("Server %s has a card of a season that can't be posted", guild_id)
        await self._store.seasons.settle_card(guild_id, month, refused=refused)
