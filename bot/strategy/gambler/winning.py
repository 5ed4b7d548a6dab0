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
from operator import getitem, mul

from bot.games.gambler.boards import Kind
from bot.games.gambler.rules import Gambler, seat_chooses
from bot.games.gambler.state import DICE_A_TURN, Action, Phase, Stars, State, Turn, board_of
from bot.strategy.gambler import tables
from bot.strategy.gambler.expert import TURNS_KEPT, Situation, action_values, automata, rivals, situation
from bot.strategy.gambler.race import Race, drawing, race
from bot.strategy.gambler.tables import SETS, STEP, Projection, Table, Weights, offset
from bot.strategy.gambler.turn import Level, Lookahead, by_count

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
        chance = least + table.values([fill], projection)[0]
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
        super().__init__(rows, distinct=here.stars is Stars.DISTINCT)
        # What each row adds to the number of a fill, by its state. The table does not tell as many apart as
        # there are with distinct stars.
        places = [
            [known.index[placed] * stride for placed in row.states]
            for row, known, stride in zip(rows, self._table.rows, self._table.strides, strict=True)
        ]
        self._free_places = [places[row] for row in self.free]
        self._number_places = [
            [0] * len(of_row) if row in self.free else of_row for row, of_row in enumerate(places)
        ]
        self._here = here
        self._race = _race(here.target)
        # By the open rows as bits.
        self._weights: dict[int, tuple[float, Weights]] = {}
        # By the dice not placed, and by group.
        self._projections: list[dict[int, Projection]] = [{} for _ in range(DICE_A_TURN + 1)]
        # By level, what its states add to the number of a fill.
        self._fills: dict[Level, list[int]] = {}

    def ends(self, number: int, level: Level, hand: int) -> list[float]:
        fills = self._fills.get(level)
        if fills is None:
            fills = [sum(map(getitem, self._free_places, state)) for state in level.states]
            self._fills[level] = fills
        others = by_count(self._number_places, number)
        # The fills of a block are all in the same group.
        group_number = self._table.groups[others + fills[0]]
        projection = self._projections[hand].get(group_number)
        if projection is None:
            projection = self._projections[hand][group_number] = self._projected(group_number, hand)
        return self._table.values([others + fill for fill in fills], projection)

    def _projected(self, group_number: int, hand: int) -> Projection:
        """Return what the chances of fills of a group follow from, if ``hand`` dice were not placed."""
        open_rows = group_number % SETS
        weighed = self._weights.get(open_rows)
        if weighed is None:
            weighed = self._weights[open_rows] = self._weigh(open_rows)
        least, weights = weighed
        if not open_rows:
            return least, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        group, mine = self._table.group(group_number), self._here.reserve + hand
        ((_, rival_dice),) = self._here.others
        if not rival_dice:
            # The other seat is out, so the next turn is this seat's own again.
            constant, one, two, three, four, five, six, seven, eight = group.project(offset(mine, 0), weights)
            return least + constant, one, two, three, four, five, six, seven, eight
        constant, one, two, three, four, five, six, seven, eight = group.project(
            offset(rival_dice, mine), weights
        )
        return 1.0 - least - constant, -one, -two, -three, -four, -five, -six, -seven, -eight

    def _weigh(self, open_rows: int) -> tuple[float, Weights]:
        """Return what :meth:`~bot.strategy.gambler.race.Race.weights` says for the next seat if these rows
        are open; with none, the chance of this seat."""
        ((rival_score, rival_dice),) = self._here.others
        own, other = self._here.score // STEP, rival_score // STEP
        pays = []
        for place, row in enumerate(self.rows):
            if open_rows >> place & 1:
                pays.append(row.row.points // STEP)
            else:
                own += row.row.points // STEP
        if not pays:
            return self._race.after(own, other, 1.0), []
        if rival_dice:
            own, other = other, own
        return self._race.weights(own, other, tuple(pays))


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
