"""Game sessions without Discord: refusals, effects, and that nothing is lost."""

from __future__ import annotations

import ast
import asyncio
import itertools
import json
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot import registry
from bot.games.core import CHANCE, OVER, GameError, IllegalMove, Unreadable
from bot.games.tutto.state import TURN_CARD, Keep
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Say, say
from bot.records.game_log import read_log
from bot.records.verification import verify_line
from bot.registry import GAMES, TEXT_ICONS, find
from bot.screens.advice import odds_screen
from bot.screens.model import Buttons, Screen, Text
from bot.sessions import commands, offers, turns
from bot.sessions.presentation import screen_of, summary_of, to_notify
from bot.sessions.request import Click, Command, Echo, Refused, Stale, Woken
from bot.sessions.session import GameSession, Sessions
from bot.standings.values import Board, Leaderboard, Period, Standing
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, NEVER, TAKEN, Change, GameRow, Store, intact
from bot.store.cache import CachedStore
from tests.support.databases import KINDS, database_of, migrated, open_store, store_on
from tests.support.records import stored_record
from tests.support.rows import stored_as
from tests.support.sources import sources
from tests.support.values import not_none
from tests.support.waiting import until

GUILD, CHANNEL = 10, 100
ANNA, BEN, CLEO, DORA = 1, 2, 3, 4
SEED = bytes([3]) * 32
OPENING = 1_234_567_890_123_456_789
"""The id of the message that opens a game."""

ADD_AI = f"l.ai.{next(iter(find('tutto').policies))}"


async def at_once(function: Callable[..., Any], *args: Any) -> Any:
    """Think here instead of in a thread."""
    return function(*args)


class Place:
    """One channel: a session, a clock that only moves when told, and people who click."""

    def __init__(self, store: Store, channel: int = CHANNEL) -> None:
        self.time = 1_700_000_000.0
        self.store = store if isinstance(store, CachedStore) else CachedStore(store)
        self.channel = channel
        self.deadlines: list[float] = []
        self.lobbies: list[None] = []
        self.over: list[int] = []
        self.sessions = Sessions(self.store, lambda: self.time, lambda: SEED, at_once)
        self.sessions.on_deadline = self.deadlines.append
        self.sessions.on_lobby = lambda: self.lobbies.append(None)
        self.sessions.on_over = self.over.append
        self._interactions = itertools.count(1)

    @property
    def session(self) -> GameSession:
        return self.sessions.at(self.channel)

    def click(self, who: int, *, manages: bool = False, interaction: int | None = None) -> Click:
        number = next(self._interactions) if interaction is None else interaction
        return Click(number, who, f"User {who}", GUILD, self.channel, "en-US", manages)

    async def row(self) -> GameRow:
        return not_none(await self.store.latest_game(self.channel))

    async def state(self) -> Any:
        row = await self.row()
        return intact(row.state)

    async def lobby(self, *people: int, ais: int = 0, **options: Any) -> GameRow:
        row = await self.session.open(self.click(people[0]), "tutto", {"target": 1000, **options})
        for who in people[1:]:
            await self.in_lobby(who, "l.join")
        for _ in range(ais):
            await self.in_lobby(people[0], ADD_AI)
        assert row.status == LOBBY
        return await self.row()

    async def in_lobby(self, who: int, token: str, **click: Any) -> GameRow:
        row = await self.row()
        return await self.session.press_lobby(self.click(who, **click), row.id, token)

    async def do(self, command: Command, who: int, game_id: int | None = None) -> GameRow:
        return await self.session.carry_out(command, self.click(who), game_id)

    async def begin(self, *people: int, ais: int = 0, **options: Any) -> GameRow:
        await self.lobby(*people, ais=ais, **options)
        return await self.start(people[0])

    async def start(self, who: int, **click: Any) -> GameRow:
        """Press Start, and begin the game with the message that the bot then posts."""
        row = await self.in_lobby(who, "l.start", **click)
        return not_none(await self.session.begin(row.id, OPENING))

    async def press(self, who: int, token: str, *, version: int | None = None, **click: Any) -> GameRow:
        row = await self.row()
        version = row.version if version is None else version
        return (await self.session.press(self.click(who, **click), row.id, version, token)).row

    async def tokens(self) -> list[str]:
        """The tokens of the game's own buttons that can be pressed now."""
        row = await self.row()
        found = []
        for controls in find(row.game).screen.controls(await self.state(), ""):
            found += [button.token for button in controls.buttons if not button.disabled]
        return found

    async def mover(self) -> int | None:
        row = await self.row()
        if row.status != LIVE:
            return None
        return row.seats[find(row.game).rules.to_move(await self.state())].user_id

    async def step(self) -> GameRow:
        """Let whoever is on turn stop, or else do the first thing that they can, without looking at dice."""
        tokens = [token for token in await self.tokens() if not token.startswith("v")]
        return await self.press(not_none(await self.mover()), "s" if "s" in tokens else tokens[0])

    async def run_out(self) -> Woken | None:
        """Let the time of whoever is on turn run out."""
        row = await self.row()
        self.time = not_none(row.deadline)
        return await self.session.overdue(row.id)

    async def play(self) -> GameRow:
        """To the end, whoever is on turn."""
        for _ in range(1000):
            if await self.mover() is None:
                return await self.row()
            await self.step()
        raise AssertionError("no end")


@pytest.fixture(params=KINDS)
async def place(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    with database_of(request.param, tmp_path) as database:
        store = await open_store(database)
        yield Place(store)
        await store.close()


_english = Catalogue(TEXT_ICONS)


def words(error: Refused | GameError) -> str:
    """The text of a refusal; each must have one that fits its facts."""
    text = _english.text("en", say(error.code, **error.facts))
    assert text != error.code, f"there are no words for {error.code}"
    return text


def texts(screen: Screen) -> list[Say]:
    return [line for block in screen.blocks if isinstance(block, Text) for line in block.lines]


async def refused(request: Any, code: str) -> None:
    with pytest.raises((Refused, GameError)) as info:
        await request
    assert isinstance(info.value, Refused | GameError)
    assert info.value.code == code
    words(info.value)


async def unchanged(place: Place, request: Any, code: str) -> None:
    """The request is refused, and the game is as it was."""
    before, moves = await place.row(), await place.store.moves((await place.row()).id)
    await refused(request, code)
    assert await place.row() == before
    assert await place.store.moves(before.id) == moves


# The lobby.


async def test_opening_checks_game_and_options(place: Place) -> None:
    for game, options, code in (
        ("chess", {}, "error-unknown-game"),
        ("tutto", {"target": 999}, "error-target"),
        ("tutto", {"target": 50_500}, "error-target"),
        ("tutto", {"target": 10**400}, "error-target"),
        ("tutto", {"target": True}, "error-target"),
        ("tutto", {"edition": "next"}, "error-edition"),
        ("tutto", {"colour": "red"}, "error-unreadable"),
    ):
        await refused(place.session.open(place.click(ANNA), game, options), code)
    assert await place.store.latest_game(CHANNEL) is None


async def test_a_channel_has_one_game_and_other_channels_their_own(place: Place) -> None:
    await place.lobby(ANNA)
    for game in GAMES:
        with pytest.raises(Refused) as info:
            await place.session.open(place.click(BEN), game, {})
        assert info.value.code == "error-channel-taken"
        assert "with `/tutto show`" in words(info.value)
    click = place.click(BEN)._replace(channel_id=200)
    await place.sessions.at(200).open(click, "tutto", {})
    assert len({(await place.row()).id, (await place.store.active_game(200)).id}) == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(("limit", "ais"), [("MAX_MOVES", 0), ("MAX_MOVES", 3), ("MAX_TURNS", 0)])
async def test_a_game_that_goes_on_for_ever_ends_without_a_result(
    place: Place, monkeypatch: pytest.MonkeyPatch, limit: str, ais: int
) -> None:
    """People and AIs play on until the limit, and the next lobby can open."""
    monkeypatch.setattr(turns, limit, 30 if limit == "MAX_MOVES" else 4)
    await place.begin(ANNA, BEN, ais=ais, target=50_000)
    row = await place.play()
    assert (row.status, row.closed, row.deadline) == (ABORTED, "closed-too-long", None)
    assert not row.ai_to_move
    if limit == "MAX_MOVES":
        assert row.version == 30
    else:
        assert find(row.game).rules.turns(intact(row.state)) == 4
    words(Refused(row.closed))
    assert place.over == []
    assert await place.store.results(row.id) == ()
    moves = await place.store.moves(row.id)
    assert moves[-1].number == row.version
    text = not_none(await stored_record(place.store, row))
    assert verify_line(text).moves == len(moves)
    assert (await place.lobby(ANNA)).status == LOBBY


async def test_an_idle_lobby_closes_at_its_deadline_and_not_before(place: Place) -> None:
    row = await place.lobby(ANNA)
    assert place.deadlines[-1] == row.deadline == place.time + 3600
    place.time += 3599
    assert await place.session.overdue(row.id) is None
    row = await place.in_lobby(BEN, "l.join")  # somebody is there: another hour
    place.time += 3599
    assert await place.session.overdue(row.id) is None
    place.time += 1
    woken = not_none(await place.session.overdue(row.id))
    assert (woken.row.status, woken.row.deadline) == (ABORTED, None)
    assert woken.row.closed == "closed-idle"
    assert await place.session.overdue(row.id) is None  # once
    await place.lobby(ANNA)  # everybody is free


async def test_an_invalid_id_has_no_deadline(place: Place) -> None:
    assert await place.session.overdue(12345) is None
    assert await place.session.resume(12345) is None
    assert await place.session.channel_gone() is None


# Moves.


async def test_who_may_press_and_when(place: Place) -> None:
    row = await place.begin(ANNA, BEN)
    await unchanged(place, place.press(BEN, "t"), "error-not-your-turn")
    await unchanged(place, place.press(CLEO, "t"), "error-not-in-game")
    await unchanged(place, place.press(ANNA, "s"), "error-illegal-move")
    await unchanged(place, place.press(ANNA, "nonsense"), "error-old-button")
    other = place.click(ANNA)._replace(channel_id=200)
    await unchanged(place, place.session.press(other, row.id, row.version, "t"), "error-old-button")
    await unchanged(place, place.session.press(place.click(ANNA), 999, 0, "t"), "error-old-button")
    await place.press(ANNA, "t")


async def test_an_interaction_counts_once_even_on_the_newest_table(place: Place) -> None:
    await place.begin(ANNA, BEN)
    click = place.click(ANNA)
    row = await place.row()
    await place.session.press(click, row.id, row.version, "t")
    after = await place.row()
    with pytest.raises((Echo, Refused)):
        await place.session.press(click, after.id, after.version, (await place.tokens())[0])
    assert await place.row() == after


async def test_another_process_that_was_first_makes_a_click_stale(place: Place) -> None:
    """The lock is of this process; the version in the database is everybody's."""
    row = await place.begin(ANNA, BEN)
    place.time += 10
    commit = place.store.commit

    async def late(change: Change) -> None:
        other = replace(row, version=row.version + 1)
        await commit(Change(other, row.version, 999_999))
        await commit(change)

    place.store.commit = late  # type: ignore[method-assign]
    with pytest.raises(Stale) as info:
        await place.press(ANNA, "t")
    assert info.value.row.version == row.version + 1
    assert await place.store.moves(row.id) == ()


async def test_a_lobby_opens_again_if_its_game_can_not_be_shown(place: Place) -> None:
    row = await place.lobby(ANNA, BEN)
    assert await place.session.reopen(999) is None
    assert await place.session.reopen(row.id) == row
    starting = await place.in_lobby(ANNA, "l.start")
    reopened = not_none(await place.session.reopen(row.id))
    assert (reopened.status, reopened.version) == (LOBBY, starting.version + 1)
    assert (await place.row()).version == reopened.version
    assert (await place.start(ANNA)).status == LIVE


async def test_the_form_of_the_options_is_for_the_host(place: Place) -> None:
    row = await place.lobby(ANNA, BEN)
    assert (await place.session.options(place.click(ANNA), row.id)).fields
    await unchanged(place, place.session.options(place.click(BEN), row.id), "error-host-only")


async def test_after_a_jump_of_the_clock_a_game_has_its_whole_time_again(place: Place) -> None:
    assert await place.session.restart_clock(999) is None
    row = await place.begin(ANNA, BEN)
    place.time += 100
    anew = not_none(await place.session.restart_clock(row.id))
    assert row.deadline is not None
    assert (await place.row()).deadline == anew.deadline == row.deadline + 100


@pytest.mark.parametrize("shared", [False, True])
async def test_a_game_at_hand_is_read_before_a_click_only_if_it_is_old(
    place: Place, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    """Other processes may have written since; if there are none, the cached game is the latest."""
    place.store.shared = shared
    await place.begin(ANNA, BEN)
    row = await place.row()
    read: list[int] = []
    fresh = place.store.fresh

    async def reading(game_id: int) -> GameRow | None:
        read.append(game_id)
        return await fresh(game_id)

    monkeypatch.setattr(place.store, "fresh", reading)
    await place.session.press(place.click(ANNA), row.id, row.version, "t")
    assert read == []
    place.time += 60
    with pytest.raises(Stale):
        await place.session.press(place.click(ANNA), row.id, row.version, "t")
    assert read == ([row.id] if shared else [])


async def test_looking_at_dice_stores_nothing(place: Place) -> None:
    await place.begin(ANNA, BEN)
    while not any(token.startswith("v") for token in await place.tokens()):
        who = not_none(await place.mover())
        await place.press(who, (await place.tokens())[0])
    who, row = not_none(await place.mover()), await place.row()
    for token in await place.tokens():
        if token.startswith("v"):
            pressed = await place.session.press(place.click(who), row.id, row.version, token)
            assert pressed.view == token[1:3]
            assert pressed.row == row
    assert await place.row() == row


async def test_a_bug_in_a_step_leaves_the_game_as_it_was(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = await place.begin(ANNA, BEN)

    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(find("tutto").screen.__class__, "narrate", broken)
        with pytest.raises(ZeroDivisionError):
            await place.press(ANNA, "t")
    assert await place.row() == row
    await place.press(ANNA, "t")  # the lock is free, the dice are the same
    assert (await place.row()).version == row.version + 1


async def test_a_damaged_state_is_unreadable_and_can_be_ended(place: Place) -> None:
    row = await place.begin(ANNA, BEN)
    for state in ("null", "{}", "[1]", '{"schema":1}', "not json"):
        row = replace(stored_as(row, state=state), touched=row.touched + 1)
        await place.store.commit(Change(row, row.version))
        await refused(place.press(ANNA, "t"), "error-damaged-game")
        await refused(place.do(commands.leave, BEN), "error-damaged-game")
    ended = await place.do(commands.end, ANNA)
    assert ended.status == ABORTED
    await place.begin(ANNA, BEN)


async def test_a_damaged_game_closes_at_its_deadline_and_keeps_its_log(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await place.begin(ANNA, BEN)
    row = await place.press(ANNA, "t")
    await place.store.commit(
        Change(replace(stored_as(row, state="not json"), touched=row.touched + 1), row.version)
    )
    assert await place.session.overdue(row.id) is None
    place.time += 700
    woken = not_none(await place.session.overdue(row.id))
    assert woken.row.status == ABORTED
    assert woken.row.deadline is None
    assert len(await place.store.moves(row.id)) == 1
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert f"game {row.id} is damaged" in record.getMessage()
    assert await place.session.overdue(row.id) is None
    await place.begin(ANNA, BEN)


@pytest.mark.parametrize("way", ["ended", "overdue", "forgotten"])
async def test_a_game_of_a_kind_that_there_is_no_longer_can_be_closed(
    place: Place, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """As after a return to a version that does not have the game yet."""
    row = await place.begin(ANNA, BEN)
    monkeypatch.setattr(registry, "GAMES", {})
    place.sessions.store.forget()
    place.time += 700
    match way:
        case "ended":
            await place.session.carry_out(commands.end, place.click(ANNA))
        case "overdue":
            await place.session.overdue(row.id)
        case _:
            await place.session.forget(ANNA, row.id)
    assert (await place.row()).status == ABORTED
    monkeypatch.undo()
    await place.begin(ANNA, BEN)


# The end, records, rematches.


async def test_a_finished_game_leaves_results_a_record_and_one_rematch(place: Place) -> None:
    await place.begin(ANNA, BEN, ais=1)
    row = await place.row()
    assert await stored_record(place.store, row) is None
    await refused(place.session.rematch(place.click(ANNA), row.id), "error-rematch-later")
    row = await place.play()
    results = await place.store.results(row.id)
    state = await place.state()
    assert [one.score for one in results] == list(state.scores)
    assert [one.user_id for one in results] == [ANNA, BEN, None]
    assert sum(one.turns for one in results) == state.finished
    assert {results[seat].place for seat in state.winners} == {1}
    assert row.deadline is None
    text = not_none(await stored_record(place.store, row))
    assert verify_line(text).turns == state.finished
    await refused(place.session.rematch(place.click(CLEO), row.id), "error-rematch-not-yours")
    again = await place.session.rematch(place.click(BEN), row.id)
    assert [seat.user_id for seat in again.seats] == [BEN, None]
    (line,) = [one for one in texts(await screen_of(place.store, again)) if one.key == "lobby-asked-last"]
    assert "User 1" in _english.text("en", line)
    assert (again.host_id, again.parent_id, again.options) == (BEN, row.id, row.options)
    for who in (ANNA, BEN):
        await refused(place.session.rematch(place.click(who), row.id), "error-rematch-taken")
    await place.do(commands.end, BEN)
    await refused(place.session.rematch(place.click(ANNA), row.id), "error-rematch-taken")


async def test_who_began_does_not_begin_again_by_asking_for_the_rematch(place: Place) -> None:
    await place.begin(ANNA, BEN)
    row = await place.play()
    again = await place.session.rematch(place.click(ANNA), row.id)
    again = await place.session.press_lobby(place.click(BEN), again.id, "l.join")
    assert [seat.user_id for seat in again.seats] == [BEN, ANNA]


async def test_of_two_rematches_at_once_one_is_made(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one, in another process, does not know of the first."""
    await place.begin(ANNA, BEN)
    row = await place.play()
    first = await place.session.rematch(place.click(ANNA), row.id)
    await place.do(commands.end, ANNA, first.id)

    async def none_yet(game_id: int) -> None:
        return None

    monkeypatch.setattr(place.store, "rematch_of", none_yet)
    await refused(place.session.rematch(place.click(BEN), row.id), "error-rematch-taken")


async def test_others_are_told_of_lobbies_and_of_games_with_a_result(place: Place) -> None:
    row = await place.begin(ANNA, BEN)
    assert (len(place.lobbies), place.over) == (1, [])
    await place.do(commands.end, ANNA)
    assert place.over == []
    await place.begin(ANNA, BEN)
    row = await place.play()
    assert (len(place.lobbies), place.over) == (2, [row.id])
    await place.session.rematch(place.click(ANNA), row.id)
    assert (len(place.lobbies), place.over) == (3, [row.id])


async def test_a_game_without_statistics_is_counted_from_its_log(
    place: Place, monkeypatch: pytest.MonkeyPatch, plain_dice: None
) -> None:
    """One that was begun by a program which did not count yet has the same results."""
    commit = place.store.commit

    async def without(change: Change) -> None:
        await commit(change._replace(row=replace(change.row, stats=())))

    results = []
    for channel in (300, 301):
        there = Place(place.store, channel)
        there._interactions = itertools.count(channel * 1000)
        await there.begin(ANNA, BEN)
        row = await there.play()
        assert bool(row.stats) == (channel == 300)
        results.append(await place.store.results(row.id))
        monkeypatch.setattr(place.store, "commit", without)
    assert results[0] == results[1]
    assert [one.user_id for one in results[0]] == [ANNA, BEN]


async def test_a_move_updates_the_name_of_its_player(place: Place) -> None:
    await place.begin(ANNA, BEN)
    await place.press(ANNA, "t")
    await until(lambda: place.store.member(GUILD, ANNA))  # it is written a moment later
    assert not_none(await place.store.member(GUILD, ANNA)).name == "User 1"
    assert await place.store.member(GUILD, BEN) is None


async def test_a_rematch_waits_while_the_channel_has_a_game(place: Place) -> None:
    await place.begin(ANNA, BEN)
    row = await place.play()
    await place.lobby(CLEO)
    await refused(place.session.rematch(place.click(ANNA), row.id), "error-channel-taken")


# Leaving and ending.


async def test_leaving_in_each_phase(place: Place) -> None:
    await refused(place.do(commands.leave, ANNA), "error-no-game")
    await place.lobby(ANNA, BEN, CLEO)
    await refused(place.do(commands.leave, DORA), "error-not-in-lobby")
    await place.do(commands.leave, CLEO)
    await place.in_lobby(CLEO, "l.join")
    row = await place.start(ANNA)
    await refused(place.do(commands.leave, DORA), "error-not-in-game")
    await place.press(ANNA, "t")
    await place.do(commands.leave, CLEO)  # not on turn
    await refused(place.do(commands.leave, CLEO), "error-you-left")
    await unchanged(place, place.press(CLEO, "t"), "error-you-left")
    after = await place.do(commands.leave, (await place.mover()) or 0)  # on turn
    assert after.status == FINISHED
    with pytest.raises(Refused):
        await place.do(commands.leave, BEN, row.id)
    await refused(place.do(commands.leave, BEN), "error-no-game")


async def test_a_person_who_gives_up_a_rated_seat_is_last_and_the_record_says_who_was_replaced(
    place: Place,
) -> None:
    """Ben's seat goes to an AI, Cleo leaves, then Anna: nobody is left, and there is no result."""
    await place.begin(ANNA, BEN, CLEO, target=50_000)
    while min(one.turns for one in intact((await place.row()).stats)) < 2:
        await place.step()
    await place.do(partial(commands.hand_over, user_id=BEN, policy="casual"), ANNA)
    await place.do(commands.leave, CLEO)
    assert await place.store.stats(GUILD, "tutto", BEN) is None
    row = await place.do(commands.leave, ANNA)
    assert (row.status, row.closed) == (ABORTED, "closed-everybody-left")
    assert (await place.store.fresh(row.id)).former == row.former  # type: ignore[union-attr]
    stats = [await place.store.stats(GUILD, "tutto", who) for who in (ANNA, BEN, CLEO)]
    # They were equals, and none of them has won anything.
    assert [(one.games, one.wins) for one in stats if one] == [(1, 0)] * 3
    assert len({one.rating for one in stats if one}) == 1
    line = not_none(await stored_record(place.store, row))
    assert verify_line(line).result is None
    (replaced,) = json.loads(line)["replaced"]
    assert (replaced["seat"], replaced["from"]["name"], replaced["to"]) == (
        1,
        f"User {BEN}",
        {"kind": "ai", "policy": "casual"},
    )


async def rows_of(place: Place, period: Period = Period.ALL, board: Board = Board.PEOPLE) -> list[Standing]:
    """All lines of the board of wins."""
    return list(await place.store.standings(Leaderboard(GUILD, "tutto", period=period, board=board), 0, 10))


async def end_note(place: Place) -> str:
    """What the end of the last game says about what it counts for."""
    lines = texts(await screen_of(place.store, await place.row()))
    return " ".join(
        _english.text("en", line) for line in lines if line.key.startswith(("end-unc", "end-cou"))
    )


async def test_starting_and_leaving_counts_for_nothing(place: Place) -> None:
    for _ in range(10):
        await place.begin(ANNA, BEN)
        row = await place.do(commands.leave, BEN)
        assert row.status == FINISHED
        assert [(one.own_turns, one.board) for one in await place.store.results(row.id)] == [(0, None)] * 2
    assert await rows_of(place) == []
    assert await place.store.stats(GUILD, "tutto", ANNA) is None
    assert await place.store.records(GUILD, "tutto") == ()
    assert "Doesn’t count: fewer than two people" in await end_note(place)


async def test_a_game_in_which_one_never_clicks_counts_for_nothing(place: Place) -> None:
    """What the bot plays for somebody who is away is not theirs."""
    await place.begin(ANNA, BEN, target=3000)
    while (row := await place.row()).status == LIVE:
        if await place.mover() == ANNA:
            await place.step()
        else:
            await place.run_out()
    anna, ben = await place.store.results(row.id)
    assert anna.own_turns >= anna.turns - 1 > 0 == ben.own_turns < ben.turns
    assert anna.board is ben.board is None
    assert await rows_of(place) == []
    assert "Doesn’t count: fewer than two people" in await end_note(place)


async def test_a_game_that_both_play_counts(place: Place) -> None:
    await place.begin(ANNA, BEN)
    row = await place.play()
    results = await place.store.results(row.id)
    assert all(one.own_turns == one.turns > 0 and one.board is Board.PEOPLE for one in results)
    assert {one.user_id for one in await rows_of(place)} == {ANNA, BEN}
    assert await end_note(place) == ""


async def test_a_game_alone_with_ais_has_boards_of_its_own(place: Place) -> None:
    await place.begin(ANNA, ais=1)
    await place.play()
    assert await rows_of(place) == []
    assert [one.user_id for one in await rows_of(place, board=Board.AI)] == [ANNA]
    assert "leaderboards of its own" in await end_note(place)


async def test_looking_for_the_table(place: Place) -> None:
    await refused(place.session.active(), "error-no-game")
    await refused(place.do(commands.end, ANNA), "error-no-game")
    row = await place.begin(ANNA, BEN)
    assert (await place.session.active()).id == row.id
    await place.store.mark_shown(
        replace(row, message_id=5, posted_at=place.time, shown_version=row.version), urgent=True
    )
    with pytest.raises(Echo):  # it was posted a moment ago
        await place.session.look(place.click(CLEO), row.id)
    place.time += 3
    assert (await place.session.look(place.click(CLEO), row.id)).id == row.id
    await place.do(commands.end, ANNA)
    with pytest.raises(Stale):
        await place.session.look(place.click(CLEO), row.id)


async def test_a_channel_that_is_gone_closes_its_game(place: Place) -> None:
    await place.begin(ANNA, BEN)
    row = not_none(await place.session.channel_gone())
    assert (row.status, row.deadline) == (ABORTED, None)
    assert await place.session.channel_gone() is None


@pytest.mark.parametrize("started", [False, True])
async def test_whose_data_is_deleted_goes_and_their_name_with_them(place: Place, started: bool) -> None:
    row = await (place.begin if started else place.lobby)(ANNA, BEN, CLEO)
    assert await place.session.forget(DORA, row.id) is None
    assert await place.session.forget(BEN, 999) is None
    assert await place.row() == row
    found = not_none(await place.session.forget(BEN, row.id))
    assert replace(found, touched=0) == replace(await place.row(), touched=0)
    seats = [(seat.user_id, seat.name) for seat in found.seats]
    assert seats == [(ANNA, "User 1"), *([(None, "")] if started else []), (CLEO, "User 3")]
    assert found.status == (LIVE if started else LOBBY)
    assert await place.session.forget(BEN, row.id) is None


async def test_the_odds_of_the_moment_are_thought_about_elsewhere(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = await place.begin(ANNA, BEN)
    while len(find("tutto").rules.legal(await place.state())) == 1:
        row = await place.press(await place.mover() or 0, (await place.tokens())[0])
    thoughts: list[Any] = []

    async def think(function: Callable[..., Any], state: Any) -> Any:
        thoughts.append(state)
        return function(state)

    place.sessions.think = think
    screen = await place.session.odds(place.click(CLEO), row.id)
    assert thoughts == [await place.state()]
    advice = not_none(find("tutto").advice)
    assert screen == odds_screen(row.seats, 0, advice.odds(thoughts[0]))


# People who are away.


async def test_a_turn_is_reminded_of_and_then_played(place: Place) -> None:
    row = await place.begin(ANNA, BEN)
    assert row.deadline == place.time + 300
    place.time += 300
    woken = not_none(await place.session.overdue(row.id))
    assert woken.remind
    assert woken.row.version == row.version  # buttons stay fresh
    assert woken.row.deadline == place.time + 300
    assert await place.session.overdue(row.id) is None
    place.time += 300
    woken = not_none(await place.session.overdue(row.id))
    assert not woken.remind
    assert woken.row.missed == (1, 0)
    assert await place.mover() == BEN
    assert woken.row.deadline == place.time + 300


async def test_a_game_among_absent_people_stands_still(place: Place) -> None:
    await place.begin(ANNA, BEN, target=50_000)
    for _ in range(20):
        if min((await place.row()).missed) >= 2:
            break
        await place.run_out()
    row = await place.row()
    assert row.missed == (2, 2)
    assert not row.ai_to_move
    assert row.deadline == row.since + 14 * 86_400
    mover = not_none(await place.mover())
    other = ANNA if mover == BEN else BEN
    row = await place.do(commands.come_back, other, row.id)
    assert await place.mover() == other  # the absent one's turn was played for them
    assert row.status == LIVE


@pytest.mark.parametrize("started", [False, True])
async def test_several_people_who_left_the_server_leave_at_once(place: Place, started: bool) -> None:
    """Also if some of them have no seat, or there is no such game."""
    row = await (place.begin if started else place.lobby)(ANNA, BEN, CLEO)
    assert await place.session.depart([DORA], row.id, heir=BEN) is None
    assert await place.session.depart([BEN], 999, heir=ANNA) is None
    assert await place.row() == row
    found = await place.session.depart([DORA, ANNA, CLEO], row.id, heir=BEN)
    stored = await place.row()
    assert found is not None
    assert (found.version, found.host_id) == (stored.version, stored.host_id) == (row.version + 2, BEN)
    if started:
        assert (await place.state()).left == (0, 2)
    else:
        assert [seat.user_id for seat in stored.seats] == [BEN]


async def test_the_clock_of_a_locked_thread_stops_and_goes_on(place: Place) -> None:
    assert await place.session.thread_locked(True) is None
    row = await place.begin(ANNA, BEN)
    assert await place.session.thread_locked(False) is None
    stopped = not_none(await place.session.thread_locked(True))
    assert stopped.deadline == NEVER
    assert (await place.row()).deadline == NEVER
    assert await place.session.thread_locked(True) is None
    place.time += 60
    going = not_none(await place.session.thread_locked(False))
    assert row.deadline is not None
    assert going.deadline == (await place.row()).deadline == row.deadline + 60


async def test_a_seat_is_handed_over_and_then_taken_out_of_the_game(place: Place) -> None:
    await place.begin(ANNA, BEN, CLEO)
    asking = place.click(ANNA)
    row = await place.session.carry_out(partial(offers.ask, user_id=BEN, to=DORA), asking)
    assert [seat.user_id for seat in row.seats] == [ANNA, BEN, CLEO]
    assert (await place.row()).offers == row.offers
    accept = partial(offers.answer, number=asking.interaction_id, given=TAKEN)
    await unchanged(place, place.do(accept, CLEO, row.id), "error-offer-other")
    row = await place.do(accept, DORA, row.id)
    assert [seat.user_id for seat in row.seats] == [ANNA, DORA, CLEO]
    row = await place.do(partial(commands.remove, user_id=DORA), ANNA, row.id)
    assert (await place.state()).left == (1,)
    hand_over = partial(commands.hand_over, user_id=DORA, policy="casual")
    await unchanged(place, place.do(hand_over, ANNA), "error-not-seated")


# AIs.


async def test_an_ai_plays_on_until_a_person_must_decide(place: Place) -> None:
    await place.begin(ANNA, ais=3)
    row = await place.play()
    assert row.status == FINISHED
    assert {move.seat for move in await place.store.moves(row.id)} == {0, 1, 2, 3}
    assert not row.ai_to_move


class Choice:
    """A policy that does what a test wants."""

    def __init__(self, choose: Callable[[Any, random.Random], Any]) -> None:
        self.choose = choose


def use_policy(monkeypatch: pytest.MonkeyPatch, choose: Callable[[Any, random.Random], Any]) -> None:
    entry = find("tutto")
    level = next(iter(entry.policies))
    broken = replace(entry, policies={**entry.policies, level: Choice(choose)})
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "tutto": broken}))


@pytest.mark.parametrize("fault", ["raises", "illegal", "nonsense", "none"])
async def test_the_game_goes_on_whatever_an_ai_does(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    def choose(state: Any, _: random.Random) -> Any:
        match fault:
            case "raises":
                raise ValueError("the AI has a bug")
            case "illegal":
                return TURN_CARD if TURN_CARD not in find("tutto").rules.legal(state) else Keep((9,))
            case "nonsense":
                return "stop"
            case _:
                return None

    use_policy(monkeypatch, choose)
    await place.begin(ANNA, ais=1)
    row = await place.play()
    assert row.status == FINISHED
    assert [record for record in caplog.records if record.levelname == "ERROR"]
    assert all("AI" in record.getMessage() for record in caplog.records)
    assert await stored_record(place.store, row) is not None


async def test_an_ai_is_asked_where_there_is_a_choice_and_has_its_way(
    place: Place, monkeypatch: pytest.MonkeyPatch, plain_dice: None
) -> None:
    rules = find("tutto").rules
    chosen: list[tuple[int, object]] = []

    def choose(state: Any, _: random.Random) -> Any:
        legal = rules.legal(state)
        chosen.append((len(legal), legal[-1]))
        return legal[-1]

    use_policy(monkeypatch, choose)
    await place.begin(ANNA, ais=1)
    row = await place.play()
    assert min(choices for choices, _ in chosen) == 2
    free, states = [], (await read_log(place.store, row)).replay()
    for move, played in zip(await place.store.moves(row.id), states, strict=False):
        if move.seat == 1 and len(rules.legal(played.state)) > 1:
            free.append(move.action)
    assert free == [action for _, action in chosen]


async def test_an_ai_thinks_in_a_thread_and_others_play_meanwhile(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow AI holds up its own channel, and no other."""
    import threading

    release, thinking = threading.Event(), threading.Event()

    def choose(state: Any, _: random.Random) -> Any:
        thinking.set()
        assert release.wait(10)
        return find("tutto").rules.legal(state)[-1]

    use_policy(monkeypatch, choose)
    slow, other = place, Place(place.store, 200)
    slow.sessions = Sessions(place.store, lambda: slow.time, lambda: SEED)
    other.sessions = slow.sessions
    other._interactions = itertools.count(1_000_000)
    await slow.begin(ANNA, ais=1)
    task = asyncio.create_task(slow.play())
    assert await asyncio.to_thread(thinking.wait, 10)
    await other.begin(BEN, CLEO)
    await other.press(BEN, "t")
    assert not task.done()
    release.set()
    assert (await task).status == FINISHED


@pytest.mark.parametrize("by_deadline", [False, True])
async def test_an_ai_that_was_cut_off_is_resumed(
    place: Place, monkeypatch: pytest.MonkeyPatch, by_deadline: bool
) -> None:
    await place.begin(ANNA, ais=1)
    commit, power = place.store.commit, [True]

    async def failing(change: Change) -> None:
        if change.interaction_id is None and not power[0]:
            raise OSError("no power")
        await commit(change)

    monkeypatch.setattr(place.store, "commit", failing)
    power[0] = False
    with pytest.raises(OSError, match="no power"):
        await place.play()
    row = await place.row()
    assert row.ai_to_move
    assert await place.store.waiting_for_ai() == (row.id,)
    with pytest.raises(Refused):  # it is not Anna's turn
        await place.press(ANNA, "t")
    power[0] = True
    if by_deadline:
        woken = await place.run_out()
        resumed = None if woken is None else woken.row
    else:
        resumed = await place.session.resume(row.id)
    assert resumed is not None
    assert not resumed.ai_to_move
    assert await place.session.resume(row.id) is None
    await place.play()


async def test_the_same_secret_gives_another_game_at_another_table(place: Place) -> None:
    games = []
    for channel in (300, 301):
        there = Place(place.store, channel)
        there._interactions = itertools.count(channel * 1000)
        await there.begin(ANNA, BEN)
        row = await there.play()
        games.append([(move.action, move.outcomes) for move in await place.store.moves(row.id)])
    assert games[0] != games[1]


# Locks.


async def test_locks_are_kept_while_they_are_used_and_no_longer(place: Place) -> None:
    first, second = place.sessions.at(1), place.sessions.at(1)
    assert first._lock is second._lock
    assert place.sessions.at(2)._lock is not first._lock
    del first, second
    assert len(place.sessions._locks) == 0


# Whatever people do.


def tokens_of(row: GameRow, state: Any) -> list[str]:
    screen = find(row.game).screen
    return [
        button.token
        for block in (*screen.body(state, ""), *screen.controls(state, ""))
        if isinstance(block, Buttons)
        for button in block.buttons
    ]


async def check(place: Place) -> None:
    """What must be true at any moment."""
    row = await place.row()
    entry = find(row.game)
    assert len({seat.user_id for seat in row.seats if seat.human}) == sum(seat.human for seat in row.seats)
    if row.status in (LOBBY, LIVE):
        assert row.host_id in {seat.user_id for seat in row.seats}
    await screen_of(place.store, row)
    summary_of(row)
    if row.state is None:
        return
    folded = list((await read_log(place.store, row)).replay())
    state = folded[-1].state
    assert state == row.state  # fold(log) == snapshot
    assert sum(len(played.outcomes) for played in folded) == row.draws
    mover = entry.rules.to_move(state)
    assert mover != CHANCE
    if row.status == FINISHED:
        assert mover == OVER
        assert len(await place.store.results(row.id)) == len(row.seats)
    if row.status == LIVE:
        assert mover >= 0
        assert not row.ai_to_move  # it has been played on
        assert row.deadline is not None
        to_notify(row, place.time)
    else:
        assert row.status == LOBBY or row.deadline is None


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), people=st.integers(1, 4), ais=st.integers(0, 3))
def test_whatever_people_click_the_log_folds_to_the_snapshot(
    tmp_path_factory: pytest.TempPathFactory, seed: int, people: int, ais: int
) -> None:
    """Random clicks, legal and not, stale and forged, leaving, votes, and time that passes."""
    rng = random.Random(seed)

    async def scenario() -> None:
        async with store_on(migrated(tmp_path_factory.mktemp("random"))) as store:
            await play(Place(store))

    async def play(place: Place) -> None:
        place.sessions.new_secret = lambda: rng.randbytes(32)
        everybody = [ANNA, BEN, CLEO, DORA, 5][: people + 1]  # one of them is not in the game
        await place.lobby(*everybody[:people], ais=max(ais, 2 - people), edition=rng.choice(EDITIONS))
        await place.start(ANNA)
        for step in range(40):
            row = await place.row()
            state = row.state
            who = rng.choice(everybody)
            mover = await place.mover()
            known = tokens_of(row, state) if row.status == LIVE else []
            click = place.click(who, manages=rng.random() < 0.1)
            request: Coroutine[Any, Any, object]
            match rng.randrange(12):
                case 0 | 1 | 2 | 3 | 4 | 5 if known and mover is not None:
                    token = rng.choice(known)
                    request = place.session.press(place.click(mover), row.id, row.version, token)
                case 6:
                    version = row.version - rng.randrange(3)
                    request = place.session.press(
                        click, row.id, version, rng.choice([*known, "t", "s", "k3f"])
                    )
                case 7:
                    request = place.session.vote(click, row.id)
                case 8 if rng.random() < 0.2:
                    request = place.session.carry_out(commands.leave, click)
                case 8:
                    request = place.session.carry_out(commands.come_back, click, row.id)
                case 9 if rng.random() < 0.5:
                    request = place.session.begin(row.id, OPENING + step)
                case 9:
                    request = place.session.rematch(click, row.id)
                case 10:
                    place.time = max(place.time, (row.deadline or place.time) + rng.choice([-1, 0, 1]))
                    request = place.session.overdue(row.id, gone=rng.random() < 0.05)
                case _:
                    place.time += rng.choice([0, 1, 4, 70, 1000])
                    token = rng.choice(["l.join", "l.leave", ADD_AI, "l.start", "l.noai"])
                    request = place.session.press_lobby(click, row.id, token)
            try:
                await request
            except (Refused, GameError) as error:
                words(error)
            except Echo:
                pass
            if step % 4 == 0:
                await check(place)
        await check(place)

    asyncio.run(scenario())


EDITIONS = ("classic", "modern", "current")


def refusals() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """All places where the program refuses something: the file, the code, and the names of the facts."""
    kinds = {kind.__name__ for kind in (GameError, IllegalMove, Unreadable, Refused, Stale)}
    for path, tree in sources().items():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str() as code), *_]) if (
                    name in kinds
                ):
                    yield str(path), code, tuple(word.arg for word in node.keywords if word.arg)


def test_every_code_of_a_refusal_has_words() -> None:
    """Those that can't easily be provoked, too."""
    found = list(refusals())
    assert len({code for _, code, _ in found}) > 40
    for path, code, names in found:
        if code.startswith("error-record-chance-"):
            continue  # said only on the command line, in English
        try:
            words(GameError(code, **dict.fromkeys(names, 7)))
        except Exception as error:
            pytest.fail(f"{path}: {code} with {names}: {error!r}")
