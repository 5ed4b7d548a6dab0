"""Skill and luck as they are stored: whole numbers that can be added up.

The numbers are kept with each result, and their sums among the feats of all games.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.standings.ratings import MIN_CHOICES
from bot.strategy.skill import Measured, Skill

MILLION = 1e6
BILLION = 1e9
_UNITS = {
    "games": ("skill_games", 1.0),
    "choices": ("skill_choices", 1e3),
    "errors": ("skill_errors", MILLION),
    "squares": ("skill_squares", BILLION),
    "luck": ("skill_luck", MILLION),
    "adjusted": ("skill_adjusted", MILLION),
    "won": ("skill_won", MILLION),
}
"""By field of :class:`Skill` its name among the feats, and how many of the stored units are 1."""


HABIT = "habit_"
"""Before the name of a habit, the name of what it cost among the feats."""


def stored(measured: Measured) -> dict[str, int] | None:
    """Return the skill of a game, and what habits cost in it, as they are stored; None if it isn't known.

    >>> found = stored(Measured(0, Skill(1, 20, 0.03), {"safe": 0.02}))
    >>> found["habit_safe"] if found else None
    20000
    """
    if measured.skill is None:
        return None
    skill = {name: round(getattr(measured.skill, field) * unit) for field, (name, unit) in _UNITS.items()}
    return skill | {HABIT + name: round(cost * MILLION) for name, cost in measured.habits.items()}


def read(feats: Mapping[str, int]) -> Skill:
    """Return the skill of one or more games from what is stored.

    >>> read(stored(Measured(0, Skill(1, 20, 0.03))) or {}) == Skill(1, 20, 0.03)
    True
    """
    found = {field: feats.get(name, 0) / unit for field, (name, unit) in _UNITS.items()}
    return Skill(int(found.pop("games")), **found)


def judged_errors(skill: Mapping[str, int]) -> int | None:
    """Return what a person gave away in a game, in millionths of a win, from what is stored of it.

    None if it says too little.

    >>> judged_errors({"skill_choices": 20000, "skill_errors": 50000}), judged_errors({"skill_choices": 3000})
    (50000, None)
    """
    return skill["skill_errors"] if read(skill).choices >= MIN_CHOICES else None


def habits(feats: Mapping[str, int]) -> list[tuple[str, float]]:
    """Return the habits that are stored and what each cost in winning chance, the costliest first.

    >>> habits({"habit_safe": 20000, "habit_many": 50000, "tuttos": 3})
    [('many', 0.05), ('safe', 0.02)]
    """
    found = [
        (name.removeprefix(HABIT), cost / MILLION) for name, cost in feats.items() if name.startswith(HABIT)
    ]
    return sorted(found, key=lambda habit: -habit[1])
