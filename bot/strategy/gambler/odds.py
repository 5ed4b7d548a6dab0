"""The odds of a position in Gambler."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache

from bot.games.core import IllegalMove
from bot.games.dice import FACES, minus
from bot.games.gambler.boards import Kind, Row
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.state import Phase, Stars, State, dice_to_roll
from bot.strategy.gambler.chances import chances_alone
from bot.strategy.gambler.expert import automata, filled
from bot.strategy.gambler.turn import COUNT_BITS, COUNT_MASK, INDEX, ROLLS, Level, Lookahead


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
    ``spare`` boxes matter, and blocks that agree in these share their values.
    """

    def __init__(self, state: State, row: int) -> None:
        rows = automata(state.board, state.options.stars)
        super().__init__(rows, distinct=state.options.stars is Stars.DISTINCT)
        self._row = rows[row].row
        self._place = COUNT_BITS * row
        self._alike: dict[Hashable, tuple[Sequence[float], Sequence[float]]] = {}

    def ends(self, number: int, level: Level, hand: int) -> list[float]:
        return [float(not self._missing(number))] * len(level.states)

    def expand(self, number: int, level: Level, hand: int) -> Sequence[float]:
        alike = self._alike_by(number, level, hand)
        found = self._alike.get(alike)
        if found is None:
            missing = self._missing(number)
            if not missing or missing > hand:
                rolled = self.ends(number, level, hand)
                found = rolled, rolled * len(ROLLS[hand])
            elif missing == hand and self._row.kind is Kind.NUMBERS:
                chance, by_roll = _all_for_it(self._row, missing)
                found = [chance] * len(level.states), [value for value in by_roll for _ in level.states]
            else:
                placed = super().expand(number, level, hand)
                found = self._rolled[number], placed
            self._alike[alike] = found
        self._rolled[number], self._after_placing[number] = found
        return found[1]

    def _missing(self, number: int) -> int:
        return len(self._row.boxes) - (number >> self._place & COUNT_MASK)

    def _alike_by(self, number: int, level: Level, hand: int) -> Hashable:
        """Return a key that is equal for blocks with the same chances for the row."""
        missing, width = self._missing(number), len(level.states)
        spare = hand - missing
        if not missing or spare < 0 or (not spare and self._row.kind is Kind.NUMBERS):
            return missing, hand, width
        others = [
            faces[count : count + spare]
            for place, faces in self._number_rows
            if spare and place != self._place and (count := number >> place & COUNT_MASK) < len(faces)
        ]
        if spare == 1 and self._row.kind is Kind.NUMBERS:
            # One die may go to another row: only its face matters, not the row.
            return missing, hand, level.fitting, frozenset(face for (face,) in others)
        return missing, hand, level, *sorted(map(tuple, others))


@cache
def _all_for_it(row: Row, missing: int) -> tuple[float, Sequence[float]]:
    """Return the chance to complete a number row with ``missing`` dice, as many as it needs: before they are
    rolled, and for each roll, if they may be rolled again."""
    if not missing:
        return 1.0, [1.0]
    placed = len(row.boxes) - missing
    chance, face = chances_alone(row, row.boxes[:placed])[missing], row.boxes[placed]
    _, then = _all_for_it(row, missing - 1)
    return chance, [
        max(chance, then[INDEX[minus(dice, (face,))]]) if face in dice else chance
        for dice, _ in ROLLS[missing]
    ]
