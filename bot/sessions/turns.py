"""Applies moves to stored games: the next game, the log entry, and the results at the end. Pure."""

from __future__ import annotations

from typing import Any

from bot.games.core import CHANCE, OVER, ChanceSource, Played, SeatStats, add_stats, play
from bot.games.values import replace
from bot.records.game_log import GameLog
from bot.registry import find
from bot.sessions import absence
from bot.sessions.request import Click
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, Change, GameRow, MoveRow, ResultRow, sound


def move(
    game: GameRow, seat: int, action: object, now: float, chance: ChanceSource, click: Click | None = None
) -> Change:
    """Play one action: a person's if there is a ``click``, otherwise an AI's or an absent person's.

    Raises :class:`~bot.games.core.IllegalMove`.
    """
    played = play(find(game.game).rules, sound(game.state), action, chance)
    if click is not None and game.seats[seat].user_id == click.user_id:
        game = mark_present(game, seat, now)
    after = advance(game, played, now)
    return Change(
        after,
        game.version,
        click.interaction_id if click else None,
        # A move's number is the version it leads to.
        move=MoveRow(after.version, seat, action, played.outcomes, now),
        results=results(after) if after.status == FINISHED and after.stats else (),
    )


def advance(game: GameRow, played: Played[Any, Any], now: float) -> GameRow:
    """Return the game with its new state. Only here does a game's status follow from its state."""
    entry = find(game.game)
    rules, state = entry.rules, played.state
    mover = rules.to_move(state)
    assert mover != CHANCE
    # If a game began without statistics, they stay unknown until its end.
    stats = sound(game.stats)
    if stats or game.status == LOBBY:
        stats = add_stats(stats, rules.stats(played.events, len(game.seats)))
    # A table tells no more than a turn of each seat and the one before.
    lines = entry.screen.narrate(game.lines, played.events)[-len(game.seats) - 1 :]
    after = replace(
        game,
        version=game.version + 1,
        updated_at=now,
        since=now,
        status=FINISHED if mover == OVER else LIVE,
        state=state,
        draws=game.draws + len(played.outcomes),
        lines=lines,
        stats=stats,
    )
    if mover == OVER:
        return replace(after, ai_to_move=False, deadline=None)
    return absence.waiting(after, mover, rules.left(state))


def results(game: GameRow) -> tuple[ResultRow, ...]:
    """Return the result of each seat of a finished game, whose ``stats`` must be known."""
    entry = find(game.game)
    result = entry.rules.result(sound(game.state))
    assert result is not None
    places, stats = result.places(), sound(game.stats)
    return tuple(
        ResultRow(
            seat,
            who.user_id,
            places[seat],
            result.scores[seat],
            stats[seat].turns,
            stats[seat].best_turn,
            stats[seat].feats,
            stats[seat].feats.get(entry.feat, 0),
        )
        for seat, who in enumerate(game.seats)
    )


def stats_of(log: GameLog) -> tuple[SeatStats, ...]:
    """Return a whole game's statistics. Raises :class:`~bot.games.core.GameError` for an impossible log."""
    events = [event for played in log.replay() for event in played.events]
    return tuple(find(log.game).rules.stats(events, log.seats))


def close(game: GameRow, reason: str, now: float, interaction_id: int | None = None) -> Change:
    """Close a lobby or a game without a result; ``reason`` is a catalogue key that its table shows."""
    closed = replace(
        game,
        status=ABORTED,
        version=game.version + 1,
        updated_at=now,
        deadline=None,
        ai_to_move=False,
        closed=reason,
    )
    return Change(closed, game.version, interaction_id)


def mark_present(game: GameRow, seat: int, at: float) -> GameRow:
    """Return the game with the person of ``seat`` marked as present."""
    acted = (*game.acted[:seat], at, *game.acted[seat + 1 :])
    return replace(game, acted=acted, missed=(*game.missed[:seat], 0, *game.missed[seat + 1 :]))


def mark_missed(game: GameRow, seat: int) -> GameRow:
    """Return the game with one more missed turn for the person of ``seat``."""
    missed = (*game.missed[:seat], game.missed[seat] + 1, *game.missed[seat + 1 :])
    return replace(game, missed=missed)
