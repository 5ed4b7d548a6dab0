"""The odds of a position in Gambler: what a player would want to know before choosing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bot.games.core import IllegalMove
from bot.games.dice import FACES, minus
from bot.games.gambler.boards import Kind
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.state import DICE_A_TURN, Phase, Stars, State
from bot.strategy.gambler.automata import Automaton, shown
from bot.strategy.gambler.expert import automata, filled
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
    """Return the exact odds of the seat to move. Raises :class:`IllegalMove` where no seat is to move."""
    if state.phase not in (Phase.START, Phase.PLACE):
        raise IllegalMove("error-illegal-move")
    rolls_now = state.phase is Phase.START or may_go_on(state)
    return Odds(
        no_fit_chance(state) if rolls_now else None,
        tuple(row_chance(state, row) if faces else None for row, faces in enumerate(fits(state))),
    )


def dice_to_roll(state: State) -> int:
    """Return how many dice the seat's next roll has."""
    if state.phase is Phase.START:
        return min(DICE_A_TURN, state.dice[state.seat])
    return state.hand


def no_fit_chance(state: State) -> float:
    """Return the chance that no die fits when the seat's dice are rolled and the board is as it is now."""
    fitting = {face for faces in fits(state) for face in faces}
    return ((len(FACES) - len(fitting)) / len(FACES)) ** dice_to_roll(state)


def row_chance(state: State, row: int) -> float:
    """Return the chance to complete ``row``, which is not full, in this turn (see :class:`Odds`)."""
    search = _OneRow(state, row)
    fill, hand = filled(search.rows, state), dice_to_roll(state)
    if state.phase is Phase.START:
        return search.roll(search.node(fill, hand))
    values = [
        search.place(fill, place.row, place.die, minus(state.roll, (place.die,)))
        for place in placements(state)
    ]
    if may_go_on(state):
        values.append(search.roll(search.node(fill, hand)))
    return max(values)


class _Completed:
    """The value 1 for a turn in which the row is completed, else 0."""

    def __init__(self, search: _OneRow) -> None:
        self._search = search

    def table(self, hand: int) -> Table:
        return [
            [float(row == self._search.row and full) for full in automaton.full]
            for row, automaton in enumerate(self._search.rows)
        ]

    def ending(self, value: float) -> float:
        return 0.0


class _OneRow(Lookahead):
    """A turn in which nothing counts but one row. What is settled is not followed any further.

    All but ``spare`` dice of the hand are needed for the row itself. So of the other rows nothing matters
    but what they take in the next ``spare`` steps: positions that agree in that share one node.
    """

    def __init__(self, state: State, row: int) -> None:
        stars = state.options.stars
        super().__init__(automata(state.board, stars), _Completed(self), distinct=stars is Stars.DISTINCT)
        self.row = row
        self._alike: dict[_Key, Node] = {}

    def node(self, fill: Fill, hand: int) -> Node:
        found = self._nodes.get(fill)
        if found is not None:
            return found
        automaton = self.rows[self.row]
        missing = len(automaton.row.boxes) - len(automaton.states[fill[self.row]])
        if not missing or missing > hand:
            node = super().node(fill, hand)
            node.settle(0.0 if missing else 1.0)
            return node
        key = self._key(fill, hand - missing)
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = super().node(fill, hand)
        self._nodes[fill] = alike
        return alike

    def _key(self, fill: Fill, spare: int) -> _Key:
        """Return the same for two positions from which the same can happen to the row."""
        taken = unset = 0
        if self._distinct:
            # Which values star rows show matters as long as a star row that can be filled has none.
            for row, (automaton, state) in enumerate(zip(self.rows, fill, strict=True)):
                if automaton.row.kind is Kind.STARS:
                    taken |= 1 << shown(automaton.row, automaton.states[state])
                    unset |= not state and (row == self.row or spare > 0)
            taken *= unset
        ahead = {
            row: _ahead(
                automaton, state, spare, bool(unset) and automaton.row.kind is Kind.STARS and not state
            )
            for row, (automaton, state) in enumerate(zip(self.rows, fill, strict=True))
            if row != self.row
        }
        others = sorted(number for number in ahead.values() if number)
        if spare == 1:
            # A single die may go elsewhere: it matters which, not where.
            others = sorted({step for number in others for step in _WAYS[number]})
        return fill[self.row], spare, taken, tuple(others)


_Key = tuple[int, int, int, tuple[int, ...]]

_NUMBERS: dict[tuple[int, ...], int] = {(): 0}
_WAYS: list[tuple[int, ...]] = [()]
"""The ways in which a row can go on, by number, and the number of each."""


@cache
def _ahead(automaton: Automaton, state: int, steps: int, open_star: bool) -> int:
    """Return a number that names what may follow ``state`` in ``steps`` steps; 0 if nothing may.

    ``open_star``: which value a star row begins with depends on the other rows, so it is not like others.
    """
    following = automaton.steps[state] if steps else ()
    way = tuple(
        (_ahead(automaton, after, steps - 1, False) * 2 + open_star) * len(FACES) + face
        for face, after in following
    )
    number = _NUMBERS.setdefault(way, len(_WAYS))
    if number == len(_WAYS):
        _WAYS.append(way)
    return number
