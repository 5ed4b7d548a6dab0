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
"""For each field of :class:`Skill`: its name among the feats, and the factor by which it is stored."""

HABIT = "habit_"
"""How the feats begin that say what a habit cost; the name of the habit follows."""


def stored(measured: Measured) -> dict[str, int] | None:
    """Return the skill of a game, and what habits cost in it, as they are stored; None if it isn't known.

    >>> stored(Measured(0, Skill(1, 20, 0.03), {"safe": 0.02}))["habit_safe"]
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
    values = {field: feats.get(name, 0) / unit for field, (name, unit) in _UNITS.items()}
    return Skill(int(values.pop("games")), **values)


def judged_errors(skill: Mapping[str, int]) -> int | None:
    """Return what a person gave away in a game, in millionths of a win; None if it had too few decisions.

    ``skill`` is as :func:`stored` returns it.

    >>> judged_errors({"skill_choices": 20000, "skill_errors": 50000}), judged_errors({"skill_choices": 3000})
    (50000, None)
    """
    return skill["skill_errors"] if read(skill).choices >= MIN_CHOICES else None


def habits(feats: Mapping[str, int]) -> list[tuple[str, float]]:
    """Return the habits among ``feats`` and what each cost in winning chance, the costliest first.

    >>> habits({"habit_safe": 20000, "habit_many": 50000, "tuttos": 3})
    [('many', 0.05), ('safe', 0.02)]
    """
    costs = [
        (name.removeprefix(HABIT), cost / MILLION) for name, cost in feats.items() if name.startswith(HABIT)
    ]
    return sorted(costs, key=lambda habit: -habit[1])
