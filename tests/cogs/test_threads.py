"""Threads: archived ones are opened when somebody is called, locked ones stop the clock."""

from __future__ import annotations

import discord
import pytest
from simcord import ChannelHandle

from bot.sessions import commands
from bot.store.base import ABORTED, LIVE, LOBBY, NEVER
from tests.support import screen, threads
from tests.support.values import not_none
from tests.support.world import TURN, World, private, reply


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
    """Ben's data is deleted in the meantime; only a new message can show the table without him."""
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
    assert screen.labels(world.message(table["id"])) == ["Fair?"]


async def test_show_elsewhere_offers_the_games_of_the_person(world: World) -> None:
    post = threads.thread(world)
    table = await world.begin(world.anna, world.ben, channel=post)
    await threads.change(world, post, archived=True)
    stranger = await world.slash(world.chiara, "tutto show")
    assert "There is no game in this channel" in private(stranger)
    assert f"<#{post.id}>" not in private(stranger)
    offered = await world.slash(world.ben, "tutto show")
    assert f"<#{post.id}>" in private(offered)
    shown = await world.ben.click(reply(offered), label="Show it there")
    assert f"<#{post.id}>" in private(shown)
    assert not threads.is_archived(world, post)
    assert world.table(post)["id"] != table["id"]


@pytest.mark.parametrize("locale", ["en-US", "fr"])
async def test_show_elsewhere_does_not_claim_what_discord_has_refused(world: World, locale: str) -> None:
    """The bot may not post there any more: it says so, with the place, and the table stays usable."""
    world.locales[world.ben.id] = locale
    other = world.guild.create_text_channel("other")
    table = await world.begin(world.anna, world.ben, channel=other)
    world.deny("send_messages", channel=other)
    offered = await world.slash(world.ben, "tutto show")
    assert offered.response is not None
    page = world.message(offered.response.id)
    shown = await world.ben.click(offered.response, label=screen.labels(page)[0])
    assert world.table(other)["id"] == table["id"]
    text = {"en-US": "I can’t show the table in", "fr": "Je ne peux pas afficher la table dans"}[locale]
    assert f"{text} <#{other.id}>" in private(shown)
    await world.press(world.anna, TURN, other)


async def test_an_offer_to_show_a_game_is_for_its_players_and_while_it_lasts(world: World) -> None:
    post = threads.thread(world)
    table = await world.begin(world.anna, world.ben, channel=post)
    row = await world.row(channel=post)
    custom_id = f"1:0:0:sh.{row.id:x}"
    refused = await world.forge(world.chiara, custom_id, table)
    assert "not in this game" in private(refused)
    await world.session(post).carry_out(commands.end, world.click_of(world.anna, post), row.id)
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
    await world.later(7_200)
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
    await world.later(7_200)
    row = await world.row(channel=post)
    assert row.missed == (0, 0)
    # Nobody tells the bot.
    metadata = not_none(post._channel.thread_metadata)
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
    await world.later(7_200)
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
    await world.later(7_200)
    assert (await world.row(channel=post)).missed == (0, 0)


# Private threads that the bot was not invited to, and channels that it can't write to any more.


async def test_no_lobby_opens_in_a_private_thread_without_the_bot(world: World) -> None:
    hidden = threads.thread(world, private=True, invited=False)
    result = await world.slash(world.anna, "tutto start", hidden)
    assert "I’m not in this private thread" in private(result)
    assert world.count("games") == 0
    invited = threads.thread(world, private=True)
    await world.begin(world.anna, world.ben, channel=invited)


async def test_no_lobby_opens_in_a_locked_thread(world: World) -> None:
    post = threads.thread(world)
    await threads.change(world, post, locked=True)
    result = await world.slash(world.anna, "tutto start", post)
    assert "This thread is locked" in private(result)
    assert world.count("games") == 0


def expel(world: World, handle: ChannelHandle) -> None:
    """Take the bot out of a private thread, or from a channel what it needs; clicks still arrive."""
    if handle.id == world.channel.id:
        world.deny("view_channel")
    elif handle._channel.type == discord.ChannelType.voice.value:
        world.deny("connect", channel=handle)
    else:
        del handle._channel.thread_members[world.env.backend.bot_user.id]


@pytest.fixture(params=["private thread", "hidden channel", "voice channel"])
def place(world: World, request: pytest.FixtureRequest) -> ChannelHandle:
    match request.param:
        case "hidden channel":
            return world.channel
        case "voice channel":
            return world.guild.create_voice_channel("talk")
        case _:
            return threads.thread(world, private=True)


def missing(world: World, handle: ChannelHandle) -> str:
    if handle._channel.type == discord.ChannelType.voice.value:
        return "“Connect”"
    return "“View Channel”" if handle.id == world.channel.id else "I’m not in this private thread"


def readmit(world: World, handle: ChannelHandle) -> None:
    """Give back what :func:`expel` has taken."""
    if handle._channel.thread_metadata is None:
        world.deny(channel=handle)
    handle._channel.thread_members[world.env.backend.bot_user.id] = world.env.backend.now_iso()


async def test_no_game_begins_where_its_table_could_not_be_shown(world: World, place: ChannelHandle) -> None:
    """The click could post the message that opens the game, but the bot could make it no table."""
    await world.lobby(world.anna, world.ben, channel=place)
    expel(world, place)
    for _ in range(2):
        result = await world.press(world.anna, "Start the game", place)
        assert "Let me see this channel" in private(result)
        assert (await world.row(channel=place)).status == LOBBY
    readmit(world, place)
    await world.press(world.anna, "Start the game", place)
    await world.press(world.anna, TURN, place)


async def test_a_moderator_begins_no_game_in_a_locked_thread(world: World) -> None:
    post = threads.thread(world)
    await world.lobby(world.anna, world.ben, channel=post)
    await threads.change(world, post, locked=True)
    result = await world.press(world.anna, "Start the game", post)
    assert "I can’t post here" in private(result)
    await threads.change(world, post, locked=False)
    await world.press(world.anna, "Start the game", post)
    await world.press(world.anna, TURN, post)


async def test_a_click_in_an_archived_thread_opens_it_also_in_a_lobby(world: World) -> None:
    post = threads.thread(world)
    await world.lobby(world.anna, world.ben, channel=post)
    await threads.change(world, post, archived=True)
    await world.press(world.chiara, "Join", post)
    assert not threads.is_archived(world, post)
    assert "Chiara" in world.text(post)


async def test_a_rematch_where_no_table_can_be_shown_takes_nothing(
    world: World, place: ChannelHandle
) -> None:
    await world.begin(world.anna, world.ben, channel=place)
    row = await world.row(channel=place)
    await world.session(place).carry_out(commands.leave, world.click_of(world.ben, place), row.id)
    await world.bot.painter.paint(row.id)
    expel(world, place)
    result = await world.press(world.anna, "Rematch", place)
    assert missing(world, place) in private(result)
    assert world.count("games") == 1
    readmit(world, place)
    await world.press(world.anna, "Rematch", place)
    assert world.count("games") == 2


async def test_a_stale_click_where_the_bot_can_not_write_repaints_its_message(
    world: World, place: ChannelHandle, plain_dice: None
) -> None:
    table = await world.begin(world.anna, world.ben, world.chiara, channel=place)
    row = await world.row(channel=place)
    expel(world, place)
    await world.session(place).carry_out(commands.leave, world.click_of(world.ben, place), row.id)
    await world.bot.painter.paint(row.id)
    assert "~~Ben~~" not in world.text(place)
    await world.later(10)
    result = await world.click(world.anna, table, TURN)
    assert "~~Ben~~" in world.text(place)
    assert world.table(place)["id"] == table["id"]
    assert "The table shows it now" in private(result)
    assert missing(world, place) in private(result)
    await world.press(world.anna, TURN, place)
    assert TURN not in world.labels(place)


async def test_table_down_where_the_bot_can_not_write_says_what_is_missing(
    world: World, place: ChannelHandle
) -> None:
    table = await world.begin(world.anna, world.ben, channel=place)
    await world.later(10)
    expel(world, place)
    result = await world.press_more(world.anna, "b", place)
    assert missing(world, place) in private(result)
    assert world.table(place)["id"] == table["id"]


async def test_table_down_that_discord_refuses_for_another_reason_is_told(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.later(10)
    world.fail("POST", "/channels/*/messages", 403, 50013)
    result = await world.press_more(world.anna, "b")
    assert "Discord doesn’t let me post in this channel" in private(result)


async def test_a_click_on_an_old_table_where_the_bot_can_not_write_makes_it_the_table(
    world: World, place: ChannelHandle, plain_dice: None
) -> None:
    old = await world.begin(world.anna, world.ben, channel=place)
    world.fail("PATCH", f"/channels/*/messages/{old['id']}", 403, 50013)
    await world.slash(world.chiara, "tutto show", place)
    newer = world.table(place)
    assert newer["id"] != old["id"]
    expel(world, place)
    await world.click(world.anna, old, TURN)
    row = await world.row(channel=place)
    assert len(await world.bot.store.moves(row.id)) == 1
    assert row.message_id == int(old["id"])
    assert row.shown_version == row.version
    assert TURN not in screen.labels(world.message(old["id"]))
