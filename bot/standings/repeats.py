"""How much a game counts for the ratings of people who have played each other often lately.

Games between the same two people say less and less about their strength, and two who agree on who wins could
otherwise lift a rating as high as they like. So the games of a pair within :data:`PERIOD_SECONDS` are taken
as a cluster of dependent observations: together they count as much as Kish's effective sample size says,
which stays below :data:`MAX_EFFECTIVE` however many there are. docs/decisions/repeated-opponents.md has the
reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PERIOD_DAYS = 30
PERIOD_SECONDS = PERIOD_DAYS * 86_400.0
"""How long a game makes later ones between the same people count less."""

MAX_EFFECTIVE = 10
"""All games of two people within that time together count less than this many independent ones."""

Pair = frozenset[int]
"""Two people, by their ids."""


def effective(games: int) -> float:
    """Return how many independent games say as much as ``games`` between the same two people.

    This is ``n / (1 + (n - 1) * rho)``, with the correlation ``rho = 1 / MAX_EFFECTIVE``.
    """
    return games / (1 + (games - 1) / MAX_EFFECTIVE)


def weight(earlier: int) -> float:
    """Return how much the next game of two people counts, after ``earlier`` ones within the period.

    >>> [round(weight(earlier), 2) for earlier in (0, 1, 4, 9, 29)]
    [1.0, 0.82, 0.49, 0.26, 0.06]
    """
    return effective(earlier + 1) - effective(earlier)


def weights(people: Sequence[int], earlier: Mapping[Pair, int]) -> tuple[float, ...]:
    """Return how much a game counts for each of its people.

    The opponent whom a person has played most often decides their weight: otherwise a new third player in
    each game would let two people play each other at full weight. ``earlier`` is how many games each pair
    has played within the period; pairs without one may be missing.
    """
    return tuple(
        min(
            (weight(earlier.get(Pair((person, other)), 0)) for other in people if other != person),
            default=1.0,
        )
        for person in people
    )
