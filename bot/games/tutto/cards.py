"""The 56 cards. A deck is stored as counts of the cards left in the pile, without an order that could leak.

:mod:`bot.games.tutto.rules` defines what each card does, :mod:`bot.games.tutto.scoring` its valid dice.
docs/architecture.md lists all places that a new card changes.
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
        """The bonus on the card; 0 for all other cards."""
        return BONUS.get(self, 0)


CARDS: tuple[Card, ...] = tuple(Card)
"""All kinds, in the order of the counts in a deck."""

INDEX = {card: index for index, card in enumerate(CARDS)}

BONUS = {card: int(card.value.removeprefix("bonus_")) for card in CARDS if card.value.startswith("bonus_")}

FULL_DECK: tuple[int, ...] = (1, 5, 10, 5, 5, 5, 5, 5, 5, 5, 5)
"""The number of each kind in a new pile, in the order of :data:`CARDS`; 56 in all (leaflets, contents)."""

MAY_STOP_EARLY = frozenset(BONUS) | {Card.X2}
"""Cards with which the player may stop before a Tutto (leaflets, "the cards")."""


def pile(deck: tuple[int, ...]) -> tuple[int, ...]:
    """Return the pile from which the next card is drawn: a new one of all 56 cards if ``deck`` is empty."""
    return deck if any(deck) else FULL_DECK


def without(deck: tuple[int, ...], card: Card) -> tuple[int, ...]:
    """Return the pile after ``card`` was drawn from it."""
    index = INDEX[card]
    return (*deck[:index], deck[index] - 1, *deck[index + 1 :])
