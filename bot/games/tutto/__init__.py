"""Tutto: six dice, 56 cards, push your luck. See docs/rules.md for which leaflet says what."""

from bot.games.tutto.rules import Tutto

__all__ = ["Tutto"]
