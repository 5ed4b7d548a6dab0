"""Answering an interaction: in time, once, and with a message whatever goes wrong."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from enum import Enum, auto
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload

import aiohttp
import discord

from bot.discordpy.acknowledging import seconds_to_ack, snowflake_seconds
from bot.discordpy.components import NO_MENTIONS, Files, Rendered, attached, render
from bot.discordpy.fast_response import edit_clicked
from bot.discordpy.forms import NOT_SHOWN, forms, is_about_emojis
from bot.games.core import GameError, Json
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Say, facts, say
from bot.observability import context, metrics
from bot.screens.model import Screen
from bot.screens.private import note
from bot.sessions.request import Click, Echo, Refused, Stale
from bot.store.guild_settings import GuildSettings

UNKNOWN_INTERACTION = 10062
ALREADY_ACKNOWLEDGED = 40060
TOO_LATE_CODES = frozenset({UNKNOWN_INTERACTION, ALREADY_ACKNOWLEDGED})
UNKNOWN_WEBHOOK, INVALID_TOKEN = 10015, 50027
GONE_CODES = frozenset({UNKNOWN_INTERACTION, UNKNOWN_WEBHOOK, INVALID_TOKEN})
"""Discord's error codes after which it takes no further answer to an interaction."""

DISCORD_ERRORS = (discord.DiscordException, aiohttp.ClientError, OSError, asyncio.TimeoutError)
"""Exceptions that a request to Discord may raise."""

MAX_SEEN = 1000
"""How many interaction ids to keep, to notice one that is delivered twice."""

ACK_TRIES = 2
"""How often to try to acknowledge a click."""

FORM_SECONDS = 1.2
"""How long the first answer may take in one form.

After an error of Discord's own the library repeats a request after 1, 3 and more seconds, but Discord takes
no answer after 3. Two forms are never both shown, because Discord refuses a second first answer.
"""

Interaction: TypeAlias = discord.Interaction[Any]
Work: TypeAlias = Coroutine[object, object, None]
P = ParamSpec("P")
C = TypeVar("C")

_log = logging.getLogger(__name__)


class ServerSettings(Protocol):
    """The settings of all servers."""

    def of(self, guild_id: int | None) -> GuildSettings: ...


class Emojis(Protocol):
    """The application's emojis."""

    def report_refused(self) -> None: ...


class Host(Protocol):
    """The part of the client that answers use."""

    catalogue: Catalogue
    seen: dict[int, None]
    """Ids of the latest interactions, so that one that is delivered twice is handled once."""
    running: set[asyncio.Future[None]]
    """The interactions that are being answered."""

    @property
    def servers(self) -> ServerSettings: ...

    @property
    def app_emojis(self) -> Emojis: ...


class Delivery(Enum):
    """Whether Discord accepted a message."""

    SENT = auto()
    REFUSED = auto()
    UNKNOWN = auto()
    """The request failed, but Discord may have shown the message; sending it again could show it twice."""


class Answer:
    """The one answer to one interaction. It sends one message at a time."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction
        self._host: Host = interaction.client
        self._catalogue: Catalogue = self._host.catalogue
        self._lock = asyncio.Lock()
        deferred = discord.InteractionResponseType.deferred_channel_message
        self._shows_thinking = interaction.response.type is deferred
        """Whether Discord shows the command as "is thinking…". The answer must edit that: a follow-up message
        would do so as well, but only for backwards compatibility."""
        self._defer_tried = False
        """Whether the bot has asked Discord to show "is thinking…", successfully or not."""
        self._answered_before = False
        """Whether Discord has reported that the interaction is answered already."""
        self._given_up = False
        """Whether Discord takes no further answer."""
        self.refused_emoji = False
        """Whether Discord has refused an answer because of an emoji in it."""
        self.posted = False
        self.outcome = metrics.DONE
        """How the interaction ended, for the metrics."""

    @property
    def is_command(self) -> bool:
        return self.interaction.type is discord.InteractionType.application_command

    @property
    def message_id(self) -> int | None:
        """The id of the message whose button was clicked."""
        return self.interaction.message.id if self.interaction.message else None

    @property
    def shared_locale(self) -> str:
        """The language of public messages: the one set for the server, or else its language in Discord."""
        return self._catalogue.language(self._server_locales)

    @property
    def private_locale(self) -> str:
        """The language of private messages: the person's, or else the server's."""
        return self._catalogue.language([_text(self.interaction.locale), *self._server_locales])

    @property
    def page_locale(self) -> str:
        """The language of the page that was clicked: the person's if the page is private."""
        message = self.interaction.message
        private = message is not None and message.flags.ephemeral
        return self.private_locale if private else self.shared_locale

    @property
    def _server_locales(self) -> list[str | None]:
        interaction = self.interaction
        chosen = self._host.servers.of(interaction.guild_id).language
        return [chosen, _text(interaction.guild_locale)]

    @property
    def custom_id(self) -> str:
        """The id of the button or menu that was used."""
        return str(self._component.get("custom_id", ""))

    @property
    def values(self) -> tuple[str, ...]:
        """The values chosen from a menu."""
        return tuple(str(value) for value in self._component.get("values", ()))

    @property
    def _component(self) -> Mapping[str, Json]:
        return cast("Mapping[str, Json]", self.interaction.data or {})

    def click(self) -> Click:
        """Return the interaction as a request to a session. Raises :class:`Refused` outside of servers."""
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
            interaction.user.name,
        )

    async def run(self, work: Work) -> None:
        """Await ``work``, which answers; acknowledge in time if it takes long, and show errors privately.

        Does nothing if the interaction was delivered before, as can happen after a gateway resume.
        """
        seen = self._host.seen
        if self.interaction.id in seen:
            metrics.interactions[self.is_command][metrics.REPEATED].inc()
            metrics.unseen_answers[ALREADY_ACKNOWLEDGED] += 1
            work.close()
            return
        seen[self.interaction.id] = None
        if len(seen) > MAX_SEEN:
            del seen[next(iter(seen))]
        start = time.perf_counter()
        if metrics.enabled():
            metrics.interaction_age_seconds.observe(
                max(0.0, time.time() - snowflake_seconds(self.interaction.id))
            )
        context.interaction.set(self.interaction.id)
        context.guild.set(self.interaction.guild_id)
        task = asyncio.current_task()
        assert task is not None
        self._host.running.add(task)
        # A timer costs next to nothing; the task that acknowledges exists only if it is needed.
        late: list[asyncio.Task[None]] = []
        timer = asyncio.get_running_loop().call_later(
            seconds_to_ack(self.interaction.id, time.time()),
            lambda: late.append(asyncio.create_task(self.acknowledge())),
        )
        try:
            await self._run(work)
            if late:
                await late[0]
        finally:
            timer.cancel()
            self._host.running.discard(task)
            if metrics.enabled():
                metrics.interactions[self.is_command][self.outcome].inc()
                if not self.is_command:
                    metrics.click_seconds.observe(time.perf_counter() - start)

    async def _run(self, work: Work) -> None:
        try:
            await work
        except Echo:
            self.outcome = metrics.ECHO
        except (Refused, GameError) as error:
            self.outcome = metrics.STALE if isinstance(error, Stale) else metrics.REFUSED
            await self.private(note(Say(error.code, facts(error.facts))))
        except Exception:
            self.outcome = metrics.FAILED
            _log.exception("Interaction %s has failed", self.interaction.id)
            await self.private(note(say("error-internal")))
        if self.is_command and not self._given_up and (self._shows_thinking or not self._is_answered):
            # Without a message Discord would show this command as "thinking…" forever.
            await self.private(note(say("done-already")))
        await self.acknowledge()

    async def acknowledge(self) -> None:
        """Acknowledge the interaction without showing anything new, unless it is answered already.

        Discord shows a command as "is thinking…" until a message follows; :meth:`run` sends one at the end.
        """
        async with self._lock:
            if self._is_answered or self._given_up:
                return
            if self.is_command:
                self._defer_tried = True
                done = await self._try(self.interaction.response.defer(ephemeral=True, thinking=True))
                self._shows_thinking = done or (self._answered_before and await self._may_be_loading())
                return
            # Once more if it is refused, or Discord would show a click that was carried out as failed.
            for _ in range(ACK_TRIES):
                done = await self._try(self.interaction.response.defer())
                if done or self._answered_before or self._given_up:
                    return

    async def private(
        self, screen: Screen, game_id: int = 0, version: int = 0, files: Files | None = None
    ) -> bool:
        """Send a private message. Return whether Discord accepted it.

        If Discord refuses it, try plainer forms; if it refuses all of them, send a message that says so.
        """
        async with self._lock:
            for form in forms(screen, files, self._catalogue):
                rendered = form.rendered(self.private_locale, game_id, version)
                delivery = await self._send_private(rendered, form.files)
                if delivery is not Delivery.REFUSED:
                    return delivery is Delivery.SENT
            not_shown = render(NOT_SHOWN, self._catalogue.plain(), self.private_locale)
            delivery = await self._send_private(not_shown)
            if self._shows_thinking and not self._given_up:
                # Better nothing than a command that Discord shows as "thinking…" forever.
                self._shows_thinking = not await self._try(self.interaction.delete_original_response())
            self._given_up = delivery is Delivery.REFUSED
        return False

    async def public(self, screen: Screen, files: Files) -> bool:
        """Send a public message after acknowledging the interaction. Return whether Discord accepted it."""
        async with self._lock:
            for form in forms(screen, files, self._catalogue):
                delivery = await self._follow_up(
                    form.rendered(self.shared_locale), form.files, ephemeral=False
                )
                if delivery is not Delivery.REFUSED:
                    return delivery is Delivery.SENT
        return False

    async def edit(self, rendered: Rendered, files: Files | None = None) -> None:
        """Edit the message that was clicked. ``files`` replace its files; None leaves them as they are.

        Raises :class:`Late` if the answer came too late, otherwise Discord's own error.
        """
        attachments: dict[str, Any] = {} if files is None else {"attachments": attached(files)}
        async with self._lock:
            if self._is_answered:
                await self.interaction.edit_original_response(
                    view=rendered.view, allowed_mentions=NO_MENTIONS, **attachments
                )
                return
            try:
                async with asyncio.timeout(FORM_SECONDS):
                    if attachments:
                        await self.interaction.response.edit_message(
                            view=rendered.view, allowed_mentions=NO_MENTIONS, **attachments
                        )
                    else:
                        await edit_clicked(self.interaction, rendered.to_components())
            except discord.HTTPException as error:
                if error.code not in TOO_LATE_CODES:
                    raise
                metrics.unseen_answers[error.code] += 1
                raise Late from error

    async def turn_page(self, screen: Screen, files: Files | None = None) -> bool:
        """Replace the page that was clicked, in :attr:`page_locale`. Return whether Discord accepted it."""
        return await self._replace(screen, files, self.page_locale)

    async def edit_private(self, screen: Screen, files: Files | None = None) -> bool:
        """Replace the private message that was clicked. Return whether Discord accepted it."""
        return await self._replace(screen, files, self.private_locale)

    async def _replace(self, screen: Screen, files: Files | None, locale: str) -> bool:
        for form in forms(screen, files, self._catalogue):
            try:
                # Always pass the files: those of the previous page would stay attached unseen.
                await self.edit(form.rendered(locale), form.files)
            except Late:
                return False
            except DISCORD_ERRORS as error:
                self._note_failure(error)
            else:
                return True
        # Discord may still accept a new message.
        await self.private(screen, files=files)
        return False

    async def page(self, screen: Screen, files: Files | None = None) -> None:
        """Answer a command with a public page, or with a private one if Discord does not accept that."""
        for form in forms(screen, files, self._catalogue):
            if await self.post(form.rendered(self.shared_locale), NO_MENTIONS, form.files) is not None:
                return
        await self.private(screen, files=files)

    async def post(
        self, rendered: Rendered, allowed: discord.AllowedMentions, files: Files | None = None
    ) -> int | None:
        """Answer a command with a public message. Return its id, or None if it could not be posted."""
        async with self._lock:
            if not self.is_command or self._is_answered or self._given_up:
                return None
            try:
                response = await self.interaction.response.send_message(
                    view=rendered.view, allowed_mentions=allowed, files=attached(files or {})
                )
            except DISCORD_ERRORS as error:
                self._note_failure(error)
                message_id = None if self._given_up else await self._posted_id()
            else:
                message_id = response.message_id
            self.posted = message_id is not None
            return message_id

    @property
    def _is_answered(self) -> bool:
        return self.interaction.response.is_done() or self._answered_before

    async def _posted_id(self) -> int | None:
        """Return the id of the message if Discord posted it although the request failed, else None.

        Posting again without asking could show two tables.
        """
        with suppress(*DISCORD_ERRORS):
            message = await self.interaction.original_response()
            self._shows_thinking = message.flags.loading
            return None if message.flags.loading or message.flags.ephemeral else message.id
        return None

    async def _may_be_loading(self) -> bool:
        """Return whether the answer that Discord reports may be only "is thinking…"."""
        try:
            message = await self.interaction.original_response()
        except discord.NotFound:
            return False
        except DISCORD_ERRORS:
            # If this process did not ask for "thinking…", the answer may be a table from another process;
            # don't overwrite it.
            return self._defer_tried
        return message.flags.loading

    async def _send_private(self, rendered: Rendered, files: Files | None = None) -> Delivery:
        """Send a private message: as the response, in place of "is thinking…", or as a follow-up."""
        if self._given_up:
            return Delivery.REFUSED
        shown: dict[str, Any] = {"view": rendered.view, "allowed_mentions": NO_MENTIONS}
        if not self._is_answered:
            sent = self.interaction.response.send_message(
                **shown, ephemeral=True, files=attached(files or {})
            )
            if await self._try(sent, FORM_SECONDS):
                return Delivery.SENT
            if not self._answered_before:
                return Delivery.REFUSED
            self._shows_thinking = self.is_command and await self._may_be_loading()
            if not self._shows_thinking:
                return Delivery.UNKNOWN
        if self._shows_thinking:
            done = await self._try(
                self.interaction.edit_original_response(**shown, attachments=attached(files or {}))
            )
            self._shows_thinking = not done
            return Delivery.SENT if done else Delivery.REFUSED
        return await self._follow_up(rendered, files or {}, ephemeral=True)

    async def _follow_up(self, rendered: Rendered, files: Files, *, ephemeral: bool) -> Delivery:
        """Send a follow-up message."""
        try:
            await self.interaction.followup.send(
                view=rendered.view,
                ephemeral=ephemeral,
                allowed_mentions=NO_MENTIONS,
                files=attached(files),
            )
        except DISCORD_ERRORS as error:
            self._note_failure(error)
            return Delivery.REFUSED if 400 <= getattr(error, "status", 0) < 500 else Delivery.UNKNOWN
        return Delivery.SENT

    async def _try(self, request: Coroutine[object, object, object], seconds: float | None = None) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await request
        except DISCORD_ERRORS as error:
            self._note_failure(error)
        else:
            return True
        return False

    def _note_failure(self, error: Exception) -> None:
        """Record that Discord did not accept an answer, and why."""
        code = ALREADY_ACKNOWLEDGED if isinstance(error, discord.InteractionResponded) else None
        code = error.code if isinstance(error, discord.HTTPException) else code
        if code is not None:
            metrics.unseen_answers[code] += 1
        self._answered_before = self._answered_before or code == ALREADY_ACKNOWLEDGED
        self._given_up = self._given_up or code in GONE_CODES
        if is_about_emojis(error):
            self.refused_emoji = True
            self._host.app_emojis.report_refused()
        _log.info("Interaction %s could not be answered: %s", self.interaction.id, error or "time out")


@overload
def answered(  # type: ignore[overload-overlap]
    work: Callable[Concatenate[Answer, P], Work],
) -> Callable[Concatenate[Interaction, P], Work]: ...


@overload
def answered(
    work: Callable[Concatenate[C, Answer, P], Work],
) -> Callable[Concatenate[C, Interaction, P], Work]: ...


def answered(work: Callable[..., Work]) -> Callable[..., Work]:
    """Turn a function with a parameter ``answer`` into the callback of a command.

    The callback takes the interaction in place of the answer; the other parameters stay. :meth:`Answer.run`
    shows the errors that the function raises.
    """
    # discord.py evaluates the annotations of a callback, and would look for their names in this module.
    signature = inspect.signature(work, eval_str=True)
    place = list(signature.parameters).index("answer")

    @wraps(work)
    async def callback(*args: Any, **kwargs: object) -> None:
        answer = Answer(args[place])
        await answer.run(work(*args[:place], answer, *args[place + 1 :], **kwargs))

    callback.__signature__ = signature  # type: ignore[attr-defined]
    return callback


class Late(Exception):
    """The answer came too late, or the interaction was answered before; Discord does not show it."""


def _text(locale: discord.Locale | str | None) -> str | None:
    return None if locale is None else str(getattr(locale, "value", locale))
