"""What a server has chosen for itself, and the defaults for everything it has not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from bot import absence
from bot.games.tutto.rules import LEAST_TARGET, MOST_TARGET, TARGET_STEP
from bot.games.tutto.state import Edition, Options
from bot.periods import DEFAULT_ZONE, zones
from bot.store.base import Store

PING, NAME = "ping", "name"
"""How people are told that it is their turn: by a mention that notifies them, or only by their name."""

MOST_CHOSEN = 25
"""The most channels or roles that can be chosen."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The choices of one server.

    ``language`` is a locale, "" for the one the server has in Discord. ``channels`` are those games may be
    played in, and ``starters`` the roles that may start them; none means all of them.
    """

    language: str = ""
    time_zone: str = DEFAULT_ZONE
    edition: str = Edition.CURRENT.value
    target: int = Options().target
    turn_seconds: int = absence.DEFAULT_TURN_SECONDS
    hints: bool = True
    mentions: str = PING
    channels: tuple[int, ...] = ()
    starters: tuple[int, ...] = ()


DEFAULTS = ServerSettings()
NAMES = tuple(field.name for field in fields(ServerSettings))


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
            return type(value) is int and LEAST_TARGET <= value <= MOST_TARGET and value % TARGET_STEP == 0
        case "turn_seconds":
            return type(value) is int and value in absence.TURN_SECONDS
        case "hints":
            return type(value) is bool
        case "mentions":
            return value in (PING, NAME)
        case "channels" | "starters":
            return (
                isinstance(value, list | tuple)
                and len(value) <= MOST_CHOSEN
                and all(type(one) is int and 0 < one < 1 << 63 for one in value)
            )
        case _:
            return False


class Servers:
    """The settings of all servers, in memory: they are looked at with every click and seldom change."""

    def __init__(self, store: Store, languages: tuple[str, ...]) -> None:
        self._store = store
        self._languages = languages
        self._known: dict[int, ServerSettings] = {}

    async def load(self) -> None:
        """Read what has been chosen. What is no longer possible counts as not chosen."""
        for guild_id, chosen in (await self._store.all_settings()).items():
            self._known[guild_id] = self._read(DEFAULTS, chosen)

    def of(self, guild_id: int | None) -> ServerSettings:
        return DEFAULTS if guild_id is None else self._known.get(guild_id, DEFAULTS)

    async def choose(self, guild_id: int, name: str, value: Any, at: float) -> ServerSettings:
        """Set one setting; None goes back to the default. Raises :class:`ValueError` for what can't be."""
        if name not in NAMES or (value is not None and not fits(name, value, self._languages)):
            raise ValueError(f"{name} can't be {value!r}")
        if value == getattr(DEFAULTS, name) or value == []:
            value = None
        await self._store.set_setting(guild_id, name, value, at)
        settings = self._read(self.of(guild_id), {name: getattr(DEFAULTS, name) if value is None else value})
        self._known[guild_id] = settings
        return settings

    def forget(self, guild_id: int) -> None:
        """The server's data was deleted."""
        self._known.pop(guild_id, None)

    def _read(self, settings: ServerSettings, chosen: Mapping[str, Any]) -> ServerSettings:
        for name, value in chosen.items():
            if fits(name, value, self._languages):
                changed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value}
                settings = replace(settings, **changed)
        return settings
