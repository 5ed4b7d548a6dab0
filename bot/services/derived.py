"""What is computed from finished games when somebody asks for it, in worker processes.

No click waits for another person's record or review: see docs/decisions/fair-queue.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from typing import Any, TypeVar

from bot.games.core import CORRUPT_DATA_ERRORS
from bot.i18n.say import GameName
from bot.records.fairness import Fairness
from bot.records.game_log import OtherRules, check_rules
from bot.registry import find
from bot.screens.advice import Report
from bot.screens.highlights import Highlights
from bot.screens.score_sheet import SheetLine
from bot.services import derived_functions as functions
from bot.services.derived_functions import Frames
from bot.services.fair_queue import FairQueue
from bot.services.thinking import WorkerLost
from bot.sessions.request import Asker, Refused
from bot.sessions.session import Think
from bot.standings.values import CurvePoint, SkillPoint
from bot.store.base import FINISHED, GameRow, Store
from bot.store.bounded import Bounded
from bot.store.personal_export import export
from bot.strategy.account import NoAccount
from bot.strategy.tutto.puzzles import Puzzle

MAX_KEPT = 32
"""How many results to keep. Most have less than 100 KB."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


class _Lane:
    """A worker and the queue before it."""

    def __init__(self, think: Think) -> None:
        self._think = think
        self.queue = FairQueue()

    async def call(self, function: Callable[..., T], *args: object) -> T:
        """Call a function, which must have a turn. Raises :class:`Refused` if the worker is lost."""
        try:
            result: T = await self._think(function, *args)
        except TimeoutError:
            _log.warning("%s takes too long", function.__name__)
            raise Refused("error-takes-long") from None
        except (WorkerLost, MemoryError):
            _log.warning("No worker could do this: %s", function.__name__)
            raise Refused("error-worker-lost") from None
        return result


class DerivedResults:
    """Computes records, checks, replays, reviews and pictures, and keeps the latest.

    There are two workers, one for reviews and exports and one for the rest. A person may have one request
    waiting for each; all methods raise :class:`Refused` for more, and if a result can't be had now.
    """

    def __init__(self, store: Store, quick: Think, slow: Think) -> None:
        """``quick`` and ``slow`` call functions in worker processes; ``slow`` those that take seconds."""
        self._store = store
        self._quick, self._slow = _Lane(quick), _Lane(slow)
        self._kept: Bounded[Hashable, Any] = Bounded(MAX_KEPT)
        """The latest results, the one that was asked for least recently first."""
        self._making: dict[Hashable, asyncio.Future[Any]] = {}

    async def record(self, row: GameRow, asker: Asker) -> str | None:
        """Return the record of a game as one line, or None if it has none.

        Raises as :func:`bot.records.game_log.record_of`.
        """
        return await self._of_log(functions.record, self._quick, row, asker)

    async def score_sheet(self, row: GameRow, asker: Asker) -> tuple[SheetLine, ...]:
        """Return a line for each finished turn. Raises as :meth:`_of_sound_log`."""
        return await self._of_sound_log(functions.score_sheet, row, asker)

    async def check(self, row: GameRow, asker: Asker) -> Fairness | None:
        """Return what a check of the dice found, or None if no dice were drawn."""
        scores = [result.score for result in await self._store.results(row.id)]
        return await self._of_log(functions.check, self._quick, row, asker, tuple(scores))

    async def frames(self, row: GameRow, asker: Asker) -> Frames:
        """Return the replay of a game. Raises :class:`OtherRules`."""
        check_rules(row)
        return await self._of_log(functions.frames, self._quick, row, asker)

    async def review(self, row: GameRow, asker: Asker) -> Report:
        """Return the review of a game. Raises :class:`Refused` if there can be none."""
        entry = find(row.game)
        if not entry.has_review(len(row.seats)):
            if entry.coach is None:
                raise Refused("error-review-game")
            raise Refused("error-review-seats", game=GameName(row.game))
        if row.status != FINISHED:
            raise Refused("error-review-later")
        check_rules(row)
        try:
            return await self._of_log(functions.review, self._slow, row, asker)
        except OtherRules:
            raise
        except NoAccount:
            raise Refused("error-review-game") from None
        except CORRUPT_DATA_ERRORS as error:
            _log.warning("The log of game %s is damaged: %s", row.id, error)
            raise Refused("error-review-damaged") from error

    async def puzzle(self, row: GameRow, move: int, asker: Asker) -> Puzzle | None:
        """Return the puzzle before a move, or None if it makes none. Raises as :meth:`_of_sound_log`."""
        return await self._of_sound_log(functions.puzzle, row, asker, move)

    async def chances_chart(self, row: GameRow, report: Report, locale: str, asker: Asker) -> bytes:
        """Return the chart of the winning chances as PNG, in the language of ``locale``."""
        key = functions.chances_chart, *_identity(row), locale
        return await self._result(key, self._quick, asker, functions.chances_chart, report, row.seats, locale)

    async def statistics_charts(
        self, curve: tuple[CurvePoint, ...], skills: tuple[SkillPoint, ...], locale: str, asker: Asker
    ) -> Mapping[str, bytes]:
        """Return the charts of a person's rating, and of their skill and luck, as PNG by name."""
        # Both in one turn of the queue, where a person has only one request.
        return await self.call(asker, functions.statistics_charts, curve, skills, locale)

    async def score_chart(self, row: GameRow) -> bytes:
        """Return the chart of the scores as PNG. Raises one of CORRUPT_DATA_ERRORS if the log is damaged."""
        return await self._of_log(functions.score_chart, self._quick, row, _the_bot(row))

    async def highlights(self, row: GameRow) -> Highlights:
        """Return what stood out in a finished game. Raises as :meth:`review` and :meth:`score_chart`."""
        asker = _the_bot(row)
        has_review = find(row.game).has_review(len(row.seats))
        report = await self.review(row, asker) if has_review else None
        return await self._of_log(functions.highlights, self._quick, row, asker, report)

    async def export(self, asker: Asker) -> AsyncIterator[tuple[str, bytes]]:
        """Yield the files with everything that is stored about the person who asks. They are not kept."""
        files = export(self._store, asker.user_id, self._slow.call)
        while True:
            # Others have their turns while a file is sent.
            async with self._slow.queue.turn(asker):
                file = await anext(files, None)
            if file is None:
                return
            yield file

    async def call(self, asker: Asker, function: Callable[..., T], *args: Hashable) -> T:
        """Return what a function makes of its arguments, which are all that its result depends on."""
        return await self._result((function, *args), self._quick, asker, function, *args)

    async def _of_sound_log(
        self, function: Callable[..., T], row: GameRow, asker: Asker, *more: Hashable
    ) -> T:
        """Do what :meth:`_of_log` does. Raises :class:`OtherRules`, or :class:`Refused` for a damaged log."""
        try:
            return await self._of_log(function, self._quick, row, asker, *more)
        except OtherRules:
            raise
        except CORRUPT_DATA_ERRORS:
            raise Refused("error-damaged") from None

    async def _of_log(
        self, function: Callable[..., T], lane: _Lane, row: GameRow, asker: Asker, *more: Hashable
    ) -> T:
        """Return what a function makes of a game and its moves."""

        async def make() -> T:
            return await lane.call(function, row, await self._store.stored_moves(row.id), *more)

        return await self._once((function, *_identity(row), *more), lane, asker, make)

    async def _result(
        self, key: Hashable, lane: _Lane, asker: Asker, function: Callable[..., T], *args: object
    ) -> T:
        return await self._once(key, lane, asker, lambda: lane.call(function, *args))

    async def _once(self, key: Hashable, lane: _Lane, asker: Asker, make: Callable[[], Awaitable[T]]) -> T:
        """Return the kept result; or else make it, once for all who ask meanwhile."""
        result: T
        while key not in self._kept and (others := self._making.get(key)) is not None:
            await asyncio.wait([others])
            if not others.cancelled():
                result = others.result()
                return result
            # The first to ask was interrupted; of the others, the first to run makes it.
        if key in self._kept:
            self._kept.move_to_end(key)
            result = self._kept[key]
            return result
        pending = self._making[key] = asyncio.get_running_loop().create_future()
        try:
            async with lane.queue.turn(asker):
                result = await make()
        except Exception as error:
            pending.set_exception(error)
            # Or asyncio would log that it was never retrieved, if nobody else has asked.
            pending.exception()
            raise
        except BaseException:
            pending.cancel()
            raise
        finally:
            del self._making[key]
        pending.set_result(result)
        self._kept[key] = result
        return result


def _the_bot(row: GameRow) -> Asker:
    """Return the bot, asking for the server of a game."""
    return Asker(row.guild_id, 0)


def _identity(row: GameRow) -> tuple[Hashable, ...]:
    """Return what a result depends on, besides the moves.

    Seats are part of it, because their names differ by reader, and go when somebody's data is deleted.
    """
    sealed = row.secret, row.seal, row.start
    return row.id, row.version, row.touched, row.rules_version, row.seats, row.former, row.words, *sealed
