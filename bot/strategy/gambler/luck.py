"""How lucky each seat was in a game of Gambler: what rolls gave it in points, compared with the average.

Before and after each roll, the expected lead at the end of the round (:mod:`~bot.strategy.gambler.expert`)
is worth more or less. The difference is luck, whether the decisions were good or bad. Over many games it
evens out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from bot.games.core import Move, replay
from bot.games.gambler.state import Action, Options, Outcome, RollDice, Stars, State
from bot.strategy.gambler.expert import (
    RULES,
    TURNS_KEPT,
    BoardValues,
    Situation,
    after_roll,
    automata,
    situation,
    worth,
)
from bot.strategy.gambler.turn import Lookahead, RowsLookahead


def luck(
    options: Options, seats: int, opening: Sequence[Outcome], moves: Sequence[Move[Action, Outcome]]
) -> tuple[int, ...]:
    """Return the luck of each seat in points, from the log of a game.

    Raises :class:`~bot.games.core.IllegalMove` for an impossible log.
    """
    found = [0.0] * seats
    _, *rest = replay(RULES, options, seats, opening, moves)
    for move, played in zip(moves, rest, strict=True):
        if isinstance(move.action, RollDice):
            rolling, after, *_ = played.states
            search = points_turn(rolling)
            found[move.seat] += after_roll(search, rolling, after) - worth(search, rolling)
    return tuple(round(points) for points in found)


class _Lead(BoardValues):
    """The expected lead, without what it means to win the game."""

    def ending(self, value: float) -> float:
        return 0.0


def points_turn(state: State) -> Lookahead:
    """Return the tree of the turn of the seat to move; its values are expected leads in points."""
    return _turn(situation(state))


@lru_cache(TURNS_KEPT)
def _turn(here: Situation) -> Lookahead:
    rows = automata(here.board, here.stars)
    return RowsLookahead(rows, _Lead(here, rows), distinct=here.stars is Stars.DISTINCT)
