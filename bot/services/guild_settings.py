"""The settings of all servers, at hand for every click."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.store.base import Store
from bot.store.guild_settings import DEFAULTS, NAMES, GuildSettings, fits


class GuildSettingsCache:
    """Holds them in memory: they are looked at with every click and seldom change."""

    def __init__(self, store: Store, languages: tuple[str, ...]) -> None:
        self._store = store
        self._languages = languages
        self._known: dict[int, GuildSettings] = {}

    async def load(self) -> None:
        """Read what has been chosen. What is no longer possible counts as not chosen."""
        found = await self._store.all_settings()
        self._known = {guild_id: self._read(DEFAULTS, chosen) for guild_id, chosen in found.items()}

    def of(self, guild_id: int | None) -> GuildSettings:
        return DEFAULTS if guild_id is None else self._known.get(guild_id, DEFAULTS)

    async def choose(self, guild_id: int, name: str, value: Any, at: float) -> GuildSettings:
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

    def _read(self, settings: GuildSettings, chosen: Mapping[str, Any]) -> GuildSettings:
        for name, value in chosen.items():
            if fits(name, value, self._languages):
                changed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value}
                settings = replace(settings, **changed)
        return settings
