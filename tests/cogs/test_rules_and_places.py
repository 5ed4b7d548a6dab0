"""The rules pages, and where games can be played."""

from __future__ import annotations

import pytest
from simcord import ChannelHandle, SetupError

from bot.registry import GAMES, find
from bot.store.base import LIVE, LOBBY
from tests.support import screen
from tests.support.threads import thread
from tests.support.world import World, private, reply


async def test_rules_open_privately_and_turn_by_topic(world: World) -> None:
    result = await world.slash(world.anna, "tutto rules")
    assert reply(result).ephemeral
    pages = {private(result)}
    message = world.message(reply(result).id)
    tokens = [one["custom_id"] for one in screen.buttons(message)]
    assert len(tokens) == len(find("tutto").screen.topics)
    for custom_id in [*tokens[1:], tokens[0]]:
        turned = await world.anna.click(reply(result), custom_id=custom_id)
        assert turned.acknowledged
        shown = screen.text_of(world.message(reply(result).id))
        pages.add(shown)
        assert len(shown) <= 4000
    assert len(pages) == len(tokens)
    assert private(result) == shown  # back at the first
    assert all(one["flags"] & screen.EPHEMERAL == 0 for one in world.messages())


async def test_an_old_page_of_rules_still_turns(world: World) -> None:
    """Private messages can't be edited after 15 minutes by other means: the click itself does it."""
    result = await world.slash(world.anna, "tutto rules")
    question = world.message(reply(result).id)
    world.env.backend.advance_clock(30 * 86_400.0)
    await world.restart()
    turned = await world.click_seen(world.anna, question, "Cards")
    assert turned.acknowledged
    assert "The cards" in screen.text_of(world.message(reply(result).id))


@pytest.mark.parametrize("kind", ["voice", "stage", "news", "thread"])
async def test_all_channels_that_take_messages_take_games(world: World, kind: str) -> None:
    channel = thread(world) if kind == "thread" else getattr(world.guild, f"create_{kind}_channel")(kind)
    await world.begin(world.anna, world.ben, channel=channel)
    assert (await world.row(channel=channel)).status == LIVE
    await world.press(world.anna, "Turn a card and roll", channel)


@pytest.mark.parametrize("kind", ["voice", "stage"])
async def test_the_chat_of_a_voice_channel_needs_connect(world: World, kind: str) -> None:
    channel = getattr(world.guild, f"create_{kind}_channel")(kind)
    world.deny("connect", channel=channel)
    assert "“Connect”" in private(await world.slash(world.anna, "tutto start", channel))
    assert world.count("games") == 0


async def test_a_forum_post_takes_games(world: World) -> None:
    forum = world.guild.create_forum_channel("forum")
    post = world.env.backend.create_thread(forum.id, "A post", world.anna.id)
    channel = ChannelHandle(world.env, world.guild, post)
    await world.lobby(world.anna, world.ben, channel=channel)
    assert (await world.row(channel=channel)).status == LOBBY


async def test_a_channel_that_can_keep_no_game_gets_an_explanation(world: World) -> None:
    """A forum itself takes no messages; no client sends a command there, but an answer there must be."""
    forum = world.guild.create_forum_channel("forum")
    result = world.send_slash(world.anna, "tutto start", forum)
    await world.settle()
    assert "You can’t play here" in private(result)
    assert world.count("games") == 0


async def test_commands_are_not_offered_in_direct_messages(world: World) -> None:
    dora = world.env.create_user("dora")
    assert dora.available_commands() == ()
    with pytest.raises(SetupError):
        await dora.slash("tutto end")


async def test_a_click_in_a_direct_message_is_answered(world: World) -> None:
    """No client offers this, as games live in servers; if such a click comes, it does no harm."""
    import simcord

    dora = world.env.create_user("dora")
    message = world.env.backend.create_message(dora.dm_channel.id, world.env.backend.bot_user.id, "old")
    record, payload = simcord.interactions.base_payload(
        world.env.backend,
        type=3,
        channel_id=dora.dm_channel.id,
        guild_id=None,
        user_id=dora.id,
        data={"custom_id": "1:1:1:t", "component_type": 2},
    )
    from simcord.backend import serializers

    payload["message"] = dict(serializers.message_payload(world.env.backend, message))
    world.deliver(payload)
    await world.settle()
    result = simcord.InteractionResult(world.env, record)
    assert "server" in private(result)


async def test_every_game_has_the_same_commands(world: World) -> None:
    offered = world.anna.available_commands(world.channel)
    for game in GAMES:
        for command in ("start", "show", "leave", "end", "rules"):
            assert f"{game} {command}" in offered
