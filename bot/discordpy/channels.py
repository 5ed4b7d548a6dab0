"""Finds out what state a channel is in: from discord.py's cache, or by asking Discord."""

from __future__ import annotations

import asyncio
from typing import Any

import discord

from bot.discordpy.errors import DISCORD_ERRORS, QUESTION_SECONDS


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
        async with asyncio.timeout(QUESTION_SECONDS):
            channel: Any = await client.http.get_channel(channel_id)
    except DISCORD_ERRORS:
        return False
    metadata = channel.get("thread_metadata") or {}
    return bool(metadata.get("locked"))


async def is_accessible(client: discord.Client, channel_id: int) -> bool:
    """Return whether the bot can see a channel, or True if Discord doesn't say."""
    try:
        async with asyncio.timeout(QUESTION_SECONDS):
            await client.http.get_channel(channel_id)
    except discord.Forbidden:
        return False
    except DISCORD_ERRORS:
        return True
    return True
