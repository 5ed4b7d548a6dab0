"""`/dicebot`: the bot's status and maintenance, for the application's owner in one server."""

from __future__ import annotations

import discord
from discord import app_commands

from bot import __version__
from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.i18n.say import say
from bot.screens.owner import status
from bot.screens.private import note
from bot.services.maintenance import TEXT_LENGTH
from bot.sessions.request import Refused
from cogs.command_texts import described


class OwnerCommands(app_commands.Group):
    """The owner's commands. Discord shows them only to administrators of the server."""

    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot
        super().__init__(
            name="dicebot",
            description=described("cmd-owner"),
            default_permissions=discord.Permissions(administrator=True),
        )

    @app_commands.command(name="status", description=described("cmd-owner-status"))
    @answered
    async def status(self, answer: Answer) -> None:
        await self._check_owner(answer)
        usage = await self.bot.store.usage(self.bot.sessions.now())
        await answer.private(status(usage, len(self.bot.guilds), self.bot.latency, __version__))

    @app_commands.command(name="maintenance", description=described("cmd-owner-maintenance"))
    @app_commands.describe(text=described("cmd-owner-maintenance-text"))
    @answered
    async def maintenance(
        self, answer: Answer, text: app_commands.Range[str, 1, TEXT_LENGTH] | None = None
    ) -> None:
        await self._check_owner(answer)
        await answer.private(note(say("done-maintenance")))
        await self.bot.maintenance.request(text or "")

    async def _check_owner(self, answer: Answer) -> None:
        """Raise :class:`Refused` unless the person owns the application, alone or in a team."""
        if not await self.bot.is_owner(answer.interaction.user):
            raise Refused("error-owner-only")


async def setup(bot: DiceBot) -> None:
    if bot.settings.owner_guild_id is not None:
        bot.tree.add_command(OwnerCommands(bot), guild=discord.Object(bot.settings.owner_guild_id))
