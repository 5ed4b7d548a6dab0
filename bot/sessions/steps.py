"""The steps a game session is made of: load, play, let AIs move, close, commit. All run under its lock."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any

from bot.games import codec
from bot.games.core import CHANCE, OVER, Leave, Played, SeatStats, Unreadable, play
from bot.games.seats import Seat
from bot.i18n.names import clean
from bot.records import turn_statistics
from bot.records.game_log import LEAVE, read_log, replay_log
from bot.records.seeds import SeededChance, new_seed
from bot.registry import find
from bot.screens.entry import Entry
from bot.sessions import absence, narration
from bot.sessions.presentation import state_of, text_of, turn_key
from bot.sessions.request import Click, Echo, Refused, Stale
from bot.store.base import (
    ABORTED,
    FINISHED,
    LIVE,
    Change,
    Conflict,
    Duplicate,
    GameRow,
    MoveRow,
    ResultRow,
    Store,
)
from bot.store.cache import CachedStore

_log = logging.getLogger(__name__)


class SessionContext:
    """What surrounds all sessions: the store, the clock, the source of seeds, threads to think in."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], float],
        seed: Callable[[], bytes] = new_seed,
        think: Callable[..., Awaitable[Any]] = asyncio.to_thread,
    ) -> None:
        self.store = store if isinstance(store, CachedStore) else CachedStore(store)
        self.now = now
        self.seed = seed
        self.think = think
        self.on_deadline: Callable[[float], None] = lambda at: None
        self.on_over: Callable[[int], None] = lambda game_id: None
        self.on_lobby: Callable[[], None] = lambda: None


class Steps:
    """Base of :class:`~bot.sessions.session.GameSession`; ``lock`` is the channel's."""

    def __init__(self, channel_id: int, around: SessionContext, lock: asyncio.Lock) -> None:
        self.channel_id = channel_id
        self._around = around
        self._store = around.store
        self._lock = lock

    async def _load(self, click: Click, game_id: int) -> GameRow:
        row = await self._latest(game_id)
        if row is None or row.channel_id != click.channel_id:
            raise Unreadable("error-old-button")
        return row

    async def _latest(self, game_id: int) -> GameRow | None:
        """The game as it is now. What is at hand is that where nobody else writes."""
        return await (self._store.fresh if self._store.shared else self._store.game)(game_id)

    async def _active(self) -> GameRow:
        row = await self._store.active_game(self.channel_id)
        if row is None:
            raise Refused("error-no-game")
        return row

    async def _commit(self, change: Change) -> GameRow:
        try:
            await self._store.commit(change)
        except Duplicate:
            raise Echo(await self._store.fresh(change.row.id)) from None
        except Conflict:
            # Another process was first; its version is the truth now.
            current = await self._store.fresh(change.row.id)
            assert current is not None
            raise Stale(current) from None
        self._note_deadline(change.row)
        if change.results:
            self._around.on_over(change.row.id)
        return change.row

    def _note_deadline(self, row: GameRow) -> None:
        if row.deadline is not None:
            self._around.on_deadline(row.deadline)

    async def _close(self, row: GameRow, interaction_id: int | None, reason: str) -> GameRow:
        """Close a lobby or a game without a result; ``reason`` is what its table says from then on."""
        row = row.but(
            status=ABORTED,
            version=row.version + 1,
            updated_at=self._around.now(),
            deadline=None,
            ai_to_move=False,
            news=codec.dumps([reason]),
        )
        return await self._commit(Change(row, row.version - 1, interaction_id))

    async def _move(
        self, entry: Entry, row: GameRow, state: Any, seat: int, move: Any, click: Click | None
    ) -> GameRow:
        """Play one action and commit it with everything that follows from it.

        With a ``click`` it is the doing of its person, without one of an AI or of whoever plays for somebody.
        """
        rules = entry.rules
        script = SeededChance(row.seed, row.draws)
        played = play(rules, state, move, script)
        now = self._around.now()
        if click is not None and row.seats[seat].user_id == click.user_id:
            row = mark_present(row, seat, now)
        number = row.version + 1  # a move is numbered by the version it leads to
        action = {"type": LEAVE} if isinstance(move, Leave) else rules.action_to_json(move)
        chance = [rules.outcome_to_json(outcome) for outcome in played.outcomes]
        row = self._after(entry, row, played, script)
        results: Sequence[ResultRow] = ()
        if row.status == FINISHED:
            results = await self._results(entry, row, (move, played.outcomes))
        if click is not None:
            # It rides along with the move, so that whoever is in the results has a name.
            await self._store.note_member(row.guild_id, click.user_id, clean(click.name))
        await self._commit(
            Change(
                row,
                row.version - 1,
                click.interaction_id if click else None,
                move=MoveRow(number, seat, codec.dumps(action), codec.dumps(chance), now),
                results=results,
            )
        )
        return row

    def _after(self, entry: Entry, row: GameRow, played: Played[Any, Any], script: SeededChance) -> GameRow:
        """The row with the state that was reached; the one place where a game's status follows from it."""
        state, rules = played.state, entry.rules
        mover, now = rules.to_move(state), self._around.now()
        assert mover != CHANCE
        lines = entry.screen.narrate(narration.loads(row.news), played.events)
        row = row.but(
            version=row.version + 1,
            updated_at=now,
            since=now,
            status=FINISHED if mover == OVER else LIVE,
            state=text_of(entry, state),
            draws=script.index,
            news=narration.dumps(lines),
            tally=self._tally(entry, row, played.events),
        )
        if mover == OVER:
            return row.but(ai_to_move=False, deadline=None)
        return absence.waiting(row, mover, rules.left(state))

    def _tally(self, entry: Entry, row: GameRow, events: Sequence[Any]) -> str:
        """The game's tally with these events added; it stays unknown for a game that began without one."""
        if not row.tally and row.status == LIVE:
            return ""
        more = entry.rules.stats(events, len(row.seats))
        if row.tally and turn_statistics.is_nothing(more):
            return row.tally
        return turn_statistics.dumps(turn_statistics.added(turn_statistics.loads(row.tally), more))

    async def _results(
        self, entry: Entry, row: GameRow, last: tuple[Any, tuple[Any, ...]]
    ) -> list[ResultRow]:
        """What the finished game leaves behind."""
        rules = entry.rules
        result = rules.result(state_of(entry, row))
        assert result is not None
        stats = turn_statistics.loads(row.tally) or await self._stats(entry, row, last)
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
                stats[seat].feats.get(entry.feat, 0),
            )
            for seat, who in enumerate(row.seats)
        ]

    async def _stats(
        self, entry: Entry, row: GameRow, last: tuple[Any, tuple[Any, ...]]
    ) -> Sequence[SeatStats]:
        """What a game without a tally comes to, from its whole log."""
        options, log = await read_log(self._store, entry, row)
        events: list[Any] = []
        for played in replay_log(entry, options, row, [*log, last]):
            events += played.events
        return entry.rules.stats(events, len(row.seats))

    async def _go_on(self, row: GameRow) -> GameRow:
        """Let seats that need no person play until one must decide. Each move is committed alone."""
        entry = find(row.game)
        while row.ai_to_move:
            state = state_of(entry, row)
            seat = entry.rules.to_move(state)
            action = await self._choose(entry, row, state, seat)
            row = await self._move(entry, row, state, seat, action, click=None)
        return row

    async def _play_for(self, entry: Entry, row: GameRow, seat: int) -> GameRow:
        """Play the present turn for ``seat``, whose person is away, and then go on."""
        key = turn_key(row)
        missed = (*row.missed[:seat], row.missed[seat] + 1, *row.missed[seat + 1 :])
        row = row.but(missed=missed)
        while row.status == LIVE and turn_key(row) == key:
            state = state_of(entry, row)
            action = await self._choose(entry, row, state, seat)
            row = await self._move(entry, row, state, seat, action, click=None)
        return await self._go_on(row)

    async def _choose(self, entry: Entry, row: GameRow, state: Any, seat: int) -> Any:
        """What the AI of a seat, or whoever plays for its absent person, does."""
        legal = entry.rules.legal(state)
        if len(legal) == 1:
            return legal[0]
        who = row.seats[seat]
        try:
            policy = entry.absent if who.human else entry.policies[who.policy]
            action = await self._around.think(policy.choose, state, Random(f"{row.id}:{row.version}"))
            if action in legal:
                return action
            _log.error("The AI %r of game %s chose an illegal action", who.policy, row.id)
        except Exception:
            _log.exception("The AI %r of game %s has failed", who.policy, row.id)
        # The game goes on whatever an AI does.
        return legal[0]


def mark_present(row: GameRow, seat: int, at: float) -> GameRow:
    """The row once the person of ``seat`` has shown up."""
    acted = (*row.acted[:seat], at, *row.acted[seat + 1 :])
    return row.but(acted=acted, missed=(*row.missed[:seat], 0, *row.missed[seat + 1 :]))


def seat_number(row: GameRow, user_id: int) -> int | None:
    return next((number for number, seat in enumerate(row.seats) if seat.user_id == user_id), None)


def seat_of(click: Click) -> Seat:
    return Seat("human", clean(click.name), click.user_id)


def check_host(click: Click, row: GameRow) -> None:
    """Raise :class:`Refused` unless it is the host who clicks."""
    if click.user_id != row.host_id:
        raise Refused("error-host-only")


def check_manager(click: Click, row: GameRow) -> None:
    """Raise :class:`Refused` unless the host or a moderator clicks."""
    if click.user_id != row.host_id and not click.may_manage:
        raise Refused("error-manager-only")
