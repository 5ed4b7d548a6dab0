"""The pure part of the daily game: days, the seed, choices as text, their outcomes and their costs."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bot.daily.accuracy import AVERAGE, accuracy, lost, luck, par
from bot.daily.choices import read, written
from bot.daily.days import DAY_SECONDS, day_at, ends_at, opens_at, streak
from bot.daily.play import RULES, SHOWN_TURNS, START, Progress, advance
from bot.daily.sealing import seal_of, seed_of
from bot.games.core import IllegalMove, Unreadable
from bot.games.tutto.state import STOP, TURN_CARD, Action, Keep
from bot.strategy.policy import Policy
from bot.strategy.tutto import Casual
from bot.strategy.tutto.alone import Alone, turns_left
from bot.strategy.tutto.alone import choices as valued
from bot.strategy.tutto.alone_turns import TURNS_LEFT
from tools.solve_alone import TOLERANCE, turns_before

SEED = bytes(range(32))
SEAL = "72e18a2bd9b02d0fff754a2e9f7399a6d1294b232800431b2437c3c51292fc7a"
DICE = "da005c0c571c946bf955ce7c323686d07754a6a70fcbb9ea03decada84fca49f"
"""Seal and seed of a secret of zeros on day 20,000."""


def played(seed: bytes, policy: Policy) -> tuple[list[Action], Progress]:
    rng, at, made = Random(3), START, []
    while not at.is_over:
        made.append(policy.choose(at.state, rng))
        at = advance(seed, at, made[-1:])
    return made, at


def test_a_day_ends_in_utc_and_is_opened_when_it_is_over_everywhere() -> None:
    day = day_at(1_795_000_000.0)
    start = day * DAY_SECONDS
    assert day_at(start - 0.001) == day - 1
    assert day_at(start) == day_at(ends_at(day) - 0.001) == day
    assert day_at(ends_at(day)) == day + 1
    assert opens_at(day) - ends_at(day) == 12 * 3600


@pytest.mark.parametrize(
    ("finished", "today", "days"),
    [
        ((), 100, 0),
        ((100,), 100, 1),
        ((99,), 100, 1),  # today can still be played
        ((98,), 100, 0),
        ((100, 99, 97), 100, 2),
        ((100, 98), 100, 1),
        (tuple(range(100, 0, -1)), 100, 100),
    ],
)
def test_a_streak_is_of_days_in_a_row(finished: tuple[int, ...], today: int, days: int) -> None:
    assert streak(finished, today) == days


def test_the_seed_follows_from_secret_day_and_rules() -> None:
    secret = bytes(32)
    seeds = {
        seed_of(secret, 20_000, 1),
        seed_of(secret, 20_001, 1),
        seed_of(secret, 20_000, 2),
        seed_of(b"\1" * 32, 20_000, 1),
    }
    assert len(seeds) == 4
    assert len({seal_of(secret, 20_000), seal_of(secret, 20_001), seal_of(b"\1" * 32, 20_000)}) == 3
    # What people have written down stays true.
    assert seal_of(secret, 20_000) == SEAL
    assert seed_of(secret, 20_000, 1).hex() == DICE


def test_the_same_choices_get_the_same_dice() -> None:
    made, end = played(SEED, Casual())
    assert read(written(made)) == tuple(made)
    assert advance(SEED, START, read(written(made))) == end
    # In steps of any length, too, and another day has other dice.
    half = len(made) // 2
    assert advance(SEED, advance(SEED, START, made[:half]), made[half:]) == end
    assert advance(bytes(32), START, [TURN_CARD]).state != advance(SEED, START, [TURN_CARD]).state


def test_a_game_goes_on_to_the_target_and_counts_its_turns() -> None:
    for number in range(5):
        _, end = played(bytes([number]) * 32, Casual())
        assert end.turns == len(end.points)
        assert end.by_cloverleaf or sum(end.points) == end.state.scores[0] >= 6000
        assert end.by_cloverleaf or sum(end.points[:-1]) < 6000
        assert len(end.lines) == min(SHOWN_TURNS, end.turns)


def test_only_a_cloverleaf_ends_a_game_before_the_target() -> None:
    ends = (replace(START, state=replace(START.state, reason=reason)) for reason in ("cloverleaf", "target"))
    assert [end.by_cloverleaf for end in ends] == [True, False]


@pytest.mark.parametrize("text", ["x", "k", "k7", "k1234561", "t  s", "t ", "K1", "tt", "k٣"])
def test_damaged_choices_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


def test_impossible_choices_are_refused() -> None:
    for choice in (STOP, Keep((1,))):
        with pytest.raises(IllegalMove):
            advance(SEED, START, [choice])


@pytest.mark.parametrize("step", [0, 41, 80, 119])
def test_the_expected_turns_are_those_after_the_best_next_turn(step: int) -> None:
    assert turns_before(TURNS_LEFT[step:]) == pytest.approx(TURNS_LEFT[step], abs=2e-6)
    assert TOLERANCE < 1e-6
    assert len(TURNS_LEFT) == 120
    assert turns_left(6000) == turns_left(9000) == 0.0


def test_the_best_choices_cost_nothing_and_others_cost_turns() -> None:
    made, end = played(SEED, Alone())
    assert lost(SEED, written(made)) == pytest.approx(0.0, abs=1e-9)
    assert par(SEED) == end.turns
    made, end = played(SEED, Casual())
    cost = lost(SEED, written(made))
    assert 0.1 < cost < 10
    assert 0.6 < accuracy(cost) < 0.995
    assert end.turns == pytest.approx(AVERAGE + cost - luck(end.turns, cost))


def test_at_the_target_nothing_is_better_than_stopping() -> None:
    seed = bytes([5]) * 32  # of a game in which this decision comes up
    at, stops = START, 0
    while not at.is_over:
        options = RULES.legal(at.state)
        worths = {one.action: one.value for one in valued(at.state)}
        if STOP in options and at.state.scores[0] + at.state.points >= 6000:
            assert worths[STOP] == max(worths.values()) == 0.0
            stops += 1
        at = advance(seed, at, [Alone().choose(at.state, Random(0))])
    assert stops
