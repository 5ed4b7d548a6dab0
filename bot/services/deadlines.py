"""Watches the deadlines of games, and finishes what a crash has interrupted.

Each game is woken in a task of its own: where Discord is slow to answer for one channel, no other waits.

:mod:`bot.sessions.absence` sets the deadlines, and :func:`bot.sessions.commands.time_out` decides what
happens when one has passed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

from bot.games.core import Unreadable
from bot.observability import context
from bot.services.jobs import PeriodicJob, WorkQueue
from bot.sessions.absence import LATE_SECONDS
from bot.sessions.presentation import to_move_user
from bot.sessions.request import Echo, Stale
from bot.sessions.session import Sessions
from bot.store.base import LOBBY, NEVER, GameRow

MAX_SLEEP_SECONDS = 3600.0
"""How long to sleep at most; a deadline that another process has set is noticed after that."""

RETRY_SECONDS = 30.0
"""How long to wait after a failed round, or before a game that failed is woken again."""

MAX_TRIES = 6
"""How often to retry to resume a game, over about half an hour, as the pauses double."""

MAX_AT_ONCE = 50
"""How many games to wake at the same time, and how many to resume after a start."""

ALL_GAMES = 1_000_000_000
"""More games than there are."""

MAX_DUE = 100
"""How many games a round looks up, besides those that are being woken."""

_log = logging.getLogger(__name__)


class DeadlineScheduler:
    """Wakes games whose deadline has passed."""

    def __init__(
        self,
        sessions: Sessions,
        paint: Callable[..., Awaitable[None]],
        is_member: Callable[[int, int], Awaitable[bool]],
        is_locked: Callable[[int, int], Awaitable[bool]],
        *,
        is_reachable: Callable[[int], bool],
        is_certain: Callable[[], bool],
    ) -> None:
        """``paint(game_id, remind=…)`` shows a game. ``is_member(guild_id, user_id)`` says who is there, and
        ``is_locked(guild_id, channel_id)`` whether a channel is a locked thread. ``is_reachable(guild_id)``
        says whether clicks from a server reach the bot now, and ``is_certain()`` whether the clock may decide
        about what can't be undone.
        """
        self._sessions = sessions
        self._paint = paint
        self._is_member = is_member
        self._is_locked = is_locked
        self._is_reachable = is_reachable
        self._is_certain = is_certain
        self._due_job = PeriodicJob(
            "deadlines",
            self._find_due,
            failure="Deadlines could not be checked; the next try is in half a minute",
            retry_seconds=RETRY_SECONDS,
        )
        self._due = self._queue(
            "keep deadline",
            self._keep_deadline,
            "The deadline of game %s could not be kept",
            done=self._due_job.wake,
        )
        self._interrupted_job = PeriodicJob(
            "interrupted games",
            self._find_interrupted,
            failure="Interrupted games could not be looked up; the next try is in half a minute",
            retry_seconds=RETRY_SECONDS,
        )
        self._interrupted = self._queue(
            "resume game",
            self._resume,
            "Game %s could not be resumed",
            pause=lambda failures: RETRY_SECONDS * 2 ** (failures - 1) if failures <= MAX_TRIES else None,
        )
        self._locked_job = PeriodicJob(
            "locked games",
            self._find_locked,
            failure="Games in locked threads could not be looked up; the next try is in half a minute",
            retry_seconds=RETRY_SECONDS,
        )
        self._locked = self._queue(
            "start clock", self._start_if_unlocked, "The clock of game %s could not be started again"
        )
        self._restarts = self._queue(
            "restart clock", self._restart_clock, "The clock of game %s could not be restarted"
        )
        self._jobs = self._interrupted_job, self._locked_job, self._due_job
        self._queues = self._interrupted, self._locked, self._restarts, self._due
        self._restart_due = False
        self._held: set[int] = set()
        """Games whose deadline has passed while no click could reach the bot."""
        sessions.on_deadline = self.expect

    def _queue(
        self,
        name: str,
        step: Callable[[int], Awaitable[None]],
        failure: str,
        *,
        pause: Callable[[int], float | None] = lambda failures: RETRY_SECONDS,
        done: Callable[[], None] = lambda: None,
    ) -> WorkQueue[int]:
        """Return a queue of games, each of which a slow Discord may hold up without delaying the others."""
        work = partial(self._try, step)
        return WorkQueue(name, work, failure=failure, pause=pause, at_once=MAX_AT_ONCE, done=done)

    async def start(self) -> None:
        """Begin in the background, so that slow repaints of old games don't delay the start."""
        self.take_over()

    async def stop(self) -> None:
        for work in (*self._jobs, *self._queues):
            await work.stop()

    def take_over(self) -> None:
        """Finish what was interrupted by the last stop, or in games that this process has just taken over."""
        for job in self._jobs:
            job.wake()

    def restart_clocks(self) -> None:
        """Give every game its whole time again, after the clock has jumped."""
        self._restart_due = True
        self._due_job.wake()

    def expect(self, at: float) -> None:
        """Check deadlines at ``at``, in Unix seconds, when a game has set one."""
        self._due_job.wake(min(at - self._sessions.now(), MAX_SLEEP_SECONDS))

    async def thread_changed(self, channel_id: int, locked: bool) -> None:
        """Stop the clock of a locked thread's game, or start it again."""
        try:
            await self._set_clock(channel_id, locked)
        except Exception:
            # A clock that was to be started would stand until the next connection.
            self._locked_job.wake(RETRY_SECONDS)
            raise

    async def _set_clock(self, channel_id: int, locked: bool) -> None:
        row = await self._sessions.at(channel_id).thread_locked(locked)
        if row is not None:
            _log.info("The clock of game %s %s", row.id, "stops" if locked else "runs again")
            await self._paint(row.id, force=True)

    def check_locked(self) -> None:
        """Start the clocks of games whose threads were unlocked while the bot was not told."""
        self._locked_job.wake()

    async def _find_locked(self) -> None:
        for game_id in await self._sessions.store.stopped_games():
            self._locked.add(game_id)

    async def _start_if_unlocked(self, game_id: int) -> None:
        row = await self._sessions.store.game(game_id)
        if row is not None and not await self._is_locked(row.guild_id, row.channel_id):
            await self._set_clock(row.channel_id, locked=False)

    async def first_round(self) -> None:
        """Wait until everything is done that was due or interrupted at the start."""
        for work in (*self._jobs, *self._queues):
            await work.finished()

    async def _find_due(self) -> float:
        """Wake the games that are due. Return the seconds until the next deadline."""
        store, now = self._sessions.store, self._sessions.now()
        if self._restart_due:
            for game_id in await store.due(NEVER, ALL_GAMES):
                self._restarts.add(game_id)
            # Only now: if the games can't be read, the next round has to try again.
            self._restart_due = False
            await self._restarts.finished()
        for game_id in await store.due(now, MAX_DUE + len(self._due)):
            if game_id not in self._due:
                self._due.add(game_id)
        following = await store.next_deadline(now)
        if following is None:
            return MAX_SLEEP_SECONDS
        return min(max(following - self._sessions.now(), 0.0), MAX_SLEEP_SECONDS)

    async def _find_interrupted(self) -> None:
        """Resume the games in which an AI is to move, or whose channel shows an old version."""
        store = self._sessions.store
        for game_id in (*await store.waiting_for_ai(), *await store.games_to_repaint()):
            self._interrupted.add(game_id)

    async def _resume(self, game_id: int) -> None:
        """Show what was stored before the interruption, then let AIs move."""
        try:
            await self._paint(game_id)
            row = await self._sessions.store.game(game_id)
            if row is not None and await self._sessions.at(row.channel_id).resume(game_id) is not None:
                await self._paint(game_id)
        except Unreadable as error:
            # Another try would change nothing; its deadline closes it.
            _log.error("Game %s can't be read and is not resumed: %s", game_id, error)

    async def _keep_deadline(self, game_id: int) -> None:
        if game_id in self._restarts:
            # Its clock is about to be restarted: the time that has passed does not count.
            self._due.retry(game_id)
            return
        row = await self._sessions.store.game(game_id)
        if row is None or self._put_off(row):
            return
        try:
            user_id = to_move_user(row)
        except Unreadable:
            user_id = None
        gone = user_id is not None and not await self._is_member(row.guild_id, user_id)
        locked = await self._is_locked(row.guild_id, row.channel_id)
        woken = await self._sessions.at(row.channel_id).overdue(game_id, gone, locked, self._is_certain())
        if woken is not None:
            await self._paint(woken.row.id, remind=woken.remind)
        elif row.deadline is not None and row.deadline <= self._sessions.now():
            # Nothing can be done about it yet.
            self._due.retry(game_id)

    def _put_off(self, row: GameRow) -> bool:
        """Put off a deadline that no click could have met. Return whether that was done.

        Nothing is done for people who can't click; when they can again, they have the whole time again.
        """
        held, passed = row.id in self._held, self._sessions.now() - (row.deadline or NEVER)
        self._held.discard(row.id)
        if passed < 0 or not (row.reminded or row.status == LOBBY):
            # The first deadline of a turn only brings its reminder.
            return False
        if not self._is_reachable(row.guild_id):
            # If it passed long ago, the bot was away: people are notified and get time without this.
            if held or passed < LATE_SECONDS:
                self._held.add(row.id)
                self._due.retry(row.id)
                return True
        elif held:
            self._restarts.add(row.id)
            return True
        return False

    async def _restart_clock(self, game_id: int) -> None:
        row = await self._sessions.store.game(game_id)
        if row is not None and await self._sessions.at(row.channel_id).restart_clock(game_id) is not None:
            # The table says until when its player has time; showing it must not hold up the others.
            self._interrupted.add(game_id)

    async def _try(self, step: Callable[[int], Awaitable[None]], game_id: int) -> None:
        context.game.set(game_id)
        try:
            await step(game_id)
        except (Stale, Echo):
            # Another process was first, or a click that was interrupted before its step was written.
            _log.info("Game %s has moved on before it was woken", game_id)
