"""The review of a finished game tells chances, costly decisions and skill."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.cli.simulation import play_game
from bot.games.core import IllegalMove, Leave, Move
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Action, Draw, Edition, Keep, Options, Roll, State
from bot.registry import GAMES
from bot.strategy.review import Review, accuracy, review
from bot.strategy.tutto.appraiser import account
from bot.strategy.tutto.pairs import Basis
from bot.strategy.tutto.values import RULES

Moves = Sequence[Move[Any, Any]]


def game(levels: list[str], options: Options, seed: int) -> tuple[Moves, tuple[int, ...]]:
    players = [GAMES["tutto"].policies[level] for level in levels]
    randoms = [random.Random(seed + seat) for seat in range(len(levels))]
    end, log = play_game(RULES, options, players, bytes([seed] * 32), randoms)
    return log.moves, end.winners


def check(found: Review[State, Action], seats: int, winners: tuple[int, ...]) -> None:
    assert len(found.account.chances) == len(found.account.turn_seats) + 1
    for line in found.account.chances:
        assert sum(line) == pytest.approx(1.0)
    assert found.account.chances[-1] == tuple((seat in winners) / len(winners) for seat in range(seats))
    assert len(found.accuracy) == seats
    assert all(decision.cost >= 0 for decision in found.account.decisions)
    costs = [decision.cost for decision in found.costliest]
    assert len(costs) <= 3
    assert costs == sorted(costs, reverse=True)
    assert costs[:1] == [max(decision.cost for decision in found.account.decisions)] or not costs


def test_a_review_tells_the_weaker_levels_errors() -> None:
    moves, winners = game(["beginner", "grandmaster"], Options(), 3)
    found = review(account(Options(), 2, (), moves))
    check(found, 2, winners)
    assert found.account.basis is Basis.TABLE
    assert found.account.chances[0] == pytest.approx((0.479382, 0.520618), abs=1e-6)
    beginner, grandmaster = found.accuracy
    assert beginner is not None
    assert grandmaster == pytest.approx(100.0)
    assert beginner < 97
    assert len(found.costliest) == 3
    for decision in found.costliest:
        assert decision.seat == 0
        assert moves[decision.move].action == decision.played != decision.best
        assert decision.best in RULES.legal(decision.position)
        assert found.account.turn_seats[decision.turn] == 0


def test_what_is_shown_as_no_difference_is_no_costly_decision() -> None:
    moves, _ = game(["beginner", "grandmaster"], Options(), 3)
    known = account(Options(), 2, (), moves)
    one = known.decisions[0]
    decisions = tuple(replace(one, played_win=one.best_win - cost) for cost in (0.0004, 0.002, 0.0009))
    costs = [decision.cost for decision in review(replace(known, decisions=decisions)).costliest]
    assert costs == pytest.approx([0.002])


@pytest.mark.parametrize(
    ("levels", "options", "basis"),
    [
        (["casual", "casual", "expert"], Options(target=1000), Basis.LEARNED),
        (["casual", "casual", "expert"], Options(Edition.CLASSIC, 1000), Basis.LEARNED),
        (["casual", "expert"], Options(Edition.CLASSIC, 3500), Basis.SHIFTED),
        (["casual", "beginner"], Options(Edition.MODERN, 9000), Basis.SHIFTED),
        (["casual", "beginner", "casual"], Options(target=12_000), Basis.LEARNED),
    ],
)
def test_any_game_can_be_reviewed(levels: list[str], options: Options, basis: Basis) -> None:
    moves, winners = game(levels, options, 5)
    found = review(account(options, len(levels), (), moves))
    check(found, len(levels), winners)
    assert found.account.basis is basis


def test_a_game_in_which_seats_leave_is_reviewed() -> None:
    moves: Moves = [
        Move(0, TURN_CARD, [Draw(Card.X2), Roll((1, 1, 1, 2, 3, 4))]),
        Move(0, STOP, []),
        Move(2, Leave(2), []),
        Move(1, TURN_CARD, [Draw(Card.STOP)]),
        Move(0, TURN_CARD, [Draw(Card.BONUS_200), Roll((1, 2, 3, 4, 6, 6))]),
        Move(0, Leave(0), []),
    ]
    found = review(account(Options(), 3, (), moves))
    assert found.account.chances[-1] == (0.0, 1.0, 0.0)
    # The third seat left after the first turn, the first seat in the middle of the third.
    assert [line[2] for line in found.account.chances[1:]] == [0.0] * 3
    assert found.account.turn_seats == (0, 1, 0)
    assert found.accuracy[1:] == (None, None)
    assert found.accuracy[0] is not None


def test_a_costly_decision_is_named_with_the_better_one() -> None:
    """Taking 100 points in the last turn while 300 behind loses the game."""
    moves: Moves = [
        Move(0, TURN_CARD, [Draw(Card.BONUS_600), Roll((1, 2, 2, 3, 3, 6))]),
        Move(0, STOP, []),
        Move(1, TURN_CARD, [Draw(Card.BONUS_600), Roll((2, 2, 2, 3, 3, 6))]),
        Move(1, STOP, []),
        Move(0, TURN_CARD, [Draw(Card.BONUS_500), Roll((1, 1, 1, 3, 4, 6))]),
        Move(0, STOP, []),
        Move(1, TURN_CARD, [Draw(Card.BONUS_600), Roll((1, 2, 2, 3, 3, 6))]),
        Move(1, STOP, []),
    ]
    found = review(account(Options(target=1000), 2, (), moves))
    worst = found.costliest[0]
    assert (worst.turn, worst.seat, worst.move) == (3, 1, 7)
    assert (worst.played, worst.best) == (STOP, Keep((1,)))
    assert worst.played_win == 0.0
    assert worst.cost == worst.best_win > 0.1
    assert found.account.chances[3][1] > found.account.chances[4][1] == 0.0


def test_a_log_that_cannot_have_happened_is_refused() -> None:
    with pytest.raises(IllegalMove):
        review(account(Options(), 2, (), [Move(0, STOP, [])]))


def test_accuracy_falls_with_the_cost() -> None:
    assert accuracy([]) is None
    assert accuracy([0.0, 0.0]) == pytest.approx(100.0)
    assert accuracy([1.0]) == 0.0
    once, twice = accuracy([0.01]), accuracy([0.02])
    assert once is not None
    assert twice is not None
    assert 50 < twice < once < 90
