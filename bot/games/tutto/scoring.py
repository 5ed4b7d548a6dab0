"""Valid dice of a roll, their points, and the sets that may be put aside."""

from __future__ import annotations

from functools import cache
from itertools import product

from bot.games.dice import FACES, Dice, counts, from_counts
from bot.games.tutto.cards import Card

SINGLE = {1: 100, 5: 50}
"""Points of a single die (leaflets, "valid dice")."""

TRIPLET = {1: 1000, 2: 200, 3: 300, 4: 400, 5: 500, 6: 600}
"""Points of three alike in one roll."""

STRAIGHT_POINTS = 2000
PLUS_MINUS_POINTS = 1000


@cache
def points(dice: Dice) -> int:
    """Return the points of ``dice`` from one roll, grouped into triplets and singles. Others score nothing.

    >>> points((1, 1, 1, 1)), points((2, 2, 2, 2, 2, 2)), points((5, 5, 3, 3))
    (1100, 400, 100)
    """
    total = 0
    for face, number in zip(FACES, counts(dice), strict=True):
        triplets, rest = divmod(number, 3)
        total += triplets * TRIPLET[face] + rest * SINGLE.get(face, 0)
    return total


@cache
def valid_dice(roll: Dice, card: Card, aside: Dice) -> Dice:
    """Return the dice of ``roll`` that may all be put aside; none for a null.

    With a Straight, these are one die of every number that is not in ``aside`` yet. With other cards, these
    are all 1s and 5s, and whole triplets.

    >>> valid_dice((2, 2, 2, 2, 5, 6), Card.X2, ())
    (2, 2, 2, 5)
    >>> valid_dice((2, 2, 3, 5), Card.STRAIGHT, (1, 5))
    (2, 3)
    """
    if card is Card.STRAIGHT:
        return tuple(face for face in FACES if face in roll and face not in aside)
    return from_counts(
        number if face in SINGLE else number - number % 3
        for face, number in zip(FACES, counts(roll), strict=True)
    )


@cache
def keepable(roll: Dice, card: Card, aside: Dice) -> tuple[Dice, ...]:
    """Return all legal sets of dice to put aside, largest first.

    A set is legal if it is not empty and each die in it is a single 1 or 5 or belongs to a whole triplet
    of this roll; with a Straight, if its numbers differ and none is in ``aside``.

    >>> keepable((1, 2, 2, 2), Card.X2, ())
    ((1, 2, 2, 2), (2, 2, 2), (1,))
    """
    step = 1 if card is Card.STRAIGHT else 3
    choices = [
        range(0, number + 1, 1 if face in SINGLE else step)
        for face, number in zip(FACES, counts(valid_dice(roll, card, aside)), strict=True)
    ]
    sets = [from_counts(numbers) for numbers in product(*choices) if any(numbers)]
    return tuple(sorted(sets, key=lambda dice: (-len(dice), dice)))
