"""The answer to an interaction: sent once, and more plainly if Discord refuses it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from enum import Enum, auto
from typing import Any, Protocol, TypeAlias, cast

import discord

from bot.discordpy.components import NO_MENTIONS, Files, Rendered, attached, render
from bot.discordpy.errors import ALREADY_ACKNOWLEDGED, DISCORD_ERRORS, GONE_CODES, TOO_LATE_CODES, Late
from bot.discordpy.fallbacks import NOT_SHOWN, attempts, is_about_emojis
from bot.discordpy.fast_response import EPHEMERAL, edit_clicked, forget_response, open_form, send_private
from bot.discordpy.modals import entered, render_form
from bot.games.core import Json
from bot.i18n.catalogue import Catalogue
from bot.i18n.names import name_of
from bot.i18n.say import say
from bot.observability import metrics
from bot.screens.model import Entered, Form, Screen
from bot.screens.private import note
from bot.sessions.request import Click, Echo, Refused
from bot.store.guild_settings import GuildSettings

ACK_TRIES = 2
"""How often to try to acknowledge a click."""

ATTEMPT_SECONDS = 1.2
"""How long one attempt at the first answer may take.

After an error of Discord's own the library repeats a request after 1, 3 and more seconds, but Discord takes
no answer after 3. Two attempts are never both shown, because Discord refuses a second first answer.
"""

REFUSAL_SECONDS = 30.0
"""How long the refusal of a click is shown: long enough to read it slowly, but several of them would push the
table out of sight on a phone.
"""

Interaction: TypeAlias = discord.Interaction[Any]

_log = logging.getLogger(__name__)


class ServerSettings(Protocol):
    """The settings of all servers."""

    def of(self, guild_id: int | None) -> GuildSettings: ...


class Emojis(Protocol):
    """The application's emojis."""

    def report_refused(self) -> None: ...


class Deletions(Protocol):
    """Calls :meth:`Answer.delete` of each added answer, ``after`` seconds later."""

    def add(self, key: Answer, after: float) -> None: ...


class AnsweringClient(Protocol):
    """The part of the client that answers use."""

    catalogue: Catalogue

    @property
    def deletions(self) -> Deletions: ...

    @property
    def servers(self) -> ServerSettings: ...

    @property
    def app_emojis(self) -> Emojis: ...

    async def claim(self, interaction_id: int) -> bool: ...


class Delivery(Enum):
    """Whether Discord accepted a message."""

    SENT = auto()
    REFUSED = auto()
    UNKNOWN = auto()
    """The request failed, but Discord may have shown the message; sending it again could show it twice."""


class _State(Enum):
    """What has become of an interaction, as far as the bot knows."""

    OPEN = auto()
    """It waits for its first answer, unless the library has sent one since."""
    THINKING = auto()
    """Discord shows the command as "is thinking…". The answer must edit that: a follow-up message would do so
    as well, but only for backwards compatibility."""
    ANSWERED = auto()
    """It is answered: by this process, or according to Discord."""
    GONE = auto()
    """Discord takes no further answer."""


class Answer:
    """The one answer to one interaction. It sends one message at a time."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction
        self.is_command = interaction.type is discord.InteractionType.application_command
        self._component = cast("Mapping[str, Json]", interaction.data or {})
        self.custom_id = str((self._component.get("values") or [self._component.get("custom_id", "")])[0])
        """The id of the button that was clicked, also in a menu, or of the form that was submitted."""
        clicked = self._component.get("message")
        self.message_id: int | None = int(clicked["id"]) if clicked else None
        """The id of the message whose button was clicked."""
        self.is_on_private = bool(clicked and clicked["flags"] & EPHEMERAL)
        """Whether the clicked message is one that only this person sees."""
        self._client: AnsweringClient = interaction.client
        self._catalogue: Catalogue = self._client.catalogue
        self._lock = asyncio.Lock()
        deferred = discord.InteractionResponseType.deferred_channel_message
        self._state = _State.THINKING if interaction.response.type is deferred else _State.OPEN
        self._defer_tried = False
        """Whether the bot has asked Discord to show "is thinking…", successfully or not."""
        self.refused_emoji = False
        """Whether Discord has refused an answer because of an emoji in it."""
        self.posted = False
        """Whether a public message has answered the command."""
        self.outcome = metrics.DONE
        """How the interaction ended, for the metrics."""

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
        return self.private_locale if self.is_on_private else self.shared_locale

    @property
    def _server_locales(self) -> list[str | None]:
        interaction = self.interaction
        chosen = self._client.servers.of(interaction.guild_id).language
        return [chosen, _text(interaction.guild_locale)]

    @property
    def entered(self) -> Entered:
        """What was entered into the form that was submitted."""
        return entered(self._component)

    def click(self) -> Click:
        """Return the interaction as a request to a session. Raises :class:`Refused` outside of servers."""
        interaction = self.interaction
        if interaction.guild_id is None or interaction.channel_id is None:
            raise Refused("error-guild-only")
        return Click(
            interaction.id,
            interaction.user.id,
            name_of(interaction.user),
            interaction.guild_id,
            interaction.channel_id,
            self.shared_locale,
            interaction.permissions.manage_messages,
            interaction.user.name,
        )

    async def claim(self) -> None:
        """Make sure that no other process does the same: both get each click while one replaces the other.

        Needed only where no change of a game does that. Raises :class:`Echo` in the other process.
        """
        if not await self._client.claim(self.interaction.id):
            raise Echo

    async def acknowledge(self) -> None:
        """Acknowledge the interaction without showing anything new, unless it is answered already.

        Discord shows a command as "is thinking…" until a message follows; ``handle`` sends one at the end.
        """
        # Most are by now, and need not wait for the lock to know it.
        if self._is_answered:
            return
        async with self._lock:
            if self._is_answered or self._is_gone:
                return
            if self.is_command:
                self._defer_tried = True
                done = await self._try(self.interaction.response.defer(ephemeral=True, thinking=True))
                if done or (self._state is _State.ANSWERED and await self._may_be_loading()):
                    self._state = _State.THINKING
                return
            # Once more if it is refused, or Discord would show a click that was carried out as failed.
            for _ in range(ACK_TRIES):
                done = await self._try(self.interaction.response.defer())
                if done or self._is_answered or self._is_gone:
                    return

    async def private(
        self, screen: Screen, game_id: int = 0, version: int = 0, files: Files | None = None
    ) -> bool:
        """Send a private message. Return whether Discord accepted it.

        If Discord refuses it, try again more plainly; if it refuses that too, send a message that says so.
        """
        async with self._lock:
            for attempt in attempts(screen, files, self._catalogue):
                rendered = attempt.rendered(self.private_locale, game_id, version)
                delivery = await self._send_private(rendered, attempt.files)
                if delivery is not Delivery.REFUSED:
                    return delivery is Delivery.SENT
            not_shown = render(NOT_SHOWN, self._catalogue.plain(), self.private_locale)
            delivery = await self._send_private(not_shown)
            if self._shows_thinking:
                # Better nothing than a command that Discord shows as "thinking…" forever.
                await self._try(self.interaction.delete_original_response())
            if delivery is Delivery.REFUSED:
                self._state = _State.GONE
        return False

    async def refuse(self, screen: Screen) -> None:
        """Say privately why nothing was done. If that answers a click, delete it after a while."""
        await self.private(screen)
        # Once a click is acknowledged, the "original response" is the table.
        is_own_message = self.interaction.response.type is discord.InteractionResponseType.channel_message
        if is_own_message and self.interaction.type is discord.InteractionType.component:
            self._client.deletions.add(self, REFUSAL_SECONDS)

    async def delete(self) -> None:
        """Delete the first answer, if it is still there: the person may have dismissed it."""
        with suppress(*DISCORD_ERRORS):
            await self.interaction.delete_original_response()

    async def form(self, *forms: Form, game_id: int = 0, version: int = 0) -> None:
        """Open the first of ``forms`` that Discord accepts. What is entered comes as another interaction.

        A form can only be the first answer; if Discord accepts none, the person is asked to try again.
        """
        async with self._lock:
            for form in forms:
                data = render_form(form, self._catalogue, self.private_locale, game_id, version)
                if self._is_answered or await self._try(open_form(self.interaction, data), ATTEMPT_SECONDS):
                    break
            opened = self.interaction.response.type is discord.InteractionResponseType.modal
        if not opened:
            await self.private(note(say("error-form")))

    async def public(self, screen: Screen, files: Files) -> bool:
        """Send a public message after acknowledging the interaction. Return whether Discord accepted it."""
        async with self._lock:
            for attempt in attempts(screen, files, self._catalogue):
                delivery = await self._follow_up(
                    attempt.rendered(self.shared_locale), attempt.files, ephemeral=False
                )
                if delivery is not Delivery.REFUSED:
                    return delivery is Delivery.SENT
        return False

    async def post_below(self, rendered: Rendered, allowed: discord.AllowedMentions) -> int | None:
        """Post a public message, for which the bot needs no permission in the channel.

        Return its id, or None if Discord does not accept it.
        """
        await self.acknowledge()
        async with self._lock:
            if self._is_gone or self.is_command:
                return None
            try:
                message = await self.interaction.followup.send(
                    view=rendered.view, allowed_mentions=allowed, wait=True
                )
            except DISCORD_ERRORS as error:
                self._note_failure(error)
                return None
            return int(message.id)

    async def edit(
        self, rendered: Rendered, files: Files | None = None, seconds: float | None = None
    ) -> None:
        """Edit the message that was clicked. ``files`` replace its files; None leaves them as they are.

        That may take ``seconds``, and as the first answer ATTEMPT_SECONDS. Raises :class:`Late` if the answer
        came too late, otherwise Discord's own error, or :class:`TimeoutError`.
        """
        attachments: dict[str, Any] = {} if files is None else {"attachments": attached(files)}
        # One timer instead of two nested ones: nothing else can come first if the lock is free.
        is_first = not (self._lock.locked() or self._is_answered)
        async with asyncio.timeout(ATTEMPT_SECONDS if is_first else seconds) as limit, self._lock:
            if self._is_answered:
                await self.interaction.edit_original_response(
                    view=rendered.view, allowed_mentions=NO_MENTIONS, **attachments
                )
                return
            if not is_first:
                limit.reschedule(asyncio.get_running_loop().time() + ATTEMPT_SECONDS)
            try:
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
        for attempt in attempts(screen, files, self._catalogue):
            try:
                # Always pass the files: those of the previous page would stay attached unseen.
                await self.edit(attempt.rendered(self.page_locale), attempt.files)
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
        for attempt in attempts(screen, files, self._catalogue):
            if await self.post(attempt.rendered(self.shared_locale), NO_MENTIONS, attempt.files) is not None:
                return
        await self.private(screen, files=files)

    async def post(
        self,
        rendered: Rendered,
        allowed: discord.AllowedMentions,
        files: Files | None = None,
        *,
        silent: bool = False,
    ) -> int | None:
        """Answer a command with a public message, ``silent`` without a notification.

        Return its id, or None if it could not be posted.
        """
        async with self._lock:
            if not self.is_command or self._is_answered or self._is_gone:
                return None
            try:
                response = await self.interaction.response.send_message(
                    view=rendered.view, allowed_mentions=allowed, files=attached(files or {}), silent=silent
                )
            except DISCORD_ERRORS as error:
                self._note_failure(error)
                message_id = None if self._is_gone else await self._posted_id()
            else:
                message_id = response.message_id
            self.posted = message_id is not None
            return message_id

    def settle(self) -> None:
        """Note whether the interaction is answered, once it is handled, and free the library's response.

        Steps that are shown by themselves still edit the answer.
        """
        if self._state is _State.OPEN and self.interaction.response.is_done():
            self._state = _State.ANSWERED
        forget_response(self.interaction)

    @property
    def needs_message(self) -> bool:
        """Whether Discord would show the command as "is thinking…" or failed without a further message."""
        return self.is_command and not self._is_gone and (self._shows_thinking or not self._is_answered)

    @property
    def _is_answered(self) -> bool:
        noted = self._state in (_State.THINKING, _State.ANSWERED)
        return noted or self.interaction.response.is_done()

    @property
    def _shows_thinking(self) -> bool:
        return self._state is _State.THINKING

    @property
    def _is_gone(self) -> bool:
        return self._state is _State.GONE

    async def _posted_id(self) -> int | None:
        """Return the id of the message if Discord posted it although the request failed, else None.

        Posting again without asking could show two tables.
        """
        with suppress(*DISCORD_ERRORS):
            message = await self.interaction.original_response()
            if message.flags.loading:
                self._state = _State.THINKING
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
        if self._is_gone:
            return Delivery.REFUSED
        shown: dict[str, Any] = {"view": rendered.view, "allowed_mentions": NO_MENTIONS}
        if not self._is_answered:
            sent: Coroutine[Any, Any, object]
            if files:
                sent = self.interaction.response.send_message(**shown, ephemeral=True, files=attached(files))
            else:
                sent = send_private(self.interaction, rendered.to_components())
            if await self._try(sent, ATTEMPT_SECONDS):
                return Delivery.SENT
            if self._state is not _State.ANSWERED:
                return Delivery.REFUSED
            if not self.is_command or not await self._may_be_loading():
                return Delivery.UNKNOWN
            self._state = _State.THINKING
        if self._shows_thinking:
            edited = self.interaction.edit_original_response(**shown, attachments=attached(files or {}))
            if not await self._try(edited):
                return Delivery.REFUSED
            self._state = _State.ANSWERED
            return Delivery.SENT
        return await self._follow_up(rendered, files or {}, ephemeral=True)

    async def _follow_up(self, rendered: Rendered, files: Files, *, ephemeral: bool) -> Delivery:
        """Send a follow-up message."""
        try:
            await self.interaction.followup.send(
                view=rendered.view, ephemeral=ephemeral, allowed_mentions=NO_MENTIONS, files=attached(files)
            )
        except DISCORD_ERRORS as error:
            self._note_failure(error)
            return Delivery.REFUSED if 400 <= getattr(error, "status", 0) < 500 else Delivery.UNKNOWN
        return Delivery.SENT

    async def _try(self, request: Coroutine[object, object, object], seconds: float | None = None) -> bool:
        """Await a request, for ``seconds`` at most. Return whether Discord accepted it; record why not."""
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
        if code in GONE_CODES:
            self._state = _State.GONE
        elif code == ALREADY_ACKNOWLEDGED and self._state is _State.OPEN:
            self._state = _State.ANSWERED
        if is_about_emojis(error):
            self.refused_emoji = True
            self._client.app_emojis.report_refused()
        _log.info("Interaction %s could not be answered: %s", self.interaction.id, error or "time out")


def _text(locale: discord.Locale | str | None) -> str | None:
    """Return a locale as Discord writes it."""
    return None if locale is None else str(getattr(locale, "value", locale))
