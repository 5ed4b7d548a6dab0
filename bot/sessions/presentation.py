"""From a stored game to the screen its channel shows."""

from __future__ import annotations

from typing import Any

from bot.games import codec
from bot.games.core import AnyGame
from bot.i18n.memo import Recall
from bot.i18n.say import say
from bot.records.seeds import seed_hash
from bot.registry import find
from bot.screens import lobby, table
from bot.screens.entry import Entry
from bot.screens.model import Screen
from bot.sessions import absence, narration
from bot.store.base import ABORTED, LIVE, LOBBY, GameRow, Store

CALL_SECONDS = 60.0
"""Somebody who acted within this time is still looking; anybody else is called when their turn comes."""


def state_of(entry: Entry, row: GameRow) -> Any:
    """The state of a game that has begun. Raises :class:`~bot.games.core.Unreadable` if it is damaged."""
    return _states((entry.rules.key, row.state or "null"))


def text_of(entry: Entry, state: Any) -> str:
    """The state as it is stored."""
    text = codec.dumps(entry.rules.state_to_json(state))
    # The next click begins with it.
    _states.note((entry.rules.key, text), state)
    return text


def _decoded(key: tuple[str, str]) -> Any:
    game, text = key
    return find(game).rules.state_from_json(codec.loads(text))


_states = Recall(_decoded)


def turn_key(row: GameRow) -> int:
    """A number that names the present turn of a game; -1 where there is none."""
    if row.status != LIVE:
        return -1
    entry = find(row.game)
    state = state_of(entry, row)
    return entry.rules.turns(state) * 64 + entry.rules.turn_seat(state)


def to_move_user(row: GameRow) -> int | None:
    """The person whose move a running game waits for, or None."""
    if row.status != LIVE:
        return None
    entry = find(row.game)
    seat = entry.rules.to_move(state_of(entry, row))
    return row.seats[seat].user_id if seat >= 0 else None


def to_call(row: GameRow, now: float) -> int | None:
    """The person who must be called because the turn has come to them while they were away, or None."""
    if row.status != LIVE or turn_key(row) == row.shown_turn:
        return None
    entry = find(row.game)
    seat = entry.rules.turn_seat(state_of(entry, row))
    if now - row.acted[seat] <= CALL_SECONDS:
        return None
    return row.seats[seat].user_id


async def screen_of(
    store: Store, row: GameRow, view: str = "", mention: int | None = None, *, pictured: bool = False
) -> Screen:
    """What the channel of a game shall show now. ``pictured``: the picture of its race comes along."""
    entry = find(row.game)
    rules, own = entry.rules, entry.screen
    if row.status == LOBBY:
        options = rules.options(codec.loads(row.options))
        advice = entry.advice is not None
        hints = (lobby.hints(row.hints),) if advice else ()
        goal = (*own.goal(options), lobby.timer(row.turn_seconds), *hints)
        levels = tuple(entry.policies)
        return lobby.lobby(
            row.game, goal, row.seats, row.host_id, rules.min_seats, rules.max_seats, levels, advice
        )
    if row.status == ABORTED:
        return lobby.closed(row.game, say(codec.loads(row.news)[0]))
    state, lines = state_of(entry, row), narration.loads(row.news)
    if row.status == LIVE:
        waiting = _waiting(rules, state, row)
        odds = entry.advice is not None
        return table.table(rules, own, state, row.seats, lines, view, mention, waiting, odds=odds)
    result = rules.result(state)
    assert result is not None
    options = rules.options(codec.loads(row.options))
    outcomes = [
        table.ResultLine(one.seat, one.place, one.score, one.turns, one.best_turn, codec.loads(one.feats))
        for one in await store.results(row.id)
    ]
    again = await store.rematch_of(row.id) is not None
    seed = row.seed.hex()
    screen = table.finished(
        row.game,
        own,
        options,
        row.seats,
        result,
        outcomes,
        lines,
        seed,
        seed_hash(row.seed),
        again,
        coach=entry.coach is not None,
    )
    return table.illustrated(screen, row.seats, result) if pictured else screen


_sealed = Recall(seed_hash)


def _waiting(rules: AnyGame, state: Any, row: GameRow) -> table.Waiting:
    """What the table says about those who are away and those who wait."""
    left, turn = rules.left(state), rules.turn_seat(state)
    attentive = absence.attentive(row, left)
    away = tuple([seat for seat in absence.people(row, left) if seat not in attentive])
    until = row.since + row.turn_seconds if row.turn_seconds and turn in attentive else None
    needed = absence.votes_needed(row, turn, left) if row.votes else 0
    others = attentive not in ((), (turn,))
    return table.Waiting(_sealed(row.seed), away, until, len(row.votes), needed, others)


def summary_of(row: GameRow) -> Screen:
    """One line in place of a table that now stands further down in the channel."""
    if row.status != LIVE:
        return table.moved(row.game)
    entry = find(row.game)
    return table.summary(entry.rules, state_of(entry, row), row.seats, narration.loads(row.news))
