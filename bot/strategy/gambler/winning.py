"""The winning chance in Gambler: of each seat between turns, and of every action within one.

It is known for two seats, from the tables of :mod:`~bot.strategy.gambler.tables`. Within a turn, all rolls
and placements are counted out, and the tables say what the turn's ends are worth. These are approximations:

- In rounds with which the game need not end, both seats play for each lead as if it alone decided.
- Who fills the board is estimated.
- The boards after the next one are drawn from all, even if seats choose them.
- A seat that can't pay all that a black row costs owes the rest until the round ends.
- Star rows that must differ have the tables of those that need not (:attr:`Basis.DISTINCT`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from operator import mul

from bot.games.gambler.boards import Kind
from bot.games.gambler.rules import Gambler, seat_chooses
from bot.games.gambler.state import DICE_A_TURN, Action, Phase, Stars, State, Turn, board_of
from bot.strategy.gambler import tables
from bot.strategy.gambler.expert import TURNS_KEPT, Situation, action_values, automata, rivals, situation
from bot.strategy.gambler.race import Race, drawing, race
from bot.strategy.gambler.tables import SETS, STEP, Projection, Table, offset
from bot.strategy.gambler.turn import Lookahead

RULES = Gambler()


class Basis(StrEnum):
    """The source of a winning chance, the most reliable first; the value is a catalogue key."""

    TABLE = "gambler-basis-table"
    """Two seats, and the tables."""
    DISTINCT = "gambler-basis-distinct"
    """Two seats, several star rows that must differ, and the tables for ``independent`` ones."""
    POINTS = "gambler-basis-points"
    """The chance is unknown; points are used instead."""

    @property
    def rank(self) -> int:
        """The position in this list, 0 for the most reliable."""
        return tuple(Basis).index(self)


def basis(state: State) -> Basis:
    """Return where the winning chances of a position come from."""
    if len(state.scores) - len(state.left) != 2 or race(state.options.target) is None:
        return Basis.POINTS
    return Basis.DISTINCT if state.options.stars is Stars.DISTINCT and _stars_meet(state) else Basis.TABLE


def _stars_meet(state: State) -> bool:
    """Return whether the board has several star rows, or may have, if it is still to come."""
    if state.phase is Phase.BOARD:
        return True
    return sum(row.kind is Kind.STARS for row in board_of(state).rows) > 1


def rival(state: State) -> int:
    """Return the only other seat that is still in the game."""
    (other,) = rivals(state)
    return other


def standing(state: State) -> tuple[float, ...]:
    """Return the winning chances by seat between turns, when ``basis`` isn't POINTS, or after the game."""
    chances = [0.0] * len(state.scores)
    if state.phase is Phase.OVER:
        for winner in state.winners:
            chances[winner] = 1.0 / len(state.winners)
        return tuple(chances)
    seat, other = state.seat, rival(state)
    race_here = _race(state.options.target)
    own, theirs = state.scores[seat] // STEP, state.scores[other] // STEP
    if state.phase is Phase.BOARD:
        if seat_chooses(state):
            chance = max(value for _, value in values(state))
        else:
            drawn = tuple(turned.board for turned, _ in RULES.chance(state) if isinstance(turned, Turn))
            chance = drawing(race_here, own, theirs, drawn)
    else:
        table = _table(state.board)
        fill = sum(map(mul, _numbers(table, state), table.strides))
        group = table.group(table.groups[fill])
        least, weights = race_here.weights(own, theirs, group.pays)
        projection = group.project(offset(state.dice[seat], state.dice[other]), weights)
        chance = least + table.value(fill, projection)
    chances[seat], chances[other] = chance, 1.0 - chance
    return tuple(chances)


def _race(target: int) -> Race:
    found = race(target)
    assert found is not None, "the basis is known"
    return found


def _table(board: str) -> Table:
    found = tables.load(board)
    assert found is not None, "the basis is known"
    return found


def _numbers(table: Table, state: State) -> Sequence[int]:
    return [row.index[placed] for row, placed in zip(table.rows, state.rows, strict=True)]


class WinningTurn(Lookahead):
    """The tree of one turn; its values are winning chances of the seat that plays it."""

    def __init__(self, here: Situation) -> None:
        rows = automata(here.board, here.stars)
        self._table = _table(here.board)
        # The table does not tell as many fills apart as there are with distinct stars.
        places = [
            [known.index[placed] * stride for placed in row.states]
            for row, known, stride in zip(rows, self._table.rows, self._table.strides, strict=True)
        ]
        super().__init__(rows, places, distinct=here.stars is Stars.DISTINCT)
        self._here = here
        self._race = _race(here.target)
        self._projections: list[dict[int, Projection]] = [{} for _ in range(DICE_A_TURN + 1)]

    def value(self, key: int, hand: int) -> float:
        group_number = self._table.groups[key]
        projection = self._projections[hand].get(group_number)
        if projection is None:
            projection = self._projections[hand][group_number] = self._projected(group_number, hand)
        return self._table.value(key, projection)

    def _projected(self, group_number: int, hand: int) -> Projection:
        """Return what the chances of fills of a group follow from, if ``hand`` dice were not placed."""
        here, open_rows = self._here, group_number % SETS
        ((rival_score, rival_dice),) = here.others
        own = here.score // STEP + sum(
            row.row.points // STEP for place, row in enumerate(self.rows) if not open_rows >> place & 1
        )
        other = rival_score // STEP
        if not open_rows:
            return self._race.after(own, other, 1.0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        group = self._table.group(group_number)
        mine = here.reserve + hand
        if not rival_dice:
            # The other seat is out, so the next turn is this seat's own again.
            least, weights = self._race.weights(own, other, group.pays)
            constant, one, two, three, four, five, six, seven, eight = group.project(offset(mine, 0), weights)
            return least + constant, one, two, three, four, five, six, seven, eight
        least, weights = self._race.weights(other, own, group.pays)
        constant, one, two, three, four, five, six, seven, eight = group.project(
            offset(rival_dice, mine), weights
        )
        return 1.0 - least - constant, -one, -two, -three, -four, -five, -six, -seven, -eight


def turn(state: State) -> WinningTurn:
    """Return the tree of the turn of the seat to move, when ``basis`` isn't POINTS."""
    return _turn(situation(state))


_turn = lru_cache(TURNS_KEPT)(WinningTurn)


def values(state: State) -> tuple[tuple[Action, float], ...]:
    """Return the legal actions of the seat to move, each with its winning chance; ``basis`` isn't POINTS."""
    if state.phase is not Phase.BOARD:
        return action_values(turn(state), state)
    return tuple(
        (action, standing(RULES.apply(state, action).state)[state.seat]) for action in RULES.legal(state)
    )
