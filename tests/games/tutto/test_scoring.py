"""Valid dice, their points, and the sets that may be put aside."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from bot.games.tutto.cards import (
    BONUS,
    CARDS,
    FULL_DECK,
    INDEX,
    MAY_STOP_EARLY,
    Card,
    pile,
    without,
)
from bot.games.tutto.scoring import keepable, points, valid_dice
from tests.support import tutto_oracle as oracle

ALL_ROLLS = [dice for n in range(1, 7) for dice in combinations_with_replacement(range(1, 7), n)]


def faces(text: str) -> tuple[int, ...]:
    return tuple(int(face) for face in text)


@pytest.mark.parametrize(
    ("dice", "score"),
    [
        ("1", 100),
        ("5", 50),
        ("2", 0),
        ("3", 0),
        ("4", 0),
        ("6", 0),
        ("111", 1000),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("11", 200),
        ("55", 100),
        ("1111", 1100),
        ("5555", 550),
        ("111111", 2000),
        ("222222", 400),
        ("555555", 1000),
        ("1222", 300),
        ("111555", 1500),
        ("2222", 200),
        ("22", 0),
        ("5666", 650),
        ("2225", 250),
        ("123456", 150),
        ("", 0),
    ],
)
def test_points(dice: str, score: int) -> None:
    assert points(faces(dice)) == score


@pytest.mark.parametrize(
    ("roll", "valid"),
    [
        ("123456", "15"),
        ("223446", ""),
        ("222234", "222"),
        ("222222", "222222"),
        ("222333", "222333"),
        ("111123", "1111"),
        ("555556", "55555"),
        ("666644", "666"),
        ("4", ""),
        ("1", "1"),
    ],
)
def test_valid_dice(roll: str, valid: str) -> None:
    for card in set(CARDS) - {Card.STRAIGHT}:
        assert valid_dice(tuple(sorted(faces(roll))), card, faces("15")) == faces(valid)


@pytest.mark.parametrize(
    ("roll", "aside", "valid"),
    [
        ("111111", "", "1"),
        ("123456", "", "123456"),
        ("223344", "", "234"),
        ("11255", "3", "125"),
        ("1125", "15", "2"),
        ("555", "235", ""),
        ("6", "12345", "6"),
        ("1", "12345", ""),
    ],
)
def test_valid_dice_of_a_straight_are_the_numbers_that_are_missing(roll: str, aside: str, valid: str) -> None:
    assert valid_dice(faces(roll), Card.STRAIGHT, faces(aside)) == faces(valid)


def test_every_roll_has_the_sets_and_points_that_trying_all_of_them_finds() -> None:
    for roll in ALL_ROLLS:
        good = {dice: score for dice in oracle.subsets(roll) if (score := oracle.best(dice)) is not None}
        found = keepable(roll, Card.BONUS_200, ())
        assert set(found) == set(good)
        assert len(found) == len(good)
        assert all(points(dice) == score for dice, score in good.items())
        # The valid dice are the largest set, and it scores the most.
        valid = valid_dice(roll, Card.BONUS_200, ())
        assert valid == (found[0] if found else ())
        assert points(valid) == max(good.values(), default=0)


@pytest.mark.parametrize("aside", ["", "1", "25", "136", "2345", "12345"])
def test_every_roll_of_a_straight_has_the_sets_that_trying_all_of_them_finds(aside: str) -> None:
    for roll in (dice for dice in ALL_ROLLS if len(dice) == 6 - len(aside)):
        good = {
            dice
            for dice in oracle.subsets(roll)
            if len(set(dice)) == len(dice) and not set(dice) & set(faces(aside))
        }
        assert set(keepable(roll, Card.STRAIGHT, faces(aside))) == good


def test_sets_are_listed_largest_first() -> None:
    sets = keepable((1, 2, 2, 2, 5, 5), Card.X2, ())
    assert [len(dice) for dice in sets] == sorted((len(dice) for dice in sets), reverse=True)
    assert len(sets) == 2 * 2 * 3 - 1


def test_the_deck_holds_56_cards() -> None:
    deck = dict(zip(CARDS, FULL_DECK, strict=True))
    assert sum(FULL_DECK) == 56
    assert {card.value: number for card, number in deck.items()} == oracle.PILE
    assert sum(number for card, number in deck.items() if card.bonus) == 25
    assert {Card(f"bonus_{n}"): n for n in (200, 300, 400, 500, 600)} == BONUS
    assert {card: card.bonus for card in CARDS if card.bonus} == BONUS
    assert set(BONUS) | {Card.X2} == MAY_STOP_EARLY
    assert [CARDS[INDEX[card]] for card in CARDS] == list(CARDS)


def test_a_card_is_taken_from_the_pile_and_an_empty_pile_is_reshuffled() -> None:
    deck = without(FULL_DECK, Card.CLOVERLEAF)
    assert deck == (0, *FULL_DECK[1:])
    assert pile(deck) == deck
    assert pile((0,) * len(CARDS)) == FULL_DECK
