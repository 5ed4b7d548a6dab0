"""Personal data: lets people see, export and delete it, and notices servers that remove the bot."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.i18n.names import clean
from bot.i18n.say import say
from bot.screens import privacy as screens
from bot.screens.button_ids import Page
from bot.screens.private import note
from bot.sessions.request import Click, Refused, seat_number
from cogs.command_texts import described
from cogs.pages import page

_exporting: set[int] = set()
"""People with an export in progress, so that each has only one at a time."""


class Privacy(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="privacy", description=described("cmd-privacy"))
    @answered
    async def privacy(self, answer: Answer) -> None:
        unlisted = await _unlisted(self.bot, answer.click())
        await answer.private(screens.overview(unlisted=unlisted))

    @Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        # discord.py reports an outage with another event, so the bot was really removed.
        await self.bot.retention.departed(guild.id)

    @Cog.listener("on_guild_join")
    @Cog.listener("on_guild_available")
    async def came_back(self, guild: discord.Guild) -> None:
        await self.bot.retention.came_back(guild.id)


@page(Page.PRIVACY)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on this private page."""
    match list(parts):
        case [screens.ALL]:
            await answer.turn_page(screens.overview(unlisted=await _unlisted(bot, click)))
        case [screens.HIDE | screens.SHOW as which]:
            unlisted = which == screens.HIDE
            await bot.store.set_unlisted(click.guild_id, click.user_id, clean(click.name), unlisted)
            done = say("privacy-done-hidden" if unlisted else "privacy-done-listed")
            await answer.turn_page(screens.overview(unlisted=unlisted, done=done))
        case [screens.EXPORT]:
            await _export(bot, answer, click)
        case [screens.ASK]:
            game_ids = await bot.store.active_games_of(click.user_id)
            rows = [await bot.store.game(game_id) for game_id in game_ids]
            seated = [row for row in rows if row is not None and seat_number(row, click.user_id) is not None]
            await answer.turn_page(screens.ask(len(seated)))
        case [screens.DELETE]:
            await bot.erase(click.user_id)
            await answer.turn_page(screens.erased())
        case _:
            raise Unreadable("error-old-button")


async def _export(bot: DiceBot, answer: Answer, click: Click) -> None:
    if click.user_id in _exporting:
        raise Refused("error-export-running")
    _exporting.add(click.user_id)
    try:
        async for name, data in bot.derived.export(click.asker):
            await answer.private(note(say("privacy-export-note", file=name), file=name), files={name: data})
    finally:
        _exporting.discard(click.user_id)


async def _unlisted(bot: DiceBot, click: Click) -> bool:
    member = await bot.store.member(click.guild_id, click.user_id)
    return member is not None and member.unlisted


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Privacy(bot))
