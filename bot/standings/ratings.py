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
"""The probability, before two people have played, with which a forecast takes them as equally strong."""
MAX_DEVIATION = 0.05
"""A forecast is shown only if the standard deviation of the chance to win is at most this."""

MIN_CHOICES = 10
"""A game with fewer real decisions (see :class:`~bot.strategy.skill.Skill`) does not show how well a person
decides: they left early, or nothing was at stake."""


@dataclass(frozen=True, slots=True)
class Errors:
    """What people give away in a game of two, in winning chance: the ``mean`` of a person of START_MU, and
    ``noise``, the standard deviation of what the same person gives away in different games.

    ``slope`` is by how much the logarithm of the odds changes for each win given away. It is 4 where people
    differ little. Where some give away half a win more than others, a larger slope fits better, because the
    logistic curve flattens while the chance to win goes on falling at the same rate.

    ``noise_of_several`` is the noise in games of three and more, on the scale of games of two; None if errors
    there change no rating. It is larger, because a person who gives away little of the chance to win may
    still be bad at coming second or third.
    """

    mean: float
    noise: float
    noise_of_several: float | None = None
    slope: float = 4.0


ERRORS = Errors(mean=0.1, noise=0.1, noise_of_several=0.5)
"""The errors in Tutto."""


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
        errors: Errors | None = ERRORS,
    ) -> None:
        """``errors`` is None for a game whose errors were not measured; then they change no rating."""
        self._beta = beta
        self._spread = math.sqrt(2) * beta
        """How many units of ``mu`` change the logarithm of the odds by 1, in a game of two."""
        self._errors = errors
        self._model = PlackettLuce(mu=START_MU, sigma=START_SIGMA, beta=beta, tau=TAU)
        # With openskill's default, uncertainty falls more slowly than by Bayes' rule.
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
        teams = [[self._model.create_rating([rating.mu, rating.sigma])] for rating in ratings]
        after = self._model.rate(teams, ranks=[float(place) for place in places])
        full = [Rating(rating.mu, rating.sigma) for (rating,) in after]
        if weights is None:
            return tuple(full)
        return tuple(_partly(*each) for each in zip(ratings, full, weights, strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what this model makes of some games: equal for two models only if they rate alike.

        The numbers are rounded, so that it does not depend on the machine.

        >>> Model().fingerprint == Model(BETA).fingerprint != Model(BETA + 1).fingerprint
        True
        """
        unequal = (Rating(), Rating(30.0, 2.0), Rating(21.0, 5.0))
        rated = [
            *self.played(unequal[:2], (1, 2)),
            *self.played(unequal, (2, 1, 2), (1.0, 0.5, 0.25)),
            *(self.judged(rating, 0.3, seats) for rating in unequal for seats in (2, 3, 6)),
            self.judged(Rating(), 0.0),
        ]
        numbers = " ".join(f"{rating.mu:.9g} {rating.sigma:.9g}" for rating in rated)
        return hashlib.sha256(numbers.encode()).hexdigest()[:16]

    def judges(self, seats: int) -> bool:
        """Return whether errors in games with this many seats change ratings."""
        return self._noise(seats) is not None

    def judged(self, rating: Rating, errors: float, seats: int = 2) -> Rating:
        """Return a rating after a game in which the person gave away ``errors`` in winning chance.

        A person's chance to win a game of two is 1/2 - own errors + the other's, on average over all dice. So
        errors are a measurement of strength with a known noise, which one step of a Kalman filter adds. Among
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
        """Return the chance that ``one`` wins a game of two against ``other``.

        >>> Model().chance(Rating(), Rating())
        0.5
        """
        spread = math.sqrt(2 * self._beta**2 + one.sigma**2 + other.sigma**2)
        return 1 / (1 + math.exp((other.mu - one.mu) / spread))

    def forecast(self, one: Rating, other: Rating) -> float | None:
        """Return the chance to show to people, or None while it is too uncertain, see :data:`MAX_DEVIATION`.

        Two people may be equally strong, see :data:`EQUAL`. How likely that is after their games follows from
        the Savage-Dickey ratio: the density of "no difference" after them, divided by the density before.
        Without this, forecasts for nearly equal people would be worse than tossing a coin
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

    The model moves ``mu`` and the variance by the derivatives of the likelihood, so an observation of weight
    1/2 moves both half as far. (The weights of ``openskill`` are something else: how much each member has
    contributed to a team's win.)
    """
    if weight == 1.0:
        return after
    variance = before.sigma**2 + weight * (after.sigma**2 - before.sigma**2)
    return Rating(before.mu + weight * (after.mu - before.mu), math.sqrt(variance))
