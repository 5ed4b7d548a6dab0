"""Stopping and starting the bot at any moment changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from bot.games.tutto import Tutto
from bot.store.base import ABORTED, LOBBY, Change
from bot.store.sqlite.store import SqliteStore
from tests.support import screen
from tests.support.world import World, private


async def test_a_restart_between_any_two_clicks_changes_nothing(world: World, plain_dice: None) -> None:
    """The same clicks with and without restarts: the same dice, the same result, the same table."""
    await world.begin(world.anna, world.ben)
    await world.play()
    log, end = await world.log(), world.text()
    results = await world.bot.store.results((await world.row()).id)

    await world.slash(world.anna, "tutto start", target=1000)
    await world.restart()
    await world.press(world.ben, "Join")
    await world.restart(crashed=True)
    await world.press(world.anna, "Start the game")
    restarts = 0
    while True:
        await world.restart(crashed=restarts % 2 == 0)
        restarts += 1
        if await world.mover() is None:
            break
        await world.step()
    row = await world.row()
    assert restarts > 20
    assert await world.log() == log
    assert await world.bot.store.results(row.id) == results
    # All but how often each has won by now, and the seal, which binds the game's id.
    again = [line for line in world.text().partition("🔒")[0].splitlines() if "Head to head" not in line]
    assert again == end.partition("🔒")[0].splitlines()


async def test_buttons_from_before_a_restart_work(world: World) -> None:
    """Handlers are found by the id alone; no view has to survive."""
    table = await world.begin(world.anna, world.ben)
    await world.restart()
    await world.click(world.anna, table, "Turn a card and roll")
    assert [seat for _, seat, _, _ in await world.log()] == [0]
    assert not world.bot.persistent_views
    assert not world.bot._connection._view_store._views


async def test_a_click_right_after_the_connection_is_answered(
    world: World, make_bot: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The listener is registered before READY, so the first click isn't lost."""
    table = await world.begin(world.anna, world.ben)
    from simcord.gateway import ShardRouter

    identify = ShardRouter.identify
    early: list[Any] = []

    def click_first(router: ShardRouter, shard_id: int) -> Any:
        early.append(world.send(world.anna, table, "Turn a card and roll"))
        return identify(router, shard_id)

    monkeypatch.setattr(ShardRouter, "identify", click_first)
    await world.restart()
    await world.settle()
    assert early[0].acknowledged
    assert len(await world.log()) == 1


async def test_ready_twice_starts_nothing_twice(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    ready = next((payload for kind, name, payload in world.env.backend.transcript if name == "READY"), None)
    listeners = len(world.bot.extra_events.get("on_interaction", []))
    rounds = world.bot.deadlines
    for _ in range(3):
        world.bot.dispatch("ready") if ready is None else world.env.backend.emit("READY", ready)
        await world.settle()
    assert len(world.bot.extra_events.get("on_interaction", [])) == listeners == 1
    assert world.bot.deadlines is rounds
    await world.press(world.anna, "Start the game")
    await world.press(world.anna, "Turn a card and roll")
    assert len(await world.log()) == 1


async def test_what_was_committed_but_not_shown_is_shown_after_a_crash(world: World) -> None:
    """The process dies between the commit and the paint: the table is painted when it starts again."""
    await world.begin(world.anna, world.ben)
    before = world.text()
    world.fail("*", "/interactions/*", 500, times=None)
    world.fail("*", "/webhooks/*", 500, times=None)
    world.fail("PATCH", "/channels/*", 500, times=None)
    world.fail("POST", "/channels/*", 500, times=None)
    await world.click_seen(world.anna, world.table(), "Turn a card and roll", answered=False)
    assert len(await world.log()) == 1
    assert world.text() == before
    world.heal()
    await world.restart(crashed=True)
    assert world.text() != before
    assert await world.is_shown()


async def test_a_put_off_note_of_what_is_shown_may_be_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losing it costs one repaint at the start."""
    await world.begin(world.anna, world.ben)
    monkeypatch.setattr(SqliteStore, "lazy_seconds", 3600.0)
    await world.press(world.anna, "Turn a card and roll")
    row = await world.row()
    assert row.shown_version < row.version
    text, edits = world.text(), len(world.requests("PATCH"))
    monkeypatch.setattr(SqliteStore, "lazy_seconds", 0.0)
    await world.restart(crashed=True)
    assert await world.is_shown()
    assert world.text() == text
    assert len(world.requests("PATCH")) == edits + 1


async def test_an_ai_that_was_cut_off_moves_when_the_bot_starts(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    await world.begin(world.anna, ais=1)
    commit = SqliteStore.commit

    async def die_at_the_ai(store: SqliteStore, change: Change) -> None:
        if change.move is not None and change.interaction_id is None:
            raise OSError("the power is off")
        await commit(store, change)

    expected_errors.append("the power is off")
    # A context of its own: undoing all patches would undo those of the world as well.
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "commit", die_at_the_ai)
        while not (await world.row()).ai_to_move:
            await world.press(world.anna, world.careful())
    await world.restart(crashed=True)
    row = await world.row()
    assert not row.ai_to_move
    assert row.shown_version == row.version
    assert {seat for _, seat, _, _ in await world.log()} == {0, 1}


async def test_one_damaged_game_does_not_keep_the_others_from_waking(
    world: World, expected_errors: list[str]
) -> None:
    other = world.guild.create_text_channel("other")
    await world.begin(world.anna, ais=1)
    await world.begin(world.ben, ais=1, channel=other)
    damaged = await world.row()
    world.execute("UPDATE games SET ai_to_move = 1, shown_version = -1")
    world.execute("UPDATE games SET state = '{}' WHERE id = ?", damaged.id)
    expected_errors.append(f"Game {damaged.id} can't be read and is not resumed")
    await world.restart()
    assert await world.is_shown(channel=other)
    await world.press(world.ben, screen.buttons(world.table(other))[0]["custom_id"], other)
    # Clicks in the damaged one say how to end it, which frees its channel.
    said = private(await world.press(world.anna, screen.buttons(world.table())[0]["custom_id"]))
    assert "can no longer be read" in said
    assert "/tutto end" in said
    await world.confirmed(world.anna, "tutto end")
    assert (await world.row(damaged.id)).status == ABORTED


async def test_a_lobby_of_a_game_that_is_not_offered_any_more(
    world: World, expected_errors: list[str]
) -> None:
    """It can't be shown until it closes, so nothing tries that again and again."""
    await world.lobby(world.anna, world.ben)
    table = world.table()
    await world.written()
    world.execute("UPDATE games SET game = 'ludo', shown_version = -1")
    expected_errors.append("Game 1 can't be read and is not resumed: error-unknown-game {'game': 'ludo'}")
    await world.restart()
    before = len(world.env.http_requests)
    await world.later(3500)
    assert len(world.env.http_requests) == before
    assert "ludo" in private(await world.click(world.anna, table, "Start the game"))
    await world.later(200)
    assert (await world.row()).closed == "closed-idle"
    assert "closed after an hour" in screen.text_of(world.messages()[-1])


async def test_an_idle_lobby_closes_after_an_hour_also_across_a_restart(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    await world.later(3000)
    await world.restart()
    await world.later(500)
    assert (await world.row()).status == LOBBY
    table = world.table()
    await world.later(200)
    assert (await world.row()).status == ABORTED
    assert "closed after an hour without activity" in screen.text_of(world.message(table["id"]))
    assert screen.labels(world.message(table["id"])) == ["Fair?"]
    await world.lobby(world.ben)  # the channel is free
    assert (await world.row()).status == LOBBY


async def test_a_lobby_whose_hour_passed_while_the_bot_was_away_closes_once(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.lobby(world.anna, world.ben)
    table = world.table()
    version = (await world.row()).version
    caplog.set_level(logging.INFO)
    world.env.backend.advance_clock(2 * 86400.0)
    await world.restart()
    row = await world.row()
    assert (row.status, row.version) == (ABORTED, version + 1)
    assert "closed after an hour without activity" in screen.text_of(world.message(table["id"]))
    await world.restart()
    assert (await world.row()).version == version + 1


async def test_start_up_reads_no_game_that_needs_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.begin(world.anna, world.ben)
    reads: list[int] = []
    game = SqliteStore.game

    async def counted(store: SqliteStore, game_id: int) -> Any:
        reads.append(game_id)
        return await game(store, game_id)

    monkeypatch.setattr(SqliteStore, "game", counted)
    await world.restart()
    assert reads == []


async def test_a_restart_does_not_mix_games_up(world: World) -> None:
    """The options and seats of a game come from the database, so a restart can't mix games up."""
    other = world.guild.create_text_channel("other")
    await world.begin(world.anna, world.ben, target=1000)
    await world.begin(world.ben, world.anna, target=2000, channel=other)
    await world.restart()
    assert "Tutto to 1,000" in world.text()
    assert "Tutto to 2,000" in world.text(other)
    # A button of one channel's game does nothing in another channel.
    stray = screen.button(world.table(), "Turn a card and roll")["custom_id"]
    result = await world.forge(world.anna, stray, world.table(other))
    assert "out of date" in private(result)
    assert await world.log() == []
    assert Tutto.rules_version == (await world.row()).rules_version
