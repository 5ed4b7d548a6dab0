"""Asks Discord who is in a server."""

from __future__ import annotations

import discord

from bot.discordpy.answer import DISCORD_ERRORS

UNKNOWN_MEMBER = 10007
UNKNOWN_GUILD, MISSING_ACCESS = 10004, 50001


async def is_member(client: discord.Client, guild_id: int, user_id: int) -> bool:
    """Return whether a person is in a server, or True if Discord doesn't answer."""
    try:
        await client.http.get_member(guild_id, user_id)
    except discord.NotFound as error:
        return error.code != UNKNOWN_MEMBER
    except (discord.DiscordException, OSError):
        return True
    return True


async def is_in_guild(client: discord.Client, guild_id: int) -> bool | None:
    """Return whether the bot is in a server, or None if Discord doesn't answer."""
    try:
        await client.http.get_guild(guild_id, with_counts=False)
    except discord.HTTPException as error:
        return False if error.code in (UNKNOWN_GUILD, MISSING_ACCESS) else None
    except DISCORD_ERRORS:
        return None
    return True
