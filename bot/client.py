"""The Discord client: opens the store, loads the cogs, registers the commands, runs the services."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, cast

import discord
from discord import app_commands
from prometheus_client import Histogram

from bot.daily.game import DailyGames
from bot.discordpy.announcing import announce
from bot.discordpy.answer import Answer
from bot.discordpy.channels import is_locked
from bot.discordpy.client_state import cancel_ready, prepare_close
from bot.discordpy.command_sync import sync_commands
from bot.discordpy.command_tree import Tree
from bot.discordpy.components import render
from bot.discordpy.direct_messages import send_direct
from bot.discordpy.emojis import DiscordEmojis
from bot.discordpy.handling import MAX_SEEN
from bot.discordpy.membership import KnownMembers, is_in_guild, is_member
from bot.discordpy.rate_limits import RateLimits
from bot.discordpy.recent import Recent
from bot.discordpy.sharded_bot import ShardedBot
from bot.discordpy.sharing import Shares
from bot.discordpy.visibility import Visibility
from bot.i18n.catalogue import Catalogue
from bot.observability import metrics
from bot.registry import GAMES, TEXT_ICONS
from bot.screens.model import Screen
from bot.services.data_retention import DataRetention
from bot.services.deadlines import DeadlineScheduler
from bot.services.derived import DerivedResults
from bot.services.emojis import ApplicationEmojis
from bot.services.erasure import erase
from bot.services.guild_settings import GuildSettingsCache
from bot.services.jobs import Service, WorkQueue
from bot.services.leases import Leases
from bot.services.luck_backfill import LuckBackfill
from bot.services.maintenance import LOOK_SECONDS, Maintenance
from bot.services.notifier import Notifier
from bot.services.painter import Painter
from bot.services.seasons import SeasonCloser
from bot.services.thinking import Thinker
from bot.services.timekeeper import Timekeeper
from bot.sessions.request import DOUBLE_CLICK_SECONDS
from bot.sessions.session import Sessions, Think
from bot.settings import Settings
from bot.store.base import Shared, Store, Unusable
from bot.store.bounded import Bounded
from bot.store.operator_note import NoteFile, NoteInStore
from bot.store.postgres.address import open_postgres
from bot.store.sqlite.store import SqliteStore
from bot.store.timed import TimedStore

STOP_SECONDS = 4.0
"""How long the bot, when it stops, waits for interactions in progress."""

DISCONNECT_SECONDS = 1.0
"""How long the bot, when it stops, waits for the gateway to close; it receives nothing meanwhile."""

MOVE_SECONDS, RESULT_SECONDS, REVIEW_SECONDS = 10.0, 60.0, 300.0
"""Time limits of an AI's decision or odds, of a record, a replay or a picture, and of a review.

The slowest decisions take 0.1 s, and the records of the longest games a second.
"""

RESULT_NICE = 15
"""Added to the niceness of the workers for records, reviews and the like, which keep nobody from playing."""

MOVE_PROCESSES = 2
"""How many processes may compute moves and odds: one is enough unless an AI hangs in it."""

MAX_DELETIONS = 50
"""How many refusals of clicks to delete at the same time."""

VISIBLE_SECONDS = 10.0
"""How long to remember who can see which channels, and which games a person may choose from."""

MAX_VISIBLE, MAX_CHOICES = 20, 200
"""For how many servers and people to remember that; a server has up to 500 channels, besides threads."""

COGS = (
    "cogs.table",
    "cogs.channels",
    "cogs.game",
    "cogs.challenge",
    "cogs.leaderboard",
    "cogs.stats",
    "cogs.history",
    "cogs.open_tables",
    "cogs.notifications",
    "cogs.daily",
    "cogs.puzzle",
    "cogs.settings",
    "cogs.privacy",
    "cogs.help",
    "cogs.owner",
    "cogs.command_translator",
)

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    embed_links=True,
    attach_files=True,
    connect=True,
)
"""The permissions that the invite link asks for: Connect for the chats of voice and stage channels.

Create Public Threads is for tables in threads of their own; without it they stay in the channel.

The application's own emojis need no permission.
"""

SCOPES = ("bot", "applications.commands")

INTENTS = discord.Intents(guilds=True)
"""The events to receive. None is privileged: interactions carry the member."""

_log = logging.getLogger(__name__)


class DiceBot(ShardedBot):
    """The bot. It owns the store and all services, which exist from :meth:`setup_hook` on."""

    sessions: Sessions
    store: Store
    servers: GuildSettingsCache
    app_emojis: ApplicationEmojis
    derived: DerivedResults
    daily: DailyGames
    notifier: Notifier
    painter: Painter
    luck: LuckBackfill
    maintenance: Maintenance
    retention: DataRetention
    seasons: SeasonCloser
    deadlines: DeadlineScheduler

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], float] | None = None,
        *,
        always_sync: bool = False,
        think: Think | None = None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """``now`` returns Unix seconds, by default the clock's, and ``steady`` seconds that only count up.

        ``always_sync`` registers commands and emojis even if Discord is known to have them. ``think`` calls
        slow functions, by default in worker processes.
        """
        super().__init__(
            settings.gateway_url,
            settings.shard_count,
            settings.shard_ids,
            command_prefix=(),
            help_command=None,
            tree_cls=Tree,
            intents=INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=False, private_channel=False
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        self.settings = settings
        self.catalogue = Catalogue(TEXT_ICONS)
        # discord.py's clock: a stand-in for Discord that moves it moves the deadlines too.
        self.time = Timekeeper(now or (lambda: discord.utils.utcnow().timestamp()), now or steady)
        self._now = self.time.now
        self._always_sync = always_sync
        self.limits = RateLimits(now or steady)
        self.members = KnownMembers(self, self._now)
        self.visibility: Recent[int, Visibility] = Recent(MAX_VISIBLE, VISIBLE_SECONDS, self._now)
        """Who can see which channels, by server."""
        self.game_choices: Recent[tuple[int, int, int, str], list[app_commands.Choice[str]]] = Recent(
            MAX_CHOICES, VISIBLE_SECONDS, self._now
        )
        """The finished games that people may choose from, by server, channel, person and game."""
        self.choosing = asyncio.Lock()
        """Held while :attr:`game_choices` are worked out for one person."""
        self.threads_opened: Recent[tuple[int, int], bool] = Recent(
            MAX_CHOICES, DOUBLE_CLICK_SECONDS, self._now
        )
        """The messages whose button has just opened a table in a thread, and the people who clicked."""
        self.shares = Shares()
        self.sharing: set[tuple[int, int]] = set()
        """The reviews that are being posted, by game and channel."""
        # A review takes seconds and must delay neither an AI's move nor another person's record.
        self._thinkers = (
            Thinker(MOVE_SECONDS, most=MOVE_PROCESSES),
            Thinker(RESULT_SECONDS, nice=RESULT_NICE, threads=False),
            Thinker(REVIEW_SECONDS, nice=RESULT_NICE, threads=False),
        )
        self._think_move: Think = think or self._thinkers[0]
        self._think_result: Think = think or self._thinkers[1]
        self._think_review: Think = think or self._thinkers[2]
        self._services: list[Service] = []
        """The running services, in the order in which they were started."""
        self._store: Store | None = None
        self._shared: Shared | None = None
        """The store, if other processes may use it, too."""
        self._leases: Leases | None = None
        self.fatal: Unusable | None = None
        """Why the bot can't go on, once ``failed`` is set."""
        self.failed = asyncio.Event()
        self.stopping = asyncio.Event()
        """Set to stop the bot."""
        self.running: set[asyncio.Future[None]] = set()
        """The interactions that are being answered."""
        self.deletions = WorkQueue[Answer](
            "delete refusal",
            Answer.delete,
            failure="The refusal of %s could not be deleted",
            at_once=MAX_DELETIONS,
        )
        self.seen: Bounded[int, None] = Bounded(MAX_SEEN)
        """Ids of the latest interactions, so that one that is delivered twice is handled once."""

    async def setup_hook(self) -> None:
        self._store = await self._open()
        self.time.start(await self._store.youngest_interaction())
        store = TimedStore(self._store) if metrics.enabled() else self._store
        self.sessions = Sessions(store, self._now, think=_timed(self._think_move, metrics.move_thinking))
        self.store = self.sessions.store
        if self._think_move is self._thinkers[0]:
            # Start a worker now, since the AI will need it soon.
            self.sessions.on_lobby = lambda: self._thinkers[0].warm("bot.registry")
        self.derived = DerivedResults(
            self.store,
            _timed(self._think_result, metrics.result_thinking),
            _timed(self._think_review, metrics.review_thinking),
        )
        self.daily = DailyGames(self.store.daily, self._now, lambda: self.time.certain, self.derived.call)
        self.servers = GuildSettingsCache(self.store, self.catalogue.languages)
        await self.servers.load()
        self._make_services()
        for entry in GAMES.values():
            for problem in entry.problems():
                _log.warning("The AI players of %s play without a table: %s", entry.rules.key, problem)
        for cog in COGS:
            await import_module(cog).setup(self)
        await sync_commands(
            self.tree,
            self.store,
            self.settings.guild_ids,
            self.settings.owner_guild_id,
            always=self._always_sync,
        )
        emojis = (self.app_emojis,) if self.settings.emojis else ()
        services = (self.maintenance, self.luck, self.retention, self.seasons, self.notifier, self.painter)
        # Deadlines come last, because games that are due need the others.
        for service in (*services, *emojis, self.deadlines):
            await service.start()
            self._services.append(service)

    def _make_services(self) -> None:
        self.app_emojis = ApplicationEmojis(
            self.catalogue,
            self.store,
            DiscordEmojis(self),
            self._now,
            application_id=self.application_id or 0,
            # One process uploads them and stores their ids for the others.
            leads=not self.settings.shard_ids or 0 in self.settings.shard_ids,
            trusting=not self._always_sync,
        )
        self.notifier = Notifier(
            self.store, self.catalogue, self.servers, partial(send_direct, self), self.sessions.now
        )
        self.painter = Painter(
            self,
            self.sessions,
            self.catalogue,
            self.servers,
            self.notifier,
            self.derived,
            self.app_emojis.report_refused,
            step_by_step=self.settings.step_by_step,
        )
        self.notifier.mention = partial(self.painter.paint, remind=True)
        self.maintenance = Maintenance(
            self.sessions,
            NoteInStore(self.store) if self.settings.postgres else NoteFile(self.settings.database),
            place=",".join(map(str, self.settings.shard_ids)),
            look_seconds=LOOK_SECONDS if self.settings.postgres else None,
            show_notice=self.painter.show_notice,
            paint=self.painter.paint,
            stop=self.stopping.set,
        )
        self.luck = LuckBackfill(self.sessions, self._think_review)
        self.retention = DataRetention(
            self.store,
            self.sessions.now,
            seen=lambda: {guild.id for guild in self.guilds},
            is_in=partial(is_in_guild, self),
            purged=self.servers.forget,
            is_responsible_for=self.is_responsible_for,
            is_certain=lambda: self.time.certain,
            erase=self.erase,
        )
        self.seasons = SeasonCloser(
            self.store,
            self.servers,
            self.sessions.now,
            is_certain=lambda: self.time.certain,
            post=self._announce,
        )
        self.deadlines = DeadlineScheduler(
            self.sessions,
            self.painter.paint,
            partial(is_member, self),
            partial(is_locked, self),
            is_reachable=self.is_reachable,
            is_certain=lambda: self.time.certain,
        )
        self.time.on_jump = self.deadlines.restart_clocks

    async def erase(self, user_id: int) -> None:
        """Delete everything about a person."""
        await erase(self.sessions, self.painter.paint_soon, user_id)

    async def _announce(
        self, guild_id: int, channel_id: int, screen: Screen, nonce: str, since: float | None
    ) -> bool:
        """Post a screen in the language of a server; see :func:`~bot.discordpy.announcing.announce`."""
        guild = self.get_guild(guild_id)
        locales = (self.servers.of(guild_id).language, str(guild.preferred_locale) if guild else None)
        locale = self.catalogue.language(locales)
        rendered = render(screen, self.catalogue, locale)
        return await announce(self, guild_id, channel_id, rendered, nonce, since)

    async def _open(self) -> Store:
        """Open the database.

        On PostgreSQL, start the lease that decides which process looks after which servers.
        """
        settings = self.settings
        if not settings.postgres:
            return await SqliteStore.open(settings.database)
        store: Any = await open_postgres(settings.postgres)
        self._shared = store
        count = settings.shard_count or 1
        self._leases = Leases(
            store, count, settings.shard_ids or range(count), self._take_over, self._give_up
        )
        try:
            await self._leases.start()
        except BaseException:
            await store.close()
            raise
        return cast(Store, store)

    async def _take_over(self) -> None:
        """Take over the background work of a process that has stopped."""
        # The settings of its servers may have changed since they were read.
        await self.servers.load()
        if hasattr(self, "deadlines"):
            self.deadlines.take_over()

    def begin_maintenance(self) -> None:
        """Announce maintenance, then stop."""
        if hasattr(self, "maintenance"):
            self.maintenance.wake()
        else:
            self.stopping.set()

    def learn_time(self, discord_id: int) -> None:
        """Learn the time from an id that Discord has just made."""
        self.time.learn(discord_id)

    async def carried_out(self, interaction_id: int) -> bool:
        """Return whether another process has changed a game as an interaction asks."""
        return self._shared is not None and await self._shared.carried_out(interaction_id)

    async def claim(self, interaction_id: int) -> bool:
        """Claim an interaction for this process. Return False if another one has done so."""
        return self._shared is None or await self._shared.claim(interaction_id)

    def is_reachable(self, guild_id: int) -> bool:
        served = self._leases is None or self._leases.is_served(guild_id)
        return served and super().is_reachable(guild_id)

    def _give_up(self, error: Unusable) -> None:
        """Note that the database can't be used any more, so that the bot is stopped."""
        self.fatal = error
        self.failed.set()

    def is_responsible_for(self, discord_id: int) -> bool:
        """Return whether this process does the background work of a server, or of a person."""
        return self._leases is None or self._leases.is_responsible_for(discord_id)

    async def close(self) -> None:
        try:
            await self._finish()
            await self.deletions.stop()
            await self.stop_services()
            cancel_ready(self)
            await prepare_close(self)
            await super().close()
        finally:
            for thinker in self._thinkers:
                await thinker.close()
            store, self._store = self._store, None
            leases, self._leases = self._leases, None
            if leases is not None:
                await leases.stop()
            if store is not None:
                await store.close()

    async def stop_services(self) -> None:
        """Stop the services, in the reverse order of their start."""
        while self._services:
            await self._services.pop().stop()

    async def _finish(self) -> None:
        """Stop receiving clicks, and answer those that were received.

        A click received later could store its move, but the connection for the answer would be closed.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + STOP_SECONDS
        closing = [asyncio.ensure_future(shard.disconnect()) for shard in self.shards.values()]
        if closing:
            await asyncio.wait(closing, timeout=DISCONNECT_SECONDS)
        while self.running and loop.time() < end:
            await asyncio.wait(self.running, timeout=end - loop.time())
        for task in self.running:
            task.cancel()

    # For bot/observability/health.py.

    async def ping(self) -> None:
        await self.store.ping()

    async def snapshot(self) -> metrics.Snapshot:
        connected = self.problem() is None
        games = await self.store.active_counts() if self._store is not None else {}
        return metrics.Snapshot(connected, self.latency if connected else None, len(self.guilds), games)


def _timed(think: Think, histogram: Histogram) -> Think:
    """Return ``think``, measuring how long each call takes."""

    async def timed(function: Callable[..., Any], *args: Any) -> Any:
        start = time.perf_counter()
        try:
            return await think(function, *args)
        finally:
            histogram.observe(time.perf_counter() - start)

    return timed
