"""Estimate who will complete a row, from its chances, the order of play and the dice of each seat.

The guess has a simple form: one seat after the other takes the row with a probability that depends on its
chance to fill the row in one turn alone, and if all have missed it, what remains is shared by the dice they
hold. The numbers were fitted to 24,000 rows of experts' games. What they are exactly matters little: in
1,500 games of two against ``casual`` those before won 67.9 % and these 69.0 % (2.4 points more or less).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.gambler.boards import Row
from bot.games.gambler.state import DICE_A_TURN
from bot.strategy.gambler.chances import chance_alone

MAX_CHANCE = 0.95
"""No row is certain to be taken."""


@dataclass(frozen=True, slots=True)
class Pull:
    """How a row draws players. With one box open a seat whose chance is p takes it with probability
    1 - (1 - p) ** ``close``; with more, the seat j turns from now with p * (``far`` + j * ``growth``): the
    row is nearer completion by then."""

    close: float
    far: float
    growth: float


YELLOW = Pull(close=1.6, far=0.92, growth=0.09)
BLACK = Pull(close=0.2, far=0.0, growth=0.09)
"""Nobody wants it, but the rules may leave nothing else."""


def shares(row: Row, placed: tuple[int, ...], dice: Sequence[int]) -> tuple[float, ...]:
    """Return the probability of each seat to complete ``row``, on which ``placed`` lie; they add up to 1.

    ``dice`` is what each seat has left, in the order they play; at least one has some.
    """
    pull = BLACK if row.black else YELLOW
    one_open = len(row.boxes) - len(placed) == 1
    hands = [min(DICE_A_TURN, number) for number in dice]
    still_open, found = 1.0, []
    for turn, hand in enumerate(hands):
        chance = chance_alone(row, placed, hand)
        takes = 1 - (1 - chance) ** pull.close if one_open else chance * (pull.far + pull.growth * turn)
        takes = min(MAX_CHANCE, takes)
        found.append(still_open * takes)
        still_open *= 1 - takes
    return tuple(share + still_open * hand / sum(hands) for share, hand in zip(found, hands, strict=True))
