"""The AI players: legal moves, increasing strength, and hard cases for the best one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter

import pytest

from bot.cli.simulation import simulate
from bot.games.core import OVER, play
from bot.games.tutto.cards import FULL_DECK, Card
from bot.games.tutto.state import STOP, TURN_CARD, Edition, Keep, Options, Phase, State
from bot.records.seeds import SeededChance
from bot.registry import GAMES
from bot.strategy.policy import Policy
from bot.strategy.tutto import Expert, Grandmaster
from bot.strategy.tutto.rule import TO_REMEMBER
from bot.strategy.tutto.values import RULES

LEVELS = GAMES["tutto"].policies
RNG = random.Random(0)

choosing = partial(State, phase=Phase.CHOOSE)


def played_out(players: list[Policy], options: Options, seed: int, check: Callable[[State], None]) -> State:
    rng, chance = random.Random(seed), SeededChance(seed.to_bytes(32, "big"))
    state = RULES.initial(options, len(players))
    while RULES.to_move(state) != OVER:
        check(state)
        state = play(RULES, state, players[state.seat].choose(state, rng), chance).state
    return state


def test_the_levels_are_listed_weakest_first() -> None:
    assert list(LEVELS) == ["beginner", "casual", "expert", "grandmaster"]


@pytest.mark.parametrize("edition", list(Edition))
@pytest.mark.parametrize("seats", [2, 3, 10])
def test_every_level_plays_whole_games_in_every_edition(edition: Edition, seats: int) -> None:
    """``play`` raises for an illegal action; targets without a table are among these."""
    levels = list(LEVELS.values())
    players = [levels[(seat + 3) % 4] for seat in range(seats)]
    state = played_out(players, Options(edition, 1500), seats, lambda _: None)
    assert state.winners


@pytest.mark.parametrize("level", LEVELS)
def test_a_choice_depends_only_on_state_and_rng(level: str) -> None:
    def check(state: State) -> None:
        again = [LEVELS[level].choose(state, random.Random(7)) for _ in range(2)]
        assert again[0] == again[1]
        assert again[0] in RULES.legal(state)

    played_out([LEVELS[level], LEVELS["casual"]], Options(target=1000), 3, check)


def test_the_expert_plays_for_points() -> None:
    # Keep the 5 and roll four dice rather than take 350; the fourth die alone isn't worth it either.
    state = choosing(Options(), (0, 0), card=Card.BONUS_600, aside=(1,), roll=(2, 2, 2, 5, 6), points=100)
    assert Expert().choose(state, RNG) == STOP
    small = choosing(Options(), (0, 0), card=Card.BONUS_600, roll=(1, 1, 2, 3, 4, 5))
    assert Expert().choose(small, RNG) == Keep((1,))
    assert Expert().choose(State(Options(), (0, 0), phase=Phase.TUTTO, card=Card.X2, points=900), RNG) == STOP
    assert (
        Expert().choose(State(Options(), (0, 0), phase=Phase.TUTTO, card=Card.X2, points=800), RNG)
        == TURN_CARD
    )


def test_the_expert_plays_for_the_cloverleaf_although_it_brings_no_points() -> None:
    state = choosing(Options(), (0, 0), card=Card.CLOVERLEAF, roll=(1, 1, 2, 3, 4, 5))
    assert Expert().choose(state, RNG) == Keep((1,))


@pytest.mark.parametrize(
    ("scores", "points", "roll", "expected"),
    [
        # Banking now wins; so does 50 more than the other.
        ((6000, 5900), 100, (5, 6), STOP),
        # Banking now loses for certain.
        ((6500, 5900), 300, (1, 1), Keep((1, 1))),
        ((6500, 5900), 100, (1, 2), Keep((1,))),
    ],
)
def test_the_grandmaster_plays_the_last_turn_for_the_win(
    scores: tuple[int, int], points: int, roll: tuple[int, ...], expected: object
) -> None:
    aside = (1,) * (6 - len(roll))
    state = choosing(
        Options(), scores, seat=1, card=Card.BONUS_300, aside=aside, roll=roll, points=points, last_round=True
    )
    assert Grandmaster().choose(state, RNG) == expected


def test_the_grandmaster_plays_for_points_where_the_game_is_decided() -> None:
    # Nothing but a Cloverleaf could win, and with Bonus 300 open all choices are alike.
    state = choosing(
        Options(),
        (15_000, 0),
        seat=1,
        card=Card.BONUS_300,
        aside=(1, 1),
        roll=(1, 2, 3, 4),
        points=300,
        last_round=True,
        deck=(0, *FULL_DECK[1:]),
    )
    assert Grandmaster().choose(state, RNG) in RULES.legal(state)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("weaker", "better", "games"),
    [("beginner", "casual", 3000), ("casual", "expert", 1000), ("expert", "grandmaster", 4000)],
)
def test_each_level_beats_the_one_below(weaker: str, better: str, games: int) -> None:
    """In two-player games, both seat orders together. benchmarks/tutto_strength.md has the exact figures."""
    first = simulate("tutto", {}, [better, weaker], games, "strength").seats[0].wins
    second = simulate("tutto", {}, [weaker, better], games, "strength").seats[1].wins
    assert first + second > games


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_decision_takes_little_time() -> None:
    """Generous, since the machine may be busy; docs/strategy.md has the exact figures."""
    times: list[float] = []
    grandmaster = LEVELS["grandmaster"]

    def check(state: State) -> None:
        start = perf_counter()
        grandmaster.choose(state, RNG)
        times.append(perf_counter() - start)

    for seed in range(10):
        played_out([LEVELS["casual"], grandmaster], Options(), seed, check)
    assert sorted(times)[len(times) * 99 // 100] < 0.3


@pytest.mark.parametrize("edition", list(Edition))
def test_the_rule_to_remember_is_simple_and_plays_whole_games(edition: Edition) -> None:
    rule = TO_REMEMBER[edition]
    assert played_out([rule, rule], Options(edition, 2000), 4, lambda _: None).winners
    roll = choosing(Options(edition), (0, 0), card=Card.BONUS_600, roll=(1, 1, 2, 3, 4, 5))
    assert rule.choose(roll, RNG) == Keep((1,))
    enough = replace(roll, points=rule.stop - 250)
    # Three dice are left.
    assert rule.choose(enough, RNG) == (STOP if rule.more <= rule.stop else Keep((1,)))
    assert rule.choose(replace(enough, points=rule.more), RNG) == STOP
    tutto = replace(roll, phase=Phase.TUTTO, points=rule.card, roll=())
    assert rule.choose(tutto, RNG) == STOP
    assert rule.choose(replace(tutto, points=rule.card - 50), RNG) == TURN_CARD
