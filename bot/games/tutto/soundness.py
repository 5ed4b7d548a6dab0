"""Checks that a position of Tutto from the database is one that the rules can have led to."""

from __future__ import annotations

from bot.games.tutto.cards import CARDS, FULL_DECK
from bot.games.tutto.scoring import valid_dice
from bot.games.tutto.state import NUMBER_OF_DICE, Phase, State


def sound(state: State) -> bool:
    """Return whether deck, card and dice are consistent, so that the rules can go on."""
    if len(state.deck) != len(CARDS) or not all(
        0 <= number <= most for number, most in zip(state.deck, FULL_DECK, strict=True)
    ):
        return False
    on_table = len(state.aside) + len(state.roll)
    match state.phase:
        case Phase.START | Phase.OVER:
            return state.card is None and on_table == 0
        case Phase.DRAW:
            return not state.roll
        case Phase.ROLL:
            return state.card is not None and not state.roll and on_table < NUMBER_OF_DICE
        case Phase.CHOOSE:
            return (
                state.card is not None
                and on_table == NUMBER_OF_DICE
                and valid_dice(state.roll, state.card, state.aside) != ()
            )
        case Phase.TUTTO:
            return state.card is not None and len(state.aside) == NUMBER_OF_DICE and not state.roll
