"""Whom the notifier writes to, what it says, and what follows if somebody takes no messages."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.i18n.catalogue import Catalogue
from bot.registry import TEXT_ICONS, find
from bot.services.notifier import MAX_TRIES, Notifier
from bot.sessions.notifying import Reason
from bot.sessions.presentation import turn_key
from bot.store.base import FINISHED, LIVE, NEVER, GameRow
from bot.store.guild_settings import NAME, PING
from bot.store.notifications import MENTION, MESSAGE, NOTHING, NotificationPreferences
from tests.support.rows import a_game
from tests.support.values import not_none

ANN, BEN = 1, 2
CATALOGUE = Catalogue(TEXT_ICONS)
OPTIONS = find("tutto").rules.options({})
GAME = a_game(
    id=7,
    status=LIVE,
    options=OPTIONS,
    state=find("tutto").rules.initial(OPTIONS, 2),
    since=1000.0,
    turn_seconds=600,
    deadline=1300.0,
)


class Desk:
    """A notifier of people who want direct messages, and what it sends."""

    def __init__(
        self,
        row: GameRow | None = GAME,
        *,
        answer: bool | Exception = True,
        mentions: str = PING,
        language: str = "",
        locale: str | None = None,
    ) -> None:
        self.row, self.answer = row, answer
        self.chosen = NotificationPreferences(MESSAGE, locale=locale)
        self.sent: list[tuple[int, str]] = []
        self.nonces: list[str] = []
        self.mentioned: list[int] = []
        server = SimpleNamespace(mentions=mentions, language=language)
        store: Any = SimpleNamespace(game=self._game, notifications=SimpleNamespace(of=self._of))
        servers: Any = SimpleNamespace(of=lambda guild_id: server)
        self.notifier = Notifier(store, CATALOGUE, servers, self._send, lambda: 1000.0)
        self.notifier.mention = self._mention

    async def _game(self, game_id: int) -> GameRow | None:
        return self.row

    async def _of(self, user_id: int) -> NotificationPreferences:
        return self.chosen

    async def _send(self, user_id: int, rendered: Any, nonce: str) -> bool:
        if isinstance(self.answer, Exception):
            raise self.answer
        assert len(nonce) <= 25
        self.nonces.append(nonce)
        self.sent.append((user_id, str(rendered.to_components())))
        return self.answer

    async def _mention(self, game_id: int) -> None:
        self.mentioned.append(game_id)

    async def write(self, user_id: int = ANN, turn: int = turn_key(GAME)) -> str:
        """Write to the person whose turn it is. Return what was sent."""
        self.notifier.write(GAME, user_id, turn, Reason.TURN)
        await self.notifier._queue.finished()
        return "".join(text for _, text in self.sent)


@pytest.mark.parametrize(
    ("changes", "until"),
    [({}, "<t:1600"), ({"turn_seconds": 0}, ""), ({"deadline": NEVER}, ""), ({"message_id": 8}, "<t:1600")],
)
async def test_a_message_links_to_the_table_and_says_until_when(changes: dict[str, Any], until: str) -> None:
    desk = Desk(replace(GAME, **changes))
    said = await desk.write()
    assert [user_id for user_id, _ in desk.sent] == [ANN]
    assert ("/channels/10/100/8)" if "message_id" in changes else "/channels/10/100)") in said
    assert until in said if until else "<t:" not in said
    assert desk.mentioned == []


@pytest.mark.parametrize(
    ("language", "locale", "words"),
    [("", None, "it’s your turn"), ("de", None, "Du bist dran"), ("de", "it", "tocca a te")],
)
async def test_a_message_is_in_the_language_of_its_person(
    language: str, locale: str | None, words: str
) -> None:
    assert words in await Desk(language=language, locale=locale).write()


@pytest.mark.parametrize(
    ("row", "user_id", "turn"),
    [
        (GAME, BEN, turn_key(GAME)),
        (GAME, ANN, turn_key(GAME) + 1),
        (None, ANN, turn_key(GAME)),
        (replace(GAME, status=FINISHED), ANN, turn_key(GAME)),
    ],
)
async def test_a_message_that_comes_too_late_is_not_sent(
    row: GameRow | None, user_id: int, turn: int
) -> None:
    desk = Desk(row)
    assert await desk.write(user_id, turn) == ""
    assert not desk.notifier._queue


@pytest.mark.parametrize(
    ("mentions", "answer", "way"),
    [(PING, True, MESSAGE), (PING, False, MENTION), (NAME, True, MESSAGE), (NAME, False, NOTHING)],
)
async def test_who_takes_no_messages_is_mentioned_instead(mentions: str, answer: bool, way: str) -> None:
    desk = Desk(mentions=mentions, answer=answer)
    assert await desk.notifier.way(10, ANN, Reason.TURN) == MESSAGE
    await desk.write()
    assert desk.mentioned == [7] * (not answer)
    assert await desk.notifier.way(10, ANN, Reason.TURN) == way
    assert await desk.notifier.way(10, BEN, Reason.TURN) == MESSAGE


async def test_only_the_same_message_to_the_same_person_has_the_same_nonce() -> None:
    """Discord drops a second message with the same one."""
    nonces: list[str] = []
    for seats in (GAME.seats, GAME.seats, GAME.seats[::-1]):
        desk = Desk(replace(GAME, seats=seats))
        await desk.write(not_none(seats[0].user_id))
        nonces += desk.nonces
    assert nonces[0] == nonces[1] != nonces[2]
    # Also one of large ids is short enough.
    seats = (replace(GAME.seats[0], user_id=0xFFFF), GAME.seats[1])
    row = replace(GAME, id=1 << 62, seats=seats, state=replace(GAME.state, finished=2))
    desk = Desk(row)
    await desk.write(0xFFFF, turn_key(row))
    assert [len(nonce) for nonce in desk.nonces] == [25]


async def test_a_choice_is_tried_out() -> None:
    desk = Desk(answer=False)
    assert not await desk.notifier.try_out(ANN, "en-US", "1")
    assert await desk.notifier.way(10, ANN, Reason.TURN) == MENTION
    desk.answer = TimeoutError()
    assert not await desk.notifier.try_out(ANN, "en-US", "2")
    desk.answer = True
    assert await desk.notifier.try_out(ANN, "en-US", "3")
    assert await desk.notifier.way(10, ANN, Reason.TURN) == MESSAGE


async def test_the_first_message_waits_and_goes_when_the_bot_stops() -> None:
    desk = Desk()
    desk.notifier.write(GAME, ANN, turn_key(GAME), Reason.TURN, begins=True)
    await desk.notifier._queue.finished()
    assert len(desk.notifier._queue) == 1
    assert desk.sent == []
    await desk.notifier.stop()
    assert len(desk.notifier._queue) == 0


async def test_a_failure_is_tried_again_some_times() -> None:
    desk = Desk(answer=OSError())
    await desk.write()
    assert len(desk.notifier._queue) == 1
    await desk.notifier.stop()
    pause = desk.notifier._queue._pause
    assert [pause(failures) for failures in (1, 2, MAX_TRIES, MAX_TRIES + 1)] == [5.0, 10.0, 15.0, None]
