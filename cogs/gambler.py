"""How Gambler is started."""

from __future__ import annotations

from typing import Any, Literal

import discord
from discord import app_commands

from bot.client import DiceBot
from bot.games.gambler.rules import MAX_TARGET, MIN_TARGET
from cogs.command_texts import described
from cogs.game import GameCog


class GamblerCog(GameCog, group_name="gambler", group_description=described("cmd-gambler")):
    """The commands of Gambler."""

    game = "gambler"

    @app_commands.command(name="start", description=described("cmd-gambler-start"))
    @app_commands.describe(
        stars=described("cmd-gambler-start-stars"), target=described("cmd-gambler-start-target")
    )
    async def start(
        self,
        interaction: discord.Interaction[Any],
        stars: Literal["independent", "distinct"] = "independent",
        target: app_commands.Range[int, MIN_TARGET, MAX_TARGET] = 500,
    ) -> None:
        await self.open(interaction, {"stars": stars, "target": target})

    def defaults(self, guild_id: int | None) -> dict[str, Any]:
        return {"stars": "independent", "target": 500}


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(GamblerCog(bot))
