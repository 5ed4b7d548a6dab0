"""How lucky people were in games that have ended. It is worked out after the end; nobody waits for it."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bot.log import read_log
from bot.registry import GAMES, find
from bot.replays import DAMAGE
from bot.session import Sessions
from bot.store.base import OVER

MOST_AT_ONCE = 50
"""Games that are looked for at a time."""

REST = 3.0
"""After an old game there is a rest of so many times what it took: a quarter of one processor at most."""

LEAST_REST_SECONDS = 0.1
TROUBLE_SECONDS = 60.0
"""The rest after an old game that could not be done, e.g. because the database is away."""

NEWEST = (1 << 63) - 1

_log = logging.getLogger(__name__)


class Fortune:
    """Games as they end, one at a time, and beside them, slowly, all older ones that lack their luck."""

    def __init__(
        self, sessions: Sessions, think: Callable[..., Awaitable[Any]], least_rest: float = LEAST_REST_SECONDS
    ) -> None:
        """``think`` calls a function where it holds nobody up."""
        self._sessions = sessions
        self._think = think
        self._least_rest = least_rest
        self._store = sessions.store
        self._wishes: dict[int, None] = {}
        self._task: asyncio.Task[None] | None = None
        self._catching_up: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """From now on take in games as they end, and go through those that ended before."""
        self._sessions.on_over = self.wish
        # In a context of its own: it is no part of what somebody waits for.
        self._catching_up = asyncio.create_task(
            self._catch_up(), name="fortune of old games", context=contextvars.Context()
        )

    async def stop(self) -> None:
        tasks = [task for task in (self._task, self._catching_up) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def wish(self, game_id: int) -> None:
        """A game has ended."""
        self._wishes[game_id] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="fortune")

    async def _work(self) -> None:
        while self._wishes:
            game_id = next(iter(self._wishes))
            del self._wishes[game_id]
            await self._try(game_id)

    async def _catch_up(self) -> None:
        """Every game that lacks its luck, once, newest first; after a stop it begins anew with the rest."""
        for game, entry in GAMES.items():
            if entry.luck is None:
                continue
            before = NEWEST
            while found := await self._look(game, before):
                for before in found:
                    began = time.monotonic()
                    good = await self._try(before)
                    took = time.monotonic() - began
                    await asyncio.sleep(max(self._least_rest, REST * took) if good else TROUBLE_SECONDS)

    async def _look(self, game: str, before: int) -> tuple[int, ...]:
        while True:
            try:
                return await self._store.without_luck(game, before, MOST_AT_ONCE)
            except Exception:
                _log.warning("Games whose luck is not known can't be looked for now", exc_info=True)
            await asyncio.sleep(TROUBLE_SECONDS)

    async def _try(self, game_id: int) -> bool:
        """False if it could not be done now."""
        try:
            await self._game(game_id)
        except Exception:
            # Nothing is lost: it is tried again when the bot starts the next time.
            _log.warning("How lucky people were in game %s is not known yet", game_id, exc_info=True)
            return False
        return True

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
