"""The client's connections to the gateway: how sessions begin and go on, and which servers they reach."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import discord
import yarl
from discord.ext import commands

from bot.discordpy.client_state import expect_no_voice
from bot.discordpy.event_guard import guard_events
from bot.discordpy.gateway_resume import IdentifyLimiter, resume_sessions
from bot.discordpy.heartbeats import late_heartbeat
from bot.discordpy.interaction_payload import skip_messages
from bot.discordpy.met_limits import wait_for_limits
from bot.discordpy.reconnect_delays import ReconnectDelays
from bot.discordpy.session_starts import check_starts
from bot.discordpy.spent_limits import answer_at_once
from bot.observability import metrics

_log = logging.getLogger(__name__)


class ShardedBot(commands.AutoShardedBot):
    """A bot whose shards begin sessions no faster than Discord allows, and resume them."""

    def __init__(
        self, gateway_url: str | None, shard_count: int | None, shard_ids: Sequence[int], **options: Any
    ) -> None:
        """``gateway_url`` is that of a proxy, or None for Discord's own.

        Without a ``shard_count`` there are as many shards as Discord recommends, and without ``shard_ids``
        this process serves all of them. ``options`` are the library's.
        """
        expect_no_voice()
        answer_at_once()
        if shard_ids:
            options["shard_ids"] = list(shard_ids)
        super().__init__(shard_count=shard_count, **options)
        skip_messages(self)
        guard_events(self)
        wait_for_limits(self)
        self._gateway_url = gateway_url
        self._shard_count_is_set = shard_count is not None
        self._was_ready = False
        self._identify_limiter = IdentifyLimiter()
        self._delays = ReconnectDelays()
        self._in_session: set[int] = set()
        """The shards whose present connection was accepted."""

    async def launch_shards(self) -> None:
        if not self._gateway_url:
            await check_starts(self, len(self.shard_ids or ()) or self.shard_count or 1)
        elif not self._shard_count_is_set:
            # If the shard count is known, discord.py uses our gateway_url instead of asking Discord for one.
            self.shard_count, *_ = await self.http.get_bot_gateway()
        await super().launch_shards()

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        await super().launch_shard(gateway, shard_id, initial=initial)
        resume_sessions(self, shard_id, self._delays)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        if self._gateway_url:
            # A proxy may refuse to resume, but accepts a new session at any time.
            await self._identify_limiter.wait()
        else:
            await super().before_identify_hook(shard_id, initial=initial)

    async def on_message(self, message: discord.Message) -> None:
        """Ignore messages; the bot has no text commands."""

    async def on_ready(self) -> None:
        metrics.session_new.inc()
        if self._was_ready:
            metrics.events_lost.inc()
        self._was_ready = True
        servers = len(self.guilds)
        _log.info("Ready as %s in %s server%s", self.user, servers, "" if servers == 1 else "s")

    async def on_shard_connect(self, shard_id: int) -> None:
        self._accepted(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        self._accepted(shard_id)

    def _accepted(self, shard_id: int) -> None:
        self._delays.established(shard_id)
        self._in_session.add(shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        self._in_session.discard(shard_id)

    async def on_resumed(self) -> None:
        metrics.session_resumed.inc()

    async def on_disconnect(self) -> None:
        metrics.gateway_disconnects.inc()

    def problem(self) -> str | None:
        """Return why the bot is not connected to Discord; None if it is."""
        if self.is_closed():
            return "the bot is stopping"
        if not self._was_ready:
            return "the bot is not connected to Discord yet"
        if not all(
            shard_id in self._in_session and not shard.is_closed() for shard_id, shard in self.shards.items()
        ):
            return "the connection to Discord is lost; the bot is trying to get it back"
        late = late_heartbeat(self)
        return None if late is None else f"degraded: {late}"

    def is_reachable(self, guild_id: int) -> bool:
        """Return whether clicks from a server can reach the bot, also if another process receives them.

        They can't while the connection is lost, in an outage of the server, and after the bot was removed.
        """
        guild = self.get_guild(guild_id)
        shard_id = guild.shard_id if guild is not None else (guild_id >> 22) % (self.shard_count or 1)
        shard = self.get_shard(shard_id)
        if shard is not None and (shard_id not in self._in_session or shard.is_closed()):
            return False
        # A server of another process's shard is unknown here; one of an own shard was left.
        return shard is None if guild is None else not guild.unavailable
