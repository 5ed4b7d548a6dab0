"""Watches the deadlines of games, and finishes what a crash has interrupted.

:mod:`bot.sessions.absence` sets the deadlines, and :func:`bot.sessions.commands.time_out` decides what
happens when one has passed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from bot.games.core import Unreadable
from bot.observability import context
from bot.services.jobs import PeriodicJob
from bot.sessions.presentation import to_move_user
from bot.sessions.request import Echo, Stale
from bot.sessions.session import Sessions

MAX_SLEEP_SECONDS = 3600.0
"""How long to sleep at most; a deadline that another process has set is noticed after that."""

RETRY_SECONDS = 30.0
"""How long to wait after a failed round."""

_log = logging.getLogger(__name__)


class DeadlineScheduler:
    """Wakes games whose deadline has passed."""

    def __init__(
        self,
        sessions: Sessions,
        paint: Callable[..., Awaitable[None]],
        is_member: Callable[[int, int], Awaitable[bool]],
        is_locked: Callable[[int, int], Awaitable[bool]],
    ) -> None:
        """``paint(game_id, remind=…)`` shows a game. ``is_member(guild_id, user_id)`` says who is there, and
        ``is_locked(guild_id, channel_id)`` whether a channel is a locked thread.
        """
        self._sessions = sessions
        self._paint = paint
        self._is_member = is_member
        self._is_locked = is_locked
        self._recover = True
        self._job = PeriodicJob(
            "deadlines",
            self._round,
            failure="Deadlines could not be checked; the next try is in half a minute",
            retry_seconds=RETRY_SECONDS,
            clock=sessions.now,
        )
        sessions.on_deadline = self.expect

    async def start(self) -> None:
        """Begin in the background, so that slow repaints of old games don't delay the start."""
        self._job.wake()

    async def stop(self) -> None:
        await self._job.stop()

    def take_over(self) -> None:
        """Finish what another process has interrupted, after its games have become this process's."""
        self._recover = True
        self._job.wake()

    def expect(self, at: float) -> None:
        """Check deadlines at ``at``, in Unix seconds, when a game has set one."""
        self._job.wake(min(at - self._sessions.now(), MAX_SLEEP_SECONDS))

    async def thread_changed(self, channel_id: int, locked: bool) -> None:
        """Stop the clock of a locked thread's game, or let it go on."""
        row = await self._sessions.at(channel_id).thread_locked(locked)
        if row is not None:
            _log.info("The clock of game %s %s", row.id, "stops" if locked else "goes on")
            await self._paint(row.id, force=True)

    async def check_stopped(self) -> None:
        """Let the clocks go on whose threads were opened while nobody told the bot."""
        for game_id in await self._sessions.store.stopped_games():
            await self._try(game_id, self._continue)

    async def _continue(self, game_id: int) -> None:
        row = await self._sessions.store.game(game_id)
        if row is not None and not await self._is_locked(row.guild_id, row.channel_id):
            await self.thread_changed(row.channel_id, locked=False)

    async def first_round(self) -> None:
        """Wait for the end of the first round, which finishes what a crash has interrupted."""
        await self._job.finished()

    async def _round(self) -> float:
        """Wake the games that are due. Return the seconds until the next deadline."""
        if self._recover:
            self._recover = False
            await self._finish_interrupted()
        store, now = self._sessions.store, self._sessions.now()
        due = await store.due(now)
        for game_id in due:
            await self._try(game_id, self._overdue)
        following = await store.next_deadline()
        if following is None:
            return MAX_SLEEP_SECONDS
        if following <= now:
            # Games still due have failed, or were more than fit into one round.
            return 0.0 if len(due) > 1 else RETRY_SECONDS
        return min(max(following - self._sessions.now(), 0.0), MAX_SLEEP_SECONDS)

    async def _finish_interrupted(self) -> None:
        """Let waiting AIs move, and paint the games whose channel shows an old version."""
        store = self._sessions.store
        try:
            for game_id in await store.waiting_for_ai():
                await self._try(game_id, self._resume)
            for game_id in await store.games_to_repaint():
                await self._try(game_id, self._paint)
            await self.check_stopped()
        except Exception:
            _log.exception("Interrupted games could not be looked up")

    async def _overdue(self, game_id: int) -> None:
        row = await self._sessions.store.game(game_id)
        if row is None:
            return
        try:
            user_id = to_move_user(row)
        except Unreadable:
            user_id = None
        gone = user_id is not None and not await self._is_member(row.guild_id, user_id)
        locked = await self._is_locked(row.guild_id, row.channel_id)
        woken = await self._sessions.at(row.channel_id).overdue(game_id, gone, locked)
        if woken is not None:
            await self._paint(woken.row.id, remind=woken.remind)

    async def _resume(self, game_id: int) -> None:
        row = await self._sessions.store.game(game_id)
        if row is not None:
            await self._sessions.at(row.channel_id).resume(game_id)

    async def _try(self, game_id: int, step: Callable[[int], Awaitable[None]]) -> None:
        """Run ``step``, and log its errors, so that the other games get their turn."""
        context.game.set(game_id)
        try:
            await step(game_id)
        except (Stale, Echo):
            # Another process was first, or a click that was interrupted before its step was written.
            _log.info("Game %s has moved on before it was woken", game_id)
        except Exception:
            _log.exception("Game %s could not be woken", game_id)
