"""Threads: archived ones are opened when somebody is called, locked ones stop the clock."""

from __future__ import annotations

import pytest

from bot.store.base import ABORTED
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
