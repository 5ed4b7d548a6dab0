"""One game session a channel: every change of a game goes through here, and nothing of it stays in memory.

Each step is: take the channel's lock, load the game, check who may do what, play, commit in one transaction.
Painting comes after, outside the lock, and losing it loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from weakref import WeakValueDictionary

from bot import news
from bot.games import codec
from bot.games.core import (
    CHANCE,
    OVER,
    Leave,
    Played,
    ScriptedNature,
    Unreadable,
    check_seats,
    play,
    replay,
    settle,
)
from bot.i18n.names import clean
from bot.nature import SeededNature, new_seed
from bot.present import state_of
from bot.registry import Entry, find
from bot.screens.model import Act, Look
from bot.seats import Seat, ai, person
from bot.store.base import (
    ENDED,
    LIVE,
    LOBBY,
    Change,
    ChannelTaken,
    Conflict,
    Duplicate,
    GameRow,
    MoveRow,
    RematchTaken,
    ResultRow,
    Store,
)
from bot.store.base import (
    OVER as FINISHED,
)

LOBBY_SECONDS = 3600.0
"""An idle lobby closes after this."""

DOUBLE_CLICK_SECONDS = 3.0
"""A stale click this soon after the same person's accepted one is its echo and gets no answer."""

LEAVE_SEAT = "leave"

_log = logging.getLogger(__name__)


class Refused(Exception):
    """A request that can't be granted. ``code`` is a catalogue key that says what to do; nothing changed."""

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


class Stale(Refused):
    """Normal: the table moved on after the person saw it. ``row`` is the game as it is now."""

    def __init__(self, row: GameRow, code: str = "error-stale") -> None:
        super().__init__(code)
        self.row = row


class Echo(Exception):
    """The same click once more, or its double: to be acknowledged, and nothing else."""

    def __init__(self, row: GameRow | None = None) -> None:
        super().__init__()
        self.row = row


@dataclass(frozen=True, slots=True)
class Click:
    """A person's request: who, where, through which interaction (its id is the idempotency key).

    ``may_manage`` says whether they hold Manage Messages in that channel, as Discord says with the request.
    """

    interaction_id: int
    user_id: int
    name: str
    guild_id: int
    channel_id: int
    locale: str
    may_manage: bool = False


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a click led to: the game now, and the view its table shall show (of a :class:`Look`)."""

    row: GameRow
    view: str = ""


class Sessions:
    """Hands out the session of a channel. One lock a channel, kept only while somebody uses it."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], float],
        seed: Callable[[], bytes] = new_seed,
        think: Callable[..., Awaitable[Any]] = asyncio.to_thread,
    ) -> None:
        self.store = store
        self.now = now
        self.seed = seed
        self.think = think
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self.on_deadline: Callable[[float], None] = lambda at: None

    def at(self, channel_id: int) -> GameSession:
        lock = self._locks.get(channel_id)
        if lock is None:
            lock = self._locks[channel_id] = asyncio.Lock()
        return GameSession(channel_id, self, lock)


class GameSession:
    """What can be done to the game of one channel. Every method is one whole step, or changes nothing.

    Requests are refused with :class:`Refused`, :class:`~bot.games.core.GameError` or :class:`Echo`.
    """

    def __init__(self, channel_id: int, sessions: Sessions, lock: asyncio.Lock) -> None:
        self.channel_id = channel_id
        self._sessions = sessions
        self._store = sessions.store
        self._lock = lock

    # The lobby.

    async def open(self, click: Click, game: str, options: Mapping[str, Any]) -> GameRow:
        """Open a lobby with the clicker as its host, in the first seat."""
        entry = find(game)
        checked = entry.rules.options(options)
        async with self._lock:
            row = self._new_row(click, entry, checked, (_seat_of(click),), parent=None)
            return await self._create(click, row)

    async def rematch(self, click: Click, game_id: int) -> GameRow:
        """Open a lobby for the same people once more, the next seat beginning; one a finished game."""
        async with self._lock:
            old = await self._load(click, game_id)
            if old.status != FINISHED:
                raise Refused("error-rematch-later")
            entry = find(old.game)
            options = entry.rules.options(codec.loads(old.options))
            gone = entry.rules.left(state_of(entry, old))
            stay = [seat for number, seat in enumerate(old.seats) if number not in gone]
            if all(seat.user_id != click.user_id for seat in stay):
                raise Refused("error-rematch-not-yours")
            row = self._new_row(click, entry, options, (*stay[1:], stay[0]), parent=old.id)
            return await self._create(click, row)

    async def lobby(self, click: Click, game_id: int, token: str) -> Pressed:
        """A click on one of the lobby's buttons. Joining and leaving don't depend on the version seen."""
        async with self._lock:
            row = await self._load(click, game_id)
            if row.status == LIVE:
                raise Stale(row, "error-lobby-started")
            if row.status != LOBBY:
                raise Stale(row, "error-lobby-closed")
            action = _LOBBY.get(token)
            if action is None:
                raise Unreadable("error-old-button")
            return Pressed(await action(self, click, row))

    async def _join(self, click: Click, row: GameRow) -> GameRow:
        if any(seat.user_id == click.user_id for seat in row.seats):
            raise Refused("error-already-seated")
        if len(row.seats) >= find(row.game).rules.max_seats:
            raise Refused("error-lobby-full")
        return await self._seat(click, row, (*row.seats, _seat_of(click)))

    async def _quit(self, click: Click, row: GameRow) -> GameRow:
        seats = tuple(seat for seat in row.seats if seat.user_id != click.user_id)
        if len(seats) == len(row.seats):
            raise Refused("error-not-in-lobby")
        people = [seat.user_id for seat in seats if seat.user_id is not None]
        if not people:
            return await self._close(row, click.interaction_id, "closed-everybody-left")
        host = row.host_id if row.host_id in people else people[0]
        return await self._seat(click, replace(row, host_id=host), seats)

    async def _add_ai(self, click: Click, row: GameRow) -> GameRow:
        _host_only(click, row)
        entry = find(row.game)
        if len(row.seats) >= entry.rules.max_seats:
            raise Refused("error-lobby-full")
        level = next(iter(entry.policies))
        return await self._seat(click, row, (*row.seats, ai(level)))

    async def _remove_ai(self, click: Click, row: GameRow) -> GameRow:
        _host_only(click, row)
        last = max((number for number, seat in enumerate(row.seats) if not seat.human), default=None)
        if last is None:
            raise Refused("error-no-ai")
        return await self._seat(click, row, row.seats[:last] + row.seats[last + 1 :])

    async def _begin(self, click: Click, row: GameRow) -> GameRow:
        _host_only(click, row)
        entry = find(row.game)
        check_seats(entry.rules, len(row.seats))
        options = entry.rules.options(codec.loads(row.options))
        nature = SeededNature(row.seed)
        opening = settle(entry.rules, entry.rules.initial(options, len(row.seats)), nature)
        now = self._sessions.now()
        row = replace(
            row,
            status=LIVE,
            first_chance=codec.dumps([entry.rules.outcome_to_json(one) for one in opening.outcomes]),
            acted=tuple(now if seat.user_id == click.user_id else 0.0 for seat in row.seats),
            deadline=None,
        )
        row = self._after(entry, row, opening, nature)
        row = await self._commit(Change(row, row.version - 1, click.interaction_id, seats_changed=True))
        return await self._ai_moves(row)

    async def _cancel(self, click: Click, row: GameRow) -> GameRow:
        if click.user_id != row.host_id and not click.may_manage:
            raise Refused("error-host-only")
        return await self._close(row, click.interaction_id, "closed-cancelled")

    # The game.

    async def press(self, click: Click, game_id: int, version: int, token: str) -> Pressed:
        """A click on one of the game's own buttons, made on the table as it was at ``version``."""
        async with self._lock:
            row = await self._load(click, game_id)
            seat = _seat_number(row, click.user_id)
            if row.status == LOBBY:
                raise Stale(row)
            if row.status != LIVE:
                raise Stale(row, "error-game-over")
            if seat is None:
                raise Refused("error-not-in-game")
            entry = find(row.game)
            state = state_of(entry, row)
            if seat in entry.rules.left(state):
                raise Refused("error-you-left")
            if version != row.version:
                if self._sessions.now() - row.acted[seat] < DOUBLE_CLICK_SECONDS:
                    raise Echo(row)
                raise Stale(row)
            if seat != entry.rules.to_move(state):
                raise Refused("error-not-your-turn")
            pressed = entry.screen.press(state, token)
            if isinstance(pressed, Look):
                return Pressed(row, pressed.view)
            assert isinstance(pressed, Act)
            row = await self._move(entry, row, state, seat, pressed.action, click)
            return Pressed(await self._ai_moves(row))

    async def leave(self, click: Click, game_id: int | None = None) -> GameRow:
        """Leave the channel's lobby or game, in or out of turn."""
        async with self._lock:
            row = await (self._load(click, game_id) if game_id is not None else self._active())
            if row.status == LOBBY:
                return await self._quit(click, row)
            if row.status != LIVE:
                raise Refused("error-game-over")
            seat = _seat_number(row, click.user_id)
            entry = find(row.game)
            state = state_of(entry, row)
            if seat is None:
                raise Refused("error-not-in-game")
            if seat in entry.rules.left(state):
                raise Refused("error-you-left")
            left = {*entry.rules.left(state), seat}
            people = [
                one.user_id for number, one in enumerate(row.seats) if one.user_id and number not in left
            ]
            if not people:
                # Without people there is nobody to play for; AIs alone are no game.
                return await self._close(row, click.interaction_id, "closed-everybody-left")
            if row.host_id == click.user_id:
                row = replace(row, host_id=people[0])
            row = await self._move(entry, row, state, seat, Leave(seat), click)
            return await self._ai_moves(row)

    async def end(self, click: Click, game_id: int | None = None) -> GameRow:
        """Close the channel's lobby or game without a result: its host, or who may manage messages.

        Does not read the game's state, so that even a damaged game frees its channel.
        """
        async with self._lock:
            row = await (self._load(click, game_id) if game_id is not None else self._active())
            if row.status not in (LOBBY, LIVE):
                raise Refused("error-game-over")
            if click.user_id != row.host_id and not click.may_manage:
                raise Refused("error-end-not-allowed")
            return await self._close(row, click.interaction_id, "closed-ended")

    async def active(self) -> GameRow:
        """The channel's lobby or game. Raises :class:`Refused` if there is none."""
        return await self._active()

    async def look(self, click: Click, game_id: int) -> GameRow:
        """A wish to see the table at the bottom of the channel, where it may be already."""
        row = await self._load(click, game_id)
        if row.status not in (LOBBY, LIVE):
            raise Stale(row, "error-game-over")
        if self._sessions.now() - row.posted_at < DOUBLE_CLICK_SECONDS:
            raise Echo(row)
        return row

    # What happens by itself.

    async def resume(self, game_id: int) -> GameRow | None:
        """Let the AI play on where a crash has cut it off; None if there is nothing to do."""
        async with self._lock:
            row = await self._store.game(game_id)
            if row is None or row.status != LIVE or not row.ai_to_move:
                return None
            return await self._ai_moves(row)

    async def overdue(self, game_id: int) -> GameRow | None:
        """Do what the deadline of a game asks for, if it really has passed; None if it has not."""
        async with self._lock:
            row = await self._store.game(game_id)
            if row is None or row.deadline is None or row.deadline > self._sessions.now():
                return None
            if row.status == LOBBY:
                return await self._close(row, None, "closed-idle")
            return None

    async def channel_gone(self) -> GameRow | None:
        """Close the game of a channel that was deleted; None if there was none."""
        async with self._lock:
            row = await self._store.active_game(self.channel_id)
            return await self._close(row, None, "closed-channel-gone") if row else None

    # Steps.

    async def _load(self, click: Click, game_id: int) -> GameRow:
        row = await self._store.game(game_id)
        if row is None or row.channel_id != click.channel_id:
            raise Unreadable("error-old-button")
        return row

    async def _active(self) -> GameRow:
        row = await self._store.active_game(self.channel_id)
        if row is None:
            raise Refused("error-no-game")
        return row

    def _new_row(
        self, click: Click, entry: Entry, options: Any, seats: tuple[Seat, ...], parent: int | None
    ) -> GameRow:
        now = self._sessions.now()
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
            seed=self._sessions.seed(),
            draws=0,
            first_chance="[]",
            news="[]",
            acted=(),
            ai_to_move=False,
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
        return row

    async def _seat(self, click: Click, row: GameRow, seats: tuple[Seat, ...]) -> GameRow:
        now = self._sessions.now()
        row = replace(row, seats=seats, version=row.version + 1, updated_at=now, deadline=now + LOBBY_SECONDS)
        return await self._commit(Change(row, row.version - 1, click.interaction_id, seats_changed=True))

    async def _close(self, row: GameRow, interaction_id: int | None, reason: str) -> GameRow:
        row = replace(
            row,
            status=ENDED,
            version=row.version + 1,
            updated_at=self._sessions.now(),
            deadline=None,
            ai_to_move=False,
            news=codec.dumps([reason]),
        )
        return await self._commit(Change(row, row.version - 1, interaction_id))

    async def _commit(self, change: Change) -> GameRow:
        try:
            await self._store.commit(change)
        except Duplicate:
            raise Echo(await self._store.game(change.row.id)) from None
        except Conflict:
            # Another process was first; its version is the truth now.
            current = await self._store.game(change.row.id)
            assert current is not None
            raise Stale(current) from None
        self._note_deadline(change.row)
        return change.row

    def _note_deadline(self, row: GameRow) -> None:
        if row.deadline is not None:
            self._sessions.on_deadline(row.deadline)

    async def _move(
        self, entry: Entry, row: GameRow, state: Any, seat: int, move: Any, click: Click | None
    ) -> GameRow:
        """Play one action and commit it with everything that follows from it."""
        rules = entry.rules
        nature = SeededNature(row.seed, row.draws)
        played = play(rules, state, move, nature)
        now = self._sessions.now()
        if click is not None:
            acted = (*row.acted[:seat], now, *row.acted[seat + 1 :])
            row = replace(row, acted=acted)
        number = row.version  # versions rise with each move, so they number the moves, with gaps
        action = {"type": LEAVE_SEAT} if isinstance(move, Leave) else rules.action_to_json(move)
        chance = [rules.outcome_to_json(outcome) for outcome in played.outcomes]
        row = self._after(entry, row, played, nature)
        results: Sequence[ResultRow] = ()
        if row.status == FINISHED:
            results = await self._results(entry, row, (move, played.outcomes))
        await self._commit(
            Change(
                row,
                row.version - 1,
                click.interaction_id if click else None,
                move=MoveRow(number, seat, codec.dumps(action), codec.dumps(chance), now),
                results=results,
            )
        )
        if click is not None:
            await self._store.seen(row.guild_id, click.user_id, clean(click.name))
        return row

    def _after(self, entry: Entry, row: GameRow, played: Played, nature: SeededNature) -> GameRow:
        """The row with the state that was reached; the one place where a game's status follows from it."""
        state, rules = played.state, entry.rules
        mover = rules.to_move(state)
        assert mover != CHANCE
        lines = entry.screen.narrate(news.loads(row.news), played.events)
        over = mover == OVER
        return replace(
            row,
            version=row.version + 1,
            updated_at=self._sessions.now(),
            status=FINISHED if over else LIVE,
            state=codec.dumps(rules.state_to_json(state)),
            draws=nature.index,
            news=news.dumps(lines),
            ai_to_move=not over and not row.seats[mover].human,
        )

    async def _results(
        self, entry: Entry, row: GameRow, last: tuple[Any, tuple[Any, ...]]
    ) -> list[ResultRow]:
        """What the finished game leaves behind, from its whole log."""
        rules = entry.rules
        options, log = await read_log(self._store, entry, row)
        events: list[Any] = []
        state = None
        for played in replay_log(entry, options, row, [*log, last]):
            events += played.events
            state = played.state
        result = rules.result(state)
        assert result is not None
        stats = rules.stats(events, len(row.seats))
        places = result.places()
        return [
            ResultRow(
                seat,
                who.user_id,
                places[seat],
                result.scores[seat],
                stats[seat].turns,
                stats[seat].best_turn,
                codec.dumps(dict(stats[seat].feats)),
            )
            for seat, who in enumerate(row.seats)
        ]

    async def _ai_moves(self, row: GameRow) -> GameRow:
        """Let AI seats play until a person must decide. Each move is a step of its own, committed alone."""
        entry = find(row.game)
        while row.ai_to_move:
            state = state_of(entry, row)
            seat = entry.rules.to_move(state)
            action = await self._choose(entry, row, state, seat)
            row = await self._move(entry, row, state, seat, action, click=None)
        return row

    async def _choose(self, entry: Entry, row: GameRow, state: Any, seat: int) -> Any:
        legal = entry.rules.legal(state)
        if len(legal) == 1:
            return legal[0]
        try:
            policy = entry.policies[row.seats[seat].policy]
            rng = Random(f"{row.id}:{row.version}")
            action = await self._sessions.think(policy.choose, state, rng)
            if action in legal:
                return action
            _log.error("The AI %s of game %s chose an illegal action", row.seats[seat].policy, row.id)
        except Exception:
            _log.exception("The AI %s of game %s failed", row.seats[seat].policy, row.id)
        return legal[0]


_LOBBY: Mapping[str, Callable[[GameSession, Click, GameRow], Awaitable[GameRow]]] = {
    "l.join": GameSession._join,
    "l.leave": GameSession._quit,
    "l.ai": GameSession._add_ai,
    "l.noai": GameSession._remove_ai,
    "l.start": GameSession._begin,
    "l.cancel": GameSession._cancel,
}


async def read_log(store: Store, entry: Entry, row: GameRow) -> tuple[Any, list[tuple[Any, tuple[Any, ...]]]]:
    """The options and the moves of a game, each with the outcomes that followed it.

    Raises :class:`Unreadable` if the log is damaged.
    """
    rules = entry.rules
    log = []
    for move in await store.moves(row.id):
        raw = codec.loads(move.action)
        action = Leave(move.seat) if raw == {"type": LEAVE_SEAT} else rules.action_from_json(raw)
        log.append((action, tuple(rules.outcome_from_json(one) for one in codec.loads(move.chance))))
    return rules.options(codec.loads(row.options)), log


def replay_log(
    entry: Entry, options: Any, row: GameRow, log: Sequence[tuple[Any, tuple[Any, ...]]]
) -> list[Played]:
    """Fold a game's log from its first state; what came before the first move included."""
    rules = entry.rules
    outcomes = [rules.outcome_from_json(one) for one in codec.loads(row.first_chance)]
    opening = settle(rules, rules.initial(options, len(row.seats)), ScriptedNature(outcomes))
    return [opening, *replay(rules, opening.state, log)]


def _seat_of(click: Click) -> Seat:
    return person(click.user_id, clean(click.name))


def _seat_number(row: GameRow, user_id: int) -> int | None:
    return next((number for number, seat in enumerate(row.seats) if seat.user_id == user_id), None)


def _host_only(click: Click, row: GameRow) -> None:
    if click.user_id != row.host_id:
        raise Refused("error-host-only")
