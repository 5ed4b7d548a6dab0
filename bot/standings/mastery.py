"""Skill and luck as they are stored: whole numbers that can be added up.

The numbers are kept with each result, and their sums among the feats of all games.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.strategy.skill import Skill

MILLION = 1e6
BILLION = 1e9
_UNITS = {
    "games": ("skill_games", 1.0),
    "choices": ("skill_choices", 1.0),
    "errors": ("skill_errors", MILLION),
    "squares": ("skill_squares", BILLION),
    "luck": ("skill_luck", MILLION),
    "adjusted": ("skill_adjusted", MILLION),
    "won": ("skill_won", MILLION),
}
"""By field of :class:`Skill` its name among the feats, and how many of the stored units are 1."""


def stored(skill: Skill) -> dict[str, int]:
    """Return the skill of a game as it is stored.

    >>> stored(Skill(1, 20, 0.03))["skill_errors"]
    30000
    """
    return {name: round(getattr(skill, field) * unit) for field, (name, unit) in _UNITS.items()}


def read(feats: Mapping[str, int]) -> Skill:
    """Return the skill of one or more games from what is stored.

    >>> read(stored(Skill(1, 20, 0.03))) == Skill(1, 20, 0.03)
    True
    """
    found = {field: feats.get(name, 0) / unit for field, (name, unit) in _UNITS.items()}
    games, choices = int(found.pop("games")), int(found.pop("choices"))
    return Skill(games, choices, **found)
