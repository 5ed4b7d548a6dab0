"""The odds of a position in Gambler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from bot.games.core import IllegalMove
from bot.games.dice import FACES, minus, rolls
from bot.games.gambler.boards import Kind
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.state import Phase, Stars, State, dice_to_roll
from bot.strategy.gambler.automata import Automaton, shown
from bot.strategy.gambler.expert import automata, filled
from bot.strategy.gambler.turn import Fill, Lookahead


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
        return search.roll(fill, hand)
    values = [
        search.place(fill, place.row, place.die, minus(state.roll, (place.die,)))
        for place in placements(state)
    ]
    if may_go_on(state):
        values.append(search.roll(fill, hand))
    return max(values)


class _OneRow(Lookahead):
    """A turn in which only completing one row counts: it is worth 1. Positions in which its result is certain
    are not expanded.

    All but ``spare`` dice of the hand are needed for the row itself. So of the other rows, only the next
    ``spare`` steps matter, and positions that agree in these share their values.
    """

    def __init__(self, state: State, row: int) -> None:
        rows = automata(state.board, state.options.stars)
        keys = [
            [len(placed) if number == row else 0 for placed in automaton.states]
            for number, automaton in enumerate(rows)
        ]
        self._distinct = state.options.stars is Stars.DISTINCT
        super().__init__(rows, keys, distinct=self._distinct)
        self.row = row
        self._boxes = len(rows[row].row.boxes)
        self._alike: dict[_Key, tuple[float, Sequence[float]]] = {}

    def value(self, key: int, hand: int) -> float:
        return float(key == self._boxes)

    def expand(self, number: int, hand: int) -> float:
        missing = self._boxes - (number & self._key_mask)
        if not missing or missing > hand:
            certain = 0.0 if missing else 1.0
            self._after_placing[number] = [certain] * len(rolls(hand))
            return certain
        key = self._alike_by(self.fill(number), hand - missing)
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = super().expand(number, hand), self._after_placing[number]
        value, self._after_placing[number] = alike
        return value

    def _alike_by(self, fill: Fill, spare: int) -> _Key:
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
