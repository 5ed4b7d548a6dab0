"""How lucky people were in games that have ended. It is worked out after the end; nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bot.records.game_log import read_log
from bot.records.replay import CORRUPT_LOG_ERRORS
from bot.registry import GAMES, find
from bot.sessions.session import Sessions
from bot.store.base import FINISHED

FIRST_SECONDS = 10.0
ROUND_SECONDS = 60.0
"""How long after the start, and then how often, older games are gone on with."""

WORK_SECONDS = 2.0
"""How long a round works; the game that it is at then is finished."""

MAX_AT_ONCE = 50
"""Games that are looked for at a time."""

NEWEST = (1 << 63) - 1

_log = logging.getLogger(__name__)


class LuckBackfill:
    """Games as they end, one at a time, and beside them, in rounds, all older ones that lack their luck."""

    def __init__(self, sessions: Sessions, think: Callable[..., Awaitable[Any]]) -> None:
        """``think`` calls a function where it holds nobody up."""
        self._sessions = sessions
        self._think = think
        self._store = sessions.store
        self._wishes: dict[int, None] = {}
        self._task: asyncio.Task[None] | None = None
        self._kinds = [key for key, entry in GAMES.items() if entry.luck is not None]
        self._before = NEWEST
        self._timer: asyncio.TimerHandle | None = None
        self._older: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """From now on take in games as they end, and go through those that ended before."""
        self._sessions.on_over = self.wish
        self._sleep(FIRST_SECONDS)

    async def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        tasks = [task for task in (self._task, self._older) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def wish(self, game_id: int) -> None:
        """A game has ended."""
        self._wishes[game_id] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="fortune")

    async def round(self) -> bool:
        """Go on with older games for a while, newest first; False if that was the last of them.

        What can't be done is passed over until the bot starts the next time, and ends the round: the reason
        may be that nothing can be done now.
        """
        until = time.perf_counter() + WORK_SECONDS
        while self._kinds:
            found = await self._store.without_luck(self._kinds[0], self._before, MAX_AT_ONCE)
            if not found:
                self._kinds.pop(0)
                self._before = NEWEST
            for game_id in found:
                self._before = game_id
                if not await self._try(game_id) or time.perf_counter() > until:
                    return True
        return False

    def _sleep(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._older = asyncio.create_task(self._go_on(), name="fortune of older games")

    async def _go_on(self) -> None:
        try:
            more = await self.round()
        except Exception:
            _log.warning("Games whose luck is not known can't be looked for now", exc_info=True)
            more = True
        if more:
            self._sleep(ROUND_SECONDS)

    async def _work(self) -> None:
        while self._wishes:
            game_id = next(iter(self._wishes))
            del self._wishes[game_id]
            await self._try(game_id)

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
        if row is None or row.status != FINISHED:
            return
        entry = find(row.game)
        if entry.luck is None:
            return
        try:
            options, log = await read_log(self._store, entry, row)
            luck = await self._think(entry.luck, options, len(row.seats), log)
        except CORRUPT_LOG_ERRORS as error:
            _log.warning("The log of game %s is damaged: %s", game_id, error)
            return
        await self._store.set_luck(game_id, luck)
