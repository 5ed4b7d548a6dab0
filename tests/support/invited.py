"""The permissions of a bot that was invited."""

from __future__ import annotations

import discord
from simcord.backend import Backend
from simcord.backend.models import Guild

from bot.client import PERMISSIONS
from bot.discordpy.preview.strictness import invite


def grant_invited(backend: Backend, guild: Guild) -> None:
    """Let the bot do in a guild what its invite link asks for and no more, whatever all members may do."""
    invite(backend, guild, PERMISSIONS)
    for_all = guild.everyone_role.permissions & PERMISSIONS.value
    commands = discord.Permissions(use_application_commands=True).value
    backend.edit_role(guild.id, guild.id, {"permissions": for_all | commands})
