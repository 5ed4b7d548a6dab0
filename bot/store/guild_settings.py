"""What a server has chosen for itself, and the defaults for everything it has not."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from bot.games.tutto.rules import MAX_TARGET, MIN_TARGET, TARGET_STEP
from bot.games.tutto.state import Edition, Options
from bot.standings.periods import DEFAULT_ZONE, zones

PING, NAME = "ping", "name"
"""How people are told that it is their turn: by a mention that notifies them, or only by their name."""


DEFAULT_TURN_SECONDS = 600
TURN_SECONDS = (600, 3600, 86_400, 3 * 86_400, 0, 60, 300)
"""The choices in the lobby, in the order in which its button goes through them; 0 is no limit."""

MAX_CHOSEN = 25
"""The most channels or roles that can be chosen."""


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """The choices of one server.

    ``language`` is a locale, "" for the one the server has in Discord. ``channels`` are those games may be
    played in, and ``starters`` the roles that may start them; none means all of them.
    """

    language: str = ""
    time_zone: str = DEFAULT_ZONE
    edition: str = Edition.CURRENT.value
    target: int = Options().target
    turn_seconds: int = DEFAULT_TURN_SECONDS
    hints: bool = True
    mentions: str = PING
    channels: tuple[int, ...] = ()
    starters: tuple[int, ...] = ()


DEFAULTS = GuildSettings()
NAMES = tuple(field.name for field in fields(GuildSettings))


def fits(name: str, value: Any, languages: tuple[str, ...]) -> bool:
    """Whether a value is one that the setting can have."""
    match name:
        case "language":
            return value == "" or value in languages
        case "time_zone":
            return value in zones()
        case "edition":
            return value in tuple(Edition)
        case "target":
            return type(value) is int and MIN_TARGET <= value <= MAX_TARGET and value % TARGET_STEP == 0
        case "turn_seconds":
            return type(value) is int and value in TURN_SECONDS
        case "hints":
            return type(value) is bool
        case "mentions":
            return value in (PING, NAME)
        case "channels" | "starters":
            return (
                isinstance(value, list | tuple)
                and len(value) <= MAX_CHOSEN
                and all(type(one) is int and 0 < one < 1 << 63 for one in value)
            )
        case _:
            return False
