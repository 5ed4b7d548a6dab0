"""What ratings say about a game that has not been played."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bot.registry import GAMES, rating_model
from bot.standings.ratings import ERRORS, MAX_DEVIATION, START_MU, Errors, Model, Rating
from tests.support.values import not_none

CERTAIN, UNCERTAIN = 1.0, 25.0 / 3.0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("difference", [0.0, 0.5, 2.0, 5.0, 20.0, 10_000.0])
def test_a_forecast_claims_less_than_the_ratings(game: str, difference: float) -> None:
    """It lies between even chances and those that follow from the ratings, and both sides add up to 1."""
    model, one, other = rating_model(game), Rating(START_MU + difference, CERTAIN), Rating(START_MU, CERTAIN)
    forecast, chance = not_none(model.forecast(one, other)), model.chance(one, other)
    assert 0.5 <= forecast <= chance <= 1
    assert (forecast == 0.5) is (difference == 0)
    assert forecast + not_none(model.forecast(other, one)) == pytest.approx(1)
    if difference > 6 * CERTAIN:
        assert forecast == pytest.approx(chance, abs=0.001)


@pytest.mark.parametrize("game", GAMES)
def test_there_is_no_forecast_from_ratings_that_say_too_little(game: str) -> None:
    """The deviation of the chance is that of the difference, by the slope of the curve at even chances."""
    model = rating_model(game)
    assert model.forecast(Rating(), Rating()) is None
    assert model.forecast(Rating(), Rating(40.0, UNCERTAIN)) is None
    step = 1e-4
    slope = (model.chance(Rating(START_MU + step, 0), Rating(START_MU, 0)) - 0.5) / step
    limit = MAX_DEVIATION / slope / 2**0.5
    for sigma, certain in ((0.999 * limit, True), (1.001 * limit, False)):
        assert (model.forecast(Rating(sigma=sigma), Rating(sigma=sigma)) is not None) is certain


def test_models_that_rate_otherwise_have_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a parameter, the treatment of errors or a formula differs."""
    others = (
        Model(29.0),
        Model(errors=None),
        Model(errors=replace(ERRORS, mean=0.11)),
        Model(errors=replace(ERRORS, noise=0.11)),
        Model(errors=replace(ERRORS, noise_of_several=0.41)),
        Model(errors=replace(ERRORS, noise_of_several=None)),
        Model(errors=replace(ERRORS, slope=5.0)),
    )
    found = {Model().fingerprint, *(one.fingerprint for one in others)}
    assert len(found) == 1 + len(others)
    assert Model().fingerprint in found
    monkeypatch.setattr(Model, "judged", lambda *_: Rating())
    assert Model().fingerprint not in found


@pytest.mark.parametrize(("game", "mean", "difference"), [("tutto", 0.1, 0.2), ("gambler", 0.2, 0.4)])
def test_chances_follow_what_people_give_away(game: str, mean: float, difference: float) -> None:
    """However far apart they are: each wins 1/2 - own errors + the other's."""
    model = rating_model(game)
    for share in (0.25, 0.5, 0.75, 1.0):
        strong, weak = Rating(), Rating()
        for _ in range(2000):
            strong = model.judged(strong, mean - share * difference / 2)
            weak = model.judged(weak, mean + share * difference / 2)
        assert model.chance(strong, weak) == pytest.approx(0.5 + share * difference, abs=0.05)


@pytest.mark.parametrize("seats", [3, 4, 10])
def test_what_is_given_away_among_several_is_compared_with_what_can_be_won(seats: int) -> None:
    """Somebody who is weaker by the same step loses less of a smaller chance to win."""

    def moved(model: Model, seats: int) -> float:
        weaker = 1 / (1 + (seats - 1) * math.exp(0.001))
        return model.judged(Rating(), 1 / seats - weaker, seats).mu - model.judged(Rating(), 0.0, seats).mu

    several, two = Errors(0.1, 0.1, noise_of_several=0.5), Errors(0.1, 0.5)
    assert moved(Model(errors=several), seats) < 0
    assert moved(Model(errors=several), seats) == pytest.approx(moved(Model(errors=two), 2), rel=0.01)


@pytest.mark.parametrize(("errors", "games"), [(True, 10), (False, 100)])
def test_games_whose_decisions_are_known_lead_to_a_forecast_soon(errors: bool, games: int) -> None:
    """By places alone it takes ten times as many games of Tutto."""
    model, pair, needed = Model(), [Rating(), Rating()], 0
    while model.forecast(*pair) is None:
        needed += 1
        pair = list(model.played(pair, [1, 1]))
        if errors:
            pair = [model.judged(one, 0.1) for one in pair]
    assert games / 3 < needed <= 1.5 * games
