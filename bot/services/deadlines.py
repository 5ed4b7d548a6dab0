"""Deadlines of games, and what a crash has left undone."""

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
"""A deadline that another process has set is noticed at the latest after this many seconds."""

RETRY_SECONDS = 30.0
"""How long a failed round waits before the next."""

_log = logging.getLogger(__name__)


class DeadlineScheduler:
    """Wakes games when their deadline has come."""

    def __init__(
        self,
        sessions: Sessions,
        paint: Callable[..., Awaitable[None]],
        is_member: Callable[[int, int], Awaitable[bool]],
    ) -> None:
        """``paint(game_id, remind=…)`` shows a game; ``is_member(guild_id, user_id)`` asks Discord."""
        self._sessions = sessions
        self._paint = paint
        self._is_member = is_member
        self._recover = True
        self._job = PeriodicJob(
            "deadlines",
            self._round,
            failure="Deadlines could not be met; the next try is in half a minute",
            retry_seconds=RETRY_SECONDS,
            clock=sessions.now,
        )
        sessions.on_deadline = self.expect

    async def start(self) -> None:
        """Begin in the background: a Discord that is slow to show old games does not hold up new ones."""
        self._job.wake()

    async def stop(self) -> None:
        await self._job.stop()

    def take_over(self) -> None:
        """Games of another process have become this one's: look for what it has left undone."""
        self._recover = True
        self._job.wake()

    def expect(self, at: float) -> None:
        """Be awake at ``at``, in Unix seconds: a deadline has been set."""
        self._job.wake(min(at - self._sessions.now(), MAX_SLEEP_SECONDS))

    async def first_round(self) -> None:
        """Wait until what was left undone is done."""
        await self._job.finished()

    async def _round(self) -> float:
        """Do what is due; return the seconds until the next deadline."""
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
            # What is still due has failed, or there was more than one round can take.
            return 0.0 if len(due) > 1 else RETRY_SECONDS
        return min(max(following - self._sessions.now(), 0.0), MAX_SLEEP_SECONDS)

    async def _finish_interrupted(self) -> None:
        """Let waiting AIs move, and show what no channel shows yet."""
        store = self._sessions.store
        try:
            for game_id in await store.waiting_for_ai():
                await self._try(game_id, self._resume)
            for game_id in await store.games_to_repaint():
                await self._try(game_id, self._paint)
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
        woken = await self._sessions.at(row.channel_id).overdue(game_id, gone)
        if woken is not None:
            await self._paint(woken.row.id, remind=woken.remind)

    async def _resume(self, game_id: int) -> None:
        row = await self._sessions.store.game(game_id)
        if row is not None:
            await self._sessions.at(row.channel_id).resume(game_id)

    async def _try(self, game_id: int, step: Callable[[int], Awaitable[None]]) -> None:
        """Do ``step``, and log what goes wrong, so that the other games get their turn."""
        context.game.set(game_id)
        try:
            await step(game_id)
        except (Stale, Echo):
            # Another process, or a click whose work was cut off before its step was written, was first.
            _log.info("Game %s has moved on before it was woken", game_id)
        except Exception:
            _log.exception("Game %s could not be woken", game_id)
