"""Finds out what state a channel is in: from discord.py's cache, or by asking Discord."""

from __future__ import annotations

import asyncio
from typing import Any

import discord

from bot.discordpy.errors import DISCORD_ERRORS, QUESTION_SECONDS, UNKNOWN_CHANNEL


async def is_locked(client: discord.Client, guild_id: int, channel_id: int) -> bool:
    """Return whether a channel is a locked thread, in which only moderators can post or click.

    Return False if Discord doesn't say.
    """
    guild = client.get_guild(guild_id)
    cached = guild.get_channel_or_thread(channel_id) if guild is not None else None
    if cached is not None:
        return isinstance(cached, discord.Thread) and cached.locked
    # The cache has neither archived threads, nor private ones that the bot is not in.
    try:
        channel = await _asked(client, channel_id)
    except DISCORD_ERRORS:
        return False
    metadata = channel.get("thread_metadata") or {}
    return bool(metadata.get("locked"))


async def is_accessible(client: discord.Client, channel_id: int) -> bool:
    """Return whether the bot can see a channel, or True if Discord doesn't say."""
    try:
        await _asked(client, channel_id)
    except discord.Forbidden:
        return False
    except DISCORD_ERRORS:
        return True
    return True


async def is_gone(client: discord.Client, guild_id: int, channel_id: int) -> bool:
    """Return whether a channel was deleted, or False if Discord doesn't say.

    No event tells of one that was deleted while the bot was away, nor of the archived threads of a channel.
    """
    guild = client.get_guild(guild_id)
    if guild is None or guild.unavailable or guild.get_channel_or_thread(channel_id) is not None:
        return False
    try:
        await _asked(client, channel_id)
    except DISCORD_ERRORS as error:
        return getattr(error, "code", 0) == UNKNOWN_CHANNEL
    return False


async def _asked(client: discord.Client, channel_id: int) -> Any:
    """Return a channel as Discord describes it. Raises one of ``DISCORD_ERRORS``."""
    async with asyncio.timeout(QUESTION_SECONDS):
        return await client.http.get_channel(channel_id)
