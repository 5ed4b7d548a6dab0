"""Threads that the bot makes for tables: starting one, and adding people to it."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

import discord

from bot.discordpy.components import Rendered
from bot.discordpy.errors import DISCORD_ERRORS, THREAD_EXISTS

ARCHIVE_MINUTES: Final = 1440
"""After how long without a message Discord archives a thread. A new table in it opens it again."""

MAX_NAME = 100
"""Discord's limit of characters in the name of a thread."""

REQUEST_SECONDS = 5.0
"""How long each of the requests may take."""

_log = logging.getLogger(__name__)


async def start_thread(
    client: discord.Client,
    channel: discord.PartialMessageable,
    name: str,
    rendered: Rendered,
    allowed: discord.AllowedMentions,
    nonce: str,
) -> int | None:
    """Post a message and start a thread from it. Return the id of both, or None if Discord refuses.

    The nonce, and the id that the thread shares with its message, keep repeated requests from making two.
    """
    message: discord.Message | None = None
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            message = await channel.send(view=rendered.view, allowed_mentions=allowed, nonce=nonce)
        async with asyncio.timeout(REQUEST_SECONDS):
            await client.http.start_thread_with_message(
                channel.id, message.id, name=name[:MAX_NAME], auto_archive_duration=ARCHIVE_MINUTES
            )
    except DISCORD_ERRORS as error:
        if message is not None and getattr(error, "code", 0) == THREAD_EXISTS:
            return message.id
        _log.info("No thread could be started in channel %s: %s", channel.id, error or "time out")
        if message is not None:
            await remove_start(channel, message.id)
        return None
    return message.id


async def remove_start(channel: discord.PartialMessageable, message_id: int) -> None:
    """Delete the message of a thread in which no table could be opened. Errors are only logged."""
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            await channel.get_partial_message(message_id).delete()
    except DISCORD_ERRORS as error:
        _log.info("Message %s of a thread stays: %s", message_id, error or "time out")


def is_own_thread(client: discord.Client, guild_id: int, channel_id: int) -> bool:
    """Return whether a channel is a thread that the bot has made."""
    guild = client.get_guild(guild_id)
    thread = guild.get_thread(channel_id) if guild is not None else None
    return thread is not None and client.user is not None and thread.owner_id == client.user.id


async def add_to_thread(client: discord.Client, thread_id: int, user_id: int) -> None:
    """Add a person to a thread. They can play there without it, so errors are only logged."""
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            await client.http.add_user_to_thread(thread_id, user_id)
    except DISCORD_ERRORS as error:
        _log.info("Nobody could be added to thread %s: %s", thread_id, error or "time out")
