"""Clicks that are late, doubled, forged or not allowed, and handlers that fail."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from typing import Any

import discord
import pytest

from bot.discordpy import answer, handling, rate_limits
from bot.games.tutto import Tutto
from bot.games.tutto.state import Keep
from bot.observability import metrics
from bot.screens.button_ids import ButtonId
from bot.store.base import LIVE, LOBBY, Change
from bot.store.sqlite.store import SqliteStore
from tests.support import screen
from tests.support.values import not_none
from tests.support.world import World, private, reply, said

TURN = "Turn a card and roll"


# Late and doubled.


async def test_a_click_on_a_table_that_has_moved_on_is_told_so_and_changes_nothing(world: World) -> None:
    seen = await world.begin(world.anna, world.ben)
    await world.press(world.anna, TURN)
    await world.later(10)
    before = await world.row()
    result = await world.click_seen(world.anna, seen, TURN)
    assert "moved on since then" in private(result)
    assert await world.row() == before


async def test_a_double_click_is_one_move_and_its_echo_gets_no_words(world: World) -> None:
    seen = await world.begin(world.anna, world.ben)
    first = world.send(world.anna, seen, TURN)
    second = world.send(world.anna, seen, TURN)
    await world.settle()
    assert len(await world.log()) == 1
    assert first.acknowledged
    assert second.acknowledged
    assert not private(first)
    assert not private(second)


async def test_two_different_buttons_at_once_are_one_move(world: World) -> None:
    """Roll and Stop in the same tick: the first one wins."""
    await world.begin(world.anna, world.ben)
    while "s" not in world.tokens():
        await world.step()
    who = not_none(await world.mover())
    table, tokens, moves = world.table(), world.tokens(), len(await world.log())
    other = next(custom_id for token, custom_id in tokens.items() if token[0] in "kt")
    results = [world.send(who, table, tokens["s"]), world.send(who, table, other)]
    await world.settle()
    log = await world.log()
    assert len(log) == moves + 1
    assert log[-1][2] == {"type": "stop"}
    assert all(result.acknowledged for result in results)


async def test_a_click_leaves_nothing_for_the_collector_of_cycles(world: World) -> None:
    await world.begin(world.anna, world.ben)
    gc.collect()
    gc.disable()
    try:
        await world.press(world.anna, TURN)
        left = [one for one in gc.get_objects() if isinstance(one, discord.Interaction)]
    finally:
        gc.enable()
    assert not left


@pytest.mark.parametrize("apart", [False, True], ids=["at once", "one after the other"])
@pytest.mark.parametrize(
    "kind", ["start", "join", "begin", "move", "leave", "end", "rematch", "down", "show"]
)
async def test_the_same_interaction_delivered_twice_counts_once(world: World, kind: str, apart: bool) -> None:
    """A gateway that resumes may deliver handled interactions again; they have no effect."""
    people = [world.anna, world.ben]
    if kind == "start":
        result = world.send_slash(world.anna, "tutto start", target=1000)
    elif kind in ("join", "begin"):
        table = await world.lobby(*(people if kind == "begin" else people[:1]))
        who, label = (world.anna, "Start the game") if kind == "begin" else (world.ben, "Join")
        result = world.send(who, table, label)
    else:
        table = await world.begin(*people)
        if kind == "move":
            result = world.send(world.anna, table, TURN)
        elif kind in ("leave", "end"):
            asked = await world.slash(world.anna, f"tutto {kind}")
            question = world.message(reply(asked).id)
            result = world.send(world.anna, question, screen.labels(question)[0])
        elif kind == "rematch":
            await world.play()
            result = world.send(world.anna, world.table(), "Rematch")
        elif kind == "down":
            await world.later(10)
            result = world.send(world.anna, table, custom_id=str(ButtonId(1, 0, "b")))
        else:
            result = world.send_slash(world.anna, "tutto show")
    if apart:
        await world.settle()
    world.deliver_again(result)
    await world.settle()
    assert result.acknowledged
    if kind not in ("leave", "end"):  # these are answered with words
        assert private(result) in ("", "Your table is open in this channel.", "Here is the table.")
    assert not result.followups
    row = await world.row()
    assert world.count("games") == (2 if kind == "rematch" else 1)
    assert len({seat.user_id for seat in row.seats}) == len(row.seats)
    if kind == "move":
        assert len(await world.log()) == 1
    tables = [one for one in world.messages() if screen.buttons(one)]
    assert len(tables) == (2 if kind == "rematch" else 1)


async def test_a_slow_handler_acknowledges_in_time_and_answers_later(
    world: World, monkeypatch: pytest.MonkeyPatch, plain_dice: None
) -> None:
    seen = await world.begin(world.anna, world.ben)
    commit = SqliteStore.commit

    async def slow(store: SqliteStore, change: Change) -> None:
        await asyncio.sleep(3.5)
        await commit(store, change)

    monkeypatch.setattr(SqliteStore, "commit", slow)
    result = world.send(world.anna, seen, TURN)
    await world.later(2)
    assert result.acknowledged
    assert await world.log() == []
    await world.later(3)
    assert len(await world.log()) == 1
    assert TURN not in world.labels()


async def test_a_slow_command_says_later_what_it_did(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    create = SqliteStore.create

    async def slow(store: SqliteStore, *args: Any) -> Any:
        await asyncio.sleep(3.5)
        return await create(store, *args)

    monkeypatch.setattr(SqliteStore, "create", slow)
    result = world.send_slash(world.anna, "tutto start", target=1000)
    await world.later(2)
    assert result.acknowledged
    await world.later(5)
    assert private(result) == "Your table is open in this channel."
    assert "At the table" in world.text()
    await world.press(world.ben, "Join")
    assert len([one for one in world.messages() if screen.buttons(one)]) == 1


async def test_time_alone_makes_no_button_stale(world: World) -> None:
    """Three minutes (a view's usual life), then a day without a turn limit: the same buttons still work."""
    table = await world.lobby(world.anna)
    await world.later(181)
    await world.click(world.ben, table, "Join")
    await world.set_options(world.anna, turn_seconds="0")
    await world.press(world.anna, "Start the game")
    for pause in (181, 86_400):
        await world.later(pause)
        moves = len(await world.log())
        await world.step()
        assert len(await world.log()) == moves + 1


# Whose click it is.


@pytest.mark.parametrize(
    ("phase", "token", "told"),
    [
        ("begin", "t", "Not your turn yet"),
        ("lobby", "l.ai", "Only the host"),
        ("lobby", "l.noai", "Only the host"),
        ("lobby", "l.start", "Only the host"),
        ("lobby", "l.options", "Only the host"),
    ],
)
async def test_a_button_for_somebody_else_says_so_and_changes_nothing(
    world: World, phase: str, token: str, told: str
) -> None:
    await getattr(world, phase)(world.anna, world.ben, ais=1)
    before = await world.row()
    found = next(one for name, one in world.tokens().items() if name.startswith(token))
    assert told in private(await world.press(world.ben, found))
    assert await world.row() == before


async def test_what_a_click_is_told_goes_away_and_the_table_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "REFUSAL_SECONDS", 0.0)
    table = await world.begin(world.anna, world.ben)
    told = await world.press(world.ben, TURN)
    assert (told.acknowledged, told.response) == (True, None)
    assert "not in this game" in private(await world.slash(world.chiara, "tutto leave"))
    assert TURN in screen.labels(world.message(table["id"]))


async def test_buttons_of_a_finished_game_explain_themselves_and_go(world: World) -> None:
    await world.begin(world.anna, world.ben)
    seen, last = world.table(), ""
    while (who := await world.mover()) is not None:
        seen, last = world.table(), world.careful()
        await world.press(who, last)
    before = await world.row()
    await world.later(10)
    for who in (world.anna, world.chiara):
        result = await world.click_seen(who, seen, last)
        assert "This game is over. Start a new one with `/tutto start`" in private(result)
        down = await world.click_seen(who, seen, custom_id=str(ButtonId(before.id, before.version, "b")))
        assert "This game is over" in private(down)
    assert await world.row() == before
    left = screen.buttons(world.message(seen["id"]))
    assert [one["label"] for one in left] in (["Rematch", "Review", "Record", "Fair?"], [])


async def test_buttons_of_a_closed_lobby_explain_themselves(world: World) -> None:
    table = await world.lobby(world.anna, world.ben)
    await world.press(world.anna, "Close the table")
    for label in ("Join", "Leave", "Start the game", "Close the table"):
        result = await world.click_seen(world.anna, table, label)
        assert "This table is closed. Open a new one with `/tutto start`" in private(result), label
    assert "This table was closed" in screen.text_of(world.message(table["id"]))


# Forged.


async def test_a_forged_move_is_refused_by_the_rules(world: World) -> None:
    """A disabled die, or Stop where the card allows none: clients do not offer these, and the rules refuse
    them.
    """
    await world.begin(world.anna, world.ben)
    row = await world.row()
    for token in ("s", "k01", "k3f"):
        result = await world.forge(world.anna, str(ButtonId(row.id, row.version, token)))
        assert private(result)
        assert await world.row() == row
    await world.until_a_choice()
    row = await world.row()
    who = not_none(await world.mover())
    roll = (await world.state()).roll
    legal = Tutto().legal(await world.state())
    for mask in range(1 << len(roll)):
        dice = tuple(face for index, face in enumerate(roll) if mask >> index & 1)
        if Keep(dice) not in legal:
            result = await world.forge(who, str(ButtonId(row.id, row.version, f"k{mask:02x}")))
            assert "not possible right now" in private(result), dice
            assert await world.row() == row


async def test_a_view_that_does_not_fit_is_shown_as_well_as_it_can_be(world: World) -> None:
    """A forged mask marks no die that can't be kept; it never breaks the table."""
    await world.begin(world.anna, world.ben)
    await world.until_a_choice()
    row, who = await world.row(), await world.mover()
    assert who is not None
    for mask in ("00", "01", "15", "3f"):
        result = await world.forge(who, str(ButtonId(row.id, row.version, f"v{mask}")))
        assert result.acknowledged
    assert await world.row() == row


# Failing.


async def test_an_exception_in_a_handler_is_reported_logged_and_survived(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    table = await world.begin(world.anna, world.ben)
    before = await world.row()

    async def broken(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "commit", broken)
        expected_errors.append("database or disk is full")
        result = await world.click(world.anna, table, TURN)
        assert "Something went wrong" in private(result)
    assert await world.row() == before
    await world.click(world.anna, table, TURN)
    assert len(await world.log()) == 1
    await world.play()


@pytest.mark.parametrize("command", ["tutto start", "tutto show", "tutto leave", "tutto end", "leaderboard"])
async def test_an_exception_in_a_command_is_reported_and_logged(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str], command: str
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    for name in ("create", "active_game", "standings"):
        monkeypatch.setattr(SqliteStore, name, broken)
    expected_errors.append("a bug")
    result = await world.slash(world.anna, command)
    assert "Something went wrong" in private(result)


@pytest.mark.simcord(check_errors=False)
async def test_an_exception_outside_of_the_handler_is_reported_too(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    """The last resort, if not even the answer could be prepared."""

    class Broken:
        def __init__(self, *_: Any) -> None:
            raise RuntimeError("a bug")

    monkeypatch.setattr(handling, "Answer", Broken)
    expected_errors.append("a bug")
    result = await world.slash(world.anna, "tutto rules")
    assert "Something went wrong" in private(result)


async def test_an_answer_that_fails_leaves_the_game_as_it_is(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await world.begin(world.anna, world.ben)
    world.fail("*", "/interactions/*", 500, times=None)
    world.fail("*", "/webhooks/*", 500, times=None)
    for who in (world.anna, world.ben, world.chiara):
        await world.click_seen(who, table, TURN, answered=False)
    command = world.send_slash(world.anna, "tutto rules")
    world.unanswered.add(command._interaction.id)
    await world.settle()
    world.heal()
    assert len(await world.log()) == 1
    assert (await world.row()).status == LIVE


async def test_every_kind_of_answer_is_private_unless_it_is_the_table(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    for command in ("tutto rules", "tutto leave", "tutto end"):
        result = await world.slash(world.anna, command)
        assert reply(result).ephemeral, command
        assert not any(said(result) == screen.text_of(one) for one in world.messages())
    assert (await world.row()).status == LOBBY


# Too much at once.


async def test_a_person_who_asks_too_much_is_told_when_to_go_on_and_can_still_play(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.begin(world.anna, world.ben)
    for name, rate in (
        ("PERSON", rate_limits.Rate(2, 0.1)),
        ("PERSON_TYPING", rate_limits.Rate(1, 0.1)),
        ("MISSES", rate_limits.Rate(2, 0.1)),
    ):
        monkeypatch.setattr(rate_limits, name, rate)
    world.bot.limits = rate_limits.RateLimits(lambda: world.bot.time.now())
    world.locales[world.anna.id] = "fr"
    for command in ("help", "history"):
        assert "d’un coup" not in said(await world.slash(world.anna, command))
    assert "réessaie dans 10 secondes" in private(await world.slash(world.anna, "privacy")).lower()
    assert "d’un coup" in private(await world.press(world.anna, "More"))
    assert "d’un coup" not in private(await world.press(world.ben, "More"))
    assert metrics.slowed_person._value.get() >= 2
    # Clicks on other people's moves are limited too, without counting against their own clicks.
    for _ in range(3):
        stranger = await world.press(world.chiara, TURN)
    assert "a lot at once" in private(stranger)
    await world.play()
    typed = [
        await world.anna.autocomplete(world.channel, "tutto review", "game", letters) for letters in ("", "A")
    ]
    assert [bool(offered) for offered in typed] == [True, False]
    await world.later(10)
    assert "d’un coup" not in private(await world.slash(world.anna, "privacy"))
