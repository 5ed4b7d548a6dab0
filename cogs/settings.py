"""The settings of a server, for people who may manage it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from babel import Locale
from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.screens import settings as screens
from bot.screens.button_ids import Page
from bot.screens.settings import Choices, entered_settings, overview, settings_form
from bot.sessions.request import Click
from bot.standings.periods import zones
from bot.store.guild_settings import GuildSettings
from cogs.command_texts import described
from cogs.pages import page
from cogs.permissions import check_manages, existing_choices


class SettingsCog(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="settings", description=described("cmd-settings"))
    @app_commands.default_permissions(manage_guild=True)
    @answered
    async def settings(self, answer: Answer) -> None:
        click = answer.click()
        check_manages(answer.interaction)
        await answer.private(overview(*await _shown(self.bot, click)))


@page(Page.SETTINGS)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on the settings, or take a form.

    Raises :class:`Refused` unless the person may still change them.
    """
    check_manages(answer.interaction)
    settings, choices = await _shown(bot, click)
    match list(parts):
        case [screens.OPEN, group]:
            form = partial(settings_form, settings, group, choices)
            await answer.form(form(), form(blank=True))
            return
        case [screens.RESET, name] if name in bot.servers.settings:
            await bot.servers.choose(click.guild_id, name, None, bot.sessions.now())
        case [screens.SET | screens.SET_BLANK as kind, group, shown]:
            blank = kind == screens.SET_BLANK
            changed = entered_settings(settings, group, shown, choices, answer.entered, blank=blank)
            try:
                await bot.servers.choose_all(click.guild_id, changed, bot.sessions.now())
            except ValueError:
                raise Unreadable("error-form-value") from None
        case _:
            raise Unreadable("error-old-button")
    await answer.turn_page(overview(*await _shown(bot, click)))


async def _shown(bot: DiceBot, click: Click) -> tuple[GuildSettings, Choices]:
    """Return a server's settings as the page shows them, and what there is to choose from.

    Each language is named in itself.
    """
    settings, gone = existing_choices(bot, click.guild_id)
    languages = {
        language: (Locale.parse(language).get_language_name(language) or language).capitalize()
        for language in bot.catalogue.languages
    }
    refused = await bot.store.seasons.refused_card(click.guild_id)
    return settings, Choices(languages, zones(), bot.servers.game_settings, gone, refused)


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(SettingsCog(bot))
