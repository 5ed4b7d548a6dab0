"""The help command and its pages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.components import Files
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.i18n.locales import SOURCE
from bot.registry import GAMES
from bot.screens.button_ids import Page
from bot.screens.help import PAGES, help_page, picture_of
from bot.sessions.request import Click
from cogs.command_texts import described
from cogs.pages import page

FOLDER = Path(__file__).parents[1] / "assets" / "help"


class Help(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="help", description=described("cmd-help"))
    @answered
    async def help(self, answer: Answer) -> None:
        files = await pictures(answer.private_locale, PAGES[0])
        await answer.private(help_page(PAGES[0], GAMES, pictured=bool(files)), files=files)


@page(Page.HELP)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on the button of a page."""
    name = ".".join(parts)
    if name not in PAGES:
        raise Unreadable("error-old-button")
    files = await pictures(answer.private_locale, name)
    await answer.turn_page(help_page(name, GAMES, pictured=bool(files)), files)


async def pictures(locale: str, name: str) -> Files:
    """Return the picture of a page in the language of ``locale``, else in English, else nothing."""
    language = locale.split("-")[0].split("_")[0].lower()
    for folder in dict.fromkeys((language, SOURCE)):
        data = await asyncio.to_thread(_read, folder, picture_of(name))
        if data:
            return {picture_of(name): data}
    return {}


@lru_cache(maxsize=16)
def _read(language: str, name: str) -> bytes | None:
    path = FOLDER / language / name
    # The client sends the language, so read only folders that exist.
    if language not in (folder.name for folder in FOLDER.glob("*") if folder.is_dir()):
        return None
    return path.read_bytes() if path.is_file() else None


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Help(bot))
