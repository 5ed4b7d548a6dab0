"""How lucky each seat was in a game: what chance gave it, compared with the average.

Each decision has an expected value in points (:mod:`~bot.strategy.tutto.values`), and what chance then brings
is worth more or less. The difference is luck, whether the decision was good or bad. Over many games it evens
out.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Leave, Move, replay
from bot.games.tutto.state import Action, Banked, CloverleafWon, Options, Outcome, State
from bot.strategy.tutto.values import RULES, points_turn, values


def luck(options: Options, seats: int, moves: Sequence[Move[Action, Outcome]]) -> tuple[int, ...]:
    """Return the luck of each seat in points, from the moves of a game.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    found = [0.0] * seats
    opening, *rest = replay(RULES, options, seats, (), moves)
    state: State = opening.state
    choices: dict[Action, float] = {}
    for move, played in zip(moves, rest, strict=True):
        after: State = played.state
        if not choices:
            choices = {one.action: one.value for one in values(state, points_turn(state))}
        promised = None if isinstance(move.action, Leave) else choices[move.action]
        seat, turn = state.seat, state.finished
        state, choices = after, {}
        if promised is None:
            continue
        if after.finished == turn:
            choices = {one.action: one.value for one in values(after, points_turn(after))}
            found[seat] += max(choices.values()) - promised
        elif not any(isinstance(event, CloverleafWon) for event in played.events):
            # A game won by a Cloverleaf is luck, but no points.
            banked = sum(event.points for event in played.events if isinstance(event, Banked))
            found[seat] += banked - promised
    return tuple(round(points) for points in found)
