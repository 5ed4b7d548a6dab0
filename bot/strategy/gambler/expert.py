"""The expert: calculates the whole turn, and estimates only the value of the board it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from bot.games.dice import minus
from bot.games.gambler.boards import BOARDS, Row
from bot.games.gambler.rules import Gambler
from bot.games.gambler.state import (
    ROLL_DICE,
    Action,
    Phase,
    Place,
    RollDice,
    Stars,
    State,
    board_of,
    dice_to_roll,
)
from bot.strategy.gambler.automata import Automaton, automaton, examples
from bot.strategy.gambler.outlook import shares
from bot.strategy.gambler.turn import Fill, Lookahead, RowsLookahead, RowValues

RULES = Gambler()

DECIDED = 150.0
"""The value of winning the game to the expert, and the cost of losing it, besides points."""

TURNS_KEPT = 8
"""How many turns' trees to cache, so that a turn's later choices reuse the first one's calculation."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What does not change during a turn, whatever is placed.

    ``score`` is the seat's score minus the points of all full rows (no matter who filled them), ``reserve``
    its dice that are not in the turn. ``others`` are the other seats' scores and dice, in playing order.
    """

    board: str
    stars: Stars
    target: int
    score: int
    reserve: int
    others: tuple[tuple[int, int], ...]


class BoardValues:
    """The value of the end of a turn (see :class:`~bot.strategy.gambler.turn.Values`): the seat's expected
    points at the end of the round, minus the mean of the others'."""

    def __init__(self, here: Situation, rows: Sequence[Automaton]) -> None:
        self._here = here
        self._rows = rows

    def rows(self, hand: int) -> RowValues:
        # States with as many dice differ only in the names of the faces.
        return [[self._row(row.row, placed, hand) for placed in examples(row)] for row in self._rows]

    def _row(self, row: Row, placed: tuple[int, ...], hand: int) -> float:
        others = self._here.others
        if len(placed) == len(row.boxes):
            return float(row.points)
        own = shares(row, placed, (*(number for _, number in others), self._here.reserve + hand))[-1]
        return row.points * (own - (1 - own) / len(others))

    def ending(self, value: float) -> float:
        best = max(score for score, _ in self._here.others)
        own = self._here.score + value
        if max(own, best) < self._here.target:
            return 0.0
        return DECIDED if own >= best else -DECIDED


class Expert:
    """Takes the action that leads to the best average end of the turn, counting all placements and rolls."""

    def choose(self, state: State, rng: Random) -> Action:
        if state.phase is Phase.START:
            return ROLL_DICE
        if state.phase is Phase.BOARD:
            return rng.choice(RULES.legal(state))
        # The first of equal actions, so that the choice is the same each time.
        return max(values(state), key=lambda valued: valued[1])[0]


def values(state: State) -> tuple[tuple[Action, float], ...]:
    """Return the legal actions of the seat to move, each with its value: the expected lead in points."""
    return action_values(lookahead(situation(state)), state)


def action_values(search: Lookahead, state: State) -> tuple[tuple[Action, float], ...]:
    """Return the legal actions of the seat to move on an open board, each with its value by ``search``."""
    fill = filled(search.rows, state)
    return tuple((action, _value(search, fill, state, action)) for action in RULES.legal(state))


def worth(search: Lookahead, state: State) -> float:
    """Return the value of a position within a turn by ``search``: with the best action, or before a roll."""
    if state.phase is Phase.ROLL:
        return search.roll(filled(search.rows, state), state.hand)
    return max(value for _, value in action_values(search, state))


def after_roll(search: Lookahead, rolling: State, after: State) -> float:
    """Return the value of what a roll led to by ``search``: the same turn, or its end."""
    if after.finished == rolling.finished:
        return worth(search, after)
    reserve = rolling.dice[rolling.seat] - rolling.hand
    return search.end(filled(search.rows, after), after.dice[rolling.seat] - reserve)


def _value(search: Lookahead, fill: Fill, state: State, action: Action) -> float:
    if isinstance(action, Place):
        return search.place(fill, action.row, action.die, minus(state.roll, (action.die,)))
    if isinstance(action, RollDice):
        return search.roll(fill, dice_to_roll(state))
    return search.end(fill, state.hand)


def rivals(state: State) -> list[int]:
    """Return the other seats that are still in the game, in playing order after the seat to move."""
    seats = len(state.scores)
    return [seat for step in range(1, seats) if (seat := (state.seat + step) % seats) not in state.left]


def situation(state: State) -> Situation:
    """Return the situation of the seat to move."""
    seat = state.seat
    full = sum(
        row.points
        for row, placed in zip(board_of(state).rows, state.rows, strict=True)
        if len(placed) == len(row.boxes)
    )
    return Situation(
        state.board,
        state.options.stars,
        state.options.target,
        state.scores[seat] - full,
        state.dice[seat] - dice_to_roll(state),
        tuple((state.scores[other], state.dice[other]) for other in rivals(state)),
    )


def automata(board: str, stars: Stars) -> tuple[Automaton, ...]:
    """Return the automata of a board's rows. With distinct stars, the dice in full rows matter."""
    return tuple(automaton(row, stars is Stars.INDEPENDENT) for row in BOARDS[board].rows)


def filled(rows: Sequence[Automaton], state: State) -> Fill:
    return tuple(automaton.index[placed] for automaton, placed in zip(rows, state.rows, strict=True))


@lru_cache(TURNS_KEPT)
def lookahead(here: Situation) -> Lookahead:
    """Return the tree of a turn, which depends only on ``here``."""
    rows = automata(here.board, here.stars)
    return RowsLookahead(rows, BoardValues(here, rows), distinct=here.stars is Stars.DISTINCT)
