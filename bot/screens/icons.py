"""Texts to show instead of the emojis that all games share, where the bot has no application emojis.

A game's own are in its :class:`~bot.screens.entry.Entry`; :data:`bot.registry.TEXT_ICONS` has all of them.
"""

from __future__ import annotations

from bot.games.dice import FACES

_DICE = {f"die-{face}": f"{face}\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}" for face in FACES}

SQUARES = {"turn-lost": "⬛", "turn-small": "🟦", "turn-good": "🟩", "turn-great": "🟨", "turn-clover": "🍀"}
"""The turns of a daily game. They have no drawn emojis, as people copy them into other programs."""

COMMON_ICONS = {
    **_DICE,
    **{f"{name}-kept": f"✓{text}" for name, text in _DICE.items()},
    **{f"{name}-off": f"✗{text}" for name, text in _DICE.items()},
    "dice": "🎲",
    "down": "⬇️",
    "odds": "🎯",
    "review": "🎓",
    "seat-ai": "🤖",
    "seat-human": "👤",
    **SQUARES,
}
