"""The odds of a position in Gambler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bot.games.core import IllegalMove
from bot.games.dice import FACES, minus
from bot.games.gambler.boards import Kind
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.state import Phase, Stars, State, dice_to_roll
from bot.strategy.gambler.automata import Automaton, shown
from bot.strategy.gambler.expert import automata, filled
from bot.strategy.gambler.turn import Fill, Node, RowsLookahead, RowValues


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of the seat to move.

    ``no_fit`` is the chance that no die fits if the seat rolls now; None if it must place one first.
    ``rows`` are the chances to complete each row in this turn, or None for a full row. Each assumes that the
    seat plays perfectly for that row alone: it uses other rows only to be allowed to go on, and never stops.
    So the chances of several rows can't be added or multiplied.
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


def no_fit_chance(state: State) -> float:
    """Return the chance that no die fits on the present board if the seat rolls."""
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
    """Values a turn that completes the row as 1, and any other as 0."""

    def __init__(self, search: _OneRow) -> None:
        self._search = search

    def rows(self, hand: int) -> RowValues:
        return [
            [float(row == self._search.row and full) for full in automaton.full]
            for row, automaton in enumerate(self._search.rows)
        ]

    def ending(self, value: float) -> float:
        return 0.0


class _OneRow(RowsLookahead):
    """A turn in which only one row counts. Positions in which its result is certain are not expanded.

    All but ``spare`` dice of the hand are needed for the row itself. So of the other rows, only the next
    ``spare`` steps matter, and positions that agree in these share a node.
    """

    def __init__(self, state: State, row: int) -> None:
        stars = state.options.stars
        super().__init__(automata(state.board, stars), _Completed(self), distinct=stars is Stars.DISTINCT)
        self.row = row
        self._alike: dict[_Key, Node] = {}

    def add(self, number: int, fill: Fill, hand: int) -> Node:
        automaton = self.rows[self.row]
        missing = len(automaton.row.boxes) - len(automaton.states[fill[self.row]])
        if not missing or missing > hand:
            node = super().add(number, fill, hand)
            node.settle(0.0 if missing else 1.0)
            return node
        key = self._key(fill, hand - missing)
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = super().add(number, fill, hand)
        self._nodes[number] = alike
        return alike

    def _key(self, fill: Fill, spare: int) -> _Key:
        """Return a key that is equal for positions with the same chances for the row."""
        taken = unset = 0
        if self._distinct:
            # The values of star rows matter only while an empty star row can still be begun.
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
            # One die may go to another row: only its face matters, not the row.
            others = sorted({step for number in others for step in _WAYS[number]})
        return fill[self.row], spare, taken, tuple(others)


_Key = tuple[int, int, int, tuple[int, ...]]

_NUMBERS: dict[tuple[int, ...], int] = {(): 0}
_WAYS: list[tuple[int, ...]] = [()]
"""The continuations of rows by number, and in ``_NUMBERS`` the number of each."""


@cache
def _ahead(automaton: Automaton, state: int, steps: int, open_star: bool) -> int:
    """Return a number that identifies what can follow ``state`` in ``steps`` steps; 0 for nothing.

    ``open_star``: the row is an empty star row, whose first value depends on the other rows.
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
