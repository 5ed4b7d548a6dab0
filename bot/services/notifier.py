"""Sends direct messages to those who want them; :mod:`~bot.sessions.notifying` decides how."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from bot.discordpy.components import MAX_NONCE, Rendered, render
from bot.discordpy.errors import DISCORD_ERRORS
from bot.discordpy.recent import Recent
from bot.games.core import Unreadable
from bot.i18n.catalogue import Catalogue
from bot.screens import notifications as screens
from bot.screens.model import message_link
from bot.services.guild_settings import GuildSettingsCache
from bot.services.jobs import WorkQueue
from bot.sessions.absence import turn_ends
from bot.sessions.notifying import Reason, way_to_notify
from bot.sessions.presentation import to_move_user, turn_key
from bot.store.base import GameRow, Store
from bot.store.guild_settings import NAME
from bot.store.notifications import MENTION, MESSAGE, NOTHING, NotificationPreferences

CLOSED_SECONDS = 86_400.0
"""For how long somebody who takes no direct messages is mentioned instead, unless they choose again."""

MAX_CLOSED = 10_000
"""How many of these people to remember."""

RETRY_SECONDS, MAX_TRIES = 5.0, 3
"""How long after a failure a message is tried again, and how often."""

MAX_AT_ONCE = 10
"""How many messages to send at the same time."""

BEGIN_SECONDS = 1.0
"""How long after the message that opens a game its first player is written to: by then it has begun."""

_log = logging.getLogger(__name__)

Send = Callable[[int, Rendered, str], Awaitable[bool]]
"""Sends a direct message to a person, with a nonce. Returns False if they take none."""


class DirectMessage(NamedTuple):
    """A direct message that is to be sent. It goes to nobody whose turn is over by then."""

    game_id: int
    user_id: int
    turn: int
    reason: Reason


class Notifier:
    """Says how to notify people, and writes to those who want direct messages."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        servers: GuildSettingsCache,
        send: Send,
        now: Callable[[], float],
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._servers = servers
        self._send = send
        self._now = now
        self._closed: Recent[int, bool] = Recent(MAX_CLOSED, CLOSED_SECONDS, now)
        """Whether people took no direct message when the bot last sent them one."""
        self.mention: Callable[[int], Awaitable[None]] | None = None
        """Mentions the player of a game instead, if they turn out to take no direct messages."""
        self._queue = WorkQueue[DirectMessage](
            "notify player",
            self._write,
            failure="A player could not be written to: %s",
            pause=lambda failures: RETRY_SECONDS * failures if failures <= MAX_TRIES else None,
            level=logging.WARNING,
            at_once=MAX_AT_ONCE,
        )

    async def start(self) -> None:
        """Nothing to do until the first message."""

    async def stop(self) -> None:
        await self._queue.stop()

    async def way(self, guild_id: int, user_id: int, reason: Reason, *, limited: bool = True) -> str:
        """Return how to notify a person in a server: a mention, a direct message, or not at all."""
        chosen = await self._store.notifications.of(user_id) or NotificationPreferences()
        way = way_to_notify(chosen, reason, self._now(), limited=limited)
        if way == MESSAGE and self._closed.get(user_id):
            way = MENTION
        if way == MENTION and self._servers.of(guild_id).mentions == NAME:
            return NOTHING
        return way

    def write(self, row: GameRow, user_id: int, turn: int, reason: Reason, *, begins: bool = False) -> None:
        """Write to the person whose turn it is, in the background; ``begins`` if the game is yet to begin."""
        self._queue.add(DirectMessage(row.id, user_id, turn, reason), BEGIN_SECONDS if begins else 0.0)

    async def try_out(self, user_id: int, locale: str, nonce: str) -> bool:
        """Write to somebody who has just chosen direct messages. Return whether that was possible."""
        rendered = render(screens.hello(), self._catalogue.plain(), locale)
        try:
            reached = await self._send(user_id, rendered, nonce)
        except DISCORD_ERRORS as error:
            _log.info("A person who chose direct messages could not be written to: %s", error or "time out")
            return False
        self._closed.put(user_id, not reached)
        return reached

    async def _write(self, message: DirectMessage) -> None:
        row = await self._store.game(message.game_id)
        try:
            if row is None or to_move_user(row) != message.user_id or turn_key(row) != message.turn:
                return
        except Unreadable:
            return
        link = message_link(row.guild_id, row.channel_id, row.message_id)
        chosen = await self._store.notifications.of(message.user_id) or NotificationPreferences()
        locale = chosen.locale or self._servers.of(row.guild_id).language or row.locale
        rendered = render(screens.your_turn(row.game, link, turn_ends(row)), self._catalogue.plain(), locale)
        # Cut at the front: ids differ at their end.
        nonce = f"{row.id:x}.{message.turn:x}.{message.reason[0]}.{message.user_id & 0xFFFF:x}"[-MAX_NONCE:]
        if not await self._send(message.user_id, rendered, nonce):
            self._closed.put(message.user_id, True)
            if self.mention is not None:
                await self.mention(row.id)
