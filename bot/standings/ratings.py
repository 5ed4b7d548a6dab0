"""Ratings of people: the Plackett-Luce model of Weng and Lin, as implemented by ``openskill``.

A rating estimates a person's strength: ``mu`` is the best guess, ``sigma`` its uncertainty. The shown number
is ``mu - 3 * sigma`` on a scale that starts at 1000; it rises as the estimate becomes more certain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

from bot.standings.values import SHOWN_START

START_MU, START_SIGMA = 25.0, 25.0 / 3.0
SHOWN_SCALE = 40
"""Shown points per unit of ``mu``, chosen so that people are hundreds of points apart."""

_model = PlackettLuce(mu=START_MU, sigma=START_SIGMA)


@dataclass(frozen=True, slots=True)
class Rating:
    """An estimate of a person's strength."""

    mu: float = START_MU
    sigma: float = START_SIGMA

    @property
    def shown(self) -> int:
        """The number that people see, at least 0."""
        return max(0, round(SHOWN_START + SHOWN_SCALE * (self.mu - 3 * self.sigma)))


def new_ratings(
    ratings: Sequence[Rating], places: Sequence[int], weights: Sequence[float] | None = None
) -> tuple[Rating, ...]:
    """Return the ratings after a game in which the players took these ``places`` (1 is best).

    Equal places are a draw. ``weights`` say how much the game counts for each player: 1 (the default) in
    full, 0 not at all. With fewer than two people, nothing changes.

    >>> winner, loser = new_ratings([Rating(), Rating()], [1, 2])
    >>> winner.shown > loser.shown, winner.sigma < Rating().sigma
    (True, True)
    """
    if len(ratings) < 2:
        return tuple(ratings)
    teams = [[_model.create_rating([one.mu, one.sigma])] for one in ratings]
    after = _model.rate(teams, ranks=[float(place) for place in places])
    full = [Rating(one.mu, one.sigma) for (one,) in after]
    if weights is None:
        return tuple(full)
    return tuple(_partly(*each) for each in zip(ratings, full, weights, strict=True))


def _partly(before: Rating, after: Rating, weight: float) -> Rating:
    """Return a rating after a game that counts with a weight.

    The model moves ``mu`` and the variance by the derivatives of the likelihood, so that an observation that
    counts less moves both by a part of that. (The weights of ``openskill`` mean something else: who has
    contributed how much to the win of a team.)
    """
    if weight == 1.0:
        return after
    variance = before.sigma**2 + weight * (after.sigma**2 - before.sigma**2)
    return Rating(before.mu + weight * (after.mu - before.mu), math.sqrt(variance))
