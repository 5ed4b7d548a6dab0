"""Threads: archived ones are opened when somebody is called, locked ones stop the clock."""

from __future__ import annotations

import pytest

from bot.store.base import ABORTED, LIVE, NEVER
from tests.support import screen, threads
from tests.support.world import TURN, World, private


@pytest.fixture(autouse=True)
def _strict(monkeypatch: pytest.MonkeyPatch) -> None:
    threads.obey(monkeypatch)


def edits(world: World) -> int:
    return len(world.requests("PATCH"))


async def test_an_archived_thread_is_opened_when_somebody_is_called(world: World) -> None:
    post = threads.thread(world)
    table = await world.begin(world.anna, world.ben, channel=post)
    await threads.change(world, post, archived=True)
    await world.later(310)
    assert not threads.is_archived(world, post)
    new = world.table(post)
    assert new["id"] != table["id"]
    assert [int(one["id"]) for one in new["mentions"]] == [world.anna.id]
    assert not screen.buttons(world.message(table["id"]))
    await world.press(world.anna, TURN, post)
    assert len(await world.bot.store.moves((await world.row(channel=post)).id)) == 1


async def test_a_change_in_an_archived_thread_opens_it_for_the_player_it_waits_for(world: World) -> None:
    """Ben's data is deleted meanwhile; the table without him can only be shown by a new message."""
    post = threads.thread(world)
    table = await world.begin(world.anna, world.ben, world.chiara, channel=post)
    row = await world.row(channel=post)
    await threads.change(world, post, archived=True)
    await world.session(post).forget(world.ben.id, row.id)
    await world.bot.painter.paint(row.id)
    assert not threads.is_archived(world, post)
    assert world.table(post)["id"] != table["id"]
    assert not screen.buttons(world.message(table["id"]))


@pytest.mark.parametrize("restart", [False, True])
async def test_what_ended_in_an_archived_thread_is_shown_when_it_is_opened(
    world: World, restart: bool
) -> None:
    post = threads.thread(world)
    table = await world.lobby(world.anna, world.ben, channel=post)
    await threads.change(world, post, archived=True)
    await world.later(3700)  # the lobby closes
    row = await world.row(channel=post)
    assert row.status == ABORTED
    assert threads.is_archived(world, post)
    tried = edits(world)
    await world.later(4 * 3600)
    if restart:
        await world.restart()
        await world.settle()
    assert edits(world) == tried, "an edit that can't succeed is not repeated"
    await threads.change(world, post, archived=False)
    assert not screen.buttons(world.message(table["id"]))


async def test_show_elsewhere_offers_the_games_of_the_person(world: World) -> None:
    post = threads.thread(world)
    table = await world.begin(world.anna, world.ben, channel=post)
    await threads.change(world, post, archived=True)
    stranger = await world.slash(world.chiara, "tutto show")
    assert "There is no game in this channel" in private(stranger)
    assert f"<#{post.id}>" not in private(stranger)
    offered = await world.slash(world.ben, "tutto show")
    assert f"<#{post.id}>" in private(offered)
    assert offered.response is not None
    shown = await world.ben.click(offered.response, label="Show it there")
    assert f"<#{post.id}>" in private(shown)
    assert not threads.is_archived(world, post)
    assert world.table(post)["id"] != table["id"]


async def test_an_offer_to_show_a_game_is_for_its_players_and_while_it_lasts(world: World) -> None:
    post = threads.thread(world)
    table = await world.begin(world.anna, world.ben, channel=post)
    row = await world.row(channel=post)
    custom_id = f"1:0:0:sh.{row.id:x}"
    refused = await world.forge(world.chiara, custom_id, table)
    assert "not in this game" in private(refused)
    await world.session(post).end(world.click_of(world.anna, post), row.id)
    over = await world.forge(world.anna, custom_id, table)
    assert "This game is over" in private(over)
    nothing = await world.forge(world.anna, "1:0:0:sh.fff", table)
    assert private(nothing)
    odd = await world.forge(world.anna, "1:0:0:sh.x.y", table)
    assert private(odd)


# Locked threads.


async def test_the_clock_stands_while_a_thread_is_locked(world: World) -> None:
    post = threads.thread(world)
    await world.begin(world.anna, world.ben, channel=post)
    await world.later(400)  # past the reminder
    await threads.change(world, post, locked=True)
    await world.later(86_400)
    row = await world.row(channel=post)
    assert await world.bot.store.moves(row.id) == ()
    assert row.missed == (0, 0)
    await threads.change(world, post, locked=False)
    assert (await world.row(channel=post)).deadline != NEVER
    await world.later(190)
    assert await world.bot.store.moves(row.id) == ()
    await world.later(20)  # 610 seconds have passed with the thread open
    assert (await world.row(channel=post)).missed == (1, 0)


@pytest.mark.parametrize("archived", [False, True])
async def test_a_thread_that_is_locked_and_opened_while_the_bot_is_away(world: World, archived: bool) -> None:
    post = threads.thread(world)
    await world.begin(world.anna, world.ben, channel=post)
    await threads.change(world, post, locked=True, archived=archived)
    await world.restart(crashed=True)
    await world.later(86_400)
    row = await world.row(channel=post)
    assert row.missed == (0, 0)
    # Nobody tells the bot.
    metadata = post._channel.thread_metadata
    assert metadata is not None
    metadata.locked = metadata.archived = False
    await world.restart()
    await world.later(290)
    assert not (await world.row(channel=post)).reminded
    await world.later(20)
    assert (await world.row(channel=post)).reminded


async def test_a_lock_that_nobody_told_is_noticed_at_the_deadline(world: World) -> None:
    post = threads.thread(world)
    await world.begin(world.anna, world.ben, channel=post)
    await world.lobby(world.chiara)
    thread = world.bot.get_channel(post.id)
    thread.locked = True  # type: ignore[union-attr]
    await world.later(86_400)
    row = await world.row(channel=post)
    assert (row.deadline, row.missed) == (NEVER, (0, 0))
    await threads.change(world, post, locked=False)
    await world.later(310)
    row = await world.row(channel=post)
    assert (row.reminded, row.missed) == (True, (0, 0)), "the whole time is given again"


async def test_a_lobby_in_a_locked_thread_is_not_closed(world: World) -> None:
    post = threads.thread(world)
    await world.lobby(world.anna, world.ben, channel=post)
    await threads.change(world, post, locked=True)
    await world.later(7200)
    await threads.change(world, post, locked=False)
    await world.press(world.anna, "Start the game", post)
    assert (await world.row(channel=post)).status == LIVE


async def test_a_moderators_click_in_a_locked_thread_counts(world: World) -> None:
    post = threads.thread(world)
    await world.begin(world.anna, world.ben, channel=post)
    await threads.change(world, post, locked=True)
    await world.press(world.anna, TURN, post)
    row = await world.row(channel=post)
    assert len(await world.bot.store.moves(row.id)) == 1
    await world.later(86_400)
    assert (await world.row(channel=post)).missed == (0, 0)
