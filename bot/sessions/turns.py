"""Applies moves to stored games: the next game, the log entry, and the results at the end. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.games.core import CHANCE, OVER, ChanceSource, IllegalMove, Leave, Played, SeatStats, add_stats, play
from bot.games.seats import Seat
from bot.games.values import replace
from bot.records.game_log import GameLog
from bot.records.sealing import seed_of
from bot.records.seeds import SeededChance
from bot.registry import find
from bot.screens.narration import noted
from bot.screens.turn_lines import PLAYED_BY_BOT
from bot.sessions import absence
from bot.sessions.rated import last_places, parts_of
from bot.sessions.request import Click
from bot.standings.counting import Part, Uncounted, verdict
from bot.standings.values import Board
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, Change, GameRow, MoveRow, ResultRow, intact

MAX_MOVES, MAX_TURNS = 20_000, 8_000
"""The versions and turns after which a game is closed without a result, so that none goes on forever.

The longest games, with ten seats to 50,000 points, took up to 2,945 moves in 1,329 turns between the weakest
AIs, and 5,774 in 2,180 with moves by chance.
"""


def chance_of(row: GameRow) -> SeededChance:
    """Return the source of the game's dice and cards, after those that were drawn."""
    return SeededChance(seed_of(row.secret, row.start), row.draws)


def move(
    row: GameRow, seat: int, action: object, now: float, chance: ChanceSource, click: Click | None = None
) -> Change:
    """Play one action: a person's if there is a ``click``, otherwise an AI's or an absent person's.

    Raises :class:`~bot.games.core.IllegalMove`.
    """
    played = play(find(row.game).rules, intact(row.state), action, chance)
    if click is not None and row.seats[seat].user_id == click.user_id:
        own = {} if isinstance(action, Leave) else _own_turn(row, seat)
        row = replace(row, **_presence(row, seat, now), **own)
    after = _within_limits(advance(row, played, now))
    if click is None and row.seats[seat].human and not isinstance(action, Leave):
        after = replace(after, lines=noted(after.lines, seat, PLAYED_BY_BOT))
    return Change(
        after,
        row.version,
        click.interaction_id if click else None,
        # A move's number is the version it leads to.
        move=MoveRow(after.version, seat, action, played.outcomes, now),
        results=results(after) if after.status == FINISHED and after.stats else (),
        last_places=() if after.status == LIVE else last_places(after),
    )


def moves(
    row: GameRow, seat: int, actions: Sequence[object], now: float, chance: ChanceSource, click: Click
) -> Change:
    """Play several actions of one click, in one step; each is a move of its own in the log.

    Raises :class:`~bot.games.core.IllegalMove`, also if the seat is not to move again.
    """
    changes: list[Change] = []
    for action in actions:
        before = changes[-1].row if changes else row
        if find(before.game).rules.to_move(intact(before.state)) != seat:
            raise IllegalMove("error-illegal-move")
        changes.append(move(before, seat, action, now, chance, click))
    if len(changes) == 1:
        return changes[0]
    earlier = tuple(one for change in changes[:-1] for one in change.moves)
    return changes[-1]._replace(expected=row.version, earlier=earlier)


def advance(row: GameRow, played: Played[Any, Any], now: float) -> GameRow:
    """Return the game with its new state. Only here does a game's status follow from its state."""
    entry = find(row.game)
    rules, state = entry.rules, played.state
    mover = rules.to_move(state)
    assert mover != CHANCE
    # If a game began without statistics, they stay unknown until its end.
    stats = intact(row.stats)
    if stats or row.status == LOBBY:
        stats = add_stats(stats, rules.stats(played.events, len(row.seats)))
    # A table tells no more than a turn of each seat and the one before.
    lines = entry.screen.narrate(row.lines, played.events)[-len(row.seats) - 1 :]
    over = {"since": now, "ai_to_move": False, "deadline": None, "offers": ()}
    return replace(
        row,
        version=row.version + 1,
        updated_at=now,
        status=FINISHED if mover == OVER else LIVE,
        state=state,
        draws=row.draws + len(played.outcomes),
        lines=lines,
        stats=stats,
        **(over if mover == OVER else absence.next_wait(row, mover, rules.left(state), now)),
    )


def results(row: GameRow) -> tuple[ResultRow, ...]:
    """Return the result of each seat of a finished game, whose ``stats`` must be known."""
    entry = find(row.game)
    result = entry.rules.result(intact(row.state))
    assert result is not None
    places, stats = result.places(), intact(row.stats)
    parts = parts_of(row, stats)
    found = verdict(parts)
    board = found if isinstance(found, Board) else None
    return tuple(
        ResultRow(
            seat,
            who.user_id,
            place=places[seat],
            score=result.scores[seat],
            turns=stats[seat].turns,
            best_turn=stats[seat].best_turn,
            feats=stats[seat].feats,
            feat=stats[seat].feats.get(entry.feat, 0),
            own_turns=parts[seat].own_turns,
            board=board,
        )
        for seat, who in enumerate(row.seats)
    )


def counted(seats: Sequence[Seat], results: Sequence[ResultRow]) -> Board | Uncounted:
    """Return what a finished game counts for, or why for nothing, from its stored results."""
    board = results[0].board if results else None
    parts = [Part(seats[one.seat].human, one.turns, one.own_turns) for one in results]
    return board or verdict(parts)


def stats_of(log: GameLog) -> tuple[SeatStats, ...]:
    """Return a whole game's statistics. Raises :class:`~bot.games.core.GameError` for an impossible log."""
    events = [event for played in log.replay() for event in played.events]
    return tuple(find(log.game).rules.stats(events, log.seats))


def touch(changed: GameRow, interaction_id: int | None = None) -> Change:
    """Return the step to a changed game whose version stays, so that no button becomes stale."""
    return Change(replace(changed, touched=changed.touched + 1), changed.version, interaction_id)


def close(row: GameRow, reason: str, now: float, interaction_id: int | None = None) -> Change:
    """Close a lobby or a game without a result; ``reason`` is a catalogue key that its table shows."""
    after = replace(row, version=row.version + 1, updated_at=now)
    return closed_by(Change(after, row.version, interaction_id), reason)


def closed_by(change: Change, reason: str) -> Change:
    """Return a step that also closes its game without a result."""
    closed = _closed(change.row, reason)
    return change._replace(row=closed, last_places=last_places(closed))


def _within_limits(row: GameRow) -> GameRow:
    """Return the game, closed if it still goes on after more moves or turns than any game needs."""
    turns = find(row.game).rules.turns(intact(row.state))
    if row.status != LIVE or (row.version < MAX_MOVES and turns < MAX_TURNS):
        return row
    return _closed(row, "closed-too-long")


def _closed(row: GameRow, reason: str) -> GameRow:
    return replace(row, status=ABORTED, deadline=None, ai_to_move=False, offers=(), closed=reason)


def mark_present(row: GameRow, seat: int, at: float) -> GameRow:
    """Return the game with the person of ``seat`` marked as present."""
    return replace(row, **_presence(row, seat, at))


def _presence(row: GameRow, seat: int, at: float) -> dict[str, Any]:
    """Return the fields that change when the person of ``seat`` acts."""
    acted = (*row.acted[:seat], at, *row.acted[seat + 1 :])
    return {"acted": acted, "missed": (*row.missed[:seat], 0, *row.missed[seat + 1 :])}


def _own_turn(row: GameRow, seat: int) -> dict[str, Any]:
    """Return the fields that change when the person of ``seat`` plays in the present turn themselves."""
    turn = find(row.game).rules.turns(intact(row.state))
    if not row.own_turns or row.own_turn == turn:
        return {}
    own_turns = (*row.own_turns[:seat], row.own_turns[seat] + 1, *row.own_turns[seat + 1 :])
    return {"own_turns": own_turns, "own_turn": turn}


def mark_missed(row: GameRow, seat: int) -> GameRow:
    """Return the game with one more missed turn for the person of ``seat``."""
    missed = (*row.missed[:seat], row.missed[seat] + 1, *row.missed[seat + 1 :])
    return replace(row, missed=missed)
