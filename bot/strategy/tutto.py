"""AI players of Tutto."""

from __future__ import annotations

from random import Random

from bot.games.tutto.cards import Card
from bot.games.tutto.rules import stop_value
from bot.games.tutto.scoring import valid_dice
from bot.games.tutto.state import STOP, TURN_CARD, Action, Keep, Phase, State

ENOUGH = 350
"""Points at which the casual player is content."""


class Casual:
    """Puts all valid dice aside and stops as soon as that banks 350 points or more."""

    def choose(self, state: State, rng: Random) -> Action:
        value = stop_value(state)
        if value is not None and value >= ENOUGH:
            return STOP
        if state.phase is Phase.CHOOSE:
            assert isinstance(state.card, Card)
            return Keep(valid_dice(state.roll, state.card, state.aside))
        return TURN_CARD
