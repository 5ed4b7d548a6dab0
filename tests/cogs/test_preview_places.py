"""The list of places beside the playground's page, in the in-process Discord."""

from __future__ import annotations

from datetime import timedelta

from simcord import ChannelHandle

from bot.discordpy.preview.places import DIRECT_MESSAGES, Places, archive_idle
from tests.support import threads
from tests.support.world import World


def row(places: Places, person: int, name: str, here: int) -> dict[str, object]:
    (found,) = [one for one in places.listed(person, here) if one["name"] == name]
    return found


def write(world: World, handle: ChannelHandle, text: str) -> None:
    world.env.backend.create_message(handle.id, world.env.backend.bot_user.id, text)


async def test_unread_is_what_came_since_one_looked(world: World) -> None:
    threads.show_history(world)
    places, second = Places(world.env), world.guild.create_text_channel("second")
    anna, here = world.anna.id, world.channel.id
    write(world, second, "Hello")
    write(world, second, f"{world.anna.mention}, it's your turn")
    write(world, world.anna.user.dm_channel, "It's your turn")
    assert row(places, anna, "second", here) == {
        "id": str(second.id),
        "kind": "channel",
        "name": "second",
        "here": False,
        "joined": True,
        "unread": True,
        "calls": 1,
    }
    assert row(places, anna, DIRECT_MESSAGES, here)["calls"] == 1
    assert row(places, world.ben.id, "second", here)["calls"] == 0
    assert row(places, anna, "second", second.id)["unread"] is False
    assert row(places, anna, "second", here)["unread"] is False
    assert row(places, world.ben.id, "second", here)["unread"] is True


async def test_a_thread_is_there_for_all_but_unread_only_for_its_people_and_until_it_is_archived(
    world: World,
) -> None:
    threads.show_history(world)
    places, thread = Places(world.env), threads.thread(world)
    dora, here = world.person("Dora"), world.channel.id
    write(world, thread, "Hello")
    found = row(places, world.ben.id, "dice", here)
    assert (found["kind"], found["joined"], found["unread"]) == ("thread", True, True)
    found = row(places, dora.id, "dice", here)
    assert (found["joined"], found["unread"]) == (False, False)
    world.env.backend.advance_clock(timedelta(hours=23).total_seconds())
    archive_idle(world.env.backend)
    assert not threads.is_archived(world, thread)
    world.env.backend.advance_clock(timedelta(hours=2).total_seconds())
    archive_idle(world.env.backend)
    assert threads.is_archived(world, thread)
    assert "dice" not in [one["name"] for one in places.listed(dora.id, here)]
    # Who looks at it goes on looking at it.
    assert "dice" in [one["name"] for one in places.listed(dora.id, thread.id)]


async def test_nobody_gets_where_they_may_not_be(world: World) -> None:
    threads.show_history(world)
    places, private = Places(world.env), threads.thread(world, private=True)
    dora, here = world.person("Dora").id, world.channel.id
    assert places.destination(world.ben.id, str(private.id), here) == private.id
    assert places.destination(dora, str(private.id), here) == here
    assert places.destination(dora, "no number", here) == here
    direct = world.ben.user.dm_channel.id
    assert places.destination(world.ben.id, str(direct), here) == direct
    assert places.destination(dora, None, direct) == places.destination(dora, str(direct), here) != direct
