"""Rolls, weights and helpers, compared with counting one by one."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.core import Unreadable
from bot.games.dice import counts, dice_from_json, from_counts, minus, rolls
from tests.support import examples as strategies  # noqa: F401  # loads the settings profile

sorted_dice = st.lists(st.integers(1, 6), max_size=8).map(lambda faces: tuple(sorted(faces)))


@pytest.mark.parametrize("number", range(1, 7))
def test_rolls_have_the_weights_that_counting_finds(number: int) -> None:
    counted = Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=number))
    assert dict(rolls(number)) == counted
    assert len(rolls(number)) == comb(number + 5, 5)
    assert sum(weight for _, weight in rolls(number)) == 6**number


@pytest.mark.parametrize("number", range(7))
def test_rolls_stand_in_ascending_order(number: int) -> None:
    """The order is part of the game record's recipe: it decides which number of the seed is which roll."""
    listed = [faces for faces, _ in rolls(number)]
    assert listed == sorted(set(listed))


@given(sorted_dice)
def test_counts_and_back(faces: tuple[int, ...]) -> None:
    assert from_counts(counts(faces)) == faces
    assert counts(faces) == tuple(faces.count(face) for face in range(1, 7))


@given(sorted_dice, st.data())
def test_minus_leaves_the_rest(faces: tuple[int, ...], data: st.DataObject) -> None:
    taken = [face for face in faces if data.draw(st.booleans())]
    assert sorted([*minus(faces, taken), *taken]) == list(faces)


def test_minus_refuses_dice_that_are_not_there() -> None:
    with pytest.raises(ValueError):
        minus((1, 2), (3,))


def test_dice_are_read_and_sorted() -> None:
    assert dice_from_json([5, 1, 3], 3) == (1, 3, 5)
    assert dice_from_json([], 6) == ()


@pytest.mark.parametrize(
    "raw", [None, "12", (1, 2), {"1": 1}, [0], [7], [1.0], [True], ["1"], [[1]], [None], [1, 2, 3, 4]]
)
def test_invalid_dice_are_unreadable(raw: Any) -> None:
    with pytest.raises(Unreadable):
        dice_from_json(raw, 3)
