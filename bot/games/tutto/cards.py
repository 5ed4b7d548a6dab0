"""The 56 cards. The deck is stored as counts of the cards still in the pile: no order, nothing to leak.

What each card does is decided in :mod:`bot.games.tutto.rules`, and which dice it takes in
:mod:`bot.games.tutto.scoring`. docs/architecture.md lists all places that a new card changes.
"""

from __future__ import annotations

from enum import StrEnum


class Card(StrEnum):
    """A kind of card; the value is its name in game records."""

    CLOVERLEAF = "cloverleaf"
    FIREWORKS = "fireworks"
    STOP = "stop"
    STRAIGHT = "straight"
    PLUS_MINUS = "plus_minus"
    X2 = "x2"
    BONUS_200 = "bonus_200"
    BONUS_300 = "bonus_300"
    BONUS_400 = "bonus_400"
    BONUS_500 = "bonus_500"
    BONUS_600 = "bonus_600"

    @property
    def bonus(self) -> int:
        """The bonus printed on the card; 0 for cards other than Bonus."""
        return BONUS.get(self, 0)


CARDS: tuple[Card, ...] = tuple(Card)
"""All kinds in the order of the deck's counts."""

INDEX = {card: index for index, card in enumerate(CARDS)}

BONUS = {card: int(card.value.removeprefix("bonus_")) for card in CARDS if card.value.startswith("bonus_")}

FULL_DECK: tuple[int, ...] = (1, 5, 10, 5, 5, 5, 5, 5, 5, 5, 5)
"""How many of each kind a new pile holds, by :data:`CARDS`; 56 in all (the leaflets' list of contents)."""

MAY_STOP_EARLY = frozenset(BONUS) | {Card.X2}
"""Cards that let the player stop before a Tutto (RULES, table of cards)."""


def pile(deck: tuple[int, ...]) -> tuple[int, ...]:
    """Return the pile that the next card is drawn from: a new one of all 56 cards if ``deck`` is empty."""
    return deck if any(deck) else FULL_DECK


def without(deck: tuple[int, ...], card: Card) -> tuple[int, ...]:
    """Return the pile after ``card`` was drawn from it."""
    index = INDEX[card]
    return (*deck[:index], deck[index] - 1, *deck[index + 1 :])
