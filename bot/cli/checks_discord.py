"""Checks that ask Discord: the clock, the token, intents, and the permissions in each server."""

from __future__ import annotations

import email.utils
import time
from collections.abc import AsyncIterator, Iterator, Sequence

import aiohttp
import discord
from discord.http import Route

from bot.cli.findings import Finding, fail, ok, skipped, some
from bot.cli.text import PORTAL, program
from bot.client import INTENTS, PERMISSIONS, SCOPES
from bot.discordpy.client_state import expect_no_voice

CLOCK_SECONDS = 5.0
"""A clock that is further off makes clicks look too old, and turns too short or too long."""

MAX_SERVERS = 50
"""How many servers to check; each takes three requests."""

FEW_SESSIONS = 50
"""Fewer sessions left for the day probably mean that something restarts the bot in a loop."""

_FLAGS = {
    "members": "gateway_guild_members",
    "presences": "gateway_presence",
    "message_content": "gateway_message_content",
}
"""Discord's privileged intents, and the flag of an application that may use each."""


class Unreachable(Exception):
    """Discord can't be reached; the text says why."""


async def clock() -> Finding:
    """Compare this machine's time with Discord's. Raises :class:`Unreachable`."""
    timeout = aiohttp.ClientTimeout(total=10)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            before = time.time()
            async with session.get(f"{Route.BASE}/gateway") as response:
                stamp = response.headers.get("Date", "")
            after = time.time()
    except (aiohttp.ClientError, OSError) as error:
        raise Unreachable(str(error) or type(error).__name__) from error
    try:
        theirs = email.utils.parsedate_to_datetime(stamp).timestamp() + 0.5  # the header has whole seconds
    except ValueError:
        return skipped("clock", "Discord's answer has no time")
    offset = (before + after) / 2 - theirs
    if abs(offset) > CLOCK_SECONDS:
        ahead = "ahead" if offset > 0 else "behind"
        return fail(
            "clock",
            f"is {abs(offset):.0f} s {ahead} of Discord's",
            "synchronize it: timedatectl set-ntp true",
        )
    return ok("clock", "agrees with Discord's")


async def account(token: str) -> AsyncIterator[Finding]:
    """Check the token, the intents, the sessions left, and the permissions. Raises :class:`Unreachable`."""
    expect_no_voice()
    async with discord.Client(intents=INTENTS) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            yield fail(
                "login",
                "Discord refuses the token",
                f"take a new one from {PORTAL} (Bot > Reset Token) and put it into .env as DISCORD_TOKEN",
            )
            return
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise Unreachable(str(error) or type(error).__name__) from error
        assert client.user is not None
        yield ok("login", f"Discord takes the token; the bot is {client.user}, id {client.user.id}")
        try:
            yield await _intents(client)
            yield await _sessions(client)
            async for finding in _permissions(client):
                yield finding
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise Unreachable(str(error) or type(error).__name__) from error


async def _intents(client: discord.Client) -> Finding:
    """Check that the application may use the intents that the bot asks for."""
    asked = [name for name in _FLAGS if getattr(INTENTS, name)]
    if not asked:
        return ok("intents", "none of those the bot needs has to be switched on")
    flags = (await client.application_info()).flags
    off = [
        name
        for name in asked
        if not getattr(flags, _FLAGS[name]) and not getattr(flags, f"{_FLAGS[name]}_limited")
    ]
    if off:
        return fail(
            "intents", f"{some(off)} are not switched on", f"{PORTAL} (Bot > Privileged Gateway Intents)"
        )
    return ok("intents", f"{some(asked)} are switched on")


async def _sessions(client: discord.Client) -> Finding:
    """Check how many sessions the bot may still start today."""
    answer = await client.http.request(Route("GET", "/gateway/bot"))
    limit = answer.get("session_start_limit", {})
    left, total = limit.get("remaining"), limit.get("total")
    if not isinstance(left, int):
        return skipped("sessions", "Discord does not say how many the bot may still begin today")
    if left < FEW_SESSIONS:
        hours = limit.get("reset_after", 0) / 3_600_000
        return fail(
            "sessions",
            f"{left} of {total} left to begin today",
            f"stop what restarts the bot in a loop; the limit resets in {hours:.1f} h",
        )
    return ok("sessions", f"{left} of {total} left to begin today")


async def _permissions(client: discord.Client) -> AsyncIterator[Finding]:
    """Check each server for permissions that are missing where people could play."""
    servers = [guild async for guild in client.fetch_guilds(limit=None)]
    if not servers:
        link = discord.utils.oauth_url(client.application_id or 0, permissions=PERMISSIONS, scopes=SCOPES)
        yield fail("permissions", "the bot is in no server", f"invite it: {link}")
    for server in servers[:MAX_SERVERS]:
        yield await _of_server(client, server)
    if len(servers) > MAX_SERVERS:
        yield skipped("permissions", f"{len(servers) - MAX_SERVERS} more servers were not checked")


async def _of_server(client: discord.Client, server: discord.Guild) -> Finding:
    """Check the permissions in one server."""
    assert client.user is not None
    try:
        guild = await client.fetch_guild(server.id, with_counts=False)
        channels = await guild.fetch_channels()
        me = await guild.fetch_member(client.user.id)
    except discord.HTTPException as error:
        return skipped("permissions", f"{server.name} ({server.id}) could not be checked: {error}")
    where = f"{guild.name} ({guild.id})"
    lacking = _missing(_granted(me), voice=False)
    if lacking:
        return fail(
            "permissions",
            f"{where}: the bot is missing {some(lacking)}",
            f"give them to the bot's role (Server Settings > Roles), or invite it again: {program()} invite",
        )
    bad = [f"#{channel.name} ({some(names)})" for channel, names in _channels_lacking(channels, guild, me)]
    if bad:
        return fail(
            "permissions",
            f"{where}: people can write where the bot is missing permissions: {some(bad)}",
            "allow them for the bot's role in these channels (Edit Channel > Permissions)",
        )
    if not _granted(me).create_public_threads:
        return ok("permissions", f"{where}: complete, but for Create Public Threads: tables stay in channels")
    return ok("permissions", f"{where}: complete")


def _granted(me: discord.Member) -> discord.Permissions:
    """Combine the permissions of a member's roles in the server."""
    granted = discord.Permissions(me.guild.default_role.permissions.value)
    for role in me.roles:
        granted |= role.permissions
    return discord.Permissions.all() if granted.administrator else granted


def _channels_lacking(
    channels: Sequence[discord.abc.GuildChannel], guild: discord.Guild, me: discord.Member
) -> Iterator[tuple[discord.abc.GuildChannel, list[str]]]:
    """Yield each channel where people could play with the permissions that the bot lacks there.

    These are the channels in which everybody can write, and the hidden ones to which the bot was added.
    """
    for channel in channels:
        if not isinstance(channel, discord.abc.Messageable | discord.ForumChannel):
            continue
        ours, all_ = channel.permissions_for(me), channel.permissions_for(guild.default_role)
        open_to_all = all_.view_channel and (all_.send_messages or all_.send_messages_in_threads)
        hidden_but_given = not all_.view_channel and ours.view_channel
        names = _missing(ours, voice=isinstance(channel, discord.VoiceChannel | discord.StageChannel))
        if names and (open_to_all or hidden_but_given):
            yield channel, names


def _missing(granted: discord.Permissions, *, voice: bool) -> list[str]:
    """Name the missing permissions as Discord's own pages do; ``voice`` if people may talk there as well."""
    missing = discord.Permissions(PERMISSIONS.value & ~granted.value)
    # Tables in threads are a choice of the server's.
    missing.create_public_threads = False
    if not voice:
        missing.connect = False
    if missing.view_channel:
        # Nothing works without this one, so report it alone.
        return ["View Channels"]
    if missing.send_messages:
        # Discord denies these together with writing. Those that are missing by themselves are reported later.
        missing.update(embed_links=False, attach_files=False)
    return [name.replace("_", " ").title() for name, value in missing if value]
