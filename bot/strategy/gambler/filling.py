"""Estimate who fills the board, and so who starts the next round, from what the open rows bring each seat.

A seat that gets only some of the open rows fills the board if the last row is its own. A black row is more
often the last one than a yellow one, because nobody wants it; and the seat to move often completes a row
early, which leaves the last one to the other, the more so the fewer rows are open. The numbers were fitted to
7,700 positions of grandmasters' games.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product

BLACK = 2.25
"""How many times as often as a yellow row a black one is the last."""
TO_MOVE = (1.0, 0.34, 0.68, 0.8, 0.87, 0.87)
"""By this, the odds that a row of the seat to move is the last are multiplied, with one open row to six."""


@cache
def filling(pays: tuple[int, ...]) -> tuple[float, ...]:
    """Return the chance that the seat to move fills the board, for each change of its lead.

    ``pays`` is what the open rows pay, in steps, negative for a black one. The changes are from the least to
    the greatest one, two steps apart. One to which no shares of the rows lead has the chance of the one
    before it.

    >>> filling((5,)), filling((-2,))
    ((0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    """
    spread = sum(map(abs, pays))
    to_move = TO_MOVE[len(pays) - 1]
    found: defaultdict[int, list[float]] = defaultdict(list)
    for mine in product((False, True), repeat=len(pays)):
        change, own, other = 0, 0.0, 0.0
        for points, gets in zip(pays, mine, strict=True):
            weight = BLACK if points < 0 else 1.0
            if gets:
                change, own = change + points, own + weight * to_move
            else:
                change, other = change - points, other + weight
        found[change].append(own / (own + other))
    chances: list[float] = []
    for change in range(-spread, spread + 1, 2):
        each = found.get(change)
        chances.append(sum(each) / len(each) if each else chances[-1])
    return tuple(chances)
