"""The lobby part of a game session: open, join, leave, options, start, cancel, rematch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bot.games import codec
from bot.games.core import Unreadable, check_seats, settle
from bot.games.seats import Seat, ai
from bot.records.seeds import SeededChance
from bot.registry import find
from bot.screens.button_ids import (
    ADD_AI,
    CANCEL,
    JOIN,
    LEAVE_LOBBY,
    NEXT_TIMER,
    REMOVE_AI,
    START,
    TOGGLE_HINTS,
)
from bot.screens.entry import Entry
from bot.sessions.presentation import state_of
from bot.sessions.request import Click, Echo, Pressed, Refused, Stale
from bot.sessions.steps import Steps, check_host, check_manager, seat_number, seat_of
from bot.store.base import FINISHED, LIVE, LOBBY, Change, ChannelTaken, Duplicate, GameRow, RematchTaken
from bot.store.guild_settings import DEFAULT_TURN_SECONDS, TURN_SECONDS

DOUBLE_CLICK_SECONDS = 3.0
"""A stale click this soon after the same person's accepted one is its echo and gets no answer."""

LOBBY_SECONDS = 3600.0
"""An idle lobby closes after this."""


class Lobby(Steps):
    """Every method is one whole step, or raises and changes nothing."""

    async def open(
        self,
        click: Click,
        game: str,
        options: Mapping[str, Any],
        turn_seconds: int = DEFAULT_TURN_SECONDS,
        hints: bool = True,
    ) -> GameRow:
        """Open a lobby with the clicker as its host, in the first seat."""
        entry = find(game)
        checked = entry.rules.options(options)
        async with self._lock:
            row = self._new_row(click, entry, checked, (seat_of(click),), turn_seconds, parent=None)
            return await self._create(click, row.but(hints=hints))

    async def rematch(self, click: Click, game_id: int) -> GameRow:
        """Open a lobby for the same people once more, the next seat beginning; one a finished game."""
        async with self._lock:
            old = await self._load(click, game_id)
            if old.status != FINISHED:
                raise Refused("error-rematch-later")
            entry = find(old.game)
            options = entry.rules.options(codec.loads(old.options))
            gone = entry.rules.left(state_of(entry, old))
            stay = [
                seat
                for number, seat in enumerate(old.seats)
                if number not in gone and (seat.user_id is not None or not seat.human)
            ]
            if all(seat.user_id != click.user_id for seat in stay):
                raise Refused("error-rematch-not-yours")
            if await self._store.rematch_of(old.id) is not None:
                raise Refused("error-rematch-taken")
            seats = (*stay[1:], stay[0])
            row = self._new_row(click, entry, options, seats, old.turn_seconds, parent=old.id)
            return await self._create(click, row.but(hints=old.hints))

    async def lobby(self, click: Click, game_id: int, token: str) -> Pressed:
        """A click on one of the lobby's buttons. Joining and leaving don't depend on the version seen."""
        async with self._lock:
            row = await self._load(click, game_id)
            if row.status == LIVE:
                if token == START and click.user_id == row.host_id:
                    raise Echo(row)  # the second half of a double click
                seated = seat_number(row, click.user_id) is not None
                raise Stale(row) if seated else Stale(row, "error-lobby-started")
            if row.status != LOBBY:
                raise Stale(row, "error-lobby-closed")
            if token.startswith(ADD_AI):
                return Pressed(await self._add_ai(click, row, token.removeprefix(ADD_AI)))
            action = _ACTIONS.get(token)
            if action is None:
                raise Unreadable("error-old-button")
            return Pressed(await action(self, click, row))

    async def _join(self, click: Click, row: GameRow) -> GameRow:
        if seat_number(row, click.user_id) is not None:
            raise Refused("error-already-seated")
        if len(row.seats) >= find(row.game).rules.max_seats:
            raise Refused("error-lobby-full")
        return await self._reseat(click, row, (*row.seats, seat_of(click)))

    async def _quit(self, click: Click, row: GameRow) -> GameRow:
        seats = tuple(seat for seat in row.seats if seat.user_id != click.user_id)
        if len(seats) == len(row.seats):
            raise Refused("error-not-in-lobby")
        return await self._reseat(click, row, seats)

    async def _add_ai(self, click: Click, row: GameRow, level: str) -> GameRow:
        check_host(click, row)
        entry = find(row.game)
        if len(row.seats) >= entry.rules.max_seats:
            raise Refused("error-lobby-full")
        if level not in entry.policies:
            raise Unreadable("error-old-button")
        return await self._reseat(click, row, (*row.seats, ai(level)))

    async def _remove_ai(self, click: Click, row: GameRow) -> GameRow:
        check_host(click, row)
        last = max((number for number, seat in enumerate(row.seats) if not seat.human), default=None)
        if last is None:
            raise Refused("error-no-ai")
        return await self._reseat(click, row, row.seats[:last] + row.seats[last + 1 :])

    async def _next_timer(self, click: Click, row: GameRow) -> GameRow:
        check_host(click, row)
        choices = TURN_SECONDS
        at = choices.index(row.turn_seconds) if row.turn_seconds in choices else -1
        row = row.but(turn_seconds=choices[(at + 1) % len(choices)])
        return await self._reseat(click, row, row.seats)

    async def _toggle_hints(self, click: Click, row: GameRow) -> GameRow:
        check_host(click, row)
        return await self._reseat(click, row.but(hints=not row.hints), row.seats)

    async def _begin(self, click: Click, row: GameRow) -> GameRow:
        check_host(click, row)
        entry = find(row.game)
        check_seats(entry.rules, len(row.seats))
        options = entry.rules.options(codec.loads(row.options))
        chance = SeededChance(row.seed)
        opening = settle(entry.rules, entry.rules.initial(options, len(row.seats)), chance)
        now = self._around.now()
        row = row.but(
            first_chance=codec.dumps([entry.rules.outcome_to_json(one) for one in opening.outcomes]),
            acted=tuple(
                now if seat.user_id == click.user_id else max(at - DOUBLE_CLICK_SECONDS, 0.0)
                for seat, at in zip(row.seats, row.acted or (0.0,) * len(row.seats), strict=True)
            ),
            missed=(0,) * len(row.seats),
        )
        row = self._after(entry, row, opening, chance)
        row = await self._commit(Change(row, row.version - 1, click.interaction_id, seats_changed=True))
        return await self._go_on(row)

    async def _cancel(self, click: Click, row: GameRow) -> GameRow:
        check_manager(click, row)
        return await self._close(row, click.interaction_id, "closed-cancelled")

    async def _reseat(self, click: Click | None, row: GameRow, seats: tuple[Seat, ...]) -> GameRow:
        """Write the lobby with these seats; its host stays one of its people, and without any it closes."""
        interaction_id = click.interaction_id if click else None
        people = [seat.user_id for seat in seats if seat.user_id is not None]
        if not people:
            return await self._close(row, interaction_id, "closed-everybody-left")
        host = row.host_id if row.host_id in people else people[0]
        now = self._around.now()
        came = dict(zip((seat.user_id for seat in row.seats), row.acted, strict=False))
        if click is not None:
            came[click.user_id] = now
        row = row.but(
            seats=seats,
            acted=tuple(came.get(seat.user_id, 0.0) if seat.human else 0.0 for seat in seats),
            host_id=host,
            version=row.version + 1,
            updated_at=now,
            deadline=now + LOBBY_SECONDS,
        )
        return await self._commit(Change(row, row.version - 1, interaction_id, seats_changed=True))

    def _new_row(
        self,
        click: Click,
        entry: Entry,
        options: Any,
        seats: tuple[Seat, ...],
        turn_seconds: int,
        parent: int | None,
    ) -> GameRow:
        now = self._around.now()
        return GameRow(
            id=0,
            game=entry.rules.key,
            guild_id=click.guild_id,
            channel_id=click.channel_id,
            host_id=click.user_id,
            locale=click.locale,
            status=LOBBY,
            version=0,
            rules_version=entry.rules.rules_version,
            options=codec.dumps(options.to_json()),
            state=None,
            seed=self._around.seed(),
            draws=0,
            first_chance="[]",
            news="[]",
            acted=tuple(now if seat.user_id == click.user_id else 0.0 for seat in seats),
            ai_to_move=False,
            turn_seconds=turn_seconds,
            since=now,
            reminded=False,
            missed=(),
            votes=(),
            deadline=now + LOBBY_SECONDS,
            parent_id=parent,
            created_at=now,
            updated_at=now,
            seats=seats,
        )

    async def _create(self, click: Click, row: GameRow) -> GameRow:
        try:
            row = await self._store.create(row, click.interaction_id)
        except ChannelTaken:
            raise Refused("error-channel-taken") from None
        except RematchTaken:
            raise Refused("error-rematch-taken") from None
        except Duplicate:
            raise Echo from None
        self._note_deadline(row)
        self._around.on_lobby()
        return row


_ACTIONS: Mapping[str, Callable[[Lobby, Click, GameRow], Awaitable[GameRow]]] = {
    JOIN: Lobby._join,
    LEAVE_LOBBY: Lobby._quit,
    REMOVE_AI: Lobby._remove_ai,
    NEXT_TIMER: Lobby._next_timer,
    TOGGLE_HINTS: Lobby._toggle_hints,
    START: Lobby._begin,
    CANCEL: Lobby._cancel,
}
