"""The odds of a position, and the calculator."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.games.core import IllegalMove
from bot.games.tutto.cards import FULL_DECK, Card
from bot.games.tutto.state import STOP, TURN_CARD, Keep, Options, Phase, State
from bot.strategy.tutto import tables
from bot.strategy.tutto.chances import clover_chance, null_chance, straight_chance
from bot.strategy.tutto.odds import Odds, calculate, odds
from bot.strategy.tutto.pairs import Basis

CHOOSING = State(
    Options(),
    (2000, 2500),
    phase=Phase.CHOOSE,
    card=Card.BONUS_600,
    aside=(1,),
    roll=(2, 2, 2, 5, 6),
    points=100,
)


def test_every_sensible_choice_is_listed_with_its_odds() -> None:
    found = odds(CHOOSING)
    assert found.basis is Basis.TABLE
    assert {choice.action for choice in found.choices} == {
        STOP,
        Keep((2, 2, 2, 5)),
        Keep((2, 2, 2)),
        Keep((5,)),
    }
    wins = [choice.win for choice in found.choices]
    assert all(win is not None and 0 < win < 1 for win in wins)
    assert wins == sorted(wins, reverse=True)  # type: ignore[type-var]
    assert [choice.best for choice in found.choices] == [True, False, False, False]
    nulls = {choice.action: choice.null for choice in found.choices}
    assert nulls == {
        STOP: 0.0,
        Keep((2, 2, 2, 5)): null_chance(1),
        Keep((2, 2, 2)): null_chance(2),
        Keep((5,)): null_chance(4),
    }
    points = {choice.action: choice.points for choice in found.choices}
    assert points[STOP] == 350
    assert points[Keep((2, 2, 2, 5))] == pytest.approx((400 + 450 + 600 * 2) / 6)
    assert found.points == max(points.values())
    assert sum(found.deck.values()) == 56
    assert found.deck[Card.STOP] == 10


def test_sets_that_are_worse_than_others_of_their_size_are_left_out() -> None:
    found = odds(replace(CHOOSING, aside=(), points=0, roll=(1, 1, 3, 4, 5, 5)))
    kept = [choice.action.dice for choice in found.choices if isinstance(choice.action, Keep)]
    assert sorted(kept) == [(1,), (1, 1), (1, 1, 5), (1, 1, 5, 5)]


def test_the_odds_of_turning_a_card() -> None:
    first = odds(State(Options(), (0, 0)))
    (choice,) = first.choices
    assert choice.action == TURN_CARD
    assert choice.best
    assert choice.win == pytest.approx(0.479382, abs=1e-6)
    assert choice.points == pytest.approx(357.705, abs=1e-3)
    assert choice.null == pytest.approx((10 + (30 + 5 + 1) * 5 / 162) / 56)

    rich = odds(State(Options(), (0, 0), phase=Phase.TUTTO, card=Card.X2, points=4000))
    assert [choice.action for choice in rich.choices] == [STOP, TURN_CARD]
    stop, turn_card = rich.choices
    assert stop.win is not None
    assert turn_card.win is not None
    assert stop.win > turn_card.win > 0.3
    assert stop.points == 4000 > turn_card.points > 2000

    last = odds(State(Options(), (0, 0), phase=Phase.TUTTO, points=500, card=Card.X2, deck=(0,) * 11))
    assert dict(last.deck) == dict(zip(Card, FULL_DECK, strict=True))


def test_the_odds_of_cards_that_must_be_played_to_the_end() -> None:
    clover = odds(replace(CHOOSING, card=Card.CLOVERLEAF, aside=(), points=0, roll=(1, 1, 2, 3, 4, 5)))
    assert [choice.action for choice in clover.choices] == [Keep((1,)), Keep((1, 1)), Keep((1, 1, 5))]
    nearly = odds(replace(CHOOSING, card=Card.CLOVERLEAF, aside=(1,) * 5, points=0, roll=(1,)))
    (choice,) = nearly.choices
    # The first Tutto of two: six dice are rolled again.
    assert choice.null == null_chance(6)
    assert choice.win is not None
    assert choice.win > clover_chance(1)
    won = odds(replace(CHOOSING, card=Card.CLOVERLEAF, aside=(1,) * 5, points=0, roll=(1,), clover=1))
    assert (won.choices[0].win, won.choices[0].null) == (1.0, 0.0)

    straight = odds(replace(CHOOSING, card=Card.STRAIGHT, aside=(1, 2), points=0, roll=(1, 3, 4, 6)))
    assert straight.choices[0].action == Keep((3, 4, 6))
    assert straight.choices[0].points == pytest.approx(straight_chance(1) * 2000)
    assert straight.choices[0].null == pytest.approx(5 / 6)
    assert {choice.action: choice.null for choice in straight.choices}[Keep((3,))] == pytest.approx(1 / 8)


def test_without_a_table_choices_are_ordered_by_points(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr(tables, "load", lambda edition, target: None)
        without.setattr(tables, "nearest", lambda edition, target: None)
        found = odds(replace(CHOOSING, options=Options(target=49_500)))
    assert found.basis is Basis.POINTS
    assert all(choice.win is None for choice in found.choices)
    assert found.choices[0].best
    assert found.choices[0].points == found.points
    assert odds(replace(CHOOSING, scores=(0, 500, 700))).basis is Basis.LEARNED


def test_there_are_no_odds_without_a_choice() -> None:
    with pytest.raises(IllegalMove):
        odds(replace(CHOOSING, phase=Phase.OVER))


def test_the_calculator_gives_the_odds_of_typed_dice() -> None:
    found = calculate(Card.BONUS_600, [5, 2, 6, 2, 2], 100)
    assert found.choices[0].action == STOP
    assert found.points == 350
    assert found.basis is Basis.POINTS
    # A Fireworks goes on by itself: all valid dice aside, six new ones after a Tutto.
    assert calculate(Card.FIREWORKS, [1, 5, 5, 5, 1, 1], 200).points == pytest.approx(
        200 + 1500 + 622.638, abs=1e-3
    )
    assert calculate(Card.FIREWORKS, [2, 3], 200).points == 200
    assert calculate(Card.FIREWORKS, []).points == pytest.approx(622.638, abs=1e-3)
    # A null, and six dice about to be rolled.
    assert calculate(Card.X2, [2, 3, 4, 6], 500) == Odds((), 0.0, found.deck, Basis.POINTS)
    assert calculate(Card.PLUS_MINUS, []).points == pytest.approx(1000 * 0.270998, abs=1e-3)
    assert 300 < calculate(Card.X2, []).points < calculate(Card.X2, [], 300).points
    assert calculate(Card.STRAIGHT, [4, 4], 0, aside=[6, 1, 2, 3]).choices[0].points > 300
    assert calculate(Card.CLOVERLEAF, [1, 5, 2]).choices[0].null == null_chance(1)


@pytest.mark.parametrize("card", [card for card in Card if card is not Card.STOP])
@pytest.mark.parametrize("total", [0, 50, 950, 10_000, 50_000])
@pytest.mark.parametrize("dice", [(), (1,), (1, 1, 1, 5, 5, 5), (1, 5, 2, 2, 2), (6, 5)])
def test_the_calculator_takes_any_position(card: Card, total: int, dice: tuple[int, ...]) -> None:
    found = calculate(card, dice, total, aside=range(1, 7 - len(dice)) if dice else None)
    assert found.points >= 0
    assert sum(choice.best for choice in found.choices) == (1 if found.choices else 0)


@pytest.mark.parametrize(
    ("card", "dice", "total", "aside", "code"),
    [
        (Card.X2, [1] * 7, 0, None, "error-odds-dice"),
        (Card.X2, [0], 0, None, "error-odds-dice"),
        (Card.X2, [1], 25, None, "error-odds-points"),
        (Card.X2, [1], -50, None, "error-odds-points"),
        (Card.X2, [1], 50_050, None, "error-odds-points"),
        (Card.STOP, [1], 0, None, "error-odds-stop"),
        (Card.STRAIGHT, [1, 2], 0, None, "error-odds-aside"),
        (Card.STRAIGHT, [1, 2], 0, [3, 3, 4, 5], "error-odds-aside"),
        (Card.STRAIGHT, [1, 2], 0, [3, 4], "error-odds-aside"),
        (Card.STRAIGHT, [1, 2], 0, [3, 4, 5, 7], "error-odds-aside"),
    ],
)
def test_the_calculator_refuses_impossible_positions(
    card: Card, dice: list[int], total: int, aside: list[int] | None, code: str
) -> None:
    with pytest.raises(IllegalMove) as raised:
        calculate(card, dice, total, aside)
    assert raised.value.code == code
