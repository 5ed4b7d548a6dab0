"""The expert: looks ahead over the whole turn, and guesses only what the board it leaves is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from bot.games.dice import minus
from bot.games.gambler.boards import BOARDS
from bot.games.gambler.rules import Gambler
from bot.games.gambler.state import ROLL_DICE, Action, Phase, Place, RollDice, Stars, State, board_of
from bot.strategy.gambler.automata import Automaton, automaton
from bot.strategy.gambler.outlook import shares
from bot.strategy.gambler.turn import Fill, Lookahead, Table

RULES = Gambler()

DECIDED = 150.0
"""Points that winning the game is worth to the expert, and losing it costs, beside the points themselves."""

TURNS_KEPT = 8
"""So many turns' trees are kept, so that the later choices of a turn find what the first has worked out."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What stays the same during a turn, whatever is placed.

    ``score`` is the seat's less the points of all full rows, whoever filled them, and ``reserve`` its dice
    that take no part in the turn. ``others`` are the other seats' scores and dice, the next one's first.
    """

    board: str
    stars: Stars
    target: int
    score: int
    reserve: int
    others: tuple[tuple[int, int], ...]


class BoardValues:
    """What the end of a turn is worth (see :class:`~bot.strategy.gambler.turn.Values`): the points of the
    seat less the mean of the others', as they will be when the board is full."""

    def __init__(self, here: Situation, rows: Sequence[Automaton]) -> None:
        self._here = here
        self._rows = rows

    def table(self, hand: int) -> Table:
        return tuple(
            tuple(self._row(automaton, state, hand) for state in range(len(automaton.states)))
            for automaton in self._rows
        )

    def _row(self, automaton: Automaton, state: int, hand: int) -> float:
        row, others = automaton.row, self._here.others
        if automaton.full[state]:
            return float(row.points)
        dice = (*(number for _, number in others), self._here.reserve + hand)
        own = shares(row, automaton.states[state], dice)[-1]
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
        # Of equal actions the first, so that the same position always gets the same answer.
        return max(values(state), key=lambda valued: valued[1])[0]


def values(state: State) -> tuple[tuple[Action, float], ...]:
    """Return each legal action of the seat to move with its value: the expected lead in points."""
    search = lookahead(situation(state))
    fill = filled(search.rows, state)
    return tuple((action, _value(search, fill, state, action)) for action in RULES.legal(state))


def _value(search: Lookahead, fill: Fill, state: State, action: Action) -> float:
    if isinstance(action, Place):
        return search.place(fill, action.row, action.die, minus(state.roll, (action.die,)))
    if isinstance(action, RollDice):
        return search.roll(search.node(fill, state.hand))
    return search.end(fill, state.hand)


def situation(state: State) -> Situation:
    """Return the situation of the seat to move."""
    seats, seat = len(state.scores), state.seat
    full = sum(
        row.points
        for row, placed in zip(board_of(state).rows, state.rows, strict=True)
        if len(placed) == len(row.boxes)
    )
    others = ((seat + step) % seats for step in range(1, seats))
    return Situation(
        state.board,
        state.options.stars,
        state.options.target,
        state.scores[seat] - full,
        state.dice[seat] - state.hand,
        tuple((state.scores[other], state.dice[other]) for other in others if other not in state.left),
    )


def automata(board: str, stars: Stars) -> tuple[Automaton, ...]:
    """Return the automata of a board's rows; with distinct stars it matters which dice are in a full row."""
    return tuple(automaton(row, stars is Stars.INDEPENDENT) for row in BOARDS[board].rows)


def filled(rows: Sequence[Automaton], state: State) -> Fill:
    return tuple(automaton.index[placed] for automaton, placed in zip(rows, state.rows, strict=True))


@lru_cache(TURNS_KEPT)
def lookahead(here: Situation) -> Lookahead:
    """Return the tree of a turn. It depends on ``here`` alone, so it may be shared."""
    rows = automata(here.board, here.stars)
    return Lookahead(rows, BoardValues(here, rows), distinct=here.stars is Stars.DISTINCT)
