"""Asks Discord who is still in a server, because only a privileged intent would send events about it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from bot.client import DiceBot
from bot.discordpy.answer import DISCORD_ERRORS

PATIENCE_SECONDS = 1.0
"""How long to wait for Discord's answer; without one, nobody's presence changes."""

MAX_ASKED = 100
"""Discord's limit of people in one request."""

_log = logging.getLogger(__name__)


async def freshen(bot: DiceBot, guild_id: int, users: Sequence[int]) -> bool:
    """Find out which of these people have left the server or come back. Return whether anybody has."""
    absent = await bot.store.absent(guild_id, MAX_ASKED - len(users))
    present = await _present(bot, guild_id, [*users, *absent])
    if present is None:
        return False
    found = {user_id: user_id in present for user_id in users if user_id not in present}
    found |= {user_id: True for user_id in absent if user_id in present}
    news = bool(found)
    if len(users) + len(absent) >= MAX_ASKED:
        # More people than fit into one request: move these to the end of the queue.
        found |= {user_id: False for user_id in absent if user_id not in present}
    await bot.store.set_present(guild_id, found, bot.sessions.now())
    return news


async def _present(bot: DiceBot, guild_id: int, users: Sequence[int]) -> set[int] | None:
    """Return those of ``users`` who are in the server, or None if Discord doesn't answer."""
    guild = bot.get_guild(guild_id)
    if guild is None or guild.unavailable or not users:
        return None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            members = await guild.query_members(user_ids=list(users), limit=MAX_ASKED, cache=False)
    except (*DISCORD_ERRORS, RuntimeError) as error:
        _log.info("Who is in server %s could not be found out: %s", guild_id, error or "time out")
        return None
    return {member.id for member in members}
