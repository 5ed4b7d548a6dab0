"""Painting: show the stored state of each game in its channel, and try again if that fails."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakValueDictionary

import discord

from bot.discordpy.answer import Answer
from bot.discordpy.errors import (
    ARCHIVED_THREAD,
    DISCORD_ERRORS,
    LOCKED_THREAD,
    OLD_MESSAGE_EDITS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    Late,
)
from bot.games.values import replace
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Say, say
from bot.observability import context, metrics
from bot.records.sealing import message_of
from bot.screens import fairness
from bot.screens.model import Screen
from bot.screens.private import note
from bot.services.derived import DerivedResults
from bot.services.guild_settings import GuildSettingsCache
from bot.services.jobs import WorkQueue
from bot.services.notifier import Notifier
from bot.services.pacing import Pacing, Showing
from bot.services.pictures import Gallery
from bot.services.table_messages import Paint, TableMessages, is_form_refused
from bot.sessions.lobby import is_starting
from bot.sessions.presentation import (
    dice_source,
    first_turn,
    to_move_user,
    to_notify,
    turn_key,
    waits_for_person,
)
from bot.sessions.request import ClickMoves, Refused, Stale
from bot.sessions.session import Sessions
from bot.store.base import FINISHED, LIVE, LOBBY, GameRow
from bot.store.notifications import NOTHING

RETRY_SECONDS = 1.0
"""How long after a failure a game is painted again; every further pause is twice as long."""

MAX_TRIES = 12
"""How often to retry, over about an hour; after that only a click or a restart paints the game again."""

MAX_RETRIES_AT_ONCE = 100
"""How many games to paint again at the same time."""

STEP_TIMEOUT = 2.0
"""How long it may take to show a step of what was played; after that its end is shown."""

STOP_SECONDS = 2.0
"""How long the painter, when it stops, takes to show the end where a step is shown."""

PAINT_SECONDS = 20.0
"""How long a post or an edit may take. The library would retry for minutes."""

_log = logging.getLogger(__name__)


class Painter:
    """Shows games in their channels: one paint at a time for each game, always of the newest version."""

    def __init__(
        self,
        client: discord.Client,
        sessions: Sessions,
        catalogue: Catalogue,
        servers: GuildSettingsCache,
        notifier: Notifier,
        derived: DerivedResults,
        emojis_refused: Callable[[], None],
        *,
        step_by_step: bool = True,
    ) -> None:
        """``emojis_refused`` is called when Discord refuses a table for an emoji in it. Unless
        ``step_by_step``, all that was played is shown at once, whatever servers have chosen.
        """
        self._sessions = sessions
        self._store = sessions.store
        self._messages = TableMessages(client, sessions, catalogue, servers, notifier, emojis_refused)
        self._pacing = Pacing(servers, self._after_step, on=step_by_step)
        self._gallery = Gallery(self._store, derived, self._illustrate)
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._unshown: set[int] = set()
        """Games whose latest paint failed. The stored version does not say so if that paint was forced."""
        self._retries = WorkQueue[int](
            "paint game",
            self.paint,
            # For example a database that can't be written to; paint() handles Discord's errors itself.
            failure="Game %s could not be shown",
            pause=lambda failures: RETRY_SECONDS * 2 ** (failures - 1) if failures <= MAX_TRIES else None,
            at_once=MAX_RETRIES_AT_ONCE,
        )

    def show_notice(self, notice: Say) -> None:
        """Put a line on the tables of lobbies and running games that are painted from now on."""
        self._messages.notice = notice

    async def start(self) -> None:
        """Nothing to do until the first game is shown."""

    async def stop(self) -> None:
        """Show the end at each table that shows a step, and stop. What takes too long waits for a start."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                ends = [self.paint(showing.row.id, showing.answer) for showing in self._pacing]
                await asyncio.gather(*ends, return_exceptions=True)
        await self._pacing.stop()
        await self._retries.stop()
        await self._gallery.stop()

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
        invited: int | None = None,
        made: ClickMoves | None = None,
    ) -> None:
        """Show the game's current state. Use ``answer`` for that if possible.

        ``view`` is what the clicker marked on the table of ``version``. ``fresh`` posts a new table at the
        bottom of the channel; ``force`` paints even if the channel shows this version already; ``remind``
        posts a new table and notifies the player once more; ``invited`` is mentioned in a new lobby; ``made``
        are the moves that led to the state, which may be shown step by step first, unless the game has moved
        on.

        Discord's errors are logged, and the game is painted again later unless the bot lacks the permission.
        """
        context.game.set(game_id)
        async with self._lock_of(game_id):
            self._pacing.drop(game_id)
            row = await self._store.game(game_id)
            if row is None:
                return
            if view and version != row.version:
                view = ""
            shown = row.shown_version >= row.version and row.message_id is not None
            force = force or game_id in self._unshown
            at_table = answer is None or answer.is_command or answer.message_id == row.message_id
            if shown and at_table and not (view or fresh or force or remind):
                metrics.paint_coalesced.inc()
                return
            if is_starting(row):
                await self._post_opening_and_begin(row, answer)
                return
            paint = Paint(row, answer, view, fresh or remind, remind, invited)
            if made is not None and await self._show_first_step(paint, made):
                return
            await self._try_paint(paint)

    def paint_soon(self, game_id: int) -> None:
        """Show the game's current state in the background."""
        self._retries.add(game_id)

    async def go_on(self, game_id: int, answer: Answer, number: int, seat: int | None) -> None:
        """Show what follows the step of this ``number``, for the person of ``seat`` who may do so by hand.

        Raises :class:`Refused` for another person. If it is not shown any more, show the end.
        """
        async with self._lock_of(game_id):
            showing = self._pacing.of(game_id)
            if showing is not None:
                # A click with another number is the second half of a double click.
                if showing.at == number:
                    if showing.step.hand != seat:
                        raise Refused("error-not-your-turn")
                    await self._show_next_step(showing, answer)
                return
        await self.paint(game_id, answer)

    async def _show_first_step(self, paint: Paint, made: ClickMoves) -> bool:
        """Show the first step of these moves. Return False if the end is to be shown at once."""
        row, answer = paint.row, paint.answer
        if answer is None or row.message_id is None or paint.clicked_id != row.message_id:
            return False
        showing = self._pacing.plan(row, answer, made)
        if showing is None or self._messages.notice is not None or self._messages.is_old(row.message_id):
            return False
        return await self._show_step(showing)

    async def _after_step(self, game_id: int) -> None:
        """Show what follows a step whose time is over. The game's lock is not held while time passes."""
        async with self._lock_of(game_id):
            showing = self._pacing.of(game_id)
            if showing is None:
                return
            try:
                await self._show_next_step(showing)
            except Exception:
                # For example a database that can't be read.
                self._retries.retry(game_id)
                raise

    async def _show_next_step(self, showing: Showing, answer: Answer | None = None) -> None:
        """Show the next step, by hand through the ``answer`` to a click, or the end after the last one."""
        self._pacing.drop(showing.row.id)
        row = await self._store.game(showing.row.id)
        if row is None or row.version != showing.row.version or row.shown_version >= row.version:
            # What has changed it, or shown it, has painted it as well.
            return
        there_is_more = showing.advance(answer)
        if there_is_more and await self._show_step(showing):
            return
        paint = Paint(row, showing.answer)
        if not there_is_more:
            await self._try_paint(paint)
            return
        await self._try_paint(paint.without_answer())
        # The step may still arrive after the end.
        self._unshown.add(row.id)
        self._retries.retry(row.id)

    async def _show_step(self, showing: Showing) -> bool:
        """Show a step through the click. It does not count as shown, so that a restart shows the end.

        Return False if that fails; then nothing but the end is shown.
        """
        row, answer = showing.row, showing.answer
        try:
            await answer.edit(self._messages.step(Paint(row), showing.step.screen), seconds=STEP_TIMEOUT)
        except (Late, *DISCORD_ERRORS) as error:
            self._messages.note_refusal(error)
            _log.info("A step of game %s could not be shown: %s", row.id, error or "time out")
            return False
        self._pacing.shown(showing)
        return True

    async def _try_paint(self, paint: Paint) -> None:
        start = time.perf_counter()
        try:
            await self._post_or_edit(paint)
        except (Late, *DISCORD_ERRORS) as error:
            await self._paint_after_failure(paint, error)
        else:
            metrics.paint_done.inc()
            if metrics.enabled():
                metrics.paint_seconds.observe(time.perf_counter() - start)

    async def _post_opening_and_begin(self, row: GameRow, answer: Answer | None) -> None:
        """Post the message that opens a starting game, begin the game with its id, and make it the table.

        If the bot is killed in between, this is done again: the nonce gives the same message for some
        minutes, and after that there is a second one, which counts. If Discord does not let the bot post, the
        lobby opens again.
        """
        session = self._sessions.at(row.channel_id)
        try:
            async with asyncio.timeout(PAINT_SECONDS):
                message_id = await self._messages.post_opening(row, answer)
        except DISCORD_ERRORS as error:
            await self._handle_failure(row, error)
            return
        if message_id is None:
            reopened = await session.reopen(row.id)
            if reopened is not None:
                await self._try_paint(Paint(reopened, answer))
            if answer is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(PAINT_SECONDS):
                        await answer.private(note(say("error-cannot-begin")))
            return
        now = self._sessions.now()
        turn, _ = first_turn(row, now)
        opened = replace(row, message_id=message_id, posted_at=now, shown_turn=turn)
        await self._store.mark_shown(opened, urgent=True)
        try:
            begun = await session.begin(row.id, message_id)
        except Stale as stale:
            # Another process has changed the game first.
            begun = stale.row
        if begun is None:
            return
        await self._try_paint(Paint(replace(begun, message_id=message_id)))
        if row.message_id is not None and row.message_id != message_id:
            started = message_of(begun.start) == message_id
            remains = fairness.begun(dice_source(begun)) if started else None
            await self._messages.shrink(Paint(begun, answer), row.message_id, remains)

    async def retire(self, row: GameRow, answer: Answer) -> None:
        """Remove the buttons of a clicked message that is not, or no longer, the table of its game."""
        if answer.message_id is not None and answer.message_id != row.message_id:
            await self._messages.shrink(Paint(row, answer), answer.message_id)

    async def ask(self, row: GameRow, question: Screen, answer: Answer) -> bool:
        """Post a question about a game as a message of its own. Return whether Discord accepted it."""
        try:
            async with asyncio.timeout(PAINT_SECONDS):
                return await self._messages.post_question(row, question, answer) is not None
        except DISCORD_ERRORS as error:
            _log.warning("A question about game %s could not be posted: %s", row.id, error or "time out")
            return False

    async def _paint_after_failure(self, paint: Paint, error: Exception) -> None:
        """Paint with the bot's own rights after a failure, more plainly if Discord refused the form."""
        self._messages.note_refusal(error)
        plainer = paint.plain() if is_form_refused(error) else paint
        if plainer is paint and paint.answer is None:
            await self._handle_failure(paint.row, error)
            return
        try:
            await self._post_or_edit(plainer.without_answer())
        except DISCORD_ERRORS as second:
            await self._handle_failure(paint.row, second)
        else:
            metrics.paint_done.inc()

    async def _post_or_edit(self, paint: Paint) -> None:
        """Post a new table if one is needed and the bot may, or else edit a message that is there."""
        row = paint.row
        person = to_move_user(row) if paint.remind else to_notify(row, self._sessions.now())
        refused, way = False, NOTHING
        if paint.needs_new_message or person is not None:
            async with asyncio.timeout(PAINT_SECONDS):
                if await self._is_current(row):
                    way = await self._messages.way_to_notify(paint, person)
                    if await self._post_table(paint, person, way):
                        return
                    refused = True
                elif paint.is_first:
                    await self._give_up(row.id)
                    return
        message_id = paint.message_to_edit(post_refused=refused)
        if message_id is not None and await self._edit_table(paint, message_id):
            # A direct message reaches them even where no post can mention them.
            self._messages.write_if_wanted(paint, person, way)

    async def _post_table(self, paint: Paint, person: int | None, way: str) -> bool:
        """Post a new table, and shrink those above it. Return False if the bot may not post."""
        row = paint.row
        posted = await self._messages.post(paint, person, way)
        if posted is None:
            return False
        await self._record_shown(row, posted, self._sessions.now())
        self._messages.write_if_wanted(paint, person, way)
        for message_id in dict.fromkeys((row.message_id, paint.clicked_id)):
            # The nonce may have given a message that was posted before the bot was killed.
            if message_id is not None and message_id != posted:
                await self._messages.shrink(paint, message_id)
        return True

    async def _edit_table(self, paint: Paint, message_id: int) -> bool:
        """Show the game in this message. Return False if :meth:`_replace_table` has dealt with it instead."""
        row = paint.row
        # When the table is shown without its picture, remove the file, or it stays attached unseen.
        files = self._gallery.files(row) if row.status == FINISHED else None
        if files and paint.is_plain:
            files = {}
        highlights = self._gallery.highlights(row)
        rendered = await self._messages.table(paint, pictured=bool(files), highlights=highlights)
        try:
            await self._messages.edit(paint, message_id, rendered, files, PAINT_SECONDS)
        except (discord.HTTPException, TimeoutError) as error:
            if not await self._replace_table(paint, message_id, error):
                raise
            return False
        await self._record_shown(row, message_id, row.posted_at, pictured=bool(files))
        return True

    async def _replace_table(self, paint: Paint, message_id: int, error: Exception) -> bool:
        """Post a new table in place of one that is gone or takes no edits, or give up a game that needs none.

        Return False if ``error`` has another reason, or if the bot may not post.
        """
        row = paint.row
        code = getattr(error, "code", OLD_MESSAGE_EDITS if self._messages.is_old(message_id) else 0)
        if code not in (UNKNOWN_MESSAGE, OLD_MESSAGE_EDITS, ARCHIVED_THREAD):
            return False
        current = await self._is_current(row)
        if not current and code == OLD_MESSAGE_EDITS and paint.answer is not None:
            return False
        is_wanted = paint.origin is not None or waits_for_person(row)
        if not current or (code == ARCHIVED_THREAD and not is_wanted):
            # This game is not worth opening its thread; thread_opened() shows it when somebody else does.
            await self._give_up(row.id)
            return True
        # In an archived thread, a new message opens it.
        unanswered = paint.without_answer()
        async with asyncio.timeout(PAINT_SECONDS):
            way = await self._messages.way_to_notify(paint, None)
            posted = await self._messages.post(unanswered, None, way)
        if posted is None:
            return False
        await self._record_shown(row, posted, self._sessions.now())
        if code != UNKNOWN_MESSAGE:
            await self._messages.shrink(unanswered, message_id)
        return True

    async def _is_current(self, row: GameRow) -> bool:
        """Return whether the game goes on, or is over and the latest of its channel."""
        if row.status in (LOBBY, LIVE):
            return True
        latest = await self._store.latest_game(row.channel_id)
        return latest is None or latest.id <= row.id

    async def _illustrate(self, game_id: int) -> bool:
        """Add its picture and its highlights to the table of a finished game.

        Return False if another try may succeed later.
        """
        async with self._lock_of(game_id):
            row = await self._store.game(game_id)
            if row is None or row.status != FINISHED or row.message_id is None:
                return True
            files, highlights = self._gallery.files(row), self._gallery.highlights(row)
            paint = Paint(row)
            rendered = await self._messages.table(paint, pictured=bool(files), highlights=highlights)
            try:
                await self._messages.edit(paint, row.message_id, rendered, files, PAINT_SECONDS)
            except DISCORD_ERRORS as error:
                self._messages.note_refusal(error)
                _log.info("Game %s is shown without a picture: %s", game_id, error or "time out")
                # Without the message or the permission, further tries would be refused as well.
                if isinstance(error, discord.Forbidden):
                    self._gallery.refuse(game_id)
                return isinstance(error, discord.Forbidden | discord.NotFound)
            return True

    def _lock_of(self, game_id: int) -> asyncio.Lock:
        lock = self._locks.get(game_id)
        if lock is None:
            lock = self._locks[game_id] = asyncio.Lock()
        return lock

    async def _record_shown(
        self, row: GameRow, message_id: int, posted_at: float, *, pictured: bool = False
    ) -> None:
        """Store which message shows the game, and in which version; request the picture if it lacks one."""
        if row.status == FINISHED and not pictured:
            self._gallery.request(row.id)
        self._retries.succeeded(row.id)
        self._unshown.discard(row.id)
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
        await self._store.mark_shown(row, urgent=moved)

    async def _handle_failure(self, row: GameRow, error: BaseException) -> None:
        """Log why the game could not be shown and retry it later, or give it up if its channel is gone."""
        metrics.paint_failed.inc()
        self._unshown.add(row.id)
        code = getattr(error, "code", 0)
        if code == UNKNOWN_CHANNEL:
            await self.channel_gone(row.channel_id)
            await self._give_up(row.id)
            return
        if isinstance(error, discord.Forbidden) or code in (ARCHIVED_THREAD, LOCKED_THREAD):
            # Further tries would be refused as well; the next click tries again.
            _log.warning("Game %s could not be shown; the next click tries again: %s", row.id, error)
            return
        _log.warning("Game %s could not be shown; it is tried again later: %s", row.id, error or "time out")
        self._retries.retry(row.id)

    async def thread_opened(self, channel_id: int) -> None:
        """Show the latest game of a thread that is no longer archived: its table took no edits meanwhile."""
        row = await self._store.latest_game(channel_id)
        if row is not None:
            await self.paint(row.id, force=row.status not in (LOBBY, LIVE))

    async def show_refused(self, is_concerned: Callable[[GameRow], bool]) -> None:
        """Show concerned games whose latest paint has failed, once permissions have changed."""
        for game_id in tuple(self._unshown):
            row = await self._store.game(game_id)
            if row is not None and is_concerned(row):
                self.paint_soon(game_id)

    async def channel_gone(self, channel_id: int) -> None:
        """Close the game of a channel that was deleted."""
        row = await self._sessions.at(channel_id).channel_gone()
        if row is not None:
            _log.info("The channel of game %s is gone, the game is closed", row.id)
            await self._give_up(row.id)

    async def _give_up(self, game_id: int) -> None:
        """Mark the game as shown, because it can't be shown now and would be retried forever."""
        self._unshown.discard(game_id)
        row = await self._store.game(game_id)
        if row is not None:
            await self._store.mark_shown(replace(row, shown_version=row.version), urgent=False)
