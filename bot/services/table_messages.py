"""The messages that show a game: posting, editing and replacing them.

When and what to show is decided by :mod:`bot.services.painter`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

import discord

from bot.discordpy.acknowledging import snowflake_seconds
from bot.discordpy.answer import Answer
from bot.discordpy.components import MAX_NONCE, NO_MENTIONS, Files, Rendered, attached, mentions, render
from bot.discordpy.errors import (
    ARCHIVED_THREAD,
    DISCORD_ERRORS,
    LOCKED_THREAD,
    OLD_MESSAGE_EDITS,
    UNKNOWN_MESSAGE,
    UNSEEN_CODES,
    Late,
)
from bot.discordpy.fallbacks import is_about_emojis
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Say
from bot.screens import fairness
from bot.screens.highlights import Highlights
from bot.screens.model import Screen, Text
from bot.services.guild_settings import GuildSettingsCache
from bot.services.notifier import Notifier
from bot.sessions.notifying import Reason
from bot.sessions.presentation import dice_source, first_turn, screen_of, summary_of, turn_key
from bot.sessions.session import Sessions
from bot.store.base import FINISHED, LIVE, LOBBY, GameRow
from bot.store.notifications import MENTION, MESSAGE, NOTHING

OLD_MESSAGE_SECONDS = 3600.0
"""The age from which Discord limits the edits of a message."""

OLD_EDIT_SECONDS = 4.0
"""How long an edit of such a message may take. Beyond its limit Discord answers 429 (30046), and the library
waits inside the request for as long as Discord says, a minute or more."""

SUMMARY_SECONDS = 4.0
"""How long a try to put a summary in place of an old table may take; the game is not painted meanwhile."""

_log = logging.getLogger(__name__)


class Paint(NamedTuple):
    """What one paint shows, and how: through the answer to a click, or with the bot's own rights."""

    row: GameRow
    origin: Answer | None = None
    """The answer to the click or command that has led to this paint."""
    view: str = ""
    """What the clicker has marked on the table."""
    fresh: bool = False
    """Whether to post a new table at the bottom of the channel."""
    remind: bool = False
    """Whether to notify the person to move once more, by a new table."""
    invited: int | None = None
    """The person to mention in a new lobby."""
    own_rights: bool = False
    """Whether not to use the answer, for example because Discord refused it."""
    is_plain: bool = False
    """Whether it is shown without what Discord may refuse: drawn emojis and pictures."""

    @property
    def answer(self) -> Answer | None:
        """What the table is shown through; None for the bot's own rights."""
        return None if self.own_rights else self.origin

    @property
    def clicked_id(self) -> int | None:
        """The id of the message whose button was clicked."""
        return self.origin.message_id if self.origin is not None else None

    @property
    def reason(self) -> Reason:
        """Why somebody is notified of what is shown, if anybody is."""
        if self.invited is not None:
            return Reason.ASKED
        return Reason.HALF if self.remind else Reason.TURN

    @property
    def is_first(self) -> bool:
        """Whether no message shows the game yet, and none was clicked."""
        return self.row.message_id is None and self.clicked_id is None

    @property
    def needs_new_message(self) -> bool:
        """Whether the table belongs in a new message, even if there is nobody to notify."""
        return self.fresh or (self.is_first if self.row.message_id is None else self._clicked_elsewhere)

    @property
    def _clicked_elsewhere(self) -> bool:
        return self.clicked_id not in (None, self.row.message_id)

    def message_to_edit(self, *, post_refused: bool) -> int | None:
        """Return the message to edit where no new one is posted, or None if there is none.

        That is the stored table, or else the clicked message, which the bot may have posted and had no time
        to record. Where none can be posted, the clicked message becomes the table: the click itself can edit
        it.
        """
        becomes_table = post_refused and self._clicked_elsewhere and self.answer is not None
        return self.clicked_id if becomes_table or self.row.message_id is None else self.row.message_id

    def without_answer(self) -> Paint:
        """Return the same paint with the bot's own rights."""
        return self._replace(own_rights=True)

    def plain(self) -> Paint:
        """Return the same paint without what Discord may refuse."""
        return self._replace(is_plain=True)


class TableMessages:
    """Writes the messages that show games. Raises Discord's errors, unless a method says otherwise."""

    def __init__(
        self,
        client: discord.Client,
        sessions: Sessions,
        catalogue: Catalogue,
        servers: GuildSettingsCache,
        notifier: Notifier,
        emojis_refused: Callable[[], None],
    ) -> None:
        self._client = client
        self._sessions = sessions
        self._catalogue = catalogue
        self._servers = servers
        self._notifier = notifier
        self._emojis_refused = emojis_refused
        self.notice: Say | None = None
        """A line on the tables of lobbies and running games."""

    async def table(
        self, paint: Paint, *, pictured: bool = False, highlights: Highlights | None = None
    ) -> Rendered:
        """Return the table that ``paint`` shows; ``pictured`` and ``highlights`` as for :func:`screen_of`."""
        store = self._sessions.store
        screen = await screen_of(store, paint.row, paint.view, pictured=pictured, highlights=highlights)
        return self._rendered(paint, self._with_notice(paint.row, screen))

    def step(self, paint: Paint, screen: Screen) -> Rendered:
        """Return a step of what was played, with buttons of the game's present version."""
        return self._rendered(paint, screen)

    def _with_notice(self, row: GameRow, screen: Screen) -> Screen:
        if self.notice is None or row.status not in (LOBBY, LIVE):
            return screen
        title, *others = screen.blocks
        assert isinstance(title, Text)
        # Not a block of its own, as Discord limits their number.
        noted = Text.of(self.notice, *title.lines, spare=title.spare)
        return dataclasses.replace(screen, blocks=(noted, *others))

    def _rendered(self, paint: Paint, screen: Screen) -> Rendered:
        # A server may have chosen another language since the game began.
        row = paint.row
        locale = self._servers.of(row.guild_id).language or row.locale
        catalogue = self._catalogue.plain() if paint.is_plain else self._catalogue
        return render(screen, catalogue, locale, row.id, row.version)

    async def way_to_notify(self, paint: Paint, person: int | None) -> str:
        """Return how to notify the person to move, or the one who is invited."""
        return await self._way(paint.invited or person, paint.row, paint.reason)

    async def post(self, paint: Paint, person: int | None, way: str) -> int | None:
        """Post the table as a new message, with a mention if that is the way to notify them.

        Return its id, or None if the bot may not post in the channel.
        """
        row = paint.row
        named = paint.invited or (person if way == MENTION else None)
        screen = await screen_of(self._sessions.store, row, "", named)
        if way != MENTION:
            screen = dataclasses.replace(screen, mention=None)
        return await self._post(paint, self._with_notice(row, screen), _nonce(row))

    def write_if_wanted(self, paint: Paint, person: int | None, way: str) -> None:
        """Write to the person whose turn has come, if there is one and they want direct messages."""
        if person is not None and way == MESSAGE:
            self._notifier.write(paint.row, person, turn_key(paint.row), paint.reason)

    async def _way(self, person: int | None, row: GameRow, reason: Reason) -> str:
        """Return how to notify a person about a game; None is nobody."""
        if person is None:
            return NOTHING
        return await self._notifier.way(row.guild_id, person, reason, limited=row.turn_seconds > 0)

    async def post_question(self, row: GameRow, screen: Screen, answer: Answer) -> int | None:
        """Post a question about a game as a message of its own. Return its id, or None as in :meth:`post`."""
        if await self._way(screen.mention, row, Reason.ASKED) != MENTION:
            screen = dataclasses.replace(screen, mention=None)
        nonce = f"{answer.interaction.id:x}.ask"
        return await self._post(Paint(row, answer), screen, nonce)

    async def _post(self, paint: Paint, screen: Screen, nonce: str) -> int | None:
        row, answer = paint.row, paint.answer
        rendered = self._rendered(paint, screen)
        # Later posts make a sound only if they mention somebody.
        silent = row.message_id is not None and screen.mention is None
        if answer is not None:
            message_id = await answer.post(rendered, mentions(screen), silent=silent)
            if message_id is not None:
                return message_id
            if answer.refused_emoji:
                rendered = self._rendered(paint.plain(), screen)
        try:
            # Discord drops a second message with the same nonce, so a retried request posts once.
            message = await self._channel(row).send(
                view=rendered.view, allowed_mentions=mentions(screen), nonce=nonce, silent=silent
            )
        except discord.HTTPException as error:
            if error.status != HTTPStatus.FORBIDDEN and error.code != LOCKED_THREAD:
                raise
            _log.info("A new message of game %s can't be posted: %s", row.id, error)
            return None
        return message.id

    async def edit(
        self, paint: Paint, message_id: int, rendered: Rendered, files: Files | None, seconds: float
    ) -> None:
        """Edit one of the game's messages, through the answer if it was clicked, within ``seconds``.

        With the bot's own rights it keeps no files but ``files``; for the answer see :meth:`Answer.edit`.
        """
        if self.is_old(message_id):
            seconds = min(seconds, OLD_EDIT_SECONDS)
        if paint.answer is not None and message_id == paint.clicked_id:
            await paint.answer.edit(rendered, files, seconds)
            return
        message = self._channel(paint.row).get_partial_message(message_id)
        # Always name the files: a game that goes on after a restored backup would keep its picture, hidden.
        async with asyncio.timeout(seconds):
            await message.edit(
                view=rendered.view, allowed_mentions=NO_MENTIONS, attachments=attached(files or {})
            )

    def is_old(self, message_id: int) -> bool:
        """Return whether Discord limits how often a message may be edited, because of its age."""
        return self._sessions.now() - snowflake_seconds(message_id) > OLD_MESSAGE_SECONDS

    async def shrink(self, paint: Paint, message_id: int, remains: Screen | None = None) -> None:
        """Replace an old table of the game by ``remains``, by default a one-line summary.

        If Discord refuses that, try a plainer form.
        """
        by_answer = paint.answer is not None and message_id == paint.clicked_id
        failure = await self._summarize(paint, message_id, remains)
        if failure is not None and (by_answer or is_form_refused(failure)):
            failure = await self._summarize(paint.without_answer().plain(), message_id, remains)
        if failure is not None and getattr(failure, "code", 0) != UNKNOWN_MESSAGE:
            _log.info("An old table of game %s stays as it is: %s", paint.row.id, failure or "time out")

    async def _summarize(self, paint: Paint, message_id: int, remains: Screen | None) -> Exception | None:
        """Do what :meth:`shrink` does, once. Return why that failed, if it did."""
        rendered = self._rendered(paint, remains or summary_of(paint.row))
        files: Files | None = {} if paint.row.status == FINISHED else None
        try:
            await self.edit(paint, message_id, rendered, files, SUMMARY_SECONDS)
        except (Late, *DISCORD_ERRORS) as error:
            self.note_refusal(error)
            return error
        return None

    async def post_opening(self, row: GameRow, answer: Answer | None) -> int | None:
        """Post the message that opens a game. Return its id, or None if Discord does not let the bot post."""
        turn, person = first_turn(row, self._sessions.now())
        way = await self._way(person, row, Reason.TURN)
        screen = fairness.opening(dice_source(row), person if way == MENTION else None)
        rendered = self._rendered(Paint(row).plain(), screen)
        try:
            message = await self._channel(row).send(
                view=rendered.view,
                allowed_mentions=mentions(screen),
                nonce=f"{row.id:x}.{row.version:x}.start",
            )
        except discord.HTTPException as error:
            if error.status not in (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN):
                raise
            _log.info("Game %s can't be opened by a message of its own: %s", row.id, error)
            if error.code in UNSEEN_CODES:
                # A click could post, but then the bot could not make that message the table.
                return None
            return await answer.post_below(rendered, mentions(screen)) if answer is not None else None
        if person is not None and way == MESSAGE:
            self._notifier.write(row, person, turn, Reason.TURN, begins=True)
        return message.id

    def note_refusal(self, error: Exception) -> None:
        """Report an error that says that Discord does not take an emoji."""
        if is_about_emojis(error):
            self._emojis_refused()

    def _channel(self, row: GameRow) -> discord.PartialMessageable:
        # Not from discord.py's cache, where the object may be older than the channel's deletion.
        return self._client.get_partial_messageable(row.channel_id, guild_id=row.guild_id)


def is_form_refused(error: Exception) -> bool:
    """Return whether Discord refused what a message holds, such as an emoji, a picture or its size."""
    return (
        isinstance(error, discord.HTTPException)
        and error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        and error.code not in (OLD_MESSAGE_EDITS, ARCHIVED_THREAD, LOCKED_THREAD)
    )


def _nonce(row: GameRow) -> str:
    """Return the same nonce when one post is retried, even after a crash, and a different one for every other
    post: after another table, or for a reminder (``r``). It is cut at the front, as ids differ at their end.
    """
    before = (row.message_id or 0) & 0xFFFFFF
    return f"{row.id:x}.{row.version:x}.{before:x}{'r' if row.reminded else ''}"[-MAX_NONCE:]
