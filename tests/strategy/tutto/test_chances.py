"""The exact chances and the value of a turn, compared with known figures."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from bot.games.dice import rolls
from bot.games.tutto.cards import FULL_DECK, Card
from bot.games.tutto.scoring import keepable, points
from bot.games.tutto.state import Options, State
from bot.strategy.tutto.chances import (
    clover_chance,
    fireworks,
    fireworks_mean,
    null_chance,
    straight_chance,
    straight_null_chance,
    tutto_chance,
)
from bot.strategy.tutto.patterns import STEP, patterns
from bot.strategy.tutto.values import points_turn


@pytest.mark.parametrize(
    ("dice", "chance"),
    [(1, "2/3"), (2, "4/9"), (3, "5/18"), (4, "17/108"), (5, "25/324"), (6, "5/162"), (0, "0")],
)
def test_the_chance_of_a_null_by_dice(dice: int, chance: str) -> None:
    assert null_chance(dice) == pytest.approx(float(Fraction(chance)), abs=1e-15)


def test_the_best_chances_of_each_card() -> None:
    assert tutto_chance(6) == pytest.approx(0.270998, abs=5e-7)
    assert straight_chance(6) == pytest.approx(0.196902, abs=5e-7)
    assert clover_chance(0) == pytest.approx(0.073440, abs=5e-7)
    assert clover_chance(1) == tutto_chance(6)


def test_a_straight_is_not_won_by_keeping_everything() -> None:
    @cache
    def greedy(missing: int) -> float:
        falls = Counter(
            len({face for face in roll if face < missing}) for roll in product(range(6), repeat=missing)
        )
        kept = (number * (greedy(missing - shown) if shown else 0.0) for shown, number in falls.items())
        return sum(kept) / 6**missing if missing else 1.0

    assert greedy(6) == pytest.approx(0.162763, abs=5e-7)
    # Few missing numbers are worse than many, because the dice go with them: one is kept at a time.
    assert straight_chance(2) < straight_chance(3) < straight_chance(4) < straight_chance(5)


@pytest.mark.parametrize("missing", range(1, 7))
def test_the_chance_of_a_null_by_missing_numbers(missing: int) -> None:
    seen = sum(all(face >= missing for face in roll) for roll in product(range(6), repeat=missing))
    assert straight_null_chance(missing) == pytest.approx(seen / 6**missing)


def test_the_value_of_fireworks() -> None:
    assert fireworks_mean() == pytest.approx(622.638, abs=5e-4)
    assert sum(fireworks()) == pytest.approx(1.0, abs=1e-12)
    assert fireworks()[0] == pytest.approx(5 / 162)


def test_the_value_of_a_turn() -> None:
    assert points_turn(State(Options(), (0, 0))).turn_card(0, FULL_DECK) == pytest.approx(357.705, abs=5e-4)


@pytest.mark.parametrize("dice", range(1, 7))
def test_patterns_offer_what_the_rules_offer(dice: int) -> None:
    found: dict[frozenset[tuple[int, int]], int] = {}
    for roll, weight in rolls(dice):
        keeps = frozenset((len(kept), points(kept) // STEP) for kept in keepable(roll, Card.X2, ()))
        found[keeps] = found.get(keeps, 0) + weight
    null = found.pop(frozenset())
    assert null == round(null_chance(dice) * 6**dice)
    offered: dict[frozenset[tuple[int, int]], int] = {}
    for pattern in patterns(dice):
        keeps = frozenset(pattern.keeps)
        offered[keeps] = offered.get(keeps, 0) + pattern.weight
        parts = {(pattern.dice, pattern.steps)}
        parts.update(*(patterns(dice)[part].keeps for part in pattern.parts))
        assert parts == keeps
    assert offered == found
