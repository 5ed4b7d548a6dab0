"""One game session a channel: every change of a game goes through here; the store is the truth.

Each step is: take the channel's lock, load the game, check who may do what, play, commit in one transaction.
Painting comes after, outside the lock, and losing it loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from weakref import WeakValueDictionary

from bot.games.core import GameError, Leave, Unreadable
from bot.games.seats import Seat
from bot.records.game_log import read_log, replay_log
from bot.registry import find
from bot.screens.advice import odds_screen
from bot.screens.entry import Entry
from bot.screens.model import Act, ChangeView, Screen
from bot.sessions import absence
from bot.sessions.lobby import DOUBLE_CLICK_SECONDS, Lobby
from bot.sessions.presentation import state_of
from bot.sessions.request import Click, Echo, Pressed, Refused, Stale, Woken
from bot.sessions.steps import SessionContext, check_manager, mark_present, seat_number
from bot.store.base import LIVE, LOBBY, Change, GameRow

_log = logging.getLogger(__name__)


class Sessions(SessionContext):
    """Hands out the session of a channel. One lock a channel, kept only while somebody uses it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def at(self, channel_id: int) -> GameSession:
        lock = self._locks.get(channel_id)
        if lock is None:
            lock = self._locks[channel_id] = asyncio.Lock()
        return GameSession(channel_id, self, lock)


class GameSession(Lobby):
    """What can be done to the game of one channel. Every method is one whole step, or changes nothing.

    Requests are refused with :class:`Refused`, :class:`~bot.games.core.GameError` or :class:`Echo`.
    """

    async def press(self, click: Click, game_id: int, version: int, token: str) -> Pressed:
        """A click on one of the game's own buttons, made on the table as it was at ``version``."""
        async with self._lock:
            pressed = await self._press_cached(click, game_id, version, token)
            if pressed is None:
                pressed = await self._press(click, await self._load(click, game_id), version, token)
            if pressed.row.version == version:
                return pressed
            return Pressed(await self._go_on(pressed.row))

    async def _press_cached(self, click: Click, game_id: int, version: int, token: str) -> Pressed | None:
        """The same without reading, where several processes write; None if the game is to be read first.

        The commit proves that it was the latest. Where it was not, or anything else is in the way, nothing
        was written, and the click is to be done again with the game as it is stored.
        """
        row = self._store.cached(game_id) if self._store.shared else None
        if row is None or row.version != version or row.channel_id != click.channel_id:
            return None
        try:
            return await self._press(click, row, version, token)
        except (GameError, Refused, Echo):
            return None

    async def _press(self, click: Click, row: GameRow, version: int, token: str) -> Pressed:
        """One click on a game as it was read, and nothing that others do after it."""
        entry, row, state, seat = self._at_table(click, row)
        if version != row.version:
            if self._around.now() - row.acted[seat] < DOUBLE_CLICK_SECONDS:
                raise Echo(row)
            raise Stale(row)
        if seat != entry.rules.to_move(state):
            raise Refused("error-not-your-turn")
        pressed = entry.screen.press(state, token)
        if isinstance(pressed, ChangeView):
            return Pressed(row, pressed.view)
        assert isinstance(pressed, Act)
        return Pressed(await self._move(entry, row, state, seat, pressed.action, click))

    async def leave(self, click: Click, game_id: int | None = None) -> GameRow:
        """Leave the channel's lobby or game, in or out of turn."""
        async with self._lock:
            row = await (self._load(click, game_id) if game_id is not None else self._active())
            if row.status == LOBBY:
                return await self._quit(click, row)
            entry, row, state, seat = self._at_table(click, row)
            return await self._leave(entry, row, state, seat, click)

    async def end(self, click: Click, game_id: int | None = None) -> GameRow:
        """Close the channel's lobby or game without a result: its host, or who may manage messages.

        Does not read the game's state, so that even a damaged game frees its channel.
        """
        async with self._lock:
            row = await (self._load(click, game_id) if game_id is not None else self._active())
            if row.status not in (LOBBY, LIVE):
                raise Refused("error-game-over")
            check_manager(click, row)
            return await self._close(row, click.interaction_id, "closed-ended")

    async def active(self) -> GameRow:
        """The channel's lobby or game. Raises :class:`Refused` if there is none."""
        return await self._active()

    async def look(self, click: Click, game_id: int) -> GameRow:
        """A wish to see the table at the bottom of the channel, where it may be already."""
        row = await self._load(click, game_id)
        if row.status not in (LOBBY, LIVE):
            raise Stale(row, "error-game-over")
        if self._around.now() - row.posted_at < DOUBLE_CLICK_SECONDS:
            raise Echo(row)
        return row

    async def odds(self, click: Click, game_id: int) -> Screen:
        """The odds of the table as it is now: for those who look on, and for those who play if they may."""
        row = await self._load(click, game_id)
        if row.status != LIVE:
            raise Stale(row, "error-stale" if row.status == LOBBY else "error-game-over")
        entry = find(row.game)
        if entry.advice is None:
            raise Unreadable("error-old-button")
        state = state_of(entry, row)
        seat = seat_number(row, click.user_id)
        if seat is not None and seat not in entry.rules.left(state) and not row.hints:
            raise Refused("error-hints-off")
        blocks = await self._around.think(entry.advice.odds, state)
        return odds_screen(row.seats, entry.rules.turn_seat(state), blocks)

    # People who are away.

    async def back(self, click: Click, game_id: int) -> GameRow:
        """Somebody whose turns were played for them is there again."""
        async with self._lock:
            entry, row, state, seat = await self._seated(click, game_id)
            if row.missed[seat] < absence.MAX_MISSED:
                raise Refused("error-not-away")
            row = mark_present(row, seat, self._around.now())
            return await self._wait_anew(entry, row, state, click)

    async def vote(self, click: Click, game_id: int) -> GameRow:
        """Vote to have the turn of somebody who does nothing played for them."""
        async with self._lock:
            entry, row, state, seat = await self._seated(click, game_id)
            turn, left = entry.rules.to_move(state), entry.rules.left(state)
            if seat == turn:
                raise Refused("error-vote-own-turn")
            idle = self._around.now() - row.since
            if idle < absence.IDLE_SECONDS:
                raise Refused("error-vote-too-early", n=int(absence.IDLE_SECONDS - idle) + 1)
            needed = absence.votes_needed(row, turn, left)
            if seat in row.votes:
                raise Refused("error-vote-twice", n=max(needed - len(row.votes), 1))
            row = row.but(votes=(*row.votes, seat), touched=row.touched + 1)
            # The version stays: a vote must not make the buttons of the person it is about stale.
            row = await self._commit(Change(row, row.version, click.interaction_id))
            if len(row.votes) < needed:
                return row
            return await self._play_for(entry, row, turn)

    async def remove(self, click: Click, user_id: int, game_id: int) -> GameRow:
        """Take somebody out of the lobby or the game: its host, or who may manage messages."""
        async with self._lock:
            row = await self._load(click, game_id)
            if row.status not in (LOBBY, LIVE):
                raise Refused("error-game-over")
            check_manager(click, row)
            number = _seat_of_other(row, user_id)
            if row.status == LOBBY:
                return await self._reseat(click, row, row.seats[:number] + row.seats[number + 1 :])
            entry = find(row.game)
            return await self._leave(entry, row, state_of(entry, row), number, click)

    async def hand_over(self, click: Click, user_id: int, to: Seat) -> GameRow:
        """Give somebody's seat to another person or to an AI: its host, or who may manage messages."""
        async with self._lock:
            row = await self._active()
            check_manager(click, row)
            number = _seat_of_other(row, user_id)
            entry = find(row.game)
            if to.user_id is not None and seat_number(row, to.user_id) is not None:
                raise Refused("error-seated-already")
            if not to.human and to.policy not in entry.policies:
                raise Unreadable("error-unreadable")
            seats = (*row.seats[:number], to, *row.seats[number + 1 :])
            if row.status == LOBBY:
                return await self._reseat(click, row, seats)
            state = state_of(entry, row)
            left = entry.rules.left(state)
            if number in left:
                raise Refused("error-not-seated")
            row = self._with_host(mark_present(row.but(seats=seats), number, 0.0), left)
            if not absence.people(row, left):
                return await self._close(row, click.interaction_id, "closed-everybody-left")
            return await self._wait_anew(entry, row, state, click, seats_changed=True)

    async def forget(self, user_id: int, game_id: int) -> GameRow | None:
        """Take somebody out of a lobby or a running game for good: they leave, and their seat loses its name.

        None if they have no seat there (any more).
        """
        async with self._lock:
            row = await self._latest(game_id)
            number = seat_number(row, user_id) if row is not None else None
            if row is None or number is None:
                return None
            if row.status == LOBBY:
                return await self._reseat(None, row, row.seats[:number] + row.seats[number + 1 :])
            if row.status != LIVE:
                return row
            try:
                entry = find(row.game)
                state = state_of(entry, row)
                if number not in entry.rules.left(state):
                    row = await self._leave(entry, row, state, number, None)
            except GameError:
                # Nobody can play on with a damaged game.
                return await self._close(row, None, "closed-ended")
            if row.status == LIVE:
                seats = (*row.seats[:number], Seat("human"), *row.seats[number + 1 :])
                # The version stays: for those who play on nothing has changed.
                row = row.but(seats=seats, touched=row.touched + 1)
                row = await self._commit(Change(row, row.version, seats_changed=True))
            return row

    # What happens by itself.

    async def resume(self, game_id: int) -> GameRow | None:
        """Let the AI play on where a crash has cut it off; None if there is nothing to do."""
        async with self._lock:
            row = await self._store.fresh(game_id)
            if row is None or row.status != LIVE or not row.ai_to_move:
                return None
            return await self._go_on(row)

    async def overdue(self, game_id: int, gone: bool = False) -> Woken | None:
        """Do what the deadline of a game asks for, if it really has passed; None if it has not.

        ``gone`` says that the person to move is no longer in the server, which counts as having left.
        """
        async with self._lock:
            row, now = await self._store.fresh(game_id), self._around.now()
            if row is None or row.deadline is None or row.deadline > now:
                return None
            if row.status == LOBBY:
                return Woken(await self._close(row, None, "closed-idle"))
            if now - row.since >= absence.UNTOUCHED_SECONDS:
                return Woken(await self._close(row, None, "closed-untouched"))
            entry = find(row.game)
            try:
                state = state_of(entry, row)
            except Unreadable:
                # Nobody can play on; the log is kept, and the channel is free again.
                _log.error("The state of game %s is damaged, the game is closed", row.id)
                return Woken(await self._close(row, None, "closed-damaged"))
            if row.ai_to_move:
                return Woken(await self._go_on(row))
            turn = entry.rules.to_move(state)
            if gone:
                return Woken(await self._leave(entry, row, state, turn, None))
            if row.reminded:
                return Woken(await self._play_for(entry, row, turn))
            # The version stays: being reminded must not make the buttons stale.
            row = row.but(reminded=True, touched=row.touched + 1)
            row = absence.with_deadline(row, entry.rules.left(state))
            return Woken(await self._commit(Change(row, row.version)), remind=True)

    async def channel_gone(self) -> GameRow | None:
        """Close the game of a channel that was deleted; None if there was none."""
        async with self._lock:
            row = await self._store.active_game(self.channel_id)
            return await self._close(row, None, "closed-channel-gone") if row else None

    # Parts of the above.

    async def _seated(self, click: Click, game_id: int) -> tuple[Entry, GameRow, Any, int]:
        return self._at_table(click, await self._load(click, game_id))

    def _at_table(self, click: Click, row: GameRow) -> tuple[Entry, GameRow, Any, int]:
        """A running game and the clicker's seat in it. Raises :class:`Refused` where that can't be."""
        if row.status == LOBBY:
            raise Stale(row)
        if row.status != LIVE:
            raise Stale(row, "error-game-over")
        entry = find(row.game)
        state = state_of(entry, row)
        seat = seat_number(row, click.user_id)
        if seat is None:
            raise Refused("error-not-in-game")
        if seat in entry.rules.left(state):
            raise Refused("error-you-left")
        return entry, row, state, seat

    async def _leave(self, entry: Entry, row: GameRow, state: Any, seat: int, click: Click | None) -> GameRow:
        left = (*entry.rules.left(state), seat)
        if seat in entry.rules.left(state):
            raise Refused("error-not-seated")
        if not absence.people(row, left):
            # Without people there is nobody to play for; AIs alone are no game.
            return await self._close(row, click.interaction_id if click else None, "closed-everybody-left")
        row = self._with_host(row, left)
        row = await self._move(entry, row, state, seat, Leave(seat), click)
        return await self._go_on(row)

    def _with_host(self, row: GameRow, left: tuple[int, ...]) -> GameRow:
        """The row with a host who is in the game: another person if the present one is not."""
        people = [row.seats[seat].user_id for seat in absence.people(row, left)]
        if row.host_id in people or not people:
            return row
        return row.but(host_id=people[0] or row.host_id)

    async def _wait_anew(
        self, entry: Entry, row: GameRow, state: Any, click: Click, *, seats_changed: bool = False
    ) -> GameRow:
        """Write a row whose people have changed, wait anew for whoever is to move, and go on."""
        now = self._around.now()
        row = row.but(version=row.version + 1, updated_at=now, since=now)
        row = absence.waiting(row, entry.rules.to_move(state), entry.rules.left(state))
        change = Change(row, row.version - 1, click.interaction_id, seats_changed=seats_changed)
        return await self._go_on(await self._commit(change))


def _seat_of_other(row: GameRow, user_id: int) -> int:
    number = seat_number(row, user_id)
    if number is None:
        raise Refused("error-not-at-table")
    return number


__all__ = [
    "Click",
    "Echo",
    "GameSession",
    "Pressed",
    "Refused",
    "Sessions",
    "Stale",
    "Woken",
    "read_log",
    "replay_log",
]
