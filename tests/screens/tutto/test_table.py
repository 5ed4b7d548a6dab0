"""The table of Tutto."""

from __future__ import annotations

from typing import Any

import pytest

from bot.games.seats import person
from bot.games.tutto.cards import Card
from bot.games.tutto.state import Banked, LastRoundBegan, Options, Phase, State
from bot.i18n.catalogue import Catalogue
from bot.registry import TEXT_ICONS
from bot.screens.model import Text
from bot.screens.turn_lines import narration_line, turn_line
from bot.screens.tutto.table import TuttoScreen

CATALOGUE = Catalogue(TEXT_ICONS)
SO_FAR = "So far this turn: **300** points, not banked yet"


@pytest.mark.parametrize(
    ("given", "view", "told"),
    [
        ({}, "", "✨ **Tutto!** This turn: **1,500** points. Bank them, or risk them with the next card?"),
        # Of the three dice, only the first two are marked.
        ({}, "03", SO_FAR),
        ({"roll": (1, 1, 2)}, "", SO_FAR),
        ({"card": Card.PLUS_MINUS}, "", "✨ **Tutto!** This turn: **1,300** points. Bank them, or risk them"),
        # A click can't bank these dice, and the button says that they make a Tutto.
        ({"card": Card.CLOVERLEAF}, "", SO_FAR),
        # Fireworks roll on by themselves.
        ({"card": Card.FIREWORKS, "phase": Phase.ROLL}, "", SO_FAR),
    ],
)
def test_the_table_says_that_the_marked_dice_make_a_tutto(
    given: dict[str, Any], view: str, told: str
) -> None:
    """With 300 points so far, and dice worth 1,000 more at a bonus of 200."""
    values: dict[str, Any] = {
        "options": Options(),
        "scores": (0, 0),
        "phase": Phase.CHOOSE,
        "card": Card.BONUS_200,
        "aside": (3, 3, 3),
        "roll": (1, 1, 1),
        "points": 300,
    }
    body = TuttoScreen().body(State(**values | given), view)
    lines = [line for block in body if isinstance(block, Text) for line in block.lines]
    shown = "\n".join(CATALOGUE.text("en", line) for line in lines)
    assert told in shown
    assert (SO_FAR in shown) == (told == SO_FAR)


def test_the_turn_that_begins_the_last_round_names_its_player_once() -> None:
    events = (Banked(0, 700, 6100, fireworks=False), LastRoundBegan(0))
    seats, screen = (person(1, "Ann"), person(2, "Ben")), TuttoScreen()
    (line,) = screen.narrate((), events)
    told = [turn_line(line, (seats, screen)), narration_line(line, seats)]
    assert ["target reached: **last round!**" in CATALOGUE.text("en", one) for one in told] == [True, True]
    assert [CATALOGUE.text("en", one).count("Ann") for one in told] == [1, 1]


@pytest.mark.parametrize(("scores", "told"), [((0,), False), ((0, 0), True)])
def test_a_plus_minus_takes_nothing_from_others_where_there_are_none(
    scores: tuple[int, ...], told: bool
) -> None:
    state = State(Options(), scores, phase=Phase.ROLL, card=Card.PLUS_MINUS)
    lines = [
        line for block in TuttoScreen().body(state, "") if isinstance(block, Text) for line in block.lines
    ]
    shown = "\n".join(CATALOGUE.text("en", line) for line in lines)
    assert "a Tutto scores 1,000" in shown
    assert ("leader" in shown) is told
