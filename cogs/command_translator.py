"""Translates commands, so that Discord shows each person the commands in their own language."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location

from bot.client import DiceBot
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import SOURCE
from bot.i18n.say import Say, say

_NAMES = (Location.command_name, Location.group_name, Location.parameter_name)


class Translator(app_commands.Translator):
    """Translates names and descriptions; texts that no catalogue has stay in English."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        language = locale.value.split("-")[0]
        if language == SOURCE or language not in self._catalogue.languages:
            # The program has the English texts.
            return None
        message = _message(string, context.location)
        if message is None:
            return None
        text = self._catalogue.text(locale.value, message)
        return text if text != message.key else None


def _message(string: app_commands.locale_str, location: Location) -> Say | None:
    """Return the text of the key that a string carries (cogs/command_texts.py), or that is made of a name."""
    if "key" in string.extras:
        return say(string.extras["key"], **string.extras.get("args", {}))
    if location in _NAMES:
        return say(f"name-{string.message}")
    if location is Location.choice_name:
        return say(f"choice-{string.message}")
    return None


async def setup(bot: DiceBot) -> None:
    await bot.tree.set_translator(Translator(bot.catalogue))
