"""Tables in threads of their own: where they open, who is added, and what happens where there can be none."""

from __future__ import annotations

import pytest
from simcord import ChannelHandle

from bot.store.base import LIVE, LOBBY
from tests.support import screen
from tests.support.screen import Message
from tests.support.threads import show_history
from tests.support.world import World, private, reply, said


async def choose(world: World, where: str) -> None:
    """Choose where new tables open. Everybody may read older messages, as by default in Discord.

    Otherwise the stand-in starts no thread from a message.
    """
    show_history(world)
    await world.bot.servers.choose(world.guild.id, "tables", where, world.bot.sessions.now())


def threads(world: World) -> list[ChannelHandle]:
    """The threads that the bot has made, in order."""
    backend = world.env.backend
    made = [one for one in backend.channels.values() if one.is_thread and one.owner_id == backend.bot_user.id]
    return [ChannelHandle(world.env, world.guild, one) for one in made]


def announced(world: World, thread: ChannelHandle) -> Message:
    """The message of a thread in the channel."""
    return next(one for one in world.messages() if int(one["id"]) == thread.id)


def tables(world: World) -> list[Message]:
    """What stands in the channel with buttons."""
    return [one for one in world.messages() if screen.buttons(one)]


def members(thread: ChannelHandle) -> set[int]:
    return set(thread._channel.thread_members)


async def test_ten_tables_of_one_channel_are_played_in_their_threads(world: World) -> None:
    await choose(world, "thread")
    hosts = world.people(10)
    for host in hosts:
        result = await world.slash(host, "tutto start", target=1000)
        assert f"<#{threads(world)[-1].id}>" in private(result)
    assert len(threads(world)) == 10
    assert world.count("games") == 10
    me = world.env.backend.bot_user.id
    assert threads(world)[0]._channel.name == "Tutto · Anna"
    for host, thread in zip(hosts, threads(world), strict=True):
        assert members(thread) == {me, host.id}
        assert (await world.row(channel=thread)).status == LOBBY
    # Whoever joins in the channel is added to the thread, and nobody is called.
    first = threads(world)[0]
    joined = await world.click(world.chiara, announced(world, first), "Join")
    assert f"/{first.id}/" in private(joined)
    await world.press(world.ben, "Join", first)
    assert members(first) == {me, *(one.id for one in hosts[:3])}
    assert not any(one["mentions"] for one in world.messages())
    await world.press(world.anna, "Start the game", first)
    assert (await world.row(channel=first)).status == LIVE
    again = await world.click(world.people(11)[10], announced(world, first), "Join")
    assert "game has begun" in private(again) or "already" in private(again)


async def test_the_host_is_asked_where(world: World) -> None:
    await choose(world, "ask")
    asked = await world.slash(world.anna, "gambler start", target=300, rated=False)
    assert tables(world) == []
    opened = await world.anna.click(reply(asked), label="In this channel")
    assert "open in this channel" in said(opened)
    row = await world.row()
    assert (row.game, row.options.target, row.rated) == ("gambler", 300, False)
    # The next one can only be in a thread; a double click makes one.
    asked = await world.slash(world.ben, "tutto start", edition="classic", target=2000)
    assert "already has a game" in private(asked)
    message = world.message(reply(asked).id)
    assert screen.button(message, "In this channel")["disabled"]
    custom_id = screen.button(message, "In a thread")["custom_id"]
    world.send(world.ben, message, custom_id=custom_id)
    world.send(world.ben, message, custom_id=custom_id)
    await world.settle()
    (thread,) = threads(world)
    row = await world.row(channel=thread)
    assert (row.options.edition, row.options.target, row.host_id) == ("classic", 2000, world.ben.id)
    for forged in ("pl.t.tutto.1.0.9.2000", "pl.t.chess.1.0.0", "pl.c.tutto.1.0.0.2000.1", "pl.x", "pl.j.1"):
        assert private(await world.forge(world.ben, f"1:0:0:{forged}", message))
    assert world.count("games") == 2


async def test_a_challenge_calls_in_the_channel_and_adds_nobody(world: World) -> None:
    await choose(world, "thread")
    await world.anna.context_menu(world.channel, "Challenge", world.ben)
    (thread,) = threads(world)
    assert [int(one["id"]) for one in announced(world, thread)["mentions"]] == [world.ben.id]
    assert world.ben.id not in members(thread)
    assert not world.table(thread)["mentions"]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("create_public_threads", "“Create Public Threads”"),
        ("send_messages_in_threads", "“Send Messages in Threads”"),
        ("read_message_history", "“Read Message History”"),
        ("refused", "Discord doesn’t let me open a thread"),
        ("no message", "Discord doesn’t let me open a thread"),
    ],
)
async def test_where_there_can_be_no_thread_the_table_stays_in_the_channel(
    world: World, trouble: str, words: str
) -> None:
    await choose(world, "thread")
    match trouble:
        case "refused":
            # For example when the server has as many active threads as Discord allows.
            world.fail("POST", "/channels/*/messages/*/threads", 400, 160006, times=None)
        case "no message":
            world.fail("POST", "/channels/*/messages", 403, 50013, times=None)
        case _:
            world.deny(trouble)
    result = await world.slash(world.anna, "tutto start")
    assert words in private(result)
    assert "Your table is open in this channel." in private(result)
    assert (await world.row()).channel_id == world.channel.id
    assert threads(world) == []
    assert len(tables(world)) == 1, "the announcement is gone"
    refused = await world.slash(world.ben, "tutto start")
    assert "This channel already has a game" in private(refused)


async def test_voice_channels_and_threads_keep_their_tables(world: World) -> None:
    await choose(world, "ask")
    voice = world.guild.create_voice_channel("talk")
    result = await world.slash(world.anna, "tutto start", voice)
    assert "no threads" in private(result)
    assert (await world.row(channel=voice)).status == LOBBY
    await choose(world, "thread")
    await world.slash(world.anna, "tutto start")
    (thread,) = threads(world)
    await world.press(world.anna, "Close the table", thread)
    result = await world.slash(world.anna, "tutto start", thread)
    assert len(threads(world)) == 1
    assert (await world.row(channel=thread)).status == LOBBY


async def test_a_thread_whose_table_is_gone_says_so(world: World) -> None:
    await choose(world, "thread")
    await world.slash(world.anna, "tutto start")
    (thread,) = threads(world)
    message = announced(world, thread)
    world.env.backend.delete_channel(thread.id)
    await world.settle()
    assert "no open table" in private(await world.click(world.ben, message, "Join"))
    assert world.query("SELECT status FROM games") == [("ended",)]


async def test_a_kill_before_the_table_is_stored_leaves_no_game(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    await choose(world, "thread")
    expected_errors.append("disk I/O error")

    async def broken(*arguments: object) -> object:
        raise OSError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(world.bot.store, "create", broken)
        await world.slash(world.anna, "tutto start")
    assert world.count("games") == 0
    assert tables(world) == []
    await world.slash(world.anna, "tutto start")
    assert world.count("games") == 1


@pytest.mark.parametrize("way", ["command", "page", "rematch"])
async def test_a_table_that_discord_refuses_is_not_said_to_be_there(world: World, way: str) -> None:
    """The permissions promise that the bot may post, and Discord refuses nevertheless; `show` needs none."""
    world.tries = 2
    if way == "rematch":
        await world.begin(world.anna, world.ben)
        await world.play()
    page = reply(await world.slash(world.anna, "help"))
    world.fail("POST", f"/channels/{world.channel.id}/messages", 403, 50013, None)
    match way:
        case "command":
            world.fail("POST", "*/callback", 500)
            opened = await world.slash(world.anna, "tutto start")
        case "page":
            opened = await world.anna.click(page, label="Play Tutto")
        case _:
            opened = await world.press(world.anna, "Rematch")
    assert f"open in <#{world.channel.id}>, but Discord doesn’t let me show it" in private(opened)
    assert (await world.row()).status == LOBBY
    shown = await world.slash(world.anna, "tutto show")
    assert "Anna (host)" in said(shown)


async def test_a_table_that_discord_refuses_in_its_thread(world: World) -> None:
    await choose(world, "thread")
    # In all channels but that one, whose id ends in another digit.
    world.fail("POST", f"/channels/*[!{world.channel.id % 10}]/messages", 403, 50013, None)
    opened = await world.slash(world.anna, "tutto start")
    (made,) = threads(world)
    assert f"open in <#{made.id}>, but Discord doesn’t let me show it" in private(opened)
    joined = await world.click(world.ben, announced(world, made), "Join")
    assert private(joined).endswith(f"/channels/{world.guild.id}/{made.id}")
