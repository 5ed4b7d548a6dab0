"""How Tutto is started."""

from __future__ import annotations

from typing import Any, Literal

import discord
from discord import app_commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.tutto.cards import Card
from bot.games.tutto.rules import MAX_TARGET, MIN_TARGET
from bot.screens.advice import calculator_screen
from bot.screens.tutto.advice import calculator
from bot.strategy.tutto.odds import MAX_POINTS
from cogs.advice import chosen, offered, show_review
from cogs.command_texts import described
from cogs.game import GameCog


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
        edition: Literal["current", "modern", "classic"] | None = None,
        target: app_commands.Range[int, MIN_TARGET, MAX_TARGET] | None = None,
    ) -> None:
        defaults = self.defaults(interaction.guild_id)
        await self.open(
            interaction,
            {"edition": edition or defaults["edition"], "target": target or defaults["target"]},
        )

    def defaults(self, guild_id: int | None) -> dict[str, Any]:
        chosen = self.bot.servers.of(guild_id)
        return {"edition": chosen.edition, "target": chosen.target}

    @app_commands.command(name="odds", description=described("cmd-tutto-odds"))
    @app_commands.describe(
        dice=described("cmd-tutto-odds-dice"),
        card=described("cmd-tutto-odds-card"),
        points=described("cmd-tutto-odds-points"),
        aside=described("cmd-tutto-odds-aside"),
    )
    @app_commands.choices(
        card=[
            app_commands.Choice(
                name=described("tutto-card-bonus", points=card.bonus)
                if card.bonus
                else described(f"tutto-card-{card.value.replace('_', '-')}"),
                value=card.value,
            )
            for card in Card
            if card is not Card.STOP
        ]
    )
    async def odds(
        self,
        interaction: discord.Interaction[Any],
        dice: str,
        card: str = Card.BONUS_200.value,
        points: app_commands.Range[int, 0, MAX_POINTS] = 0,
        aside: str | None = None,
    ) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            blocks = await self.bot.sessions.think(calculator, dice, Card(card), points, aside)
            await answer.private(calculator_screen(blocks))

        await answer.within(work())

    @app_commands.command(name="review", description=described("cmd-review"))
    @app_commands.describe(game=described("cmd-review-game"))
    async def review(self, interaction: discord.Interaction[Any], game: str | None = None) -> None:
        answer = Answer(interaction, self.bot.catalogue)

        async def work() -> None:
            await show_review(self.bot, answer, await chosen(self.bot, answer, self.game, game))

        await answer.within(work())

    @review.autocomplete("game")
    async def games(
        self, interaction: discord.Interaction[Any], typed: str
    ) -> list[app_commands.Choice[str]]:
        return await offered(self.bot, interaction, self.game, typed)


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(TuttoCog(bot))
