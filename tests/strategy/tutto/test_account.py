"""A game as an account of luck and errors that balances."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli.simulation import play_game
from bot.games.core import OVER, Leave, Move, play
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Draw, Edition, Keep, Options, Roll
from bot.records.seeds import SeededChance
from bot.registry import GAMES
from bot.strategy.account import Cause
from bot.strategy.tutto.appraiser import Account, account
from bot.strategy.tutto.values import RULES
from tests.support.examples import examples, random_move

LEVELS = GAMES["tutto"].policies


def played(levels: Sequence[str], options: Options, seed: int) -> Account:
    randoms = [random.Random(seed + seat) for seat in range(len(levels))]
    _, log = play_game(RULES, options, [LEVELS[level] for level in levels], seed.to_bytes(32, "big"), randoms)
    return account(options, len(levels), (), log.moves)


def played_at_random(options: Options, seats: int, seed: int) -> Account:
    """Play random moves, among which seats leave in and out of their turns."""
    rng, chance = random.Random(seed), SeededChance(seed.to_bytes(32, "big"))
    state, moves = RULES.initial(options, seats), list[Move[Any, Any]]()
    while (mover := RULES.to_move(state)) != OVER:
        action = random_move(RULES, state, rng, leaving=0.1)
        after = play(RULES, state, action, chance)
        seat = action.seat if isinstance(action, Leave) else mover
        moves.append(Move(seat, action, after.outcomes))
        state = after.state
    return account(options, seats, (), moves)


def check_balance(found: Account) -> None:
    """Check that result = start + luck - errors + what the others' turns made of it + gap, for each seat."""
    for seat, start in enumerate(found.start):
        own = found.luck(seat) - found.errors(seat) + found.others[seat] + found.gap[seat]
        assert found.chances[-1][seat] == pytest.approx(start + own, abs=1e-9)


def balance(found: Account, seat: int) -> float:
    """Return the difference between the result of a seat of two and its account."""
    other = 1 - seat
    said = found.start[seat] + found.luck(seat) - found.errors(seat) - found.luck(other) + found.errors(other)
    return found.chances[-1][seat] - said


@pytest.mark.parametrize("edition", list(Edition))
def test_the_account_of_two_players_balances(edition: Edition) -> None:
    """Result = start + own luck - own errors - other's luck + other's errors, and luck is 0 on average."""
    lucky: list[float] = []
    for number in range(40):
        pair = ["beginner", "casual", "expert", "grandmaster"][number % 4], "casual"
        found = played(pair, Options(edition, 1000), number)
        for seat in range(2):
            assert balance(found, seat) == pytest.approx(0.0, abs=1e-6)
            lucky.append(found.luck(seat))
            assert found.errors(seat) >= 0.0
            # Without luck, what remains is what the choices have earned.
            earned = found.start[seat] - found.errors(seat) + found.errors(1 - seat)
            assert found.adjusted(seat) == pytest.approx(earned, abs=1e-6)
        assert found.gap == pytest.approx((0.0, 0.0), abs=1e-6)
    assert abs(mean(lucky)) < 4 * stdev(lucky) / len(lucky) ** 0.5


def test_the_account_of_three_players_balances_with_the_effects_of_others() -> None:
    check_balance(played(["casual", "beginner", "expert"], Options(target=1500), 5))


@given(st.sampled_from(Edition), st.integers(2, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=examples(40))
def test_the_account_balances_whoever_leaves_and_when(edition: Edition, seats: int, seed: int) -> None:
    found = played_at_random(Options(edition, 1000), seats, seed)
    check_balance(found)
    assert sum(found.chances[-1]) == pytest.approx(1.0)
    assert len(found.chances) == len(found.turn_seats) + 1


def test_each_card_and_each_roll_is_an_item() -> None:
    moves: list[Move[Any, Any]] = [
        Move(0, TURN_CARD, (Draw(Card.STOP),)),
        Move(1, TURN_CARD, (Draw(Card.BONUS_600), Roll((1, 1, 1, 2, 3, 4)))),
        Move(1, Keep((1,)), (Roll((2, 2, 3, 4, 6)),)),
        Move(0, TURN_CARD, (Draw(Card.BONUS_200), Roll((1, 2, 3, 4, 5, 6)))),
        Move(0, STOP, ()),
        Move(1, Leave(1), ()),
    ]
    found = account(Options(), 2, (), moves)
    told = [(item.move, item.seat, item.cause, item.change > 0) for item in found.items]
    assert told == [
        (0, 0, Cause.CHANCE, False),
        (1, 1, Cause.CHANCE, True),
        (1, 1, Cause.CHANCE, True),
        (2, 1, Cause.CHOICE, False),
        (2, 1, Cause.CHANCE, False),
        (3, 0, Cause.CHANCE, True),
        (3, 0, Cause.CHANCE, False),
        (4, 0, Cause.CHOICE, False),
        (5, 1, Cause.LEFT, False),
    ]
    assert found.chances[-1] == (1.0, 0.0)
    assert balance(found, 0) == pytest.approx(0.0, abs=1e-9)
    assert found.decisions[0].real
    # A seat that leaves gives away its remaining chance.
    assert found.errors(1) == pytest.approx(found.decisions[0].cost - found.items[-1].change)
    assert found.items[-1].change < -0.4


def test_a_seat_keeps_the_luck_of_a_turn_in_which_the_other_one_leaves() -> None:
    """The luck of the turn stays with its seat, and only what the leaver still had is its error."""
    lucky: Move[Any, Any] = Move(0, TURN_CARD, (Draw(Card.X2), Roll((1, 1, 1, 2, 3, 4))))
    found = account(Options(), 2, (), [lucky, Move(1, Leave(1), ())])
    assert found.luck(0) > 0.05
    assert found.errors(1) == pytest.approx(found.start[1] - found.luck(0))
    assert balance(found, 0) == pytest.approx(0.0, abs=1e-9)
    check_balance(account(Options(), 3, (), [lucky, Move(1, Leave(1), ()), Move(0, STOP, ())]))
