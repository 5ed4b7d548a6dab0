"""Which games count: those that people have played themselves."""

from __future__ import annotations

import pytest

from bot.standings.counting import Part, Uncounted, verdict
from bot.standings.values import Board

AI = Part(False, 10, 0)


def person(own_turns: int, turns: int = 10) -> Part:
    return Part(True, turns, own_turns)


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        # Two people who have played.
        ([person(10), person(10)], Board.PEOPLE),
        ([person(10), person(5)], Board.PEOPLE),
        ([person(10), person(1, turns=1)], Board.PEOPLE),
        ([person(10), person(1, turns=0)], Board.PEOPLE),  # who left in their first turn
        # One of them, or both, were away for more than half of it.
        ([person(10), person(4)], Uncounted.ABSENT),
        ([person(10), person(0)], Uncounted.ABSENT),
        ([person(4), person(4)], Uncounted.ABSENT),
        # One left at once, before either had a turn, or before one had.
        ([person(0, turns=0), person(0, turns=0)], Uncounted.ABSENT),
        ([person(1, turns=1), person(0, turns=0)], Uncounted.ABSENT),
        # More people, and AIs beside them.
        ([person(10), person(10), person(0)], Board.PEOPLE),
        ([person(10), person(3), person(3), person(3)], Uncounted.ABSENT),
        ([person(10), AI, person(5)], Board.PEOPLE),
        ([person(10), AI, person(2)], Uncounted.ABSENT),
        # Alone with AIs.
        ([person(10), AI], Board.AI),
        ([AI, person(5), AI], Board.AI),
        ([person(4), AI], Uncounted.ALONE),
        ([person(0, turns=0), AI], Uncounted.ALONE),
        ([AI, AI], Uncounted.ALONE),
    ],
)
def test_what_counts(parts: list[Part], found: Board | Uncounted) -> None:
    assert verdict(parts) == found
    assert verdict(parts[::-1]) == found
