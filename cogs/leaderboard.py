"""The leaderboard of a server."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import DiceBot
from bot.ranking import Sort
from bot.registry import GAMES, find
from bot.screens.leaderboard import PAGE, leaderboard
from bot.screens.model import Screen
from bot.store.base import Store
from cogs.answer import Answer
from cogs.render import NO_MENTIONS, render
from cogs.texts import described


async def page_screen(store: Store, guild_id: int, game: str, sort: Sort, page: int) -> Screen:
    """One page of a server's leaderboard; a page past the end shows the last one."""
    find(game)
    pages = max(1, -(-await store.players(guild_id, game) // PAGE))
    page = max(0, min(page, pages - 1))
    rows = await store.standings(guild_id, game, sort, page * PAGE, PAGE)
    return leaderboard(game, sort, rows, page, pages)


class Leaderboard(commands.Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="leaderboard", description=described("cmd-leaderboard"))
    @app_commands.describe(game=described("cmd-leaderboard-game"), sort=described("cmd-leaderboard-sort"))
    @app_commands.choices(
        game=[app_commands.Choice(name=described(f"{key}-name"), value=key) for key in GAMES],
        sort=[
            app_commands.Choice(name=described(f"board-sort-{one.value}"), value=one.value) for one in Sort
        ],
    )
    async def leaderboard(
        self,
        interaction: discord.Interaction[Any],
        game: str = next(iter(GAMES)),
        sort: str = Sort.WINS.value,
    ) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            click = answer.click()
            screen = await page_screen(self.bot.store, click.guild_id, game, Sort(sort), 0)
            board = render(screen, self.bot.catalogue, answer.shared_locale)
            if await answer.post(board, NO_MENTIONS) is None:
                await answer.private(screen)

        await answer.within(work())


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Leaderboard(bot))
