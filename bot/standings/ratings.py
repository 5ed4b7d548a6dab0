"""Ratings of people: the Plackett-Luce model of Weng and Lin, as implemented by ``openskill``.

A rating estimates a person's strength: ``mu`` is the best guess, ``sigma`` its uncertainty. The shown number
is ``mu - 3 * sigma`` on a scale that starts at 1000; it rises as the estimate becomes more certain.

Two observations change a rating. The places of a game say little: dice decide most games. What a person gave
away in winning chance says much more, and does not depend on the others; see :meth:`Model.judged`. The
parameters come from simulated leagues (benchmarks/ratings.md); docs/decisions/ratings-that-predict.md has the
reasons.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from openskill.models import PlackettLuce

from bot.standings.values import SHOWN_START

START_MU, START_SIGMA = 25.0, 25.0 / 3.0
SHOWN_SCALE = 40
"""Shown points per unit of ``mu``, chosen so that people are hundreds of points apart."""

BETA = 30.0
"""How much chance decides a game whose entry does not say it: of two people one START_SIGMA apart the better
one wins 55 of 100 games."""
TAU = START_SIGMA / 100
"""How much a person's strength may change from one game to the next."""

EQUAL = 0.75
"""How likely two people count as equally strong in a forecast as long as they have not played."""
MAX_DEVIATION = 0.05
"""A forecast is only given once the standard deviation of the chance to win is at most this."""

MIN_CHOICES = 10
"""With fewer real decisions (see :class:`~bot.strategy.skill.Skill`) a game does not show how well they were
made: somebody left early, or nothing was at stake."""


@dataclass(frozen=True, slots=True)
class Errors:
    """What people give away in a game of two, in winning chance: the ``mean`` of a person of START_MU, and
    ``noise``, the standard deviation of what the same person gives away in different games.

    ``slope`` is how much a win given away changes the logarithm of the odds. It is 4 where people differ
    little. The chance to win falls evenly with what is given away, but the logistic curve flattens, so that a
    larger slope fits better where some give away half a win more than others.

    ``noise_of_several`` is that of games of three and more, on the scale of games of two; None if what is
    given away there changes no rating. It is larger, because who gives away little of the chance to win need
    not be as good at the other places.
    """

    mean: float
    noise: float
    noise_of_several: float | None = None
    slope: float = 4.0


ERRORS = Errors(mean=0.1, noise=0.1, noise_of_several=0.5)
"""Those of Tutto."""


@dataclass(frozen=True, slots=True)
class Rating:
    """An estimate of a person's strength."""

    mu: float = START_MU
    sigma: float = START_SIGMA

    @property
    def shown(self) -> int:
        """The number that people see, at least 0."""
        return max(0, round(SHOWN_START + SHOWN_SCALE * (self.mu - 3 * self.sigma)))


class Model:
    """A model of what a game says about its players' strength, with parameters on the scale of ``mu``."""

    def __init__(
        self,
        beta: float = BETA,
        tau: float = TAU,
        errors: Errors | None = ERRORS,
        *,
        damped: bool = False,
    ) -> None:
        """``errors`` is None for a game in which those of people were not measured, so that they change no
        rating. ``damped`` is whether uncertainty falls more slowly than by Bayes' rule, openskill's default.
        """
        self._beta = beta
        self._spread = math.sqrt(2) * beta
        """How many units of ``mu`` change the logarithm of the odds by 1, in a game of two."""
        self._errors = errors
        self._model = PlackettLuce(mu=START_MU, sigma=START_SIGMA, beta=beta, tau=tau)
        if not damped:
            self._model.gamma = lambda *_: 1.0

    def played(
        self, ratings: Sequence[Rating], places: Sequence[int], weights: Sequence[float] | None = None
    ) -> tuple[Rating, ...]:
        """Return the ratings after a game in which the players took these ``places`` (1 is best).

        Equal places are a draw. ``weights`` say how much the game counts for each player: 1 (the default) in
        full, 0 not at all. With fewer than two people, nothing changes.

        >>> winner, loser = Model().played([Rating(), Rating()], [1, 2])
        >>> winner.shown > loser.shown, winner.sigma < Rating().sigma
        (True, True)
        """
        if len(ratings) < 2:
            return tuple(ratings)
        teams = [[self._model.create_rating([one.mu, one.sigma])] for one in ratings]
        after = self._model.rate(teams, ranks=[float(place) for place in places])
        full = [Rating(one.mu, one.sigma) for (one,) in after]
        if weights is None:
            return tuple(full)
        return tuple(_partly(*each) for each in zip(ratings, full, weights, strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """A text that another model has only if it rates in the same way: what this one makes of some games.

        It is made from rounded numbers, so that it does not depend on the machine.

        >>> Model().fingerprint == Model(BETA, TAU).fingerprint != Model(BETA + 1).fingerprint
        True
        """
        unequal = (Rating(), Rating(30.0, 2.0), Rating(21.0, 5.0))
        found = [
            *self.played(unequal[:2], (1, 2)),
            *self.played(unequal, (2, 1, 2), (1.0, 0.5, 0.25)),
            *(self.judged(rating, 0.3, seats) for rating in unequal for seats in (2, 3, 6)),
            self.judged(Rating(), 0.0),
        ]
        numbers = " ".join(f"{one.mu:.9g} {one.sigma:.9g}" for one in found)
        return hashlib.sha256(numbers.encode()).hexdigest()[:16]

    def judges(self, seats: int) -> bool:
        """Return whether what people give away in games of so many seats changes ratings."""
        return self._noise(seats) is not None

    def judged(self, rating: Rating, errors: float, seats: int = 2) -> Rating:
        """Return a rating after a game in which the person gave away so much in winning chance.

        Somebody's chance to win a game of two is 1/2 - own errors + the other's, on average over all dice. So
        errors are a measurement of strength, with a noise that is known: a step of a Kalman filter. Among
        more players the same difference in strength changes the chance to win less, by the slope of the
        logistic curve: p * (1 - p), where p is the equal share.

        >>> better, worse = (Model().judged(Rating(), errors) for errors in (0.0, 0.2))
        >>> better.mu > START_MU > worse.mu
        True
        """
        noise = self._noise(seats)
        if self._errors is None or noise is None:
            return rating
        of_two = errors / (4 * (1 / seats) * (1 - 1 / seats))
        scale = self._spread * self._errors.slope
        measured = START_MU + scale * (self._errors.mean - of_two)
        variance = rating.sigma**2
        gain = variance / (variance + (scale * noise) ** 2)
        return Rating(rating.mu + gain * (measured - rating.mu), math.sqrt((1 - gain) * variance))

    def _noise(self, seats: int) -> float | None:
        if self._errors is None:
            return None
        return self._errors.noise if seats == 2 else self._errors.noise_of_several

    def chance(self, one: Rating, other: Rating) -> float:
        """Return the chance of one person to win a game of two against another, as the model expects it.

        >>> Model().chance(Rating(), Rating())
        0.5
        """
        spread = math.sqrt(2 * self._beta**2 + one.sigma**2 + other.sigma**2)
        return 1 / (1 + math.exp((other.mu - one.mu) / spread))

    def forecast(self, one: Rating, other: Rating) -> float | None:
        """Return the chance to show to people, or None while it is too uncertain, see :data:`MAX_DEVIATION`.

        It takes into account that two people may be equally strong, see :data:`EQUAL`. How likely that still
        is follows from the Savage-Dickey ratio: the density of "no difference" after their games, divided by
        that before. Without it, forecasts for nearly equal people would be worse than those of a coin
        (benchmarks/ratings.md).

        >>> strong, weak = Rating(32.0, 2.0), Rating(25.0, 2.0)
        >>> round(Model().chance(strong, weak), 3), round(Model().forecast(strong, weak), 3)
        (0.541, 0.526)
        >>> Model().forecast(Rating(), Rating()) is None
        True
        """
        variance = one.sigma**2 + other.sigma**2
        # Where chances are even, the curve's slope is a quarter.
        if math.sqrt(variance) / (4 * self._spread) > MAX_DEVIATION:
            return None
        difference = one.mu - other.mu
        ratio = math.sqrt(2 * START_SIGMA**2 / variance) * math.exp(-(difference**2) / (2 * variance))
        odds = ratio * EQUAL / (1 - EQUAL)
        return 0.5 + (self.chance(one, other) - 0.5) / (1 + odds)


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
