"""Works out in the background how luckily and how well people played in finished games."""

from __future__ import annotations

import logging
import time

from bot.games.core import CORRUPT_DATA_ERRORS
from bot.records.game_log import OtherRules, read_log
from bot.registry import GAMES, find
from bot.services.jobs import PeriodicJob, WorkQueue
from bot.sessions.session import Sessions, Think
from bot.store.base import FINISHED

FIRST_SECONDS = 10.0
ROUND_SECONDS = 60.0
"""How long after the start the first round of older games begins, and how long after a round the next."""

WORK_SECONDS = 2.0
"""How long a round works; it finishes the game in progress."""

MAX_AT_ONCE = 50
"""How many games a round processes at most."""

NEWEST = (1 << 63) - 1
"""Greater than the id of any game."""

FAILURE = "How lucky people were in game %s could not be worked out"

_log = logging.getLogger(__name__)


class LuckBackfill:
    """Processes games as they end, one at a time, and in rounds all older games whose luck is not stored, or
    was worked out by an earlier version of the game's measure.

    The database knows which games are left, so a stop or a crash loses no more than the game in progress.
    """

    def __init__(self, sessions: Sessions, think: Think) -> None:
        """``think`` calls a function in a way that delays no click."""
        self._sessions = sessions
        self._think = think
        self._store = sessions.store
        self._stale = [
            (key, version) for key, entry in GAMES.items() for version in range(entry.measure_version)
        ]
        """The games, and the earlier versions of their measure, that are still to be looked for."""
        self._before = NEWEST
        """Only games with smaller ids are still to be looked for in the first of these."""
        self.ended = WorkQueue[int]("luck of game", self._try, failure=FAILURE, level=logging.WARNING)
        """The queue of games that have just ended."""
        self._older = PeriodicJob(
            "luck of older games",
            self._run,
            failure="Games whose luck is not known can't be looked for now; the next try is in a minute",
            retry_seconds=ROUND_SECONDS,
            level=logging.WARNING,
        )

    async def start(self) -> None:
        """Begin to process games as they end, and the older ones."""
        self._sessions.on_over = self.ended.add
        self._older.wake(FIRST_SECONDS)

    async def stop(self) -> None:
        await self._older.stop()
        await self.ended.stop()

    async def round(self) -> bool:
        """Process some older games, newest first. Return False if none are left.

        A game that fails is skipped until the next start, and ends the round, because others may fail as
        well.
        """
        until = time.perf_counter() + WORK_SECONDS
        while self._stale:
            game_ids = await self._store.measured_by(*self._stale[0], self._before, MAX_AT_ONCE)
            for game_id in game_ids:
                self._before = game_id
                if not await self._try(game_id) or time.perf_counter() > until:
                    return True
            if game_ids:
                return True
            self._stale.pop(0)
            self._before = NEWEST
        return False

    async def _run(self) -> float | None:
        return ROUND_SECONDS if await self.round() else None

    async def _try(self, game_id: int) -> bool:
        """Process one game. Return False if that failed."""
        try:
            await self._measure(game_id)
        except Exception:
            # Nothing is lost: the next start tries again.
            _log.warning(FAILURE, game_id, exc_info=True)
            return False
        return True

    async def _measure(self, game_id: int) -> None:
        row = await self._store.game(game_id)
        if row is None or row.status != FINISHED:
            return
        entry = find(row.game)
        if entry.measure is None:
            return
        # Stored as well if it stays None, so that the game is not looked for again.
        measured = None
        try:
            log = await read_log(self._store, row)
            measured = await self._think(entry.measure, log.options, log.seats, log.opening, log.moves)
        except OtherRules as error:
            _log.info("The luck of game %s is not calculated: %s", game_id, error)
        except CORRUPT_DATA_ERRORS as error:
            _log.warning("The log of game %s is damaged: %s", game_id, error)
        await self._store.set_luck(game_id, entry.measure_version, measured)
