"""The settings of a server, and their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from bot.games.options import Option, Value
from bot.standings.periods import DEFAULT_ZONE, zones

PING, NAME = "ping", "name"
"""How the table names a person whose turn it is: with a mention, which notifies them, or by name only."""


CHANNEL, THREAD, ASK = "channel", "thread", "ask"
"""Where a new table opens: in the channel, in a thread of its own, or wherever its host says when asked."""

DEFAULT_TURN_SECONDS = 600
TURN_SECONDS = (60, 300, 600, 3600, 86_400, 3 * 86_400, 0)
"""The turn limits to choose from; 0 is no limit."""

MAX_CHOSEN = 25
"""How many channels or roles can be chosen at most."""


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """The settings of one server.

    ``language`` is a locale, or "" for the server's language in Discord. ``options`` are the default options
    of games, by the name of the setting. Games may be played in ``channels`` and started by the roles in
    ``starters``; an empty set means all of them. With ``step_by_step``, what leaves nobody a choice is shown
    one step at a time.
    """

    language: str = ""
    time_zone: str = DEFAULT_ZONE
    options: Mapping[str, Value] = field(default_factory=dict)
    turn_seconds: int = DEFAULT_TURN_SECONDS
    rated: bool = True
    mentions: str = PING
    channels: tuple[int, ...] = ()
    starters: tuple[int, ...] = ()
    step_by_step: bool = True
    seasons: tuple[int, ...] = ()
    tables: str = CHANNEL

    def value(self, name: str) -> Any:
        """Return the value of one setting."""
        return self.options[name] if name in self.options else getattr(self, name)


@dataclass(frozen=True, slots=True)
class GameSetting:
    """A setting for the server's default of a game's option."""

    game: str
    option_name: str
    option: Option


def defaults(game_settings: Mapping[str, GameSetting]) -> GuildSettings:
    """Return the default settings."""
    return GuildSettings(options={name: one.option.default for name, one in game_settings.items()})


def names(game_settings: Mapping[str, GameSetting]) -> tuple[str, ...]:
    """Return the names of all settings in the order in which they are shown."""
    found: list[str] = []
    for one in fields(GuildSettings):
        found += game_settings if one.name == "options" else [one.name]
    return tuple(found)


def most(name: str) -> int:
    """Return how many channels or roles can be chosen for a setting that lists them."""
    return 1 if name == "seasons" else MAX_CHOSEN


def fits(name: str, value: Any, languages: tuple[str, ...], game_settings: Mapping[str, GameSetting]) -> bool:
    """Return whether a setting can have this value."""
    if name in game_settings:
        return game_settings[name].option.accepts(value)
    match name:
        case "language":
            return value == "" or value in languages
        case "time_zone":
            return value in zones()
        case "turn_seconds":
            return type(value) is int and value in TURN_SECONDS
        case "rated" | "step_by_step":
            return type(value) is bool
        case "mentions":
            return value in (PING, NAME)
        case "tables":
            return value in (CHANNEL, THREAD, ASK)
        case "channels" | "starters" | "seasons":
            return (
                isinstance(value, list | tuple)
                and len(value) <= most(name)
                and all(type(one) is int and 0 < one < 1 << 63 for one in value)
            )
        case _:
            return False
