"""*Apps > Challenge* in a person's menu: opens a lobby that invites this person."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.registry import GAMES
from bot.sessions.request import Refused
from cogs.command_texts import described
from cogs.lobby import default_options, open_lobby
from cogs.permissions import check_can_come

GAME = next(iter(GAMES))
"""The game of a challenge: the first, as a menu can't ask which."""


def check_invited(interaction: discord.Interaction[DiceBot], member: discord.User | discord.Member) -> None:
    """Raise :class:`Refused` unless this person can play in the interaction's channel."""
    if member.id == interaction.user.id:
        raise Refused("error-challenge-self")
    if member.bot:
        raise Refused("error-challenge-bot")
    check_can_come(interaction, member, hidden="error-challenge-hidden")


async def setup(bot: DiceBot) -> None:
    @answered
    async def challenge(answer: Answer, member: discord.User | discord.Member) -> None:
        check_invited(answer.interaction, member)
        options = default_options(bot, GAME, answer.interaction.guild_id)
        await open_lobby(bot, answer, GAME, options, member.id)

    async def callback(
        interaction: discord.Interaction[DiceBot], member: discord.User | discord.Member
    ) -> None:
        await challenge(interaction, member)

    bot.tree.add_command(app_commands.ContextMenu(name=described("cmd-challenge-menu"), callback=callback))
