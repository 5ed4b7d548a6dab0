"""The menu of a person: their statistics, and a challenge."""

from __future__ import annotations

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.store.base import LIVE, LOBBY
from tests.support import threads
from tests.support.world import World, private, said


async def test_a_challenge_is_a_lobby_that_mentions_the_person(world: World) -> None:
    await world.anna.context_menu(world.channel, "Challenge", world.ben)
    row = await world.row()
    assert (row.status, row.host_id, len(row.seats)) == (LOBBY, world.anna.id, 1)
    assert f"<@{world.ben.id}>, **Anna** challenges you" in world.text()
    post = world.requests("POST", "/callback")[-1].json
    assert post["data"]["allowed_mentions"]["users"] == [world.ben.id]
    await world.press(world.ben, "Join")
    assert "challenges you" not in world.text()
    await world.press(world.anna, "Start the game")
    assert (await world.row()).status == LIVE


async def test_a_server_without_mentions_names_the_person_quietly(world: World) -> None:
    await world.bot.servers.choose(world.guild.id, "mentions", "name", 0.0)
    await world.anna.context_menu(world.channel, "Challenge", world.ben)
    assert f"<@{world.ben.id}>" in world.text()
    post = world.requests("POST", "/callback")[-1].json
    assert not post["data"]["allowed_mentions"].get("users")


async def test_a_person_who_can_not_play_here_is_not_challenged(world: World) -> None:
    bot = world.guild.add_member(world.env.create_user("robot", bot=True))
    deny = Overwrite(target_id=world.chiara.id, type=OverwriteType.MEMBER, allow=0, deny=1 << 10)
    world.env.backend.set_overwrite(world.channel.id, deny)
    await world.settle()
    for who, expected in (
        (world.anna, "can’t challenge yourself"),
        (bot, "A bot can’t play"),
        (world.chiara, "Chiara can’t see this channel"),
    ):
        assert expected in private(await world.anna.context_menu(world.channel, "Challenge", who))
    assert world.count("games") == 0


@pytest.mark.parametrize("in_thread", [False, True])
async def test_before_discord_has_told_about_the_server_nobody_is_said_not_to_see_the_channel(
    world: World, in_thread: bool
) -> None:
    """After a start, clicks may come before the server's GUILD_CREATE, with its roles and channels."""
    channel = threads.thread(world) if in_thread else world.channel
    world.bot._connection._guilds.pop(world.guild.id)
    challenged = await world.anna.context_menu(channel, "Challenge", world.ben)
    assert not private(challenged)
    assert f"<@{world.ben.id}>, **Anna** challenges you" in world.text(channel)
    await world.press(world.ben, "Join", channel)
    await world.press(world.anna, "Start the game", channel)
    asked = await world.slash(world.anna, "tutto handover", channel, member=world.ben, to=world.chiara)
    assert f"<@{world.chiara.id}>" in said(asked)


async def test_a_channel_with_an_open_game_gets_no_second_one(world: World) -> None:
    await world.lobby(world.anna)
    result = await world.ben.context_menu(world.channel, "Challenge", world.chiara)
    assert "`/tutto show`" in private(result)
    assert world.count("games") == 1


async def test_statistics_from_a_persons_menu(world: World) -> None:
    none = await world.anna.context_menu(world.channel, "Stats", world.ben)
    assert "Ben" in private(none)
    await world.begin(world.anna, world.ben)
    await world.play()
    assert "Ben" in said(await world.chiara.context_menu(world.channel, "Stats", world.ben))


async def test_there_are_no_more_menus_than_discord_allows(world: World) -> None:
    """Five of people and five of messages, with names of 1 to 32 characters in every language."""
    commands = [one for scope in world.env.backend.commands.values() for one in scope.values()]
    for kind in (discord.AppCommandType.user, discord.AppCommandType.message):
        menus = [one for one in commands if one["type"] == kind.value]
        assert 1 <= len(menus) <= 5
        for menu in menus:
            names = [menu["name"], *menu["name_localizations"].values()]
            assert len(names) > 3
            assert all(1 <= len(name) <= 32 for name in names)
