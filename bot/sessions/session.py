"""One session for each channel: it runs commands on the channel's game and stores what they decide.

Each step takes the channel's lock, loads the game, lets a pure command decide (:mod:`~bot.sessions.commands`,
:mod:`~bot.sessions.lobby`), commits the change in one transaction, and lets AIs move. The table is painted
after that, outside the lock; if the bot crashes before painting, nothing is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any
from weakref import WeakValueDictionary

from bot.games.core import GameError, Json, Move, Unreadable
from bot.i18n.names import clean
from bot.records.game_log import log_of
from bot.records.seeds import new_secret
from bot.registry import find
from bot.screens.advice import odds_screen
from bot.screens.button_ids import START
from bot.screens.lobby_options import options_form
from bot.screens.model import Block, ChangeView, Form, Screen
from bot.sessions import commands, lobby, offers, turns
from bot.sessions.commands import GoOn, PlayTurn
from bot.sessions.presentation import turn_key
from bot.sessions.rated import last_places
from bot.sessions.request import (
    Click,
    ClickMoves,
    Command,
    Echo,
    Pressed,
    Refused,
    Stale,
    Woken,
    seat_number,
)
from bot.store.base import (
    FINISHED,
    LIVE,
    Change,
    ChannelTaken,
    Conflict,
    Duplicate,
    GameRow,
    MoveRow,
    RematchTaken,
    Store,
    intact,
)
from bot.store.cache import CachedStore
from bot.store.guild_settings import DEFAULT_TURN_SECONDS

_log = logging.getLogger(__name__)

Think = Callable[..., Awaitable[Any]]
"""Runs a slow function with its arguments in a thread or a worker process."""


class Sessions:
    """Creates the session of a channel, and holds what all sessions share.

    ``now`` returns Unix seconds, ``new_secret`` a new secret, and ``think`` calls slow functions.
    ``on_deadline`` is called with each new deadline, ``on_over`` with the id of each game that ends with a
    result, and ``on_lobby`` when a lobby was opened. ``refuse_new`` returns why no game may be
    opened or started now, or None.
    """

    def __init__(
        self,
        store: Store,
        now: Callable[[], float],
        new_secret: Callable[[], bytes] = new_secret,
        think: Think = asyncio.to_thread,
    ) -> None:
        self.store = store if isinstance(store, CachedStore) else CachedStore(store)
        self.now = now
        self.new_secret = new_secret
        self.think = think
        self.on_deadline: Callable[[float], None] = lambda at: None
        self.on_over: Callable[[int], None] = lambda game_id: None
        self.on_lobby: Callable[[], None] = lambda: None
        self.refuse_new: Callable[[], Refused | None] = lambda: None
        # One lock for each channel, kept only while it is in use.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def at(self, channel_id: int) -> GameSession:
        """Return the session of a channel."""
        lock = self._locks.get(channel_id)
        if lock is None:
            lock = self._locks[channel_id] = asyncio.Lock()
        return GameSession(channel_id, self, lock)

    async def odds(self, calculate: Callable[..., tuple[Block, ...]], *args: object) -> tuple[Block, ...]:
        """Calculate odds. Raises :class:`Refused` if that takes too long."""
        try:
            blocks: tuple[Block, ...] = await self.think(calculate, *args)
        except TimeoutError:
            _log.warning("Odds take too long: %s%r", calculate.__name__, args)
            raise Refused("error-odds-long") from None
        return blocks


class GameSession:
    """The game of one channel. Each method does its step as a whole, or raises and changes nothing.

    Methods refuse a request with :class:`Refused`, :class:`~bot.games.core.GameError` or :class:`Echo`.
    """

    def __init__(self, channel_id: int, sessions: Sessions, lock: asyncio.Lock) -> None:
        self.channel_id = channel_id
        self._sessions = sessions
        self._store = sessions.store
        self._lock = lock

    async def carry_out(self, command: Command, click: Click, game_id: int | None = None) -> GameRow:
        """Run a command on a game, by default the channel's lobby or game, and let AIs move.

        Most commands of :mod:`~bot.sessions.commands`, :mod:`~bot.sessions.lobby` and
        :mod:`~bot.sessions.offers` need no more than this.
        """
        async with self._lock:
            row = await (self._load(click, game_id) if game_id is not None else self.active())
            return await self._go_on(await self._commit(command(row, click, self._sessions.now()), click))

    # The lobby.

    async def open(
        self,
        click: Click,
        key: str,
        options: Mapping[str, Json],
        turn_seconds: int = DEFAULT_TURN_SECONDS,
        rated: bool = True,
    ) -> GameRow:
        """Open a lobby with the clicker as its host."""
        sessions = self._sessions
        async with self._lock:
            new = lobby.open_lobby(
                click, key, options, sessions.now(), sessions.new_secret(), turn_seconds, rated
            )
            return await self._create(new, click)

    async def rematch(self, click: Click, game_id: int) -> GameRow:
        """Open a lobby for the people of a finished game, at most once for each game."""
        sessions = self._sessions
        async with self._lock:
            old = await self._load(click, game_id)
            taken = old.status == FINISHED and await self._store.rematch_of(old.id) is not None
            new = lobby.rematch(old, click, sessions.now(), sessions.new_secret(), taken=taken)
            return await self._create(new, click)

    async def press_lobby(self, click: Click, game_id: int, token: str) -> GameRow:
        """Press one of the lobby's buttons."""
        if token == START:
            self._check_new()
        parent = await self._parent(game_id) if token in lobby.OF_REMATCHES else None
        return await self.carry_out(partial(lobby.press, token=token, parent=parent), click, game_id)

    async def word(self, click: Click, game_id: int) -> str:
        """Return the word that the clicker has added in the lobby. Raise unless they may add one."""
        return lobby.word_of(await self._load(click, game_id), click)

    async def begin(self, game_id: int, message_id: int) -> GameRow | None:
        """Begin a starting game with the message that opens it, and let AIs move.

        If the lobby is not starting any more, return the game as it is.
        """
        async with self._lock:
            row = await self._store.fresh(game_id)
            if row is None or not lobby.is_starting(row):
                return row
            change = lobby.begin(row, message_id, self._sessions.now())
            return await self._go_on(await self._commit(change))

    async def reopen(self, game_id: int) -> GameRow | None:
        """Make a starting game a lobby again, because the message that opens it can't be posted."""
        async with self._lock:
            row = await self._store.fresh(game_id)
            if row is None or not lobby.is_starting(row):
                return row
            return await self._commit(lobby.reopen(row, self._sessions.now()))

    async def options(self, click: Click, game_id: int) -> Form:
        """Return the form in which the host chooses the lobby's options. Nothing changes."""
        row = await self._load(click, game_id)
        return options_form(row.game, lobby.check_options(row, click), find(row.game).screen.who_begins)

    # The running game.

    async def press(self, click: Click, game_id: int, version: int, token: str) -> Pressed:
        """Press one of the game's own buttons on a table that showed ``version``."""
        async with self._lock:
            pressed = await self._press_cached(click, game_id, version, token)
            if pressed is None:
                pressed = await self._press(click, await self._load(click, game_id), version, token)
            if pressed.made is None or not pressed.row.ai_to_move:
                return pressed
            moves = list(pressed.made.moves)
            row = await self._go_on(pressed.row, moves)
            return Pressed(row, made=ClickMoves(pressed.made.before, tuple(moves)))

    async def vote(self, click: Click, game_id: int) -> GameRow:
        """Vote for the bot to play an idle person's turn."""
        async with self._lock:
            row = await self._load(click, game_id)
            row = await self._commit(commands.vote(row, click, self._sessions.now()), click)
            if not commands.vote_carried(row):
                return row
            return await self._play_turn(row, commands.to_move(row))

    # Nothing changes.

    async def active(self) -> GameRow:
        """Return the channel's lobby or game. Raises :class:`Refused` if there is none."""
        row = await self._store.active_game(self.channel_id)
        if row is None:
            raise Refused("error-no-game")
        return row

    async def running(self, click: Click, game_id: int) -> GameRow:
        """Return a running game. Raises :class:`Stale` if it has not begun or is over."""
        row = await self._load(click, game_id)
        commands.check_running(row)
        return row

    async def watch(self, click: Click, game_id: int) -> GameRow:
        """Return a game at whose table the clicker has a seat, running or over."""
        row = await self._load(click, game_id)
        if seat_number(row, click.user_id) is None:
            raise Refused("error-not-in-game")
        return row

    async def look(self, click: Click, game_id: int) -> GameRow:
        """Return the game, so that its table can be posted again at the bottom of the channel."""
        row = await self._load(click, game_id)
        commands.check_look(row, self._sessions.now())
        return row

    async def odds(self, click: Click, game_id: int) -> Screen:
        """Return the odds in the game's current state. Raises :class:`Refused` if they take too long."""
        row = await self._load(click, game_id)
        commands.check_odds(row, click)
        entry = find(row.game)
        assert entry.advice is not None
        blocks = await self._sessions.odds(entry.advice.odds, intact(row.state))
        return odds_screen(row.seats, entry.rules.turn_seat(intact(row.state)), blocks)

    # Without a click: deadlines, restarts, deletions.

    async def forget(self, user_id: int, game_id: int) -> GameRow | None:
        """Remove a person whose data is being deleted from a lobby or a running game, and their name with it.

        They are also forgotten where they were asked to take a seat. Return None if they have none.
        """
        async with self._lock:
            row = await self._latest(game_id)
            unasked = offers.without_person(row, user_id) if row is not None else None
            if unasked is not None:
                row = await self._commit(unasked)
            if row is None or seat_number(row, user_id) is None:
                return None
            change = commands.forget(row, user_id, self._sessions.now())
            if change is not None:
                row = await self._go_on(await self._commit(change))
            if row.status == LIVE:
                row = await self._commit(commands.without_name(row, user_id))
            return row

    async def depart(self, gone: Collection[int], game_id: int, heir: int) -> GameRow | None:
        """Let people who are no longer in the server leave a lobby or a running game.

        If the host is among them, ``heir`` becomes the host. Return None if nobody of them was in it.
        """
        async with self._lock:
            changed = None
            for user_id in gone:
                row = await self._latest(game_id)
                if row is None or seat_number(row, user_id) is None:
                    continue
                change = commands.depart(row, user_id, heir, self._sessions.now())
                if change is not None:
                    changed = await self._go_on(await self._commit(change))
            return changed

    async def resume(self, game_id: int) -> GameRow | None:
        """Continue the AI's moves after a crash. Return None if no AI is to move."""
        async with self._lock:
            row = await self._store.fresh(game_id)
            if row is None or row.status != LIVE or not row.ai_to_move:
                return None
            return await self._go_on(row)

    async def overdue(
        self, game_id: int, gone: bool = False, locked: bool = False, certain: bool = True
    ) -> Woken | None:
        """Remind, play or end as the game's deadline requires. Return None if it has not passed.

        With ``gone``, the person to move is no longer in the server, which counts as leaving the game. With
        ``locked``, nobody can click in its thread, and its clock stops. Unless the time is
        ``certain``, the game is not closed for having been left alone.
        """
        async with self._lock:
            row = await self._store.fresh(game_id)
            if row is None:
                return None
            match commands.time_out(row, self._sessions.now(), gone=gone, locked=locked, certain=certain):
                case None:
                    return None
                case GoOn():
                    return Woken(await self._go_on(row))
                case PlayTurn(seat):
                    return Woken(await self._play_turn(row, seat))
                case Change() as change:
                    if change.row.closed == "closed-damaged":
                        _log.error("The state of game %s is damaged, the game is closed", row.id)
                    remind = change.row.reminded and change.row.version == row.version
                    return Woken(await self._go_on(await self._commit(change)), remind)

    async def restart_clock(self, game_id: int) -> GameRow | None:
        """Give the lobby or game its whole time again, after the clock has jumped."""
        async with self._lock:
            return await self._change(await self._store.fresh(game_id), commands.restart_clock)

    async def thread_locked(self, locked: bool) -> GameRow | None:
        """Stop or start the clock of the thread's lobby or game. Return None if nothing changes."""
        async with self._lock:
            row = await self._store.active_game(self.channel_id)
            return await self._change(row, commands.stop_clock if locked else commands.start_clock)

    async def channel_gone(self) -> GameRow | None:
        """Close the game of a channel that was deleted. Return None if it had none."""
        async with self._lock:
            active = await self._store.active_game(self.channel_id)
            return await self._change(active, lambda row, now: turns.close(row, "closed-channel-gone", now))

    # Steps of the methods above. All of them run under the lock.

    async def _change(
        self, row: GameRow | None, decide: Callable[[GameRow, float], Change | None]
    ) -> GameRow | None:
        """Commit what is decided about a game, if there is one and anything is to be changed."""
        change = decide(row, self._sessions.now()) if row is not None else None
        return await self._commit(change) if change is not None else None

    async def _press_cached(self, click: Click, game_id: int, version: int, token: str) -> Pressed | None:
        """If several processes write, try to press a button without reading the game.

        If the cached game was old, or the click is refused, nothing is written and None is returned; the
        caller loads the game and repeats the click.
        """
        row = self._store.cached(game_id) if self._store.shared else None
        if row is None or row.version != version or row.channel_id != click.channel_id:
            return None
        try:
            return await self._press(click, row, version, token)
        except (GameError, Refused, Echo):
            return None

    async def _press(self, click: Click, row: GameRow, version: int, token: str) -> Pressed:
        decided = commands.press(row, click, self._sessions.now(), version=version, token=token)
        if isinstance(decided, ChangeView):
            return Pressed(row, decided.view)
        return Pressed(await self._commit(decided, click), made=ClickMoves(row, tuple(decided.moves)))

    async def _parent(self, game_id: int) -> GameRow | None:
        """Return the game that a lobby is the rematch of, if it is one."""
        row = await self._latest(game_id)
        return await self._store.game(row.parent_id) if row and row.parent_id is not None else None

    async def _load(self, click: Click, game_id: int) -> GameRow:
        row = await self._latest(game_id)
        if row is None or row.channel_id != click.channel_id:
            raise Unreadable("error-old-button")
        return row

    async def _latest(self, game_id: int) -> GameRow | None:
        """Return the latest game. If no other process writes, the cached game is the latest one."""
        return await (self._store.fresh if self._store.shared else self._store.game)(game_id)

    def _check_new(self) -> None:
        refused = self._sessions.refuse_new()
        if refused is not None:
            raise refused

    async def _create(self, row: GameRow, click: Click) -> GameRow:
        self._check_new()
        try:
            row = await self._store.create(row, click.interaction_id)
        except ChannelTaken:
            there = await self._store.active_game(self.channel_id) or row
            raise Refused("error-channel-taken", game=there.game) from None
        except RematchTaken:
            raise Refused("error-rematch-taken") from None
        except Duplicate:
            raise Echo from None
        self._announce_deadline(row)
        self._sessions.on_lobby()
        return row

    async def _commit(self, change: Change, click: Click | None = None) -> GameRow:
        """Write a change, and return the changed game."""
        if change.row.status == FINISHED and not change.row.stats:
            change = await self._with_results(change)
        if change.move is not None and click is not None:
            # The name is written soon after the move, so that everybody in the results has one.
            await self._store.note_member(change.row.guild_id, click.user_id, clean(click.name))
        try:
            await self._store.commit(change)
        except Duplicate:
            raise Echo(await self._store.fresh(change.row.id)) from None
        except Conflict:
            # Another process has changed the game first.
            current = await self._store.fresh(change.row.id)
            assert current is not None
            raise Stale(current) from None
        self._announce_deadline(change.row)
        if change.results:
            self._sessions.on_over(change.row.id)
        return change.row

    async def _with_results(self, change: Change) -> Change:
        """Add the results of a game without statistics, counting these from its whole log."""
        log = log_of(change.row, await self._store.moves(change.row.id))
        new = [Move(move.seat, move.action, intact(move.outcomes)) for move in change.moves]
        moves = (*log.moves, *new)
        row = replace(change.row, stats=turns.stats_of(replace(log, moves=moves)))
        return change._replace(results=turns.results(row), last_places=last_places(row))

    def _announce_deadline(self, row: GameRow) -> None:
        if row.deadline is not None:
            self._sessions.on_deadline(row.deadline)

    async def _go_on(self, row: GameRow, made: list[MoveRow] | None = None) -> GameRow:
        """Play for AIs and absent people until a present person must decide. Commit each move on its own.

        The moves are added to ``made``.
        """
        while row.ai_to_move:
            change = await self._move_for(row, commands.to_move(row))
            row = change.row
            if made is not None:
                made += change.moves
        return row

    async def _play_turn(self, row: GameRow, seat: int) -> GameRow:
        """Play the current turn for the absent person of ``seat``, and let AIs move."""
        turn = turn_key(row)
        row = turns.mark_missed(row, seat)
        while row.status == LIVE and turn_key(row) == turn:
            row = (await self._move_for(row, seat)).row
        return await self._go_on(row)

    async def _move_for(self, row: GameRow, seat: int) -> Change:
        action = await self._choose(row, seat)
        change = turns.move(row, seat, action, self._sessions.now(), turns.chance_of(row))
        await self._commit(change)
        return change

    async def _choose(self, row: GameRow, seat: int) -> object:
        """Return the action that the seat's AI, or the policy that plays for absent people, chooses."""
        entry, state = find(row.game), intact(row.state)
        legal = entry.rules.legal(state)
        if len(legal) == 1:
            return legal[0]
        who = row.seats[seat]
        try:
            policy = entry.absent if who.human else entry.policies[who.policy]
            action = await self._sessions.think(policy.choose, state, Random(f"{row.id}:{row.version}"))
            if action in legal:
                return action
            _log.error("The AI %r of game %s chose an illegal action", who.policy, row.id)
        except Exception:
            _log.exception("The AI %r of game %s has failed", who.policy, row.id)
        # An AI's failure must not stop the game.
        return legal[0]
