"""Who is still in a server. Discord does not tell by itself without a privileged intent, so it is asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from bot.client import DiceBot
from bot.discordpy.answer import DISCORD_ERRORS

PATIENCE_SECONDS = 1.0
"""How long Discord may take to answer; after that nobody counts as having left or come back."""

MAX_ASKED = 100
"""People in one question, which is Discord's limit."""

_log = logging.getLogger(__name__)


async def freshen(bot: DiceBot, guild_id: int, users: Sequence[int]) -> bool:
    """Find out who of these people has left the server and who has come back; return whether anybody has."""
    absent = await bot.store.absent(guild_id, MAX_ASKED - len(users))
    present = await _present(bot, guild_id, [*users, *absent])
    if present is None:
        return False
    found = {user_id: user_id in present for user_id in users if user_id not in present}
    found |= {user_id: True for user_id in absent if user_id in present}
    news = bool(found)
    if len(users) + len(absent) >= MAX_ASKED:
        # There are more than can be asked about at once: these go to the end of the queue.
        found |= {user_id: False for user_id in absent if user_id not in present}
    await bot.store.set_present(guild_id, found, bot.sessions.now())
    return news


async def _present(bot: DiceBot, guild_id: int, users: Sequence[int]) -> set[int] | None:
    """Return those of ``users`` who are in the server, or None if Discord doesn't say now."""
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
