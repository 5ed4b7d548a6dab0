"""Asks Discord who is in a server."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import discord

from bot.discordpy.errors import (
    DISCORD_ERRORS,
    MISSING_ACCESS,
    QUESTION_SECONDS,
    UNKNOWN_GUILD,
    UNKNOWN_MEMBER,
    UNKNOWN_USER,
)
from bot.discordpy.recent import Recent
from bot.i18n.names import folded, name_of, told_apart

MAX_ASKED = 100
"""Discord's limit of people in one request."""

PATIENCE_SECONDS = 1.0
"""How long to wait for Discord's answer about people."""

KNOWN_SECONDS = 300.0
"""How long an answer about a person holds. A connection may ask 110 times a minute, for all its servers."""

SILENT_SECONDS = 30.0
"""How long a server is not asked about again after Discord did not answer."""

MAX_KNOWN, MAX_SILENT = 20_000, 1_000
"""How many people and servers are remembered."""

_log = logging.getLogger(__name__)


class _Known(NamedTuple):
    """What Discord has said of a person."""

    present: bool
    name: str = ""
    username: str = ""


class KnownMembers:
    """Asks through the gateway who is in a server, and remembers the answers; ``now`` returns seconds."""

    def __init__(self, client: discord.AutoShardedClient, now: Callable[[], float]) -> None:
        self._client = client
        self._known: Recent[tuple[int, int], _Known] = Recent(MAX_KNOWN, KNOWN_SECONDS, now)
        self._silent: Recent[int, bool] = Recent(MAX_SILENT, SILENT_SECONDS, now)

    def note(self, guild_id: int, user: discord.abc.User) -> None:
        """Remember that a person is in a server, and their name there."""
        self._known.put((guild_id, user.id), _Known(True, name_of(user), user.name))

    async def present(self, guild_id: int, users: Collection[int]) -> set[int] | None:
        """Return those of at most 100 ``users`` who are in the server, or None if that can't be found out."""
        if any(self._known.get((guild_id, user_id)) is None for user_id in users):
            members = await self._ask(guild_id, users)
            if members is None:
                return None
            for user_id in users:
                if user_id in members:
                    self.note(guild_id, members[user_id])
                else:
                    self._known.put((guild_id, user_id), _Known(False))
        answers = {user_id: self._known.get((guild_id, user_id)) for user_id in users}
        return {user_id for user_id, answer in answers.items() if answer is not None and answer.present}

    def names(self, guild_id: int, stored: Mapping[int, str]) -> dict[int, str]:
        """Return the present names of people, or else the stored ones. Equal names get the username added."""
        known = {user_id: self._known.get((guild_id, user_id)) or _Known(False) for user_id in stored}
        names = {user_id: (name and known[user_id].name) or name for user_id, name in stored.items()}
        counts = Counter(map(folded, names.values()))
        return {
            user_id: told_apart(name, known[user_id].username, [name])
            if name and counts[folded(name)] > 1
            else name
            for user_id, name in names.items()
        }

    async def _ask(self, guild_id: int, users: Collection[int]) -> dict[int, discord.Member] | None:
        """Ask Discord which of these people are in a server. Return None if it can't be asked now."""
        guild = self._client.get_guild(guild_id)
        if guild is None or guild.unavailable or self._silent.get(guild_id):
            return None
        shard = self._client.get_shard(guild.shard_id)
        if shard is not None and shard.is_ws_ratelimited():
            return None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                members = await guild.query_members(user_ids=list(users), limit=MAX_ASKED, cache=False)
        except (*DISCORD_ERRORS, RuntimeError) as error:
            self._silent.put(guild_id, True)
            _log.info("Who is in server %s could not be found out: %s", guild_id, error or "time out")
            return None
        return {member.id: member for member in members}


async def is_member(client: discord.Client, guild_id: int, user_id: int) -> bool:
    """Return whether a person is in a server, or True if Discord doesn't answer."""
    try:
        async with asyncio.timeout(QUESTION_SECONDS):
            await client.http.get_member(guild_id, user_id)
    except discord.NotFound as error:
        return error.code not in (UNKNOWN_MEMBER, UNKNOWN_USER)
    except DISCORD_ERRORS:
        return True
    return True


async def is_in_guild(client: discord.Client, guild_id: int) -> bool | None:
    """Return whether the bot is in a server, or None if Discord doesn't answer."""
    try:
        async with asyncio.timeout(QUESTION_SECONDS):
            await client.http.get_guild(guild_id, with_counts=False)
    except discord.HTTPException as error:
        return False if error.code in (UNKNOWN_GUILD, MISSING_ACCESS) else None
    except DISCORD_ERRORS:
        return None
    return True
