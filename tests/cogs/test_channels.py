"""All kinds of channels: whole games, deletions that nobody tells the bot, and permissions that come back."""

from __future__ import annotations

import discord
import pytest
from simcord import ChannelHandle

from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY
from tests.support import screen, threads
from tests.support.values import not_none
from tests.support.world import TURN, World, private, said


@pytest.mark.parametrize("command", ["mygames", "tables", "tutto show"])
@pytest.mark.parametrize("way", ["thread", "away"])
async def test_a_game_whose_channel_was_deleted_unseen_is_closed_when_its_player_asks(
    world: World, way: str, command: str
) -> None:
    other = world.guild.create_text_channel("other")
    place = threads.thread(world) if way == "thread" else world.channel
    await world.begin(world.anna, world.ben, channel=place)
    row = await world.row(channel=place)
    if way == "thread":
        await threads.change(world, place, archived=True)
        await threads.delete_parent(world, world.channel)
    else:
        await threads.delete_unseen(world, place)
    assert (await world.row(row.id)).status == LIVE
    listed = private(await world.slash(world.anna, command, other))
    assert f"<#{place.id}>" not in listed
    assert f"/{place.id}/" not in listed
    assert (await world.row(row.id)).status == ABORTED
    assert "not in any game" in private(await world.slash(world.ben, "mygames", other))


async def test_a_deleted_channel_closes_the_games_of_its_threads(world: World) -> None:
    posts = [threads.thread(world), threads.thread(world, private=True)]
    for post in posts:
        await world.begin(world.anna, world.ben, channel=post)
    rows = [await world.row(channel=post) for post in posts]
    await threads.delete_parent(world, world.channel)
    assert [(await world.row(row.id)).status for row in rows] == [ABORTED, ABORTED]


async def test_games_in_archived_threads_stay_listed(world: World) -> None:
    post = threads.thread(world)
    await world.begin(world.anna, world.ben, channel=post)
    await threads.change(world, post, archived=True)
    assert f"/{post.id}/" in private(await world.slash(world.anna, "mygames"))
    assert (await world.row(channel=post)).status == LIVE


@pytest.fixture(params=["text", "voice", "stage", "news", "thread", "forum"])
def place(world: World, request: pytest.FixtureRequest) -> tuple[ChannelHandle, ChannelHandle]:
    """A channel with a game, and the one with its permissions."""
    match request.param:
        case "thread":
            return threads.thread(world), world.channel
        case "forum":
            forum = world.guild.create_forum_channel("forum")
            post = world.env.backend.create_thread(forum.id, "A post", world.anna.id)
            return ChannelHandle(world.env, world.guild, post), forum
        case kind:
            channel = getattr(world.guild, f"create_{kind}_channel")(kind)
            return channel, channel


async def test_a_whole_game_with_a_restart_a_reminder_and_a_rematch(
    world: World, place: tuple[ChannelHandle, ChannelHandle]
) -> None:
    world.channel, parent = place
    # Discord has bots wait for no slow mode.
    world.env.backend.edit_channel(parent.id, {"rate_limit_per_user": 21_600})
    in_thread = world.channel._channel.thread_metadata is not None
    await world.begin(world.anna, world.ben)
    await world.step()
    await world.restart()
    await world.step()
    if in_thread:
        await threads.change(world, world.channel, archived=True)
    mover = not_none(await world.mover())
    await world.later(310)
    assert [int(one["id"]) for one in world.table()["mentions"]] == [mover.id]
    if in_thread:
        assert not threads.is_archived(world, world.channel)
        await threads.change(world, world.channel, archived=True)
    await world.play()
    assert (await world.row()).status == FINISHED
    assert await world.is_shown()
    if in_thread:
        await threads.change(world, world.channel, archived=True)
    await world.press(world.ben, "Rematch")
    assert (await world.row()).status == LOBBY
    assert sum(bool(screen.buttons(one)) for one in world.messages()) == 2


async def test_what_happened_where_the_bot_saw_nothing_is_shown_when_it_sees_again(
    world: World, place: tuple[ChannelHandle, ChannelHandle]
) -> None:
    channel, permitting = place
    await world.begin(world.anna, world.ben, channel=channel)
    elsewhere = world.guild.create_text_channel("other")
    world.deny("view_channel", channel=permitting)
    await world.later(610)
    row = await world.row(channel=channel)
    assert (row.missed, row.state.seat) == ((1, 0), 1)
    assert not await world.is_shown(channel)
    # What changes in another channel is no reason to try.
    tried = len(world.env.http_requests)
    world.deny(channel=elsewhere)
    await world.settle()
    assert len(world.env.http_requests) == tried
    world.deny(channel=permitting)
    await world.settle()
    assert await world.is_shown(channel)
    table = world.table(channel)
    assert [int(one["id"]) for one in table["mentions"]] == [world.ben.id]
    await world.press(world.ben, TURN, channel)
    assert "Anna" in said(await world.slash(world.anna, "tutto show", channel))


@pytest.mark.parametrize("way", ["role changes", "role given"])
async def test_what_was_hidden_is_shown_when_a_role_lets_the_bot_see_it(world: World, way: str) -> None:
    backend, everyone = world.env.backend, world.guild._guild.everyone_role
    (own,) = [role for role in world.guild._guild.roles.values() if role.managed]
    sees = discord.Permissions(view_channel=True).value
    await world.begin(world.anna, world.ben)
    for role in (everyone, own):
        backend.edit_role(world.guild.id, role.id, {"permissions": role.permissions & ~sees})
    await world.later(610)
    assert not await world.is_shown()
    if way == "role changes":
        backend.edit_role(world.guild.id, own.id, {"permissions": own.permissions | sees})
    else:
        given = world.guild.create_role("sees", permissions=discord.Permissions(view_channel=True))
        backend.add_member_role(world.guild.id, backend.bot_user.id, given.id)
    await world.settle()
    assert await world.is_shown()
