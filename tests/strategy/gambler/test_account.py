"""The account of luck and errors in a game of Gambler for two."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import mean, stdev

import pytest

from bot.cli.simulation import play_game
from bot.games.core import Leave, Move
from bot.games.gambler.state import ROLL_DICE, Action, Options, Outcome, Phase, Roll, Stars, State, Turn
from bot.registry import GAMES
from bot.strategy.account import Cause
from bot.strategy.gambler import winning
from bot.strategy.gambler.appraiser import Account, account
from bot.strategy.gambler.expert import after_roll, worth
from bot.strategy.gambler.luck import luck, points_turn
from bot.strategy.gambler.turn import Lookahead
from bot.strategy.gambler.winning import RULES, Basis
from tests.strategy.gambler.test_winning import POSITIONS

LEVELS = GAMES["gambler"].policies


def played(levels: Sequence[str], options: Options, seed: int) -> Account:
    randoms = [random.Random(seed + seat) for seat in range(2)]
    _, log = play_game(RULES, options, [LEVELS[level] for level in levels], bytes([seed] * 32), randoms)
    return account(options, 2, log.opening, log.moves)


def balance(found: Account, seat: int) -> float:
    """Return the difference between the result of a seat and its account."""
    own, other = (found.luck(one) - found.errors(one) + found.gap[one] for one in (seat, 1 - seat))
    return found.chances[-1][seat] - (found.start[seat] + own - other)


def check_balance(games: int, *kinds: Options) -> None:
    """Check that result = start + own luck - own errors + own gap - the same of the other seat, and that the
    mean of luck is 0.
    """
    levels, lucky = list(LEVELS), list[float]()
    for number in range(games):
        pair = levels[number % 4], levels[(number + 1 + number // 4) % 4]
        found = played(pair, kinds[number % len(kinds)], number)
        assert set(found.chances[-1]) <= {0.0, 0.5, 1.0}
        for seat in range(2):
            assert balance(found, seat) == pytest.approx(0.0, abs=1e-6)
            assert found.errors(seat) >= 0.0
            lucky.append(found.luck(seat))
            earned = found.start[seat] - found.errors(seat) + found.errors(1 - seat)
            assert found.adjusted(seat) == pytest.approx(earned, abs=1e-6)
    assert abs(mean(lucky)) < 4 * stdev(lucky) / len(lucky) ** 0.5


def test_the_account_balances() -> None:
    check_balance(3, Options())


@pytest.mark.slow
def test_the_account_of_many_games_balances() -> None:
    varied = Options(Stars.DISTINCT, 300), Options(target=350, beginners=True, choose=True)
    check_balance(255, Options(), *varied)


@pytest.mark.parametrize("search_of", [winning.turn, points_turn], ids=["chance", "points"])
@pytest.mark.parametrize("state", POSITIONS.values(), ids=list(POSITIONS))
def test_the_luck_of_a_roll_is_zero_on_average(state: State, search_of: Callable[[State], Lookahead]) -> None:
    """The mean of all outcomes is the value before the roll, also if some of them end the turn."""
    rolling = replace(state, phase=Phase.ROLL, hand=state.hand or 5, roll=(), placed=0)
    search, total, weights = search_of(rolling), 0.0, 0
    for outcome, weight in RULES.chance(rolling):
        total += weight * after_roll(search, rolling, RULES.apply(rolling, outcome).state)
        weights += weight
    assert total / weights == pytest.approx(worth(search, rolling), abs=1e-9)


def test_the_first_board_is_luck_of_the_seat_that_begins() -> None:
    moves: list[Move[Action, Outcome]] = [Move(0, ROLL_DICE, (Roll((1, 2, 3, 4, 5)),)), Move(1, Leave(1), ())]
    found = account(Options(), 2, (Turn("ferry"),), moves)
    assert [(item.move, item.seat, item.cause) for item in found.items] == [
        (-1, 0, Cause.CHANCE),
        (0, 0, Cause.CHANCE),
        (1, 1, Cause.LEFT),
    ]
    # Beginning is worth more on this board than on any other.
    assert found.items[0].change > 0.01
    assert found.basis is Basis.TABLE
    assert found.chances == ((1.0, 0.0),)
    assert balance(found, 0) == pytest.approx(0.0, abs=1e-9)
    assert found.errors(1) > 0.3


def test_a_poor_board_is_an_error_of_the_seat_that_chooses() -> None:
    options = Options(choose=True)
    chosen = [
        account(options, 2, (), [Move(0, action, ())]) for action in RULES.legal(RULES.initial(options, 2))
    ]
    costs = {one.decisions[0].cost for one in chosen}
    assert min(costs) == 0.0
    assert max(costs) > 0.01
    # It is not known which board most people would choose, so no choice is praised.
    assert all(one.decisions[0].gain <= 0.0 for one in chosen)


def test_luck_in_points_follows_from_the_roll() -> None:
    """Five different dice that start rows are good luck, and dice of which two fit no row are bad luck."""
    good, poor = (
        luck(Options(), 3, (Turn("ferry"),), [Move(0, ROLL_DICE, (Roll(dice),))])
        for dice in ((1, 2, 3, 4, 6), (3, 3, 4, 6, 6))
    )
    assert good[0] > 0 > poor[0]
    assert good[1:] == poor[1:] == (0, 0)
