"""Answering an interaction: in time, once, and never with silence."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any

import aiohttp
import discord

from bot import context, metrics
from bot.games.core import GameError
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Say, facts, say
from bot.metrics import lost
from bot.screens.model import Screen
from bot.screens.private import note
from bot.session import Click, Echo, Refused, Stale
from cogs.lean import edit_clicked
from cogs.render import NO_MENTIONS, Board, Files, attached, render

ACK_SECONDS = 1.5
"""An answer that isn't ready by then is announced; Discord gives up after 3 seconds."""

UNKNOWN_INTERACTION = 10062
ALREADY_ACKNOWLEDGED = 40060
TOO_LATE = frozenset({UNKNOWN_INTERACTION, ALREADY_ACKNOWLEDGED})

TROUBLE = (discord.DiscordException, aiohttp.ClientError, OSError, asyncio.TimeoutError)
"""What talking to Discord may raise."""

MOST_TAKEN = 1000
"""How many interactions are remembered as taken."""

_log = logging.getLogger(__name__)


class Answer:
    """The one answer to one interaction. All ways of answering go through here, one at a time."""

    def __init__(self, interaction: discord.Interaction[Any], catalogue: Catalogue) -> None:
        self.interaction = interaction
        self._catalogue = catalogue
        self._lock = asyncio.Lock()
        self.posted = False
        self.outcome = metrics.DONE
        """What became of the interaction, for the metrics."""

    @property
    def is_command(self) -> bool:
        return self.interaction.type is discord.InteractionType.application_command

    @property
    def message_id(self) -> int | None:
        """The message whose button was clicked."""
        return self.interaction.message.id if self.interaction.message else None

    @property
    def shared_locale(self) -> str:
        """What all see is in the language the server has chosen, or else in the one it has in Discord."""
        return self._catalogue.language(self._server_locales)

    @property
    def private_locale(self) -> str:
        """What one person sees is in theirs, or else in the server's."""
        return self._catalogue.language([_text(self.interaction.locale), *self._server_locales])

    @property
    def page_locale(self) -> str:
        """The language of the page that was clicked: of the person if only they see it."""
        message = self.interaction.message
        alone = message is not None and message.flags.ephemeral
        return self.private_locale if alone else self.shared_locale

    @property
    def _server_locales(self) -> list[str | None]:
        interaction = self.interaction
        servers = getattr(interaction.client, "servers", None)
        chosen = servers.of(interaction.guild_id).language if servers else None
        return [chosen, _text(interaction.guild_locale)]

    @property
    def values(self) -> tuple[str, ...]:
        """What was chosen from a menu."""
        data: Any = self.interaction.data or {}
        return tuple(str(value) for value in data.get("values", ()))

    def click(self) -> Click:
        """The request as the session takes it. Raises :class:`Refused` outside of servers."""
        interaction = self.interaction
        if interaction.guild_id is None or interaction.channel_id is None:
            raise Refused("error-guild-only")
        return Click(
            interaction.id,
            interaction.user.id,
            interaction.user.display_name,
            interaction.guild_id,
            interaction.channel_id,
            self.shared_locale,
            interaction.permissions.manage_messages,
        )

    async def within(self, work: Coroutine[Any, Any, None]) -> None:
        """Do ``work``, which answers; acknowledge in time if it takes long, and turn errors into words.

        An interaction that is delivered once more, as a gateway does when it resumes, is left alone.
        """
        taken: dict[int, None] = self.interaction.client.taken
        if self.interaction.id in taken:
            metrics.interactions[self.is_command][metrics.REPEATED].inc()
            lost[ALREADY_ACKNOWLEDGED] += 1
            work.close()
            return
        taken[self.interaction.id] = None
        if len(taken) > MOST_TAKEN:
            del taken[next(iter(taken))]
        start = time.perf_counter()
        if metrics.watched():
            metrics.arrival_seconds.observe(max(0.0, time.time() - snowflake_seconds(self.interaction.id)))
        context.interaction.set(self.interaction.id)
        context.guild.set(self.interaction.guild_id)
        busy: set[asyncio.Future[None]] = self.interaction.client.busy
        task = asyncio.current_task()
        assert task is not None
        busy.add(task)
        # A timer costs next to nothing; the task that acknowledges exists only if it is needed.
        late: list[asyncio.Task[None]] = []
        timer = asyncio.get_running_loop().call_later(
            ACK_SECONDS, lambda: late.append(asyncio.create_task(self.quiet()))
        )
        try:
            await self._words(work)
            if late:
                await late[0]
        finally:
            timer.cancel()
            busy.discard(task)
            if metrics.watched():
                metrics.interactions[self.is_command][self.outcome].inc()
                if not self.is_command:
                    metrics.whole_seconds.observe(time.perf_counter() - start)

    async def _words(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
            await self.quiet()
        except Echo:
            self.outcome = metrics.ECHO
            await self.quiet()
        except (Refused, GameError) as error:
            self.outcome = metrics.STALE if isinstance(error, Stale) else metrics.REFUSED
            await self.private(note(Say(error.code, facts(error.facts))))
        except Exception:
            self.outcome = metrics.FAILED
            _log.exception("Interaction %s has failed", self.interaction.id)
            await self.private(note(say("error-internal")))

    async def quiet(self) -> None:
        """Acknowledge without showing anything new, unless that was done."""
        async with self._lock:
            if not self.interaction.response.is_done():
                await self._try(
                    self.interaction.response.defer(ephemeral=True, thinking=True)
                    if self.is_command
                    else self.interaction.response.defer()
                )

    async def private(self, screen: Screen, game_id: int = 0, version: int = 0, **files: Any) -> bool:
        """Show something to the person alone."""
        board = render(screen, self._catalogue, self.private_locale, game_id, version)
        async with self._lock:
            if self.interaction.response.is_done():
                return await self._try(
                    self.interaction.followup.send(
                        view=board.view, ephemeral=True, allowed_mentions=NO_MENTIONS, **files
                    )
                )
            return await self._try(
                self.interaction.response.send_message(
                    view=board.view, ephemeral=True, allowed_mentions=NO_MENTIONS, **files
                )
            )

    async def public(self, screen: Screen, files: Files) -> bool:
        """Show something to all, once the interaction is acknowledged; whether that went well."""
        board = render(screen, self._catalogue, self.shared_locale)
        async with self._lock:
            return await self._try(
                self.interaction.followup.send(
                    view=board.view, allowed_mentions=NO_MENTIONS, files=attached(files)
                )
            )

    async def edit(self, board: Board, files: Files | None = None) -> None:
        """Change the message that was clicked. Raises what Discord answers, except that it was too late.

        ``files`` replace those of the message, if there are any.
        """
        attachments: dict[str, Any] = {"attachments": attached(files)} if files else {}
        async with self._lock:
            if self.interaction.response.is_done():
                await self.interaction.edit_original_response(
                    view=board.view, allowed_mentions=NO_MENTIONS, **attachments
                )
                return
            try:
                if attachments:
                    await self.interaction.response.edit_message(
                        view=board.view, allowed_mentions=NO_MENTIONS, **attachments
                    )
                else:
                    await edit_clicked(self.interaction, board.to_components())
            except discord.HTTPException as error:
                if error.code not in TOO_LATE:
                    raise
                lost[error.code] += 1
                raise Late from error

    async def turn(self, screen: Screen, files: Files | None = None) -> None:
        """Replace the page that was clicked, in the language of those who see it."""
        board = render(screen, self._catalogue, self.page_locale)
        try:
            await self.edit(board, files)
        except (Late, *TROUBLE) as error:
            _log.info("A page could not be turned: %s", error)

    async def edit_private(self, screen: Screen, files: Files | None = None) -> bool:
        """Replace the private message that was clicked."""
        board = render(screen, self._catalogue, self.private_locale)
        try:
            await self.edit(board, files)
        except (Late, *TROUBLE) as error:
            _log.info("A private message could not be changed: %s", error)
            return False
        return True

    async def post(
        self, board: Board, allowed: discord.AllowedMentions, files: Files | None = None
    ) -> int | None:
        """Post a message for all as the answer to a command; its id, or None where that can't be."""
        async with self._lock:
            if not self.is_command or self.interaction.response.is_done():
                return None
            try:
                response = await self.interaction.response.send_message(
                    view=board.view, allowed_mentions=allowed, files=attached(files or {})
                )
            except TROUBLE as error:
                _log.info("Interaction %s could not be answered with a table: %s", self.interaction.id, error)
                message_id = None if getattr(error, "code", 0) == UNKNOWN_INTERACTION else await self._made()
            else:
                message_id = response.message_id
            self.posted = message_id is not None
            return message_id

    async def _made(self) -> int | None:
        """The message that Discord has made of an answer, though it did not say so; None if there is none.

        What it has failed to tell may be done all the same, and a second table would be one too many.
        """
        try:
            message = await self.interaction.original_response()
        except TROUBLE:
            return None
        return None if message.flags.loading or message.flags.ephemeral else message.id

    async def _try(self, request: Coroutine[Any, Any, Any]) -> bool:
        try:
            await request
        except discord.InteractionResponded:
            lost[ALREADY_ACKNOWLEDGED] += 1
        except discord.HTTPException as error:
            lost[error.code] += 1
            _log.info("Interaction %s could not be answered: %s", self.interaction.id, error)
        except TROUBLE as error:
            _log.info("Interaction %s could not be answered: %s", self.interaction.id, error)
        else:
            return True
        return False


def snowflake_seconds(number: int) -> float:
    """When Discord made this id, in Unix seconds."""
    return ((number >> 22) + discord.utils.DISCORD_EPOCH) / 1000


class Late(Exception):
    """The interaction was answered too late or has been answered before; nobody sees this answer."""


def _text(locale: discord.Locale | str | None) -> str | None:
    return None if locale is None else str(getattr(locale, "value", locale))


__all__ = ["TROUBLE", "Answer", "Late", "Stale", "lost"]
