"""How games of two would probably end, by the ratings of both.

Only one of the two sees the chance. In public the bot says no more than that a game would be even, because
that embarrasses nobody. See docs/decisions/forecasts.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.i18n.say import GameIcon, GameName, Say, say
from bot.screens.model import Divider, Screen, Text, person_name

ACCENT = 0x4489D8
EVEN = 5
"""A game is called even if either would win 50 of 100 games, or at most this many more."""


def is_even(chance: float) -> bool:
    """Return whether a game with this chance to win is called even."""
    return abs(wins(chance) - 50) <= EVEN


def wins(chance: float) -> int:
    """Return a chance to win as wins of 100 games. Nothing is certain, so these are never 0 or 100."""
    return min(99, max(1, round(100 * chance)))


def forecasts(game: str, people: Sequence[tuple[str, float | None]]) -> Screen:
    """Tell somebody their chance to win a game of two against each of these people; None if it is unknown."""
    lines = [_against(name, chance) for name, chance in people]
    notes = [say("forecast-note")]
    if any(chance is None for _, chance in people):
        notes.append(say("forecast-note-early"))
    title = say("forecast-title", icon=GameIcon(game), game=GameName(game))
    return Screen.of(
        Text.of(title),
        Divider(),
        Text.of(*lines or (say("forecast-nobody"),)),
        Text.of(*notes) if lines else None,
        accent=ACCENT,
    )


def _against(name: str, chance: float | None) -> Say:
    who = person_name(name)
    if chance is None:
        return say("forecast-early", name=who)
    return say("forecast-against", name=who, wins=wins(chance))
