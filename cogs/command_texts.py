"""Names and descriptions of commands, from the catalogue."""

from __future__ import annotations

from discord import app_commands

from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import SOURCE
from bot.i18n.say import Argument, say
from bot.registry import GAMES

_english = Catalogue({})


def described(key: str, **args: Argument) -> app_commands.locale_str:
    """Return the English text of ``key``; it carries the key and its arguments for the translator."""
    return app_commands.locale_str(_english.text(SOURCE, say(key, **args)), key=key, args=args)


def game_choices() -> list[app_commands.Choice[str]]:
    """Return the games as choices of a command's option."""
    return [app_commands.Choice(name=described(f"{key}-name"), value=key) for key in GAMES]
