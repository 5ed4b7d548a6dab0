"""Maintenance: no new games, a line on every table, then a stop. After the next start the line goes.

It begins with a signal, for which an operator's command may have left a note. Processes that share a database
on PostgreSQL may run on other machines than the command, so they look for its note now and then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bot.i18n.names import clean
from bot.i18n.say import Name, Say, say
from bot.services.jobs import PeriodicJob, WorkQueue
from bot.sessions.request import Refused
from bot.sessions.session import Sessions
from bot.store.operator_note import OperatorNote

LOOK_SECONDS = 3.0
"""How often to look for a note that comes without a signal."""

ANNOUNCE_SECONDS = 60.0
"""How long the tables may take to show the line before the bot stops all the same."""

MAX_AT_ONCE = 20
"""How many tables to paint at the same time."""

TEXT_LENGTH = 100
"""How many characters an operator's text may have."""

_log = logging.getLogger(__name__)


def note_of(text: str, at: float) -> str:
    """Return the note that asks for maintenance. Its time tells it from the one before."""
    return f"maintenance {at:.3f} {text}"


def text_in(note: str) -> str:
    """Return the operator's text in a note.

    >>> text_in(note_of("back at 20:15", 1.5))
    'back at 20:15'
    """
    return note.split(" ", 2)[2]


class Maintenance:
    """Prepares the bot's stop when it is asked to."""

    def __init__(
        self,
        sessions: Sessions,
        note: OperatorNote,
        place: str,
        look_seconds: float | None,
        show_notice: Callable[[Say], None],
        paint: Callable[..., Awaitable[None]],
        stop: Callable[[], None],
    ) -> None:
        """``place`` names the shards that this process serves, "" for all. ``look_seconds`` is how often to
        look for a note, None for only when :meth:`wake` is called. ``show_notice`` puts a line on the tables
        that ``paint(game_id, force=True)`` paints from then on, and ``stop`` stops the bot.
        """
        self._sessions = sessions
        self._note = note
        self._announced = f"maintenance:{place}"
        """The key of the mark in the database that tables may have the line."""
        self._show_notice = show_notice
        self._stop = stop
        self._seen = ""
        """The latest note that was read."""
        self._woken = False
        self._look_seconds = look_seconds
        self.begun = False
        self._look = PeriodicJob(
            "operator's note",
            self._read_note,
            failure="The operator's note can't be read",
            retry_seconds=30.0,
        )
        self._announcement = PeriodicJob(
            "maintenance", self._announce, failure="The maintenance could not be announced", retry_seconds=5.0
        )
        self._tables = WorkQueue[int](
            "announce maintenance",
            lambda game_id: paint(game_id, force=True),
            failure="Game %s could not be told of the maintenance",
            at_once=MAX_AT_ONCE,
        )

    async def start(self) -> None:
        """Have the tables painted again that may still have the line."""
        store = self._sessions.store
        if await store.meta(self._announced):
            await store.forget_shown()
            await store.set_meta(self._announced, "")
        self._seen = await self._note.read()
        if self._look_seconds is not None:
            self._look.wake(self._look_seconds)

    async def stop(self) -> None:
        await self._look.stop()
        await self._announcement.stop()
        await self._tables.stop()

    async def request(self, text: str) -> None:
        """Begin maintenance in this process and in all others that share its database."""
        await self._note.write(note_of(text, self._sessions.now()))
        self._look.wake()

    def begin(self, text: str = "") -> None:
        """Open no more games, tell the tables, and stop. ``text`` is shown to everybody."""
        if self.begun:
            return
        self.begun = True
        cleaned = Name(clean(text, TEXT_LENGTH))
        ending = "-text" if cleaned.text else ""
        args = {"text": cleaned} if cleaned.text else {}
        self._sessions.refuse_new = lambda: Refused(f"error-maintenance{ending}", **args)
        self._show_notice(say(f"notice-maintenance{ending}", **args))
        self._announcement.wake()

    def wake(self) -> None:
        """Begin, with the text of the note if there is a new one."""
        self._woken = True
        self._look.wake()

    async def _read_note(self) -> float | None:
        note = await self._note.read()
        if note != self._seen:
            self._seen = note
            self.begin(text_in(note))
        elif self._woken:
            self.begin()
        return self._look_seconds

    async def _announce(self) -> None:
        store = self._sessions.store
        await store.set_meta(self._announced, "1")
        await store.forget_shown()
        games = await store.games_to_repaint()
        _log.info("Maintenance: no new games; the bot stops when its tables say so (%s)", len(games))
        for game_id in games:
            self._tables.add(game_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(ANNOUNCE_SECONDS):
                await self._tables.finished()
        self._stop()
