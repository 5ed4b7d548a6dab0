"""The settings of a server, for people who may manage it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babel import Locale
from discord import app_commands
from discord.ext import commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.games.options import Choice, Flag, Number
from bot.screens import settings as screens
from bot.screens.button_ids import Page
from bot.screens.model import Screen
from bot.screens.settings import Choices, one, overview
from bot.sessions.request import Click
from bot.standings.periods import zones
from bot.store.guild_settings import GameSetting, GuildSettings
from cogs.command_texts import described
from cogs.pages import number, page
from cogs.permissions import check_manages, existing_choices


class SettingsCog(commands.Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="settings", description=described("cmd-settings"))
    @app_commands.default_permissions(manage_guild=True)
    @answered
    async def settings(self, answer: Answer) -> None:
        click = answer.click()
        check_manages(answer.interaction)
        await answer.private(overview(*_shown(self.bot, click)))


@page(Page.SETTINGS)
async def turn(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on the settings. Raises :class:`Refused` unless the person may still change them."""
    check_manages(answer.interaction)
    await answer.turn_page(await _turned(bot, click, parts, answer.values))


async def _turned(bot: DiceBot, click: Click, parts: Sequence[str], values: Sequence[str]) -> Screen:
    settings, choices = _shown(bot, click)
    match list(parts):
        case [screens.ALL]:
            return overview(settings, choices)
        case [screens.OPEN] if len(values) == 1:
            return one(settings, values[0], choices)
        case [screens.AREA] if len(values) == 1:
            return one(settings, "time_zone", choices, values[0])
        case [screens.PLACE, area, at, _]:
            return one(settings, "time_zone", choices, f"{area}.{at}")
        case [screens.RESET, name, where] if name in bot.servers.names:
            await bot.servers.choose(click.guild_id, name, None, bot.sessions.now())
            settings, choices = _shown(bot, click)
            if where == screens.IN_OVERVIEW:
                return overview(settings, choices)
            return one(settings, name, choices)
        case [screens.SET, name, value]:
            return await _choose(bot, click, name, [value])
        case [screens.MENU, name]:
            return await _choose(bot, click, name, values)
        case _:
            raise Unreadable("error-old-button")


async def _choose(bot: DiceBot, click: Click, name: str, values: Sequence[str]) -> Screen:
    try:
        value = _read(bot.servers.game_settings.get(name), name, values)
        await bot.servers.choose(click.guild_id, name, value, bot.sessions.now())
    except (ValueError, KeyError, IndexError):
        raise Unreadable("error-old-button") from None
    settings, choices = _shown(bot, click)
    return one(settings, name, choices)


def _read(game_setting: GameSetting | None, name: str, values: Sequence[str]) -> Any:
    """Return the value that was clicked. Raises ValueError or similar for a value that no menu offers."""
    if game_setting is not None:
        match game_setting.option:
            case Number():
                return number(values[0])
            case Flag():
                return _SWITCH[values[0]]
            case Choice():
                return values[0]
    match name:
        case "channels" | "starters":
            return [number(value) for value in values]
        case "turn_seconds":
            return number(values[0])
        case "hints":
            return _SWITCH[values[0]]
        case "language":
            return "" if values[0] == "auto" else values[0]
        case _:
            return values[0]


_SWITCH = {"on": True, "off": False}


def _shown(bot: DiceBot, click: Click) -> tuple[GuildSettings, Choices]:
    """Return a server's settings as the page shows them, and what there is to choose from.

    Each language is named in itself.
    """
    settings, gone = existing_choices(bot, click.guild_id)
    languages = {
        language: (Locale.parse(language).get_language_name(language) or language).capitalize()
        for language in bot.catalogue.languages
    }
    return settings, Choices(languages, zones(), bot.servers.game_settings, gone)


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(SettingsCog(bot))
