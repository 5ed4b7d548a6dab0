"""The odds calculator, a command that only Tutto has."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.tutto.cards import Card
from bot.screens.advice import calculator_screen
from bot.screens.tutto.advice import calculator
from bot.strategy.tutto.odds import MAX_POINTS
from cogs.advice import check_no_rated_game
from cogs.command_texts import described


def odds_command(bot: DiceBot) -> app_commands.Command[Any, ..., None]:
    """Build `/tutto odds`, which shows the odds of any roll."""

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
    @answered
    async def odds(
        answer: Answer,
        dice: str,
        card: str = Card.BONUS_200.value,
        points: app_commands.Range[int, 0, MAX_POINTS] = 0,
        aside: str | None = None,
    ) -> None:
        await check_no_rated_game(bot, answer.click().user_id, "tutto")
        blocks = await bot.sessions.odds(calculator, dice, Card(card), points, aside)
        await answer.private(calculator_screen(blocks))

    return odds
