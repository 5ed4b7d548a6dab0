"""How Tutto is started."""

from __future__ import annotations

from typing import Any, Literal

import discord
from discord import app_commands

from bot.client import DiceBot
from bot.games.tutto.rules import LEAST_TARGET, MOST_TARGET
from cogs.game import GameCog
from cogs.texts import described


class TuttoCog(GameCog, group_name="tutto", group_description=described("cmd-tutto")):
    """The commands of Tutto."""

    game = "tutto"

    @app_commands.command(name="start", description=described("cmd-tutto-start"))
    @app_commands.describe(
        edition=described("cmd-tutto-start-edition"), target=described("cmd-tutto-start-target")
    )
    async def start(
        self,
        interaction: discord.Interaction[Any],
        edition: Literal["current", "modern", "classic"] = "current",
        target: app_commands.Range[int, LEAST_TARGET, MOST_TARGET] = 6000,
    ) -> None:
        await self.open(interaction, {"edition": edition, "target": target})


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(TuttoCog(bot))
