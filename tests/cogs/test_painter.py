"""What the channel shows: the table's place, its mentions, and what happens if Discord refuses."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from typing import Any

import discord
import pytest

from bot.discordpy import errors
from bot.services import painter, table_messages
from bot.sessions import commands
from bot.sessions.request import Click
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY
from tests.support import screen
from tests.support.threads import thread
from tests.support.values import not_none
from tests.support.world import World, private, reply

TURN = "Turn a card and roll"


def pinged(world: World, message: screen.Message) -> list[int]:
    """The people whom a message has notified."""
    return [int(user["id"]) for user in message["mentions"]]


def posts(world: World) -> list[Any]:
    """The messages that the bot has sent by itself."""
    return world.requests("POST", "/messages")


# Where the table stands.


async def test_the_turn_comes_to_somebody_who_was_away_and_the_table_is_posted_again(
    world: World, plain_dice: None
) -> None:
    await world.begin(world.anna, world.ben)
    await world.finish_turn()
    await world.finish_turn()
    old = world.table()
    await world.later(61)
    await world.finish_turn()
    new = world.table()
    assert new["id"] != old["id"]
    assert pinged(world, new) == [world.ben.id]
    assert f"<@{world.ben.id}>**, it’s your turn" in world.text()
    shrunk = world.message(old["id"])
    assert not screen.buttons(shrunk)
    assert len(screen.text_of(shrunk).splitlines()) == 1
    assert "further down" in screen.text_of(shrunk)
    assert "Anna" in screen.text_of(shrunk)  # how far it went
    # What counts is when they acted last, not when the table was posted last.
    await world.later(59)
    await world.finish_turn()
    assert world.table()["id"] == new["id"]  # Anna was there 59 seconds ago
    await world.later(61)
    await world.finish_turn()
    assert world.table()["id"] != new["id"]


async def test_at_most_one_person_is_called_and_nobody_by_a_name(world: World) -> None:
    """Names that look like mentions stay names; the message allows one mention only."""
    evil = [world.person("@everyone"), world.person(f"<@{world.chiara.id}>"), world.person("@here <@&1>")]
    await world.begin(*evil)
    for _ in range(6):
        await world.later(61)
        await world.finish_turn()
        if (await world.row()).status != LIVE:
            break
        who = not_none(await world.mover())
        table = world.table()
        assert pinged(world, table) == [who.id]
        assert not table["mention_everyone"]
        assert not table["mention_roles"]
    for request in [*posts(world), *world.requests("PATCH"), *world.requests("POST", "/callback")]:
        body = request.json.get("data", request.json)
        if not body.get("components"):
            continue
        allowed = body["allowed_mentions"]
        assert allowed["parse"] == []
        assert len(allowed.get("users", [])) <= 1
        assert not allowed.get("roles")


async def test_a_table_that_is_posted_again_and_calls_nobody_is_silent(world: World) -> None:
    await world.begin(world.anna, world.ben)
    assert [is_silent(one) for one in world.messages()] == [False, False], "neither the lobby nor the start"
    await world.slash(world.chiara, "tutto show")
    assert is_silent(world.table())
    await world.later(10)
    await world.press_more(world.anna, "b")
    assert is_silent(world.table())
    await world.later(61)
    await world.finish_turn()
    assert pinged(world, world.table())
    assert not is_silent(world.table())
    await world.bot.servers.choose(world.guild.id, "mentions", "name", 0.0)
    await world.later(61)
    await world.finish_turn()
    assert not pinged(world, world.table())
    assert is_silent(world.table())


def is_silent(message: screen.Message) -> bool:
    return discord.MessageFlags._from_value(message["flags"]).suppress_notifications


async def test_a_table_posted_by_the_bot_itself_carries_a_nonce(world: World) -> None:
    """Discord drops a second message with the same nonce, so a retry never posts twice."""
    await world.begin(world.anna, world.ben)
    for _ in range(3):
        await world.later(61)
        await world.finish_turn()
    nonces = [request.json["nonce"] for request in posts(world)]
    assert len(nonces) >= 3
    assert len(set(nonces)) == len(nonces)
    assert all(len(nonce) <= 25 for nonce in nonces)
    assert all(request.json["enforce_nonce"] for request in posts(world))


async def test_a_message_that_its_nonce_gives_again_keeps_its_buttons(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot was killed after posting the table below and before noting it; people click the new one."""
    old = await world.begin(world.anna, world.ben)
    for number in range(5):
        await world.chiara.send(world.channel, f"chat {number}")
    await world.later(10)
    await world.press_more(world.chiara, "b")
    new = world.table()
    assert new["id"] != old["id"]
    world.execute("UPDATE games SET message_id = ?", int(old["id"]))

    async def posted_before(paint: table_messages.Paint, call: int | None, way: str) -> int:
        return int(new["id"])

    monkeypatch.setattr(world.bot.painter._messages, "post", posted_before)
    await world.click(world.anna, new, TURN)
    assert screen.buttons(world.message(new["id"]))


async def test_the_table_is_brought_to_the_bottom_by_its_button(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    for number in range(5):
        await world.chiara.send(world.channel, f"chat {number}")
    await world.later(10)
    result = await world.press_more(world.chiara, "b")  # anybody may
    assert result.acknowledged
    new = world.table()
    assert new["id"] == world.messages()[-1]["id"] != table["id"]
    assert pinged(world, new) == []
    assert not screen.buttons(world.message(table["id"]))
    assert screen.labels(new) == screen.labels(table)
    # Once more at once is a double click.
    again = await world.press_more(world.chiara, "b")
    assert again.acknowledged
    assert world.table()["id"] == new["id"]
    await world.click(world.anna, new, TURN)
    assert len(await world.log()) == 1


async def test_the_table_is_brought_to_the_bottom_by_the_command(world: World) -> None:
    table = await world.begin(world.anna, world.ben)
    await world.ben.send(world.channel, "chat")
    result = await world.slash(world.chiara, "tutto show")
    assert not reply(result).ephemeral
    assert world.table()["id"] == str(reply(result).id) == world.messages()[-1]["id"]
    assert not screen.buttons(world.message(table["id"]))
    await world.press(world.anna, TURN)
    assert world.table()["id"] == str(reply(result).id)


async def test_a_lobby_can_be_brought_to_the_bottom_too(world: World) -> None:
    table = await world.lobby(world.anna)
    await world.later(5)
    await world.slash(world.ben, "tutto show")
    assert not screen.buttons(world.message(table["id"]))
    await world.press(world.ben, "Join")
    assert "2\\. Ben" in world.text()


async def test_there_is_nothing_to_show_leave_or_end_without_a_game(world: World) -> None:
    for command in ("tutto show", "tutto leave", "tutto end"):
        result = await world.slash(world.anna, command)
        assert "There is no game in this channel" in private(result)


async def test_fifty_messages_of_chat_cost_nothing(world: World) -> None:
    """The bot doesn't read messages, so a buried table is brought back by whoever wants to see it."""
    await world.begin(world.anna, world.ben)
    requests = len(world.env.http_requests)
    for number in range(50):
        world.env.backend.create_message(world.channel.id, world.chiara.id, f"chat {number}")
    await world.settle()
    assert len(world.env.http_requests) == requests


async def test_turns_of_ais_never_ping_and_never_post(world: World) -> None:
    await world.begin(world.anna, ais=2)
    sent = len(posts(world))
    for _ in range(3):
        await world.later(100)
        if await world.mover() is None:
            break
        await world.finish_turn()
    # Anna herself has just acted when the AIs are through, so not even she is called.
    assert len(posts(world)) == sent
    assert all(not pinged(world, one) for one in world.messages())


# When Discord refuses.


async def test_a_deleted_table_is_posted_again(world: World, plain_dice: None) -> None:
    await world.begin(world.anna, world.ben)
    table, sent = world.table(), len(posts(world))
    del world.env.backend.messages[world.channel.id][int(table["id"])]
    await world.confirmed(world.ben, "tutto leave")  # the bot paints without a click on the table
    assert (await world.row()).status == FINISHED
    assert len(posts(world)) == sent + 1
    assert world.labels() == ["Rematch", "Review", "Record", "Fair?"]
    assert (await world.row()).message_id == int(world.table()["id"])


@pytest.mark.parametrize("stale", [False, True])
async def test_a_click_on_a_superseded_table_removes_its_buttons(world: World, stale: bool) -> None:
    """Discord did not let the bot take them when the table was posted anew."""
    old = await world.begin(world.anna, world.ben)
    world.fail("PATCH", f"/channels/*/messages/{old['id']}", 403, 50001)
    await world.slash(world.chiara, "tutto show")
    assert screen.buttons(world.message(old["id"]))
    new = world.table()
    assert new["id"] != old["id"]
    if stale:
        await world.press(world.anna, TURN)
        await world.later(10)  # no double click
    result = await world.click_seen(world.anna, old, TURN)
    assert result.acknowledged
    assert not screen.buttons(world.message(old["id"]))
    assert len([one for one in world.messages() if screen.buttons(one)]) == 1
    assert len(await world.log()) == 1


REFUSALS = [(404, 10062), (503, 0)]
"""Too late, and a failure; tests/services/test_painter.py has all the others."""


@pytest.mark.parametrize(("status", "code"), REFUSALS)
@pytest.mark.parametrize("edits", [True, False])
async def test_a_rematch_leaves_the_old_table_even_if_its_answer_is_refused(
    world: World, status: int, code: int, edits: bool
) -> None:
    """Its version is already noted as shown, so only the result of the last paint tells that it is wrong."""
    await world.begin(world.anna, world.ben)
    await world.confirmed(world.ben, "tutto leave")
    end = world.table()
    world.tries = 2
    world.fail("POST", "/interactions/*/callback", status, code)
    if not edits:
        world.fail("PATCH", f"/channels/*/messages/{end['id']}", 503, times=None)
    await world.click_seen(world.anna, end, "Rematch", answered=code != 10062)
    assert (await world.row()).status == LOBBY
    if not edits:
        assert "Rematch" in screen.labels(world.message(end["id"]))
        world.heal()
        await world.later(70)
    assert "Rematch" not in screen.labels(world.message(end["id"]))
    assert next(one["id"] for one in world.messages() if screen.buttons(one)) == end["id"]


@pytest.mark.parametrize(("status", "code"), REFUSALS)
async def test_a_move_is_shown_at_once_even_if_its_answer_is_refused(
    world: World, status: int, code: int, plain_dice: None
) -> None:
    table = await world.begin(world.anna, world.ben)
    world.tries = 2
    world.fail("POST", "/interactions/*/callback", status, code)
    await world.click_seen(world.anna, table, TURN, answered=code != 10062)
    assert TURN not in world.labels()
    assert await world.is_shown()


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (503, 0)])
async def test_a_table_that_can_not_be_painted_is_painted_later(
    world: World, caplog: pytest.LogCaptureFixture, status: int, code: int
) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    before = world.text()
    world.fail("PATCH", "/channels/*", status, code, times=None)
    world.fail("POST", "/channels/*", status, code, times=None)
    caplog.set_level(logging.WARNING)
    await world.confirmed(world.ben, "tutto leave")
    row = await world.row()
    assert (await world.state()).left == (1,)
    assert world.text() == before
    assert row.shown_version < row.version
    warnings = [one for one in caplog.records if one.name == "bot.services.painter"]
    assert len(warnings) >= 1
    assert "could not be shown" in warnings[0].getMessage()
    world.heal()
    # The old table is what Anna sees: her click is stale, and it brings the newest.
    await world.later(10)
    result = await world.click_seen(world.anna, world.table(), TURN)
    assert "moved on" in private(result)
    assert "~~Ben~~" in world.text()
    assert await world.is_shown()


async def test_a_try_that_fails_at_the_database_is_followed_by_another(
    world: World, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    world.fail("PATCH", "/channels/*", 503, times=None)
    await world.confirmed(world.ben, "tutto leave")
    world.heal()

    async def broken(*args: Any, **kwargs: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    expected_errors.append("could not be shown")
    with monkeypatch.context() as patch:
        patch.setattr(table_messages, "screen_of", broken)
        await world.later(70)
    assert "~~Ben~~" not in world.text()
    await world.later(130)
    assert "~~Ben~~" in world.text()
    assert await world.is_shown()


async def test_a_table_that_could_not_be_painted_is_painted_when_the_bot_starts(world: World) -> None:
    await world.begin(world.anna, world.ben, world.chiara)
    world.fail("PATCH", "/channels/*", 403, 50001, times=None)
    await world.confirmed(world.ben, "tutto leave")
    world.heal()
    await world.restart()
    assert "~~Ben~~" in world.text()


async def test_a_hidden_channel_while_a_deadline_fires(world: World) -> None:
    """The lobby closes although the bot can't say so, and other deadlines are kept."""
    other = world.guild.create_text_channel("other")
    await world.lobby(world.anna)
    await world.later(60)
    await world.lobby(world.ben, channel=other)
    world.deny("view_channel")
    await world.later(3700)
    assert (await world.row()).status == ABORTED
    assert (await world.row(channel=other)).status == ABORTED
    assert "closed after an hour without activity" in screen.text_of(world.messages(other)[-1])
    world.deny()
    await world.restart()
    assert "closed after an hour without activity" in screen.text_of(world.messages()[-1])


async def test_without_the_right_to_post_no_lobby_opens(world: World) -> None:
    world.deny("send_messages")
    result = await world.slash(world.anna, "tutto start")
    assert "I’m missing the permission “Send Messages”" in private(result)
    assert world.count("games") == 0
    # Granted: the next try works and nothing of the refusal is left.
    world.deny()
    await world.lobby(world.anna)
    assert "lack" not in world.text()


async def test_without_the_right_to_post_buttons_that_need_it_say_so(world: World) -> None:
    """A rematch that nobody could see would keep the channel from any other game."""
    await world.begin(world.anna, world.ben, target=1000)
    world.deny("send_messages")
    assert "I’m missing the permission “Send Messages”" in private(await world.press_more(world.ben, "b"))
    await world.play()
    assert "I’m missing the permission “Send Messages”" in private(await world.press(world.anna, "Rematch"))
    assert world.count("games") == 1
    world.deny()
    await world.press(world.anna, "Rematch")
    assert (await world.row()).status == LOBBY
    assert world.count("games") == 2


async def test_without_the_right_to_post_in_threads_no_lobby_opens_there(world: World) -> None:
    handle = thread(world)
    world.deny("send_messages_in_threads")
    result = await world.slash(world.anna, "tutto start", handle)
    assert "I’m missing the permission “Send Messages in Threads”" in private(result)
    world.deny("send_messages")  # that is of no matter in a thread
    await world.lobby(world.anna, world.ben, channel=handle)
    assert (await world.row(channel=handle)).status == LOBBY


async def test_the_right_to_post_is_lost_during_a_game(world: World) -> None:
    """An absent player can't be called then, so the table is edited in place and the game goes on."""
    table = await world.begin(world.anna, world.ben)
    await world.finish_turn()
    await world.finish_turn()
    table = world.table()
    world.deny("send_messages")
    await world.later(100)
    await world.finish_turn()
    assert world.table()["id"] == table["id"]
    assert "**Ben**, it’s your turn" in world.text()
    world.deny()
    await world.play()


async def test_reading_the_history_is_not_needed(world: World) -> None:
    """The bot never replies to a message, so it needs no right to read the history."""
    world.deny("read_message_history", "manage_messages", "embed_links", "attach_files")
    await world.begin(world.anna, world.ben)
    await world.later(61)
    await world.play()
    await world.slash(world.anna, "tutto start")
    assert not any("message_reference" in (request.json or {}) for request in posts(world))


async def test_a_deleted_channel_closes_its_game_and_frees_its_people(world: World) -> None:
    await world.begin(world.anna, world.ben)
    game = await world.row()
    other = world.guild.create_text_channel("other")
    world.env.backend.delete_channel(world.channel.id)
    await world.settle()
    row = await world.row(game.id)
    assert row.status == ABORTED
    assert row.deadline is None
    await world.begin(world.anna, world.ben, channel=other)
    assert (await world.row(channel=other)).status == LIVE


async def test_what_happened_in_a_deleted_channel_is_not_tried_to_be_shown_for_ever(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.begin(world.anna, world.ben)
    world.env.backend.delete_channel(world.channel.id)
    await world.settle()
    await world.restart()
    caplog.clear()
    caplog.set_level(logging.WARNING)
    requests = len(world.env.http_requests)
    await world.restart()
    asked = [one for one in world.env.http_requests[requests:] if "/channels/" in one.path]
    assert asked == []
    await world.written()
    assert await world.bot.store.games_to_repaint() == ()
    assert not [one for one in caplog.records if one.name.startswith("cogs")]


async def test_a_channel_deleted_while_the_bot_was_away(world: World) -> None:
    """There was no event: the first paint that gets 10003 closes the game."""
    await world.begin(world.anna, world.ben, world.chiara)
    row = await world.row()
    world.env.backend.messages.pop(world.channel.id)
    world.fail("*", "/channels/*", 404, errors.UNKNOWN_CHANNEL, times=None)
    click = Click(1, world.ben.id, "Ben", world.guild.id, world.channel.id, "en-US")
    await world.session().carry_out(commands.leave, click, row.id)
    with world.env._bot_scope():
        await world.bot.painter.paint(row.id)
    assert (await world.row(row.id)).status == ABORTED
    world.heal()


async def test_a_deleted_thread_closes_its_game(world: World) -> None:
    handle = thread(world)
    await world.begin(world.anna, world.ben, channel=handle)
    row = await world.row(channel=handle)
    world.env.backend.delete_channel(handle.id)
    await world.settle()
    assert (await world.row(row.id)).status == ABORTED


async def test_the_channel_is_looked_up_each_time(world: World) -> None:
    """No channel object is kept: the bot edits by ids, so a recreated channel is simply another one."""
    await world.begin(world.anna, world.ben)
    messages, row = world.bot.painter._messages, await world.row()
    assert messages._channel(row) is not messages._channel(row)


async def test_a_slow_discord_does_not_hold_up_the_game(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A paint that takes too long is given up; the move is kept and the next paint shows it."""
    await world.begin(world.anna, world.ben, world.chiara)
    edit = discord.PartialMessage.edit
    monkeypatch.setattr(painter, "PAINT_SECONDS", 2.0)

    async def slow(self: discord.PartialMessage, **kwargs: Any) -> Any:
        await asyncio.sleep(1000)
        return await edit(self, **kwargs)

    asked = await world.slash(world.ben, "tutto leave")
    question = world.message(reply(asked).id)
    with monkeypatch.context() as patch:
        patch.setattr(discord.PartialMessage, "edit", slow)
        world.send(world.ben, question, "Leave the game")
        await world.later(3)
    assert (await world.state()).left == (1,)
    assert "could not be shown" in caplog.text
    assert "~~Ben~~" not in world.text()
    await world.later(5)
    await world.click_seen(world.anna, world.table(), TURN)
    assert "~~Ben~~" in world.text()


async def test_the_newest_version_wins_over_a_slow_older_paint(world: World) -> None:
    """Paints of one game go one after the other, each of what is stored by then."""
    await world.lobby(world.anna)
    table = world.table()
    for who in (world.ben, world.chiara):
        world.send(who, table, "Join")
    world.send(world.ben, table, "Leave")
    await world.settle()
    assert await world.is_shown()
    assert "2\\. Chiara" in world.text()
    assert "Ben" not in world.text()


# The end of a game stays above later games.


async def not_noted(world: World, game_id: int, message_id: int | None) -> None:
    """Leave the database as a bot does that is killed before it notes what it has shown."""
    await world.written()
    world.execute("UPDATE games SET message_id = ?, shown_version = -1 WHERE id = ?", message_id, game_id)


async def test_a_late_answer_to_the_rematch_does_not_post_the_end_below_it(world: World) -> None:
    """The bot had no time to note the message of the end, and gets the click on it too late."""
    await world.begin(world.anna, world.ben)
    await world.confirmed(world.ben, "tutto leave")
    end, row = world.table()["id"], await world.row()
    await not_noted(world, row.id, None)
    before = len(posts(world))
    world.fail("POST", "*/callback", 404, 10062)
    await world.click_seen(world.anna, world.table(), "Rematch", answered=False)
    assert len(posts(world)) == before + 1, "only the new lobby"
    assert "Join" in world.labels()
    assert "Rematch" not in screen.labels(world.message(end))


async def test_an_end_that_was_deleted_is_not_posted_below_the_next_game(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.confirmed(world.ben, "tutto leave")
    end, row = world.table()["id"], await world.row()
    await world.slash(world.anna, "tutto start")
    before = len(posts(world))
    for message_id in (int(end), None):
        world.env.backend.messages[world.channel.id].pop(int(end), None)
        await not_noted(world, row.id, message_id)
        await world.bot.painter.paint(row.id)
        assert len(posts(world)) == before
        known = not_none(await world.bot.store.game(row.id))
        assert known.shown_version == known.version, "it is tried again and again"
    assert "Join" in world.labels()
