"""Posts messages that belong to no game and answer nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import discord

from bot.discordpy.components import NO_MENTIONS, Rendered

POST_SECONDS = 20.0
"""How long a post may take. The library would wait for minutes."""

REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
"""What Discord answers if the bot may not post in a channel, or can't, or there is no such channel."""

MAX_OLDER = 500
"""How many of a channel's latest messages to look through for one that was posted already."""


async def announce(
    client: discord.Client,
    guild_id: int,
    channel_id: int,
    rendered: Rendered,
    nonce: str,
    since: float | None,
) -> bool:
    """Post a message that notifies nobody. Return False if Discord does not take it in this channel.

    For some minutes, Discord drops a second message with the same ``nonce``. With ``since`` (Unix seconds),
    nothing is posted if the channel has a newer message of the bot with the same buttons; this finds none
    where the bot may not read older messages. Raises Discord's errors if another try may succeed.
    """
    channel = client.get_partial_messageable(channel_id, guild_id=guild_id)
    try:
        async with asyncio.timeout(POST_SECONDS):
            if since is None or not await _was_posted(client, channel, rendered, since):
                await channel.send(view=rendered.view, allowed_mentions=NO_MENTIONS, nonce=nonce, silent=True)
    except discord.HTTPException as error:
        if error.status not in REFUSED:
            raise
        return False
    return True


async def _was_posted(
    client: discord.Client, channel: discord.PartialMessageable, rendered: Rendered, since: float
) -> bool:
    """Return whether the bot has posted a message with the same buttons after ``since``."""
    wanted = set(_custom_ids(rendered.to_components()))
    after = datetime.fromtimestamp(since, UTC)
    async for message in channel.history(limit=MAX_OLDER, after=after, oldest_first=False):
        if client.user is not None and message.author.id == client.user.id:
            shown = [part.to_dict() for part in message.components]
            if set(_custom_ids(shown)) == wanted:
                return True
    return False


def _custom_ids(components: Any) -> Iterator[str]:
    """Yield the ids of all buttons among components, which are JSON."""
    if isinstance(components, dict):
        if "custom_id" in components:
            yield components["custom_id"]
        components = list(components.values())
    if isinstance(components, list):
        for part in components:
            yield from _custom_ids(part)
