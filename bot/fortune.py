"""How lucky people were in games that have ended. It is worked out after the end; nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot.log import read_log
from bot.registry import GAMES, find
from bot.replays import DAMAGE
from bot.session import Sessions
from bot.store.base import OVER

MOST_CAUGHT_UP = 200
"""Games that ended before the bot was stopped and whose luck is worked out when it starts again."""

_log = logging.getLogger(__name__)


class Fortune:
    """One game at a time."""

    def __init__(self, sessions: Sessions, think: Callable[..., Awaitable[Any]]) -> None:
        """``think`` calls a function where it holds nobody up."""
        self._sessions = sessions
        self._think = think
        self._store = sessions.store
        self._wishes: dict[int, None] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Go on where the bot was stopped."""
        games = [key for key, entry in GAMES.items() if entry.luck is not None]
        for game_id in await self._store.without_luck(games, MOST_CAUGHT_UP):
            self.wish(game_id)
        self._sessions.on_over = self.wish

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def wish(self, game_id: int) -> None:
        """A game has ended."""
        self._wishes[game_id] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="fortune")

    async def _work(self) -> None:
        while self._wishes:
            game_id = next(iter(self._wishes))
            del self._wishes[game_id]
            try:
                await self._game(game_id)
            except Exception:
                # Nothing is lost: it is tried again when the bot starts the next time.
                _log.warning("How lucky people were in game %s is not known yet", game_id, exc_info=True)

    async def _game(self, game_id: int) -> None:
        row = await self._store.game(game_id)
        if row is None or row.status != OVER:
            return
        entry = find(row.game)
        if entry.luck is None:
            return
        try:
            options, log = await read_log(self._store, entry, row)
            luck = await self._think(entry.luck, options, len(row.seats), log)
        except DAMAGE as error:
            _log.warning("The log of game %s is damaged: %s", game_id, error)
            return
        await self._store.set_luck(game_id, luck)
