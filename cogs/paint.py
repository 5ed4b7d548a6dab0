"""Painting: bringing what a channel shows in line with what is stored. It may fail; nothing is lost by it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from weakref import WeakValueDictionary

import discord

from bot.i18n.catalogue import Catalogue
from bot.present import screen_of, summary_of, to_call, to_move_user, turn_key
from bot.session import Sessions
from bot.store.base import LIVE, LOBBY, GameRow
from cogs.answer import TROUBLE, Answer, Late
from cogs.render import NO_MENTIONS, Board, mentions, render

UNKNOWN_CHANNEL = 10003
UNKNOWN_MESSAGE = 10008
OLD_MESSAGE_EDITS = 30046

PAINT_SECONDS = 20.0
"""The library retries for minutes; a paint that takes longer than this is given up until the next one."""

_log = logging.getLogger(__name__)


class Painter:
    """Shows games in their channels. One paint a game at a time, always of the newest version."""

    def __init__(self, client: discord.Client, sessions: Sessions, catalogue: Catalogue) -> None:
        self._client = client
        self._sessions = sessions
        self._store = sessions.store
        self._catalogue = catalogue
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def paint(
        self,
        game_id: int,
        answer: Answer | None = None,
        *,
        view: str = "",
        version: int | None = None,
        fresh: bool = False,
        force: bool = False,
        remind: bool = False,
    ) -> None:
        """Show a game as it is now, through ``answer`` if that is a way.

        ``view`` is what the clicker marked on the table of ``version``. ``fresh`` posts the table anew, at
        the bottom of the channel; ``force`` paints even what is shown already; ``remind`` posts it
        anew and calls the player once more. Trouble with Discord is logged, and the game is painted again at
        the next opportunity.
        """
        lock = self._locks.get(game_id)
        if lock is None:
            lock = self._locks[game_id] = asyncio.Lock()
        async with lock:
            row = await self._store.game(game_id)
            if row is None:
                return
            if view and version != row.version:
                view = ""
            shown = row.shown_version >= row.version and row.message_id is not None
            at_the_table = answer is None or answer.is_command or answer.message_id == row.message_id
            if shown and at_the_table and not (view or fresh or force or remind):
                return
            try:
                async with asyncio.timeout(PAINT_SECONDS):
                    await self._paint(row, answer, view, fresh or remind, remind)
            except Late:
                # Nobody has seen that answer, so the message is edited with the bot's own rights.
                await self._paint_alone(row, view)
            except TROUBLE as error:
                await self._trouble(row, error)

    async def retire(self, row: GameRow, message_id: int | None) -> None:
        """Take the buttons off a message that is not, or no longer, the table of its game."""
        if message_id is None or message_id == row.message_id:
            return
        try:
            await self._edit(row, message_id, self._board(row, summary_of(row)))
        except TROUBLE as error:
            _log.info("An old table of game %s stays as it is: %s", row.id, error)

    async def _paint(self, row: GameRow, answer: Answer | None, view: str, fresh: bool, remind: bool) -> None:
        clicked = answer.message_id if answer else None
        # A message that the bot sent but did not live to note is as good a table as any.
        here = clicked is not None and clicked == (row.message_id or clicked)
        call = to_move_user(row) if remind else to_call(row, self._sessions.now())
        elsewhere = clicked is not None and not here
        if row.message_id is None and not here:
            fresh = True
        if fresh or elsewhere or call is not None:
            posted = await self._post(row, answer, call)
            if posted is not None:
                old = [row.message_id, clicked]
                await self._note(row, posted, self._sessions.now())
                for message_id in dict.fromkeys(old):
                    if message_id is not None:
                        await self._shrink(row, message_id, answer if message_id == clicked else None)
                return
        message_id = clicked if here else row.message_id
        if message_id is None:
            return
        board = await self._table(row, view)
        try:
            if answer is not None and here:
                await answer.edit(board)
            else:
                await self._edit(row, message_id, board)
        except discord.HTTPException as error:
            if error.code not in (UNKNOWN_MESSAGE, OLD_MESSAGE_EDITS):
                raise
            posted = await self._post(row, None, None)
            if posted is None:
                raise
            await self._note(row, posted, self._sessions.now())
            if error.code == OLD_MESSAGE_EDITS:
                await self._shrink(row, message_id, None)
            return
        await self._note(row, message_id, row.posted_at)

    async def _paint_alone(self, row: GameRow, view: str) -> None:
        try:
            async with asyncio.timeout(PAINT_SECONDS):
                await self._paint(row, None, view, fresh=False, remind=False)
        except TROUBLE as error:
            await self._trouble(row, error)

    async def _table(self, row: GameRow, view: str = "", mention: int | None = None) -> Board:
        screen = await screen_of(self._store, row, view, mention)
        return render(screen, self._catalogue, row.locale, row.id, row.version)

    def _board(self, row: GameRow, screen: object) -> Board:
        return render(screen, self._catalogue, row.locale, row.id, row.version)  # type: ignore[arg-type]

    async def _post(self, row: GameRow, answer: Answer | None, call: int | None) -> int | None:
        """Post the table as a new message; its id, or None if the channel does not let the bot."""
        screen = await screen_of(self._store, row, "", call)
        board = self._board(row, screen)
        if answer is not None:
            message_id = await answer.post(board, mentions(screen))
            if message_id is not None:
                return message_id
        # Discord drops a second message with the same nonce, so a retried request posts once.
        nonce = str(answer.interaction.id) if answer else f"{row.id:x}.{row.version:x}"
        try:
            message = await self._channel(row).send(
                view=board, allowed_mentions=mentions(screen), nonce=nonce
            )
        except discord.Forbidden as error:
            _log.info("The table of game %s can't be posted anew: %s", row.id, error)
            return None
        return message.id

    async def _edit(self, row: GameRow, message_id: int, board: Board) -> None:
        message = self._channel(row).get_partial_message(message_id)
        await message.edit(view=board, allowed_mentions=NO_MENTIONS)

    async def _shrink(self, row: GameRow, message_id: int, answer: Answer | None) -> None:
        board = self._board(row, summary_of(row))
        try:
            if answer is not None:
                await answer.edit(board)
            else:
                await self._edit(row, message_id, board)
        except (Late, *TROUBLE) as error:
            _log.info("An old table of game %s stays as it is: %s", row.id, error)

    async def _note(self, row: GameRow, message_id: int, posted_at: float) -> None:
        moved = message_id != row.message_id
        if not moved and row.shown_version == row.version:
            return
        row = replace(
            row,
            message_id=message_id,
            posted_at=posted_at,
            shown_version=row.version,
            shown_turn=turn_key(row),
        )
        await self._store.shown(row, urgent=moved)

    async def _trouble(self, row: GameRow, error: BaseException) -> None:
        code = getattr(error, "code", 0)
        if code == UNKNOWN_CHANNEL and row.status in (LOBBY, LIVE):
            _log.info("The channel of game %s is gone, the game is closed", row.id)
            await self._sessions.at(row.channel_id).channel_gone()
            return
        _log.warning(
            "Game %s could not be shown, which is tried again later: %s", row.id, error or "time out"
        )

    def _channel(self, row: GameRow) -> discord.PartialMessageable:
        # Never from the cache: a channel object there may have outlived its channel.
        return self._client.get_partial_messageable(row.channel_id, guild_id=row.guild_id)
