"""What happens by itself: deadlines, and what a crash has left undone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.games.core import Unreadable
from bot.observability import context
from bot.sessions.presentation import to_move_user
from bot.sessions.request import Echo, Stale
from bot.sessions.session import Sessions

MAX_SLEEP_SECONDS = 3600.0
"""A deadline that another process has set is noticed at the latest after this many seconds."""

RETRY_SECONDS = 30.0
"""How long a failed round waits before the next."""

_log = logging.getLogger(__name__)


class DeadlineScheduler:
    """Wakes games when their deadline has come. Between two deadlines it is nothing but one timer."""

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
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = float("inf")
        self._round: asyncio.Task[None] | None = None
        self._stopped = False
        self._again = False
        sessions.on_deadline = self.expect

    async def start(self) -> None:
        """Begin; a Discord that is slow to show old games does not hold up the new ones."""
        self._round = asyncio.create_task(self._begin(), name="keeper")

    async def _begin(self) -> None:
        """Finish what was cut off: let waiting AIs move, paint what no channel shows yet, keep deadlines."""
        store = self._sessions.store
        try:
            for game_id in await store.waiting_for_ai():
                await self._careful(game_id, self._resume)
            for game_id in await store.unshown():
                await self._careful(game_id, self._paint)
        except Exception:
            _log.exception("What was cut off could not be finished")
        await self._keep()

    def take_over(self) -> None:
        """Games of another process have become this one's: begin anew with what it may have left undone."""
        self._again = True
        self.expect(self._sessions.now())

    def expect(self, at: float) -> None:
        """A deadline has been set; make sure to be awake by then."""
        if not self._stopped and at < self._fires_at:
            self._sleep_until(at)

    async def stop(self) -> None:
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        if self._round is not None:
            self._round.cancel()
            await asyncio.gather(self._round, return_exceptions=True)

    def _sleep_until(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._fires_at = at
        delay = min(max(at - self._sessions.now(), 0.0), MAX_SLEEP_SECONDS)
        self._timer = asyncio.get_running_loop().call_later(delay, self._fire)

    def _fire(self) -> None:
        self._timer, self._fires_at = None, float("inf")
        if not self._stopped and (self._round is None or self._round.done()):
            again, self._again = self._again, False
            self._round = asyncio.create_task(self._begin() if again else self._keep(), name="keeper")

    async def _keep(self) -> None:
        """Do what is due, then sleep until the next deadline."""
        now = self._sessions.now()
        try:
            due = await self._sessions.store.due(now)
            await self._all(due)
            following = await self._sessions.store.next_deadline()
        except Exception:
            _log.exception("Deadlines could not be kept; trying again")
            following = self._sessions.now() + RETRY_SECONDS
        else:
            if following is not None and following <= now:
                # What is still due has failed, or there was more than one round can take.
                following = now + (0.0 if len(due) > 1 else RETRY_SECONDS)
        if not self._stopped:
            if following is None:
                following = self._sessions.now() + MAX_SLEEP_SECONDS
            if self._again:
                following = now
            # A deadline that was set meanwhile may be nearer.
            self._sleep_until(min(following, self._fires_at))

    async def _all(self, due: Sequence[int]) -> None:
        for game_id in due:
            await self._careful(game_id, self._overdue)

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

    async def _careful(self, game_id: int, step: Callable[[int], Awaitable[None]]) -> None:
        """One game's trouble is not to keep the others waiting."""
        context.game.set(game_id)
        try:
            await step(game_id)
        except (Stale, Echo):
            # Another process, or a click whose work was cut off before its step was written, was first.
            _log.info("Game %s has moved on before it was woken", game_id)
        except Exception:
            _log.exception("Game %s could not be woken", game_id)
