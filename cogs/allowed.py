"""Who may do what in a server, by Discord's permissions and by what the server has chosen."""

from __future__ import annotations

from typing import Any

import discord

from bot.client import DiceBot
from bot.request import Refused


def check_manages(interaction: discord.Interaction[Any]) -> None:
    """Raise :class:`Refused` unless it comes from somebody who manages the server, as Discord says now."""
    if not interaction.permissions.manage_guild:
        raise Refused("error-settings-manage")


def check_start(bot: DiceBot, interaction: discord.Interaction[Any]) -> None:
    """Raise :class:`Refused` unless the server lets this person start a game in this channel."""
    settings = bot.servers.of(interaction.guild_id)
    channel = interaction.channel
    here = {interaction.channel_id, getattr(channel, "parent_id", None)}
    if settings.channels and not here & set(settings.channels):
        raise Refused(
            "error-channel-not-chosen", channels=", ".join(f"<#{one}>" for one in settings.channels)
        )
    if not settings.starters or interaction.permissions.manage_guild:
        return
    roles = {role.id for role in getattr(interaction.user, "roles", ())}
    if not roles & set(settings.starters):
        raise Refused("error-start-not-chosen", roles=", ".join(f"<@&{one}>" for one in settings.starters))
