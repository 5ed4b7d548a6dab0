"""The chance to complete one row in one turn, with all dice used for it."""

from __future__ import annotations

from functools import cache

from bot.games.dice import FACES, Dice, minus, rolls
from bot.games.gambler.boards import Kind, Row
from bot.games.gambler.fitting import accepts
from bot.games.gambler.state import DICE_A_TURN

_PLAIN_FULL_HOUSE = (1, 1, 1, 2, 2)


def chance_alone(row: Row, placed: tuple[int, ...], dice: int) -> float:
    """Return the best chance to complete ``row`` in a turn with 0 to 5 ``dice``, placing them nowhere else.

    The turn ends as soon as no die fits this row. Placing dice in other rows to go on is not considered.

    >>> row = Row(Kind.NUMBERS, (4, 4, 2), 50)
    >>> chance_alone(row, (4, 4), 1) == 1 / 6
    True
    """
    return chances_alone(row, placed)[dice]


@cache
def chances_alone(row: Row, placed: tuple[int, ...]) -> tuple[float, ...]:
    """Return this chance for each number of dice."""
    plain = _plain(row, placed)
    return tuple([_alone(*plain, dice) for dice in range(DICE_A_TURN + 1)])


def _plain(row: Row, placed: tuple[int, ...]) -> tuple[Kind, tuple[int, ...], tuple[int, ...]]:
    """Return an equivalent row and dice in it, with faces renamed, so that few different ones are cached."""
    if row.kind is Kind.FULL_HOUSE:
        return row.kind, row.boxes, _PLAIN_FULL_HOUSE[: len(placed)]
    if row.kind is Kind.STARS:
        return row.kind, row.boxes, (1,) * len(placed)
    needed = row.boxes[len(placed) :]
    names = {face: name for name, face in enumerate(dict.fromkeys(needed), start=1)}
    return row.kind, tuple(names[face] for face in needed), ()


@cache
def _alone(kind: Kind, boxes: tuple[int, ...], placed: tuple[int, ...], dice: int) -> float:
    if len(placed) == len(boxes):
        return 1.0
    if len(boxes) - len(placed) > dice:
        return 0.0
    row = Row(kind, boxes, 0)

    def best(placed: tuple[int, ...], rest: Dice, moved: bool) -> float:
        """Return the chance with ``rest`` of the roll left; ``moved`` is whether a die of it was placed."""
        value = _alone(kind, boxes, placed, len(rest)) if moved else 0.0
        for face in set(accepts(row, placed)).intersection(rest):
            value = max(value, best((*placed, face), minus(rest, (face,)), True))
        return value

    total = sum(weight * best(placed, roll, False) for roll, weight in rolls(dice))
    return total / float(len(FACES) ** dice)
