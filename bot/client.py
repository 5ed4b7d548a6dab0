"""The Discord client: opens the store, loads the cogs, keeps the commands in step, wakes games."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.emojis import Drawings
from bot.i18n.catalogue import Catalogue
from bot.keeper import Keeper
from bot.registry import GAMES
from bot.screens.icons import TEXT_ICONS
from bot.servers import Servers
from bot.session import Sessions
from bot.settings import Settings
from bot.store.base import Store
from bot.store.sqlite import SqliteStore

UNKNOWN_MEMBER = 10007

COGS = ("cogs.table", *(f"cogs.{game}" for game in GAMES), "cogs.leaderboard")

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    embed_links=True,
    attach_files=True,
    use_external_emojis=True,
)
"""What the invite link asks for. No privileged intents: interactions carry the member."""

SCOPES = ("bot", "applications.commands")

# The bot has no voice; the library need not tell every operator what voice would take.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

_log = logging.getLogger(__name__)


class DiceBot(commands.Bot):
    """The bot. ``sessions``, ``catalogue`` and ``painter`` are there from :meth:`setup_hook` on."""

    sessions: Sessions
    store: Store
    servers: Servers
    drawings: Drawings

    def __init__(
        self, settings: Settings, now: Callable[[], float] | None = None, *, always_sync: bool = False
    ) -> None:
        """``now`` gives Unix seconds; ``always_sync``: register commands and emojis even if known."""
        intents = discord.Intents.none()
        intents.guilds = True
        super().__init__(
            command_prefix=(),
            help_command=None,
            intents=intents,
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
        self._now = now or (lambda: discord.utils.utcnow().timestamp())
        self._always_sync = always_sync
        self._keeper: Keeper | None = None
        self._store: SqliteStore | None = None
        self.painter: Any = None
        self.taken: dict[int, None] = {}
        """The latest interactions, so that one delivered twice is handled once; see cogs/answer.py."""

    async def setup_hook(self) -> None:
        self._store = await SqliteStore.open(self.settings.database)
        self.store = self._store
        self.sessions = Sessions(self.store, self._now)
        self.servers = Servers(self.store, self.catalogue.languages)
        await self.servers.load()
        self.drawings = Drawings(
            self.catalogue, self.store, _Shelf(self), self._now, trusting=not self._always_sync
        )
        for cog in COGS:
            await self.load_extension(cog)
        await self._sync()
        if self.settings.emojis:
            await self.drawings.start(self.application_id or 0)
        self._keeper = Keeper(self.sessions, self.painter.paint, self._is_member)
        await self._keeper.start()

    async def close(self) -> None:
        try:
            if self._keeper is not None:
                await self._keeper.stop()
            if self._store is not None:
                await self.drawings.stop()
            if self.painter is not None:
                await self.painter.stop()
            await super().close()
        finally:
            store, self._store = self._store, None
            if store is not None:
                await store.close()

    async def on_message(self, message: discord.Message) -> None:
        """Messages are none of the bot's business; it has no text commands."""

    async def on_ready(self) -> None:
        _log.info("Ready as %s in %s servers", self.user, len(self.guilds))

    async def _is_member(self, guild_id: int, user_id: int) -> bool:
        """Whether somebody is in a server; if Discord doesn't say, they are taken to be."""
        try:
            await self.http.get_member(guild_id, user_id)
        except discord.NotFound as error:
            return error.code != UNKNOWN_MEMBER
        except (discord.DiscordException, OSError):
            return True
        return True

    async def _sync(self) -> None:
        """Tell Discord about the commands, only if they have changed since it was told last."""
        scopes: list[discord.Object | None] = [
            discord.Object(guild_id) for guild_id in self.settings.guild_ids
        ]
        for scope in scopes or [None]:
            if scope is not None:
                self.tree.copy_global_to(guild=scope)
            payload = [command.to_dict(self.tree) for command in self.tree.get_commands(guild=scope)]
            text = json.dumps(payload, sort_keys=True, default=str)
            digest = hashlib.sha256(text.encode()).hexdigest()
            key = f"commands:{self.application_id}:{scope.id if scope else 'all'}"
            if await self.store.meta(key) == digest and not self._always_sync:
                continue
            await self.tree.sync(guild=scope)
            await self.store.set_meta(key, digest)
            _log.info("The commands were registered anew")


class _Shelf:
    """The application's emojis in Discord: a :class:`~bot.emojis.Shelf`."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def all(self) -> Mapping[str, int]:
        return {emoji.name: emoji.id for emoji in await self._client.fetch_application_emojis()}

    async def add(self, name: str, png: bytes) -> int:
        return (await self._client.create_application_emoji(name=name, image=png)).id

    async def remove(self, emoji_id: int) -> None:
        application_id = self._client.application_id
        assert application_id is not None
        with contextlib.suppress(discord.NotFound):
            await self._client.http.delete_application_emoji(application_id, emoji_id)
