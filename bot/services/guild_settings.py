"""A cache of the settings of all servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.games import options
from bot.registry import GAMES
from bot.store.base import Store
from bot.store.guild_settings import GuildSettings, Setting, declared, defaults, fits


def game_settings() -> dict[str, Setting]:
    """Return the options of all games for which servers can choose a default, by the name of the setting."""
    return {
        option.setting: Setting(key, option, name)
        for key, entry in GAMES.items()
        for name, option in options.declared(entry.rules.options_type).items()
        if option.setting
    }


class GuildSettingsCache:
    """Keeps all settings in memory, because every click reads them and they seldom change."""

    def __init__(self, store: Store, languages: tuple[str, ...]) -> None:
        self._store = store
        self._languages = languages
        self._by_guild: dict[int, GuildSettings] = {}
        self.game_settings = game_settings()
        self.defaults = defaults(self.game_settings)
        self.settings = declared(self.game_settings)

    async def load(self) -> None:
        """Read all settings from the store. Ignore values that are no longer valid."""
        stored = await self._store.all_settings()
        self._by_guild = {guild_id: self._with(self.defaults, chosen) for guild_id, chosen in stored.items()}

    def of(self, guild_id: int | None) -> GuildSettings:
        return self.defaults if guild_id is None else self._by_guild.get(guild_id, self.defaults)

    async def choose(self, guild_id: int, name: str, value: Any, at: float) -> GuildSettings:
        """Change one setting, see :meth:`choose_all`."""
        return await self.choose_all(guild_id, {name: value}, at)

    async def choose_all(self, guild_id: int, values: Mapping[str, Any], at: float) -> GuildSettings:
        """Change settings by name, all or none; None resets one to its default.

        Raises :class:`ValueError` if one is invalid.
        """
        for name, value in values.items():
            if name not in self.settings or (value is not None and not self._fits(name, value)):
                raise ValueError(f"{name} can't be {value!r}")
        stored = {
            name: None if value in (self.defaults.value(name), [], ()) else value
            for name, value in values.items()
        }
        await self._store.set_settings(guild_id, stored, at)
        chosen = {
            name: self.defaults.value(name) if value is None else value for name, value in stored.items()
        }
        settings = self._with(self.of(guild_id), chosen)
        self._by_guild[guild_id] = settings
        return settings

    def forget(self, guild_id: int) -> None:
        """Drop the settings of a server whose data was deleted."""
        self._by_guild.pop(guild_id, None)

    def _fits(self, name: str, value: Any) -> bool:
        return fits(name, value, self._languages, self.settings)

    def _with(self, settings: GuildSettings, chosen: Mapping[str, Any]) -> GuildSettings:
        """Return settings with those of the ``chosen`` values that are valid."""
        for name, value in chosen.items():
            if not self._fits(name, value):
                continue
            changed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value}
            if name in self.game_settings:
                changed = {"options": {**settings.options, **changed}}
            settings = replace(settings, **changed)
        return settings
