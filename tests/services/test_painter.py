"""What one paint does, on stand-ins for Discord and the store that write down what is asked of them.

What Discord makes of that is tested with the whole bot, in tests/cogs/test_painter.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest

from bot.discordpy import errors
from bot.discordpy.acknowledging import snowflake_seconds
from bot.discordpy.components import Files, Rendered
from bot.discordpy.errors import INVALID_FORM, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, Late
from bot.games.tutto.cards import Card
from bot.games.tutto.state import TURN_CARD
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.records.who_begins import BY_LOT
from bot.registry import TEXT_ICONS
from bot.screens.highlights import Highlights
from bot.screens.model import Screen, Text
from bot.services import pacing, painter, table_messages
from bot.services.painter import Painter
from bot.services.table_messages import OLD_MESSAGE_SECONDS, _nonce
from bot.sessions import lobby
from bot.sessions.presentation import turn_key
from bot.sessions.request import ClickMoves, Refused, Stale
from bot.store.base import ABORTED, LIVE, GameRow
from bot.store.guild_settings import GuildSettings
from bot.store.notifications import MENTION, MESSAGE, NOTHING
from tests.sessions.test_commands import ANNA, BEN, NOW, click, finished, opened, started
from tests.sessions.test_steps import tutto
from tests.support import screen
from tests.support.values import not_none

TABLE, OTHER, NEW = 50, 60, 70
"""Ids of messages: the table of the game, one that is not, and the next one that is posted."""

OLD_NOW = snowflake_seconds(TABLE) + OLD_MESSAGE_SECONDS + 1


def shown(row: GameRow, **changes: Any) -> GameRow:
    """The game as it is when its table shows all of it but the latest step."""
    row = replace(row, id=7, message_id=TABLE, version=5, shown_version=4, **changes)
    return replace(row, shown_turn=turn_key(row), acted=(NOW,) * len(row.seats))


LIVE_GAME = shown(started(ANNA, BEN))
LOBBY_GAME = shown(opened(ANNA, BEN))
_, LAST = finished()
ENDED = shown(LAST.row)
SHOWN, UNPOSTED = replace(LIVE_GAME, shown_version=5), replace(LIVE_GAME, message_id=None)
"""A game of which all is shown, and one without a table."""
AWAY = replace(LIVE_GAME, shown_turn=-1, acted=(NOW - 61, NOW - 61))
"""A game whose player has to be notified."""


def http(status: int, code: int = 0, message: str = "") -> discord.HTTPException:
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    response: Any = SimpleNamespace(status=status, reason="")
    return kind(response, {"code": code, "message": message})


FORBIDDEN, BROKEN, FORM = http(403, 50013), http(500), http(400, INVALID_FORM)
GONE, TOO_OLD = http(404, UNKNOWN_MESSAGE), http(400, errors.OLD_MESSAGE_EDITS)
ARCHIVED, LOCKED = http(400, errors.ARCHIVED_THREAD), http(400, errors.LOCKED_THREAD)


class Scene:
    """A painter among stand-ins. ``journal`` has what was asked of Discord and the store, in order.

    ``fails`` holds errors, each after the first words of the request that it refuses once.
    """

    def __init__(self, row: GameRow, *others: GameRow, fails: Sequence[tuple[str, Exception]] = ()) -> None:
        self.rows = {one.id: one for one in (row, *others)}
        self.journal: list[str] = []
        self.text = ""
        """What the last message says."""
        self.fails = list(fails)
        self.stuck: tuple[str, ...] = ()
        """The first words of requests that Discord does not answer."""
        self.now = NOW
        self.way = NOTHING
        self.settings = GuildSettings()
        self.emojis_refused = 0
        self.begun: GameRow | Exception | None = None
        """What the session returns or raises when the game is to begin."""
        self.reopened: GameRow | None = None
        self.closed: GameRow | None = None
        """The game that the session closes when its channel is gone."""
        self.broken = False
        """Whether nothing can be read from the store."""
        store: Any = SimpleNamespace(
            game=self._game,
            latest_game=self._latest,
            mark_shown=self._mark_shown,
            results=self._results,
            rematch_of=self._nothing,
            unlisted=self._unlisted,
        )
        session = SimpleNamespace(reopen=self._reopen, begin=self._begin, channel_gone=self._channel_gone)
        sessions: Any = SimpleNamespace(store=store, now=lambda: self.now, at=lambda channel_id: session)
        client: Any = SimpleNamespace(get_partial_messageable=self._channel)
        servers: Any = SimpleNamespace(of=lambda guild_id: self.settings)
        notifier: Any = SimpleNamespace(way=self._way, write=self._write)
        derived: Any = SimpleNamespace(score_chart=self._score_chart, highlights=self._highlights)
        self.catalogue = Catalogue(TEXT_ICONS)
        self.painter = Painter(
            client, sessions, self.catalogue, servers, notifier, derived, self._refuse_emoji
        )

    async def paint(self, answer: Any = None, **more: Any) -> list[str]:
        """Paint the game, wait for what that sets off, and return what was written down since."""
        await self.painter.paint(7, answer, **more)
        return await self.done()

    async def next_step(self) -> list[str]:
        await self.painter._after_step(7)
        return await self.done()

    async def go_on(self, number: int, seat: int) -> list[str]:
        answer: Any = Answer(self)
        await self.painter.go_on(7, answer, number, seat)
        return await self.done()

    async def done(self) -> list[str]:
        await self.painter._gallery._queue.finished()
        await self.painter._retries.finished()
        found, self.journal = self.journal, []
        return found

    @property
    def row(self) -> GameRow:
        return self.rows[7]

    @property
    def tries_again(self) -> bool:
        return 7 in self.painter._retries

    def note(self, words: str, view: Any = None, **more: object) -> None:
        """Write down a request, and let it fail if it is to."""
        if view is not None:
            message = {"components": view.to_components()}
            words += " table" if screen.labels(message) else " line"
            self.text = screen.text_of(message)
        for index, (start, error) in enumerate(self.fails):
            if words.startswith(start):
                del self.fails[index]
                self.journal.append(f"{words} fails")
                raise error
        extra = [name if value is True else f"{name}={value}" for name, value in more.items() if value]
        self.journal.append(" ".join([words, *extra]))

    async def request(self, words: str, view: Any = None, **more: object) -> None:
        """Write down a request, and wait for its answer."""
        self.note(words, view, **more)
        if words.startswith(self.stuck):
            await asyncio.Event().wait()

    # The store.

    async def _game(self, game_id: int) -> GameRow | None:
        if self.broken:
            raise OSError("disk")
        return self.rows.get(game_id)

    async def _latest(self, channel_id: int) -> GameRow | None:
        return self.rows[max(self.rows)] if self.rows else None

    async def _results(self, game_id: int) -> Any:
        return LAST.results

    async def _nothing(self, game_id: int) -> None:
        return None

    async def _unlisted(self, guild_id: int, people: Collection[int]) -> frozenset[int]:
        return frozenset(people)

    async def _mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        self.note(f"shown {row.message_id} v{row.shown_version}", urgent=urgent)
        names = ("message_id", "posted_at", "shown_version", "shown_turn")
        changes = {name: getattr(row, name) for name in names}
        self.rows[row.id] = replace(self.rows[row.id], **changes)

    # The session.

    async def _reopen(self, game_id: int) -> GameRow | None:
        self.note("reopen")
        return self.reopened

    async def _begin(self, game_id: int, message_id: int) -> GameRow | None:
        self.note(f"begin {message_id}")
        if isinstance(self.begun, Exception):
            raise self.begun
        return self.begun

    async def _channel_gone(self) -> GameRow | None:
        self.note("close the game of the channel")
        return self.closed

    # Discord.

    def _channel(self, channel_id: int, *, guild_id: int) -> Any:
        assert (channel_id, guild_id) == (100, 10)
        return SimpleNamespace(send=self._send, get_partial_message=self._message)

    async def _send(self, *, view: Any, allowed_mentions: Any, nonce: str, silent: bool = False) -> Any:
        users = [user.id for user in allowed_mentions.users or ()]
        self.note("post", view, mentions=users, nonce=nonce, silent=silent)
        return SimpleNamespace(id=NEW)

    def _message(self, message_id: int) -> Any:
        async def edit(*, view: Any, allowed_mentions: Any, attachments: Sequence[discord.File]) -> None:
            assert not allowed_mentions.users
            await self.request(f"edit {message_id}", view, files=[one.filename for one in attachments])

        return SimpleNamespace(edit=edit)

    async def _way(self, guild_id: int, person: int, reason: str, *, limited: bool) -> str:
        self.note(f"way {person} {reason}", unlimited=not limited)
        return self.way

    def _write(self, row: GameRow, person: int, turn: int, reason: str, begins: bool = False) -> None:
        assert turn == (0 if begins else turn_key(row))
        self.note(f"write {person} {reason}", begins=begins)

    def _refuse_emoji(self) -> None:
        self.emojis_refused += 1

    # Pictures.

    async def _score_chart(self, row: GameRow) -> bytes:
        return b"picture"

    async def _highlights(self, row: GameRow) -> Highlights:
        return Highlights()


class Answer:
    """The answer to a click on a message, or to a command if ``message_id`` is None."""

    def __init__(self, scene: Scene, message_id: int | None = TABLE, *, takes_posts: bool = True) -> None:
        self._scene = scene
        self.message_id = message_id
        self.is_command = message_id is None
        self.refused_emoji = False
        self.interaction = SimpleNamespace(id=255)
        self.takes_posts = takes_posts
        """Whether it can be a new message below the one that was clicked."""

    async def edit(
        self, rendered: Rendered, files: Files | None = None, seconds: float | None = None
    ) -> None:
        kept = files is None
        async with asyncio.timeout(seconds):
            await self._scene.request("click edit", rendered.view, files=sorted(files or ()), files_stay=kept)

    async def post(self, rendered: Rendered, allowed: Any, *, silent: bool) -> int | None:
        if not self.is_command:
            return None
        users = [user.id for user in allowed.users or ()]
        try:
            self._scene.note("answer", rendered.view, mentions=users, silent=silent)
        except discord.HTTPException:
            return None
        return NEW

    async def post_below(self, rendered: Rendered, allowed: Any) -> int | None:
        if not self.takes_posts:
            return None
        self._scene.note("answer below", rendered.view, mentions=[user.id for user in allowed.users or ()])
        return NEW

    async def private(self, screen: Screen) -> None:
        await self._scene.request(f"private {screen.blocks[0].lines[0].key}")  # type: ignore[union-attr]


POSTED = ["post table nonce=7.5.32 silent", "shown 70 v5 urgent"]
"""The table comes below, and nobody is notified."""
BELOW = [*POSTED, "edit 50 line"]
"""It does, and there is one above it."""
EDITED = ["edit 50 table", "shown 50 v5"]
CLICKED, CLICKED_LINE = "click edit table files_stay", "click edit line files_stay"
"""The clicked message becomes the table, or a line."""

MENTIONED = ["post table mentions=[1] nonce=7.5.32", "shown 70 v5 urgent"]
PICTURED = ["edit 50 table files=['scores.png']"] * 2
"""The picture comes first, and then the highlights."""

PAINTS: dict[str, tuple[GameRow, int | None, dict[str, Any], list[str]]] = {
    "by the bot": (LIVE_GAME, 0, {}, EDITED),
    "by a click": (LIVE_GAME, TABLE, {}, [CLICKED, "shown 50 v5"]),
    "by a command": (LIVE_GAME, None, {}, EDITED),
    "by a click on an old table": (LIVE_GAME, OTHER, {}, [*BELOW, CLICKED_LINE]),
    "at the bottom": (LIVE_GAME, 0, {"fresh": True}, BELOW),
    "at the bottom by a command": (
        LIVE_GAME,
        None,
        {"fresh": True},
        ["answer table silent", "shown 70 v5 urgent", "edit 50 line"],
    ),
    "the first time": (UNPOSTED, 0, {}, ["post table nonce=7.5.0", "shown 70 v5 urgent"]),
    "by a click on a table that was not noted": (UNPOSTED, TABLE, {}, [CLICKED, "shown 50 v5 urgent"]),
    "once more": (SHOWN, 0, {}, []),
    "once more by a click": (SHOWN, TABLE, {}, []),
    "once more by a command": (SHOWN, None, {}, []),
    "once more by a click on an old table": (SHOWN, OTHER, {}, [*BELOW, CLICKED_LINE]),
    "once more because it must": (SHOWN, 0, {"force": True}, ["edit 50 table"]),
    "once more with marks": (SHOWN, TABLE, {"view": "k1", "version": 5}, [CLICKED]),
    "once more with marks of an old version": (SHOWN, TABLE, {"view": "k1", "version": 4}, []),
    "once more where it was never shown": (
        replace(LIVE_GAME, shown_version=5, message_id=None),
        0,
        {},
        ["post table nonce=7.5.0", "shown 70 v5 urgent"],
    ),
    "a lobby that invites": (
        replace(LOBBY_GAME, message_id=None),
        None,
        {"invited": BEN},
        ["way 2 asked", "answer table mentions=[2]", "shown 70 v5 urgent"],
    ),
    "a turn that comes": (AWAY, TABLE, {}, ["way 1 turn", *MENTIONED, CLICKED_LINE]),
    "a turn that comes again": (
        replace(LIVE_GAME, shown_version=5, reminded=True),
        0,
        {"remind": True},
        ["way 1 half", "post table mentions=[1] nonce=7.5.32r", "shown 70 v5 urgent", "edit 50 line"],
    ),
    "a turn without a limit": (
        replace(AWAY, turn_seconds=0),
        0,
        {},
        ["way 1 turn unlimited", *MENTIONED, "edit 50 line"],
    ),
    "an end": (ENDED, TABLE, {}, ["click edit table", "shown 50 v5", *PICTURED]),
    "an end on an old table": (
        ENDED,
        OTHER,
        {},
        [*BELOW, "click edit line", *[one.replace("50", "70") for one in PICTURED]],
    ),
}


@pytest.mark.parametrize("case", PAINTS)
async def test_what_a_paint_asks_of_discord_and_the_store(case: str) -> None:
    row, clicked, given, expected = PAINTS[case]
    scene = Scene(row)
    scene.way = MENTION
    answer = Answer(scene, clicked) if clicked != 0 else None
    assert await scene.paint(answer, **given) == expected
    assert not scene.tries_again
    assert (scene.row.shown_version, scene.row.shown_turn) == (5, turn_key(row))
    assert scene.row.posted_at == (NOW if "shown 70 v5 urgent" in expected else 0.0)


async def test_nothing_is_shown_of_a_game_that_is_gone() -> None:
    scene = Scene(LIVE_GAME)
    scene.rows = {}
    assert await scene.paint() == []


@pytest.mark.parametrize("by", ["edit", "post"])
async def test_a_direct_message_comes_besides_the_table(by: str) -> None:
    """It does where no message can be posted, too."""
    scene = Scene(AWAY)
    scene.way = MESSAGE
    if by == "post":
        assert await scene.paint() == ["way 1 turn", *POSTED, "write 1 turn", "edit 50 line"]
    else:
        scene.fails = [("post", FORBIDDEN)]
        assert await scene.paint() == ["way 1 turn", "post table fails", *EDITED, "write 1 turn"]


async def test_without_the_right_to_post_the_clicked_message_becomes_the_table() -> None:
    scene = Scene(LIVE_GAME, fails=[("post", FORBIDDEN)])
    assert await scene.paint(Answer(scene, OTHER)) == ["post table fails", CLICKED, "shown 60 v5 urgent"]
    scene = Scene(UNPOSTED, fails=[("post", FORBIDDEN)])
    assert await scene.paint() == ["post table fails"]


@pytest.mark.parametrize(
    ("message_id", "clicked", "expected"), [(None, 0, ["shown None v5"]), (TABLE, OTHER, EDITED)]
)
async def test_an_end_that_is_not_the_latest_game_is_not_posted_below_it(
    message_id: int | None, clicked: int, expected: list[str]
) -> None:
    scene = Scene(replace(ENDED, message_id=message_id), replace(LIVE_GAME, id=8))
    found = await scene.paint(Answer(scene, OTHER) if clicked else None)
    assert [one for one in found if "files" not in one] == expected
    assert not scene.tries_again


REFUSED: dict[str, tuple[GameRow, Exception, list[str], bool]] = {
    "a missing permission": (LIVE_GAME, FORBIDDEN, [], False),
    "a failure": (LIVE_GAME, BROKEN, [], True),
    "a broken connection": (LIVE_GAME, aiohttp.ClientError(), [], True),
    "its form": (LIVE_GAME, FORM, EDITED, False),
    "its size": (LIVE_GAME, http(413), EDITED, False),
    "a deleted message": (LIVE_GAME, GONE, POSTED, False),
    "an old message": (LIVE_GAME, TOO_OLD, BELOW, False),
    "an archived thread that waits for a person": (LIVE_GAME, ARCHIVED, BELOW, False),
    "an archived thread that waits for nobody": (LOBBY_GAME, ARCHIVED, ["shown 50 v5"], False),
    "a locked thread": (LIVE_GAME, LOCKED, [], False),
    "a channel that is gone": (
        LIVE_GAME,
        http(404, UNKNOWN_CHANNEL),
        ["close the game of the channel", "shown 50 v5"],
        False,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_an_edit_that_is_refused(case: str) -> None:
    row, error, expected, again = REFUSED[case]
    scene = Scene(row, fails=[("edit", error)])
    assert await scene.paint() == ["edit 50 table fails", *expected]
    assert scene.tries_again is again
    # It is not forgotten that the table is wrong, even if its version was noted as shown.
    scene.rows[7] = replace(scene.row, message_id=TABLE, shown_version=5)
    assert bool(await scene.paint()) is not bool(expected)


@pytest.mark.parametrize("error", [FORBIDDEN, BROKEN, FORM, LOCKED, Late(), TimeoutError()])
async def test_an_answer_that_is_refused_is_followed_by_an_edit(error: Exception) -> None:
    scene = Scene(LIVE_GAME, fails=[("click edit", error)])
    assert await scene.paint(Answer(scene)) == ["click edit table fails", *EDITED]
    assert not scene.tries_again
    scene = Scene(LIVE_GAME, fails=[("click edit", error), ("edit", BROKEN)])
    assert await scene.paint(Answer(scene)) == ["click edit table fails", "edit 50 table fails"]
    assert scene.tries_again


@pytest.mark.parametrize(("error", "expected"), [(GONE, POSTED), (TOO_OLD, BELOW), (ARCHIVED, BELOW)])
async def test_an_answer_to_a_table_that_takes_no_edits_is_a_new_table(
    error: Exception, expected: list[str]
) -> None:
    scene = Scene(LIVE_GAME, fails=[("click edit", error)])
    assert await scene.paint(Answer(scene)) == ["click edit table fails", *expected]
    scene = Scene(LIVE_GAME, fails=[("edit", error), ("post", FORBIDDEN)])
    assert await scene.paint() == ["edit 50 table fails", "post table fails"]


async def test_an_old_end_is_edited_otherwise_or_stays() -> None:
    """The click of a rematch comes when the lobby is there already."""
    later = replace(LOBBY_GAME, id=8)
    scene = Scene(ENDED, later, fails=[("click edit", TOO_OLD)])
    found = await scene.paint(Answer(scene))
    assert found[:3] == ["click edit table fails", *EDITED]
    scene = Scene(ENDED, later, fails=[("edit", TOO_OLD)])
    assert await scene.paint() == ["edit 50 table fails", "shown 50 v5"]
    scene = Scene(ENDED, later, fails=[("click edit", GONE)])
    assert await scene.paint(Answer(scene)) == ["click edit table fails", "shown 50 v5"]


async def test_a_failed_paint_is_tried_again_with_longer_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = []
    scene = Scene(LIVE_GAME)
    retries = scene.painter._retries
    pause = retries._pause

    def no_pause(failures: int) -> float:
        pauses.append(pause(failures))
        return 0.0

    monkeypatch.setattr(retries, "_pause", no_pause)
    scene.fails = [("edit", BROKEN)] * 3
    found = await scene.paint()
    for _ in range(3):
        await asyncio.sleep(0)
        found += await scene.done()
    assert found == ["edit 50 table fails"] * 3 + EDITED
    assert pauses == [1.0, 2.0, 4.0]
    assert (pause(12), pause(13)) == (2048.0, None)
    scene.fails = [("edit", BROKEN)]
    await scene.paint(force=True)
    assert pauses[3:] == [1.0], "it has succeeded in between"


async def test_an_edit_of_an_old_message_that_takes_long_is_a_new_table() -> None:
    """Beyond its limit of such edits Discord lets the library wait."""
    scene = Scene(LIVE_GAME)
    scene.now = OLD_NOW
    scene.rows[7] = replace(LIVE_GAME, acted=(OLD_NOW, OLD_NOW))
    scene.fails = [("edit", TimeoutError())]
    assert await scene.paint() == ["edit 50 table fails", *BELOW]


async def test_a_refused_emoji_is_reported_however_it_was_sent() -> None:
    refused = http(400, INVALID_FORM, "Invalid emoji")
    scene = Scene(LIVE_GAME, fails=[("click edit", refused)])
    await scene.paint(Answer(scene))
    assert scene.emojis_refused == 1
    scene.fails = [("click edit line", refused)]
    await scene.painter.retire(scene.row, Answer(scene, OTHER))  # type: ignore[arg-type]
    assert scene.emojis_refused == 2
    scene = Scene(replace(ENDED, shown_version=5), fails=[("edit", refused)])
    scene.painter._gallery.request(7)
    await scene.done()
    assert scene.emojis_refused == 1
    scene, made = a_step()
    scene.fails = [("click edit", refused)]
    await scene.paint(Answer(scene), made=made)
    assert scene.emojis_refused == 1
    scene.fails = [("click edit", BROKEN)]
    await scene.paint(Answer(scene), force=True)
    assert scene.emojis_refused == 1


async def test_a_table_that_was_right_in_between_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(LIVE_GAME)
    failures = []

    def never(number: int) -> None:
        failures.append(number)

    monkeypatch.setattr(scene.painter._retries, "_pause", never)
    for _ in range(2):
        scene.fails = [("edit", BROKEN)]
        await scene.paint(force=True)
        assert await scene.paint() != [], "it is wrong"
        assert await scene.paint() == [], "it is right now"
    assert failures == [1, 1]


@pytest.mark.parametrize("error", [BROKEN, TimeoutError()])
async def test_a_post_that_fails_is_tried_again_and_nothing_else_is_shown(error: Exception) -> None:
    scene = Scene(LIVE_GAME, fails=[("post", error)])
    assert await scene.paint(fresh=True) == ["post table fails"]
    assert scene.tries_again


async def test_in_a_locked_thread_the_table_is_edited_where_it_stands() -> None:
    scene = Scene(LIVE_GAME, fails=[("post", LOCKED)])
    assert await scene.paint(fresh=True) == ["post table fails", *EDITED]


@pytest.mark.parametrize(
    ("error", "expected"),
    [(FORBIDDEN, []), (BROKEN, []), (GONE, []), (FORM, ["edit 50 line"]), (http(413), ["edit 50 line"])],
)
async def test_an_old_table_that_takes_no_summary(error: Exception, expected: list[str]) -> None:
    scene = Scene(LIVE_GAME, fails=[("edit 50", error)])
    assert await scene.paint(fresh=True) == [*POSTED, "edit 50 line fails", *expected]
    # Once more at the most.
    scene = Scene(LIVE_GAME, fails=[("edit 50", FORM)] * 2)
    assert await scene.paint(fresh=True) == [*POSTED, *["edit 50 line fails"] * 2]


@pytest.mark.parametrize("error", [FORBIDDEN, BROKEN, FORM, Late()])
async def test_a_clicked_table_whose_answer_is_refused_takes_its_summary_otherwise(error: Exception) -> None:
    scene = Scene(LIVE_GAME, fails=[("click edit", error)])
    assert await scene.paint(Answer(scene, OTHER)) == [
        *POSTED,
        "edit 50 line",
        "click edit line fails",
        "edit 60 line",
    ]
    scene = Scene(LIVE_GAME, fails=[("edit 50", BROKEN)])
    found = await scene.paint(Answer(scene, OTHER))
    assert found == [*POSTED, "edit 50 line fails", CLICKED_LINE], "no answer to that one"


async def test_a_refused_emoji_is_left_out_of_the_post_that_follows() -> None:
    for refused in (True, False):
        scene = Scene(replace(LOBBY_GAME, message_id=None))
        scene.catalogue.use(dict.fromkeys(TEXT_ICONS, "<:drawn:1>"))
        scene.fails = [("answer", FORM)]
        answer = Answer(scene, None)
        answer.refused_emoji = refused
        assert await scene.paint(answer) == [
            "answer table fails",
            "post table nonce=7.5.0",
            "shown 70 v5 urgent",
        ]
        assert ("<:drawn:1>" in scene.text) is not refused


async def test_a_notice_is_on_tables_that_are_not_over_and_all_are_in_the_language_of_the_server() -> None:
    for row, noted in ((LIVE_GAME, True), (LOBBY_GAME, True), (ENDED, False)):
        scene = Scene(row)
        scene.painter.show_notice(say("table-friendly"))
        notice = scene.catalogue.text("en-US", say("table-friendly"))
        scene.settings = GuildSettings(language="")
        await scene.paint()
        english = scene.text
        assert (notice in english) is noted
        scene.settings = GuildSettings(language="de")
        await scene.paint(force=True)
        assert scene.text != english


def test_a_nonce_has_at_most_25_characters_of_which_the_last_differ() -> None:
    row = replace(LIVE_GAME, id=2**63 - 1, version=2**22, message_id=2**60 - 1)
    nonces = {_nonce(one) for one in (row, replace(row, version=2), replace(row, message_id=5))}
    assert len(nonces) == 3
    assert max(map(len, nonces)) == 25


# Beginning a game.

STARTING = replace(
    lobby.start(opened(ANNA, BEN), click(ANNA), NOW).row, id=7, message_id=TABLE, acted=(NOW - 61, NOW)
)
BEGUN = replace(LIVE_GAME, start=lobby.begin(STARTING, NEW, NOW).row.start, acted=(NOW, NOW))
OPENED = ["shown 70 v-1 urgent", "begin 70", "edit 70 table", "shown 70 v5"]


def starting(begun: GameRow | Exception | None = BEGUN, **changes: Any) -> Scene:
    scene = Scene(replace(STARTING, **changes))
    scene.begun, scene.way = begun, MENTION
    return scene


async def test_a_game_begins_with_a_message_that_becomes_its_table() -> None:
    opening = ["way 1 turn", "post line mentions=[1] nonce=7.2.start"]
    scene = starting()
    assert STARTING.version == 2
    assert await scene.paint(Answer(scene)) == [*opening, *OPENED, CLICKED_LINE]
    assert scene.row.shown_turn == 0
    scene = starting(message_id=None)
    assert await scene.paint() == [*opening, *OPENED]
    scene = starting(message_id=NEW)
    assert await scene.paint() == [*opening, *OPENED], "the nonce gave a message that was noted"


async def test_who_begins_by_lot_is_not_known_yet() -> None:
    before = replace(opened(ANNA, BEN), begins=BY_LOT)
    by_lot = lobby.start(before, click(ANNA), NOW).row
    scene = starting(start=by_lot.start)
    assert (await scene.paint())[:3] == ["post line nonce=7.2.start", "shown 70 v-1 urgent", "begin 70"]
    assert scene.rows[7].shown_turn == turn_key(BEGUN)


async def test_the_first_player_may_be_written_to() -> None:
    scene = starting()
    scene.way = MESSAGE
    found = await scene.paint()
    assert found[:3] == ["way 1 turn", "post line nonce=7.2.start", "write 1 turn begins"]


async def test_a_game_that_another_process_has_begun_or_ended() -> None:
    scene = starting(Stale(BEGUN))
    assert (await scene.paint())[2:6] == OPENED
    scene = starting(None)
    assert (await scene.paint())[2:] == OPENED[:2]


async def test_a_game_that_began_with_another_message_leaves_a_summary() -> None:
    scene = starting(replace(BEGUN, start=lobby.begin(STARTING, OTHER, NOW).row.start))
    await scene.paint(Answer(scene))
    assert "further down" in scene.text
    other = scene.text
    scene = starting()
    await scene.paint(Answer(scene))
    assert scene.text != other


@pytest.mark.parametrize("error", [FORBIDDEN, FORM])
async def test_a_game_that_can_be_opened_by_the_click_only(error: Exception) -> None:
    scene = starting()
    scene.fails = [("post", error)]
    answer = Answer(scene)
    found = await scene.paint(answer)
    assert found[1:3] == ["post line fails", "answer below line mentions=[1]"]
    assert found[3:7] == OPENED


@pytest.mark.parametrize("error", [http(403, errors.MISSING_ACCESS), http(403, errors.LOCKED_THREAD)])
async def test_a_game_whose_table_the_bot_could_not_edit_is_not_opened_by_the_click(error: Exception) -> None:
    scene = starting()
    scene.fails = [("post", error)]
    found = await scene.paint(Answer(scene))
    assert found[1:] == ["post line fails", "reopen", "private error-cannot-begin"]


@pytest.mark.parametrize("by", ["bot", "click"])
async def test_a_game_that_cannot_be_opened_is_a_lobby_again(by: str) -> None:
    scene = starting()
    scene.fails = [("post", FORBIDDEN)]
    scene.reopened = replace(LOBBY_GAME, version=6)
    answer = Answer(scene, takes_posts=False) if by == "click" else None
    edit, told = (
        ("click edit table files_stay", ["private error-cannot-begin"]) if answer else ("edit 50 table", [])
    )
    found = await scene.paint(answer)
    assert found[1:] == ["post line fails", "reopen", edit, "shown 50 v6", *told]
    scene = starting()
    scene.fails = [("post", FORBIDDEN)]
    assert (await scene.paint(Answer(scene, takes_posts=False) if answer else None))[2:] == ["reopen", *told]


@pytest.mark.parametrize(
    ("begins", "stuck", "clicked"),
    [(True, "edit 50", None), (True, "click edit", TABLE), (False, "private", TABLE)],
)
async def test_a_game_is_painted_again_though_something_beside_its_table_is_stuck(
    monkeypatch: pytest.MonkeyPatch, begins: bool, stuck: str, clicked: int | None
) -> None:
    """The lobby that would say that the game has begun, or the words that it can't begin."""
    monkeypatch.setattr(table_messages, "SUMMARY_SECONDS", 0.01)
    monkeypatch.setattr(painter, "PAINT_SECONDS", 0.1)
    scene = starting()
    if not begins:
        scene.fails = [("post", FORBIDDEN)]
        scene.reopened = replace(LOBBY_GAME, version=6)
    scene.stuck = (stuck,)
    answer: Any = Answer(scene, clicked, takes_posts=False)
    async with asyncio.timeout(5):
        found = await scene.paint(answer)
    assert any(words.startswith(stuck) for words in found)
    assert scene.row.shown_version == (5 if begins else 6)


async def test_buttons_that_can_not_be_removed_are_given_up_after_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_messages, "SUMMARY_SECONDS", 0.01)
    scene = Scene(LIVE_GAME)
    scene.stuck = ("click edit", "edit 60")
    async with asyncio.timeout(5):
        await scene.painter.retire(LIVE_GAME, Answer(scene, OTHER))  # type: ignore[arg-type]
    assert await scene.done() == [CLICKED_LINE, "edit 60 line"]


async def test_an_opening_that_fails_is_tried_again() -> None:
    scene = starting()
    scene.fails = [("post", BROKEN)]
    assert (await scene.paint())[1:] == ["post line fails"]
    assert scene.tries_again


# Steps of what was played.


def a_step(**changes: Any) -> tuple[Scene, ClickMoves]:
    """A turn that a Stop card has ended, which is shown before the turn that follows."""
    played = tutto().move(TURN_CARD, Card.STOP)
    row = shown(replace(played.row, **changes))
    moves = tuple(move._replace(number=row.version) for move in played.moves)
    return Scene(row), ClickMoves(played.before, moves)


def fireworks() -> tuple[Scene, ClickMoves]:
    """Four steps, of which the first three go on by hand."""
    played = tutto().move(TURN_CARD, Card.FIREWORKS, "111234", "126", "26")
    row = shown(played.row)
    return Scene(row), ClickMoves(
        played.before, tuple(move._replace(number=row.version) for move in played.moves)
    )


async def shown_step(played: tuple[Scene, ClickMoves] | None = None) -> Scene:
    """A table that shows the first step of what was played."""
    scene, made = played or a_step()
    assert await scene.paint(Answer(scene), made=made) == [CLICKED], "a step does not count as shown"
    return scene


async def test_a_step_is_shown_through_the_click_and_then_the_end() -> None:
    scene = await shown_step()
    step = scene.text
    assert not scene.painter._lock_of(7).locked()
    assert await scene.next_step() == [CLICKED, "shown 50 v5"]
    assert scene.text != step
    assert not list(scene.painter._pacing)
    assert await scene.next_step() == []


async def test_a_paint_ends_the_steps_being_shown() -> None:
    scene = await shown_step()
    assert await scene.paint() == EDITED
    assert not list(scene.painter._pacing)
    assert await scene.next_step() == []


@pytest.mark.parametrize("case", ["command", "old table", "bot", "no table", "notice", "old message", "off"])
async def test_where_no_steps_are_shown(case: str) -> None:
    scene, made = a_step()
    answer: Answer | None = Answer(scene, {"command": None, "old table": OTHER}.get(case, TABLE))
    if case == "bot":
        answer = None
    if case == "no table":
        scene.rows[7] = replace(scene.row, message_id=None)
    if case == "notice":
        scene.painter.show_notice(say("stop-notice"))
    if case == "old message":
        scene.now = OLD_NOW
        scene.rows[7] = replace(scene.row, acted=(OLD_NOW, OLD_NOW))
    if case == "off":
        scene.settings = GuildSettings(step_by_step=False)
    found = await scene.paint(answer, made=made)
    assert any(one.startswith("shown") for one in found)
    assert not list(scene.painter._pacing)


async def test_a_game_that_has_changed_is_not_followed_by_its_end() -> None:
    for version, shown_version in ((6, 4), (5, 5)):
        scene = await shown_step()
        scene.rows[7] = replace(scene.row, version=version, shown_version=shown_version)
        assert await scene.next_step() == []
    scene = await shown_step()
    scene.rows = {}
    assert await scene.next_step() == []


@pytest.mark.parametrize("error", [Late(), FORBIDDEN, TimeoutError()])
async def test_a_step_that_is_refused_is_followed_by_the_end(error: Exception) -> None:
    scene, made = a_step()
    scene.fails = [("click", error)]
    assert await scene.paint(Answer(scene), made=made) == ["click edit table fails", CLICKED, "shown 50 v5"]
    assert not list(scene.painter._pacing)


async def test_a_refused_step_may_still_arrive_after_the_end() -> None:
    scene = await shown_step(fireworks())
    scene.fails = [("click", BROKEN)]
    assert await scene.next_step() == ["click edit table fails", *EDITED]
    assert scene.tries_again
    assert await scene.paint() == ["edit 50 table"]


async def test_the_hand_whose_turn_it_was_goes_on() -> None:
    scene = await shown_step(fireworks())
    first = scene.text
    with pytest.raises(Refused, match="error-not-your-turn"):
        await scene.go_on(0, 1)
    assert await scene.go_on(1, 1) == []
    assert await scene.go_on(0, 0) == [CLICKED]
    assert scene.text != first
    assert await scene.go_on(0, 0) == [], "a double click"
    await scene.paint()
    scene.rows[7] = replace(scene.row, shown_version=4)
    assert await scene.go_on(1, 0) == [CLICKED, "shown 50 v5"], "it is not shown any more"


async def test_steps_of_a_store_that_fails_are_tried_again() -> None:
    scene = await shown_step()
    scene.broken = True
    with pytest.raises(OSError, match="disk"):
        await scene.painter._after_step(7)
    assert scene.tries_again


def test_steps_are_shown_at_so_many_tables_at_once_and_only_of_the_latest_move() -> None:
    scene, made = a_step()
    pace, answer = scene.painter._pacing, cast("Any", Answer(scene))
    assert pace.plan(replace(scene.row, version=6), answer, made) is None
    showing = not_none(pace.plan(scene.row, answer, made))
    for game_id in range(1, pacing.MAX_SHOWN):
        pace._showing[game_id] = showing
    assert pace.plan(scene.row, answer, made) is not None
    pace._showing[pacing.MAX_SHOWN] = showing
    assert pace.plan(scene.row, answer, made) is None


async def test_the_time_of_a_step_begins_when_it_is_shown_and_ends_with_it() -> None:
    scene, made = a_step()
    pace, answer = scene.painter._pacing, cast("Any", Answer(scene))
    showing = not_none(pace.plan(scene.row, answer, made))
    pace.shown(showing)
    pace.shown(showing)
    assert showing.edits == 2
    assert 7 in pace._times
    assert pace.drop(7) is showing
    assert 7 not in pace._times
    pace.shown(showing)
    await pace.stop()
    assert 7 not in pace._times
    assert pace.of(7) is None


def test_a_hand_has_longer_for_its_step_but_only_once() -> None:
    scene, made = fireworks()
    answer: Any = Answer(scene)
    showing = not_none(scene.painter._pacing.plan(scene.row, answer, made))
    assert [step.hand for step in showing.steps] == [0, 0, 0, None]
    assert showing.seconds == pacing.HAND_SECONDS
    assert showing.advance()
    assert showing.seconds == pacing.STEP_SECONDS, "it was not used"
    showing.edits = pacing.MAX_EDITS
    assert not showing.advance()
    other: Any = Answer(scene)
    showing.at = 0
    assert showing.advance(other)
    assert (showing.answer, showing.edits, showing.seconds) == (other, 0, pacing.HAND_SECONDS)
    assert showing.advance()
    assert showing.advance()
    assert showing.seconds == pacing.STEP_SECONDS
    assert not showing.advance()


async def test_a_painter_that_stops_shows_the_end() -> None:
    scene = await shown_step()
    await scene.painter.stop()
    assert await scene.done() == [CLICKED, "shown 50 v5"]
    scene.rows[7] = replace(ENDED, shown_version=4)
    scene.painter._retries.add(7)
    scene.painter._gallery.request(7)
    assert await scene.done() == []
    assert not scene.painter._pacing._times


async def test_stopping_takes_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "STOP_SECONDS", 0.001)
    scene = await shown_step()
    async with scene.painter._lock_of(7):
        await scene.painter.stop()
    assert await scene.done() == []
    assert not list(scene.painter._pacing)


async def test_a_store_that_fails_does_not_keep_the_painter_from_stopping() -> None:
    scene = await shown_step()
    scene.broken = True
    await scene.painter.stop()
    scene.broken = False
    scene.painter._retries.add(7)
    assert await scene.done() == []


# Pictures of finished games.


async def test_a_kept_picture_is_shown_at_once_unless_it_is_refused() -> None:
    scene = Scene(ENDED)
    await scene.paint()
    assert await scene.paint(force=True) == PICTURED[:1]
    assert await scene.paint(Answer(scene), force=True) == ["click edit table files=['scores.png']"]
    scene.fails = [("click", FORM)]
    assert await scene.paint(Answer(scene), force=True) == [
        "click edit table fails",
        "edit 50 table",
        *PICTURED[:1],
    ]


@pytest.mark.parametrize(
    ("error", "again", "kept"),
    [(FORBIDDEN, False, b""), (GONE, False, b"picture"), (BROKEN, True, b"picture")],
)
async def test_a_picture_that_is_refused(error: Exception, again: bool, kept: bytes) -> None:
    scene = Scene(replace(ENDED, shown_version=5), fails=[("edit", error)] * 2)
    scene.painter._gallery.request(7)
    assert (await scene.done())[0] == "edit 50 table fails"
    assert (7 in scene.painter._gallery._queue) is again
    assert scene.painter._gallery._pictures[7] == kept


@pytest.mark.parametrize("changes", [{"status": LIVE}, {"message_id": None}, None])
async def test_a_picture_of_a_game_without_a_table_is_not_shown(changes: dict[str, Any] | None) -> None:
    scene = Scene(replace(ENDED, shown_version=5))
    if changes is None:
        scene.rows = {}
    else:
        scene.rows[7] = replace(ENDED, **changes)
    assert await scene.painter._illustrate(7)
    assert await scene.done() == []


# Other messages.


async def test_a_question_is_posted_and_says_whether_it_was_taken() -> None:
    scene = Scene(LIVE_GAME)
    scene.way = MENTION
    question = Screen((Text((say("table-rated"),)),), mention=BEN)

    async def ask(answer: Answer) -> bool:
        return await scene.painter.ask(LIVE_GAME, question, answer)  # type: ignore[arg-type]

    assert await ask(Answer(scene))
    assert await ask(Answer(scene, None))
    scene.way = NOTHING
    assert await ask(Answer(scene))
    scene.fails = [("post", FORBIDDEN)]
    assert await ask(Answer(scene)) is False
    scene.fails = [("post", BROKEN)]
    assert await ask(Answer(scene)) is False
    asked = "way 2 asked"
    assert await scene.done() == [
        *(asked, "post line mentions=[2] nonce=ff.ask"),
        *(asked, "answer line mentions=[2]"),
        *(asked, "post line nonce=ff.ask silent"),
        *(asked, "post line fails"),
        *(asked, "post line fails"),
    ]


async def test_a_clicked_message_that_is_not_the_table_loses_its_buttons() -> None:
    scene = Scene(LIVE_GAME)
    for clicked, expected in ((OTHER, [CLICKED_LINE]), (TABLE, []), (None, [])):
        await scene.painter.retire(LIVE_GAME, Answer(scene, clicked))  # type: ignore[arg-type]
        assert await scene.done() == expected


async def test_a_thread_that_opens_shows_its_latest_game() -> None:
    for row, expected in (
        (SHOWN, []),
        (LIVE_GAME, EDITED),
        (replace(ENDED, shown_version=5, status=ABORTED), ["edit 50 table"]),
    ):
        scene = Scene(row)
        await scene.painter.thread_opened(100)
        assert await scene.done() == expected
    scene.rows = {}
    await scene.painter.thread_opened(100)
    assert await scene.done() == []


async def test_a_channel_that_is_gone_closes_its_game() -> None:
    scene = Scene(LIVE_GAME)
    await scene.painter.channel_gone(100)
    scene.closed = LIVE_GAME
    await scene.painter.channel_gone(100)
    assert await scene.done() == ["close the game of the channel"] * 2 + ["shown 50 v5"]


async def test_what_was_refused_is_shown_when_permissions_have_changed() -> None:
    scene = Scene(LIVE_GAME, fails=[("edit", FORBIDDEN)])
    assert await scene.paint() == ["edit 50 table fails"]
    await scene.painter.show_refused(lambda row: row.channel_id != LIVE_GAME.channel_id)
    assert await scene.done() == []
    for expected in (EDITED, []):
        await scene.painter.show_refused(lambda row: row.channel_id == LIVE_GAME.channel_id)
        assert await scene.done() == expected
