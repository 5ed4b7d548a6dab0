"""The odds of a position in Gambler: what a player would want to know before choosing."""

from __future__ import annotations

from dataclasses import dataclass

from bot.games.core import IllegalMove
from bot.games.dice import FACES, minus
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.state import DICE_A_TURN, Phase, Stars, State
from bot.strategy.gambler.expert import filled, machines
from bot.strategy.gambler.turn import Fill, Lookahead, Node, Table


@dataclass(frozen=True, slots=True)
class Odds:
    """``no_fit`` is the chance that no die fits if the seat rolls now, None if it has to place one first.

    ``rows`` is, for each row, the chance to complete it in this turn by playing for that row alone as well
    as can be: other rows are used only to keep the turn alive, and the turn is never stopped early. The
    chances of several rows can't be added or multiplied. None for a row that is full.
    """

    no_fit: float | None
    rows: tuple[float | None, ...]


def odds(state: State) -> Odds:
    """The odds of the seat to move, all exact. Raises :class:`IllegalMove` where no seat is to move."""
    if state.phase not in (Phase.START, Phase.PLACE):
        raise IllegalMove("error-illegal-move")
    rolls_now = state.phase is Phase.START or may_go_on(state)
    return Odds(
        no_fit_chance(state) if rolls_now else None,
        tuple(row_chance(state, row) if faces else None for row, faces in enumerate(fits(state))),
    )


def dice_to_roll(state: State) -> int:
    """How many dice the seat's next roll has."""
    if state.phase is Phase.START:
        return min(DICE_A_TURN, state.dice[state.seat])
    return state.hand


def no_fit_chance(state: State) -> float:
    """The chance that no die fits when the seat's dice are rolled and the board is as it is now."""
    fitting = {face for faces in fits(state) for face in faces}
    return ((len(FACES) - len(fitting)) / len(FACES)) ** dice_to_roll(state)


def row_chance(state: State, row: int) -> float:
    """The chance to complete ``row``, which is not full, in this turn (see :class:`Odds`)."""
    look = _OneRow(state, row)
    fill, hand = filled(look.rows, state), dice_to_roll(state)
    if state.phase is Phase.START:
        return look.roll(look.node(fill, hand))
    values = [
        look.place(fill, place.row, place.die, minus(state.roll, (place.die,))) for place in placements(state)
    ]
    if may_go_on(state):
        values.append(look.roll(look.node(fill, hand)))
    return max(values)


class _Completed:
    """The value 1 for a turn in which the row is completed, else 0."""

    def __init__(self, look: _OneRow) -> None:
        self._look = look

    def table(self, hand: int) -> Table:
        return [
            [float(row == self._look.row and full) for full in machine.full]
            for row, machine in enumerate(self._look.rows)
        ]

    def ending(self, value: float) -> float:
        return 0.0


class _OneRow(Lookahead):
    """A turn in which nothing counts but one row. What is settled is not followed any further."""

    def __init__(self, state: State, row: int) -> None:
        stars = state.options.stars
        super().__init__(machines(state.board, stars), _Completed(self), distinct=stars is Stars.DISTINCT)
        self.row = row

    def node(self, fill: Fill, hand: int) -> Node:
        node = super().node(fill, hand)
        if node.roll is None:
            machine = self.rows[self.row]
            missing = len(machine.row.boxes) - len(machine.states[fill[self.row]])
            if not missing or missing > hand:
                node.settle(0.0 if missing else 1.0)
        return node
