"""The stakes that a table names."""

from __future__ import annotations

from typing import Any

import pytest

from bot.games.tutto.cards import Card
from bot.games.tutto.state import Edition, Options, Phase, State
from bot.i18n.say import SeatRef, say
from bot.screens.tutto.stakes import stakes

CHOOSE: dict[str, Any] = {"phase": Phase.CHOOSE, "card": Card.BONUS_200, "roll": (1, 2, 3, 4, 6, 6)}
LAST: dict[str, Any] = {"last_round": True, "seat": 1}


@pytest.mark.parametrize(
    ("scores", "given", "stake"),
    [
        ((0, 0), {}, None),
        ((1000, 500, 400), CHOOSE, None),
        ((300, 350, 900), CHOOSE, say("tutto-stake-place", place=2)),
        ((300, 350, 0), CHOOSE, say("tutto-stake-leads")),
        ((5950, 0), CHOOSE, say("tutto-stake-target")),
        ((5950, 0), CHOOSE | {"options": Options(Edition.CLASSIC)}, say("tutto-stake-wins")),
        ((6050, 4400), LAST, say("tutto-stake-last", points=1700, name=SeatRef(0))),
        ((6050, 6100, 0), LAST, say("tutto-stake-last-leader")),
        ((6050, 6000), LAST | CHOOSE, say("tutto-stake-wins")),
        ((6050, 6000, 0), LAST | CHOOSE, say("tutto-stake-leads-last")),
        ((6050, 6000, 0), LAST | CHOOSE | {"left": (2,)}, say("tutto-stake-wins")),
        ((0, 0), CHOOSE | {"card": Card.CLOVERLEAF, "clover": 1}, say("tutto-stake-clover")),
        ((0, 0), CHOOSE | {"card": Card.STRAIGHT}, None),
    ],
)
def test_the_stakes_of_tutto(scores: tuple[int, ...], given: dict[str, Any], stake: object) -> None:
    """With a 1 to bank, which is worth 100."""
    values: dict[str, Any] = {"options": Options(), "scores": scores} | given
    assert stakes(State(**values)) == stake
