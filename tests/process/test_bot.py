"""The real bot as a process, against a Discord with all known kinds of faults."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import pytest_asyncio

from bot.services.table_messages import OLD_EDIT_SECONDS
from tests.support.discord_server.crash import CALLBACK, MESSAGE, ORIGINAL, POST, examine
from tests.support.discord_server.faults import Faults, Rule
from tests.support.discord_server.people import IN_TIME, Reply
from tests.support.discord_server.player import Script, Table
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.world import (
    PUT_COMMANDS,
    World,
    done_once,
    first_post,
    move,
    move_on,
)
from tests.support.values import not_none

RIGHT_WITHIN = 10.0
"""Within how many seconds a table is up to date, even if Discord delays its edits."""

LONG_LIMIT = 60.0
"""Seconds until a rate limit is over, more than any test waits."""

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with DiscordServer() as server:
        world = World(server, tmp_path_factory.mktemp("bot"))
        async with world.bot:
            yield world
            assert await world.bot.terminate() == 0
        findings = await examine(world.database, world.scripts)
        assert findings.problems == []


@pytest.fixture
def world(shared: World) -> Iterator[World]:
    yield shared
    shared.server.faults.clear()
    shared.server.gateway.release()
    shared.server.check()
    assert [reply for reply in shared.server.replies.values() if reply.type == 5 and reply.pending] == []
    assert shared.bot.errors() == []


# ---------------------------------------------------------------------- whole games


async def test_a_game_of_two(world: World) -> None:
    script = world.script("ann", "ben")
    await script.play()
    table = not_none(script.table())
    assert re.search(r"wins!|share the win|on the spot", table.text)
    await world.server.quiet()
    board = await script.host.slash(script.channel, "leaderboard")
    assert "ann" in board.text
    assert "ben" in board.text
    # One table at the end, and no button is left on any other message.
    assert [one.message["id"] for one in world.boards(script)] == [table.message["id"]]
    query = "SELECT count(*) FROM results JOIN games ON games.id = game_id WHERE channel_id = ?"
    assert world.rows(query, script.channel.id) == [(2,)]


async def test_a_game_with_an_ai(world: World) -> None:
    # To 1000, a lucky game may be over before the AI has anything to decide.
    script = world.script("carl", ais=1, target=3000)
    await script.play()
    query = "SELECT count(*) FROM moves JOIN games ON games.id = game_id WHERE channel_id = ? AND seat = 1"
    assert world.rows(query, script.channel.id)[0][0] > 0
    assert all(press.reply.acked for press in script.presses)


# ---------------------------------------------------------------------- doubles


async def test_delivered_twice(world: World) -> None:
    script = await world.going()
    before = world.version(script)
    press = move(script)
    press.who.again(press.reply)
    await press.reply
    await world.server.quiet()
    assert press.promised
    assert sorted(call.code for call in press.reply.tries) in ([0], [0, 40060])
    assert world.version(script) == before + 1
    await world.painted(script, before + 1)
    press.who.again(press.reply)
    await world.server.quiet()
    assert world.version(script) == before + 1
    assert press.reply.followups == []


async def test_twenty_clicks_at_once(world: World) -> None:
    script = await world.going()
    before = world.version(script)
    table = not_none(script.table())
    who, button = script.people[table.turn], script.moves(table)[0]
    presses = [script.press(who, table, button) for _ in range(20)]
    await asyncio.gather(*(press.reply.wait() for press in presses))
    await world.server.quiet()
    assert all(press.reply.acked for press in presses)
    assert world.version(script) == before + 1
    assert [press.told for press in presses] == [""] * 20
    await world.painted(script, before + 1)


# ---------------------------------------------------------------------- REST faults on the answer


@pytest.mark.parametrize(
    "fault",
    [
        lambda faults: faults.rate_limit("POST", CALLBACK, retry_after=0.3),
        lambda faults: faults.fail("POST", CALLBACK, 502),
        lambda faults: faults.delay("POST", CALLBACK, 2.0),
    ],
    ids=("rate limited", "failing before its effect", "slow"),
)
async def test_answer_comes_in_time(fault: Callable[[Faults], Rule], world: World) -> None:
    script = await world.going()
    rule = fault(world.server.faults)
    press = await done_once(world, script)
    assert rule.hits == 1
    assert press.reply.acked_in_time


async def test_answer_fails_after_its_effect(world: World) -> None:
    script = await world.going()
    world.server.faults.fail("POST", CALLBACK, 500, after=True)
    press = await done_once(world, script)
    await world.server.until(lambda: len(press.reply.tries) > 1)
    assert [call.code for call in press.reply.tries][:2] == [0, 40060]
    assert press.reply.followups == []


@pytest.mark.parametrize(("after", "reset"), [(False, True), (True, False)])
async def test_answer_cut_off(world: World, after: bool, reset: bool) -> None:
    script = await world.going()
    world.server.faults.cut("POST", CALLBACK, after=after, reset=reset)
    press = await done_once(world, script)
    assert press.reply.acked
    assert press.reply.followups == []


@pytest.mark.parametrize(("status", "code"), [(404, 10062), (400, 40060)])
async def test_answer_too_late(world: World, status: int, code: int) -> None:
    script = await world.going()
    world.server.faults.error("POST", CALLBACK, status, code)
    press = await done_once(world, script)
    # The answer was lost, so the bot edits the table without the interaction.
    path = f"/messages/{press.reply.payload['message']['id']}$"
    assert world.server.calls_to("PATCH", path)


async def test_private_answer_too_late(world: World) -> None:
    """A refusal that comes too late is dropped without an error."""
    script = await world.going()
    table = not_none(script.table())
    (other,) = [person for name, person in script.people.items() if name != table.turn]
    world.server.faults.error("POST", CALLBACK, 404, 10062)
    press = script.press(other, table, script.moves(table)[0])
    await world.server.until(lambda: press.reply.tries)
    await world.server.quiet()
    assert not press.reply.acked


@pytest.mark.parametrize("status", [400, 403, 502, 503])
async def test_command_refused_once(world: World, status: int) -> None:
    script = world.script("ann")
    world.server.faults.error("POST", CALLBACK, status, 0)
    reply = await script.host.slash(script.channel, "tutto", "odds", dice="1 1 5")
    assert reply.ephemeral
    assert "1 1 5" in reply.text


async def test_command_that_discord_fails_again_and_again(world: World) -> None:
    """The library would repeat the same request after four seconds, which is too late."""
    script = world.script("ann")
    world.server.faults.fail("POST", CALLBACK, 500, times=2)
    reply = await script.host.slash(script.channel, "tutto", "odds", dice="1 1 5")
    assert reply.acked_in_time
    assert "1 1 5" in reply.text


async def test_announced_commands_refused_once(world: World) -> None:
    """The database is busy, so the commands are acknowledged; then their answers or the acknowledgements are
    refused.
    """
    faults = world.server.faults
    scripts = [world.script("ann") for _ in range(4)]
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        replies = [script.use(script.host, "tutto", "start").reply for script in scripts]
        originals = [f"/{reply.payload['token']}/messages/@original$" for reply in replies[:3]]
        rules = [
            faults.error("PATCH", originals[0], 400, 50035),
            faults.fail("PATCH", originals[1], 503),
            faults.fail("PATCH", originals[2], 502, after=True),
            faults.fail("POST", f"/{replies[3].payload['token']}{CALLBACK}", 502, after=True),
        ]
        for reply in replies:
            await reply
            assert reply.type == 5
        other.execute("ROLLBACK")
    for reply in replies:
        await reply.finished(10)
        assert reply.text == "Your table is open in this channel."
    await world.server.quiet()
    assert [rule.hits for rule in rules] == [1] * 4
    assert [reply.followups for reply in replies] == [[]] * 4
    assert [len(world.boards(script)) for script in scripts] == [1] * 4


# ---------------------------------------------------------------------- slowness


async def test_busy_database(world: World) -> None:
    """Another process writes for two seconds: the click is acknowledged in time and carried out later."""
    script = await world.seated()
    before = world.version(script)
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        press = move(script)
        await press.reply
        assert world.version(script) == before
        assert press.reply.type == 6
        assert press.reply.acked_after is not None
        assert 1.0 < press.reply.acked_after < IN_TIME
        await asyncio.sleep(0.3)
        other.execute("ROLLBACK")
    await world.painted(script, before + 1)
    assert world.version(script) == before + 1


async def test_click_that_arrives_late_at_a_busy_database(world: World) -> None:
    """Discord counts its three seconds from the click."""
    script = await world.seated()
    before = world.version(script)
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        world.server.gateway.hold()
        press = move(script)
        await asyncio.sleep(1.8)
        world.server.gateway.release()
        await press.reply
        assert press.reply.type == 6
        assert press.reply.acked_in_time
        other.execute("ROLLBACK")
    await world.painted(script, before + 1)


async def test_slow_post_is_acknowledged_in_time(world: World) -> None:
    script = await world.seated()
    world.server.faults.delay("POST", POST, 2.5)
    await first_post(world, script)
    press = script.presses[-1]
    assert press.reply.acked_in_time
    await world.painted(script, world.version(script))
    await world.server.quiet()
    assert len(world.boards(script)) == 1


# ---------------------------------------------------------------------- REST faults on a new table


@pytest.mark.parametrize("status", [500, 503])
async def test_lobby_whose_answer_is_not_confirmed(world: World, status: int) -> None:
    """Discord shows the lobby, but reports a failure: the lobby is not posted again."""
    script = world.script("ann", "ben")
    rule = world.server.faults.fail("POST", CALLBACK, status, after=True)
    press = script.use(script.host, "tutto", "start")
    await world.server.until(lambda: rule.hits)
    await world.painted(script, 0)
    await world.server.until(lambda: world.pointer(script) != "None")
    await world.server.quiet()
    (message,) = world.server.messages(script.channel)
    assert world.pointer(script) == message["id"]
    assert press.reply.followups == []
    # It is the table: it shows people who join.
    table = not_none(script.table())
    (join,) = [one for one in table.buttons if one.get("label") == "Join"]
    script.press(script.people["ben"], table, join)
    await world.painted(script, 1)
    assert len(world.boards(script)) == 1


@pytest.mark.parametrize("after", [False, True])
async def test_post_fails_and_is_tried_again(world: World, after: bool) -> None:
    """A table whose first request took effect without an answer is posted once, because it has a nonce."""
    script = await world.seated()
    before = len(world.server.messages(script.channel))
    world.server.faults.fail("POST", POST, 502, after=after)
    await first_post(world, script)
    await world.painted(script, world.version(script))
    await world.server.quiet()
    # The question to the new person, and the table.
    assert len(world.server.messages(script.channel)) == before + 2
    assert len(world.boards(script)) == 1
    assert world.pointer(script) == world.boards(script)[0].message["id"]


@pytest.mark.parametrize("after", [False, True])
async def test_post_fails_for_good(world: World, after: bool) -> None:
    """The library does not repeat a request after a 503. Nobody clicks, but somebody must be called."""
    script = await world.seated()
    world.server.faults.fail("POST", POST, 503, after=after)
    await first_post(world, script)
    await world.painted(script, world.version(script))
    await world.server.quiet()
    await world.server.until(lambda: len(world.boards(script)) == 1)
    assert world.pointer(script) == world.boards(script)[0].message["id"]


async def test_post_cut_off(world: World) -> None:
    script = await world.seated()
    before = len(world.server.messages(script.channel))
    world.server.faults.cut("POST", POST, after=True)
    await first_post(world, script)
    await world.painted(script, world.version(script))
    await world.server.until(lambda: len(world.boards(script)) == 1)
    assert len(world.server.messages(script.channel)) == before + 2  # the question as well


async def leave(world: World, script: Script, name: str) -> Reply:
    """Leave the game by command: the bot then edits the table without an interaction."""
    asked = await script.people[name].slash(script.channel, "tutto", "leave")
    assert asked.message is not None
    (yes,) = Table.buttons_of(asked.message)
    press = script.press(script.people[name], Table(asked.message, [yes]), yes)
    return await press.reply


async def test_edit_rate_limited(world: World) -> None:
    script = await world.going("dora", "emil", "fred")
    rule = world.server.faults.rate_limit("PATCH", MESSAGE, retry_after=0.2)
    await leave(world, script, "fred")
    await world.painted(script, world.version(script))
    assert rule.hits == 1


async def test_a_request_that_met_the_global_limit_is_given_up(world: World) -> None:
    """It ends for all others when Discord said, which the library alone would hold back for ever."""
    with world.server.dated(3700):
        script = await world.going("dora", "emil", "fred")
    old = not_none(script.table())
    path = f"/messages/{old.message['id']}$"
    limit = 1.2 * OLD_EDIT_SECONDS
    rule = world.server.faults.rate_limit("PATCH", path, retry_after=limit, scope="global")
    assert (await leave(world, script, next(name for name in script.people if name != old.turn))).acked
    new = await world.painted(script, world.version(script), limit + RIGHT_WITHIN)
    assert rule.hits == 1
    assert new.message["id"] != old.message["id"]
    await done_once(world, script)


@pytest.mark.parametrize("age", [0, 3700])
async def test_an_edit_that_uses_up_its_limit(world: World, age: float) -> None:
    """The library alone would keep back that it has succeeded until the limit is over."""
    with world.server.dated(age):
        script = await world.going("dora", "emil", "fred")
    posts = len(world.server.calls_to("POST", POST))
    table = not_none(script.table())
    path = f"/messages/{table.message['id']}$"
    rule = world.server.faults.use_up("PATCH", path, reset_after=LONG_LIMIT)
    await leave(world, script, next(name for name in script.people if name != table.turn))
    await world.painted(script, world.version(script))
    await done_once(world, script)
    assert rule.hits == 1
    assert len(world.server.calls_to("POST", POST)) == posts


async def test_an_answer_that_uses_up_its_limit(world: World) -> None:
    script = await world.going()
    rule = world.server.faults.use_up("PATCH", ORIGINAL, reset_after=LONG_LIMIT)
    before = world.version(script)
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        press = move(script)
        await press.reply
        other.execute("ROLLBACK")
    await world.painted(script, before + press.moves)
    await done_once(world, script)
    assert rule.hits == 1


@pytest.mark.parametrize("after", [False, True])
async def test_edit_cut_off(world: World, after: bool) -> None:
    script = await world.going("dora", "emil", "fred")
    world.server.faults.cut("PATCH", MESSAGE, after=after)
    await leave(world, script, "fred")
    await world.painted(script, world.version(script))


async def test_edits_of_old_tables_run_out(world: World) -> None:
    """30046: an old table is given up, a new one posted, and the game goes on there."""
    with world.server.dated(3700):
        scripts = await asyncio.gather(
            *(world.going(f"dora{number}", f"emil{number}", "fred") for number in range(3))
        )

    async def give_up(script: Script, retry_after: float) -> None:
        old = not_none(script.table())
        path = f"/messages/{old.message['id']}$"
        world.server.faults.old_edits(path, retry_after=retry_after, times=None)
        reply = await leave(world, script, "fred")
        assert reply.acked
        new = await world.painted(script, world.version(script), RIGHT_WITHIN)
        assert new.message["id"] != old.message["id"]
        await world.server.until(lambda: world.pointer(script) == new.message["id"])
        await done_once(world, script)
        # The old table keeps its buttons, as it can't be edited; they lead to the new one.
        press = move_on(script, old)
        await press.reply
        assert press.reply.acked
        assert not press.promised
        await world.server.quiet()

    await asyncio.gather(*map(give_up, scripts, (0.05, 1.5, 90.0)))


async def test_a_click_on_an_old_table_that_can_not_be_edited(world: World) -> None:
    with world.server.dated(3700):
        script = await world.going()
    old = not_none(script.table())
    world.server.faults.old_edits(CALLBACK, method="POST", retry_after=90.0)
    world.server.faults.old_edits(f"/messages/{old.message['id']}$", retry_after=90.0, times=None)
    before = world.version(script)
    move(script)
    new = await world.painted(script, before + 1, RIGHT_WITHIN)
    assert new.message["id"] != old.message["id"]
    await world.server.quiet()


# ---------------------------------------------------------------------- the gateway


async def test_dropped_and_resumed(world: World) -> None:
    script = await world.going()
    gateway = world.server.gateway
    before, resumes = world.version(script), gateway.resumes
    gateway.hold()
    press = move(script)
    await gateway.drop(None)
    gateway.release()
    await press.reply
    assert press.promised
    assert gateway.resumes == resumes + 1
    await world.painted(script, before + 1)


async def test_reconnect_asked_for(world: World) -> None:
    script = await world.going()
    gateway = world.server.gateway
    resumes = gateway.resumes
    await gateway.reconnect()
    await world.server.until(lambda: gateway.resumes == resumes + 1)
    await done_once(world, script)


async def test_out_of_reach_for_a_while(world: World) -> None:
    """The library's traceback is reduced to one line."""
    script = await world.going()
    gateway = world.server.gateway
    gateway.refusing = True
    await gateway.drop(None)
    line = await world.bot.wait_line("Attempting a reconnect")
    assert "WARNING" in line
    gateway.refusing = False
    await world.server.until(lambda: gateway.connected)
    await done_once(world, script)


async def test_ready_repeated(world: World) -> None:
    """After three more READYs no command is registered again, and each click still counts once."""
    script = await world.going()
    puts = len(world.server.calls_to("PUT", PUT_COMMANDS))
    (session,) = [one for one in world.server.gateway.sessions.values() if one.link is not None]
    ready = next(frame for frame in session.frames if frame["t"] == "READY")
    for _ in range(3):
        session.push("READY", ready["d"])
        await done_once(world, script)
    assert len(world.server.calls_to("PUT", PUT_COMMANDS)) == puts


async def test_guild_is_only_away(world: World) -> None:
    """GUILD_DELETE with unavailable=true means an outage: nothing is deleted."""
    script = await world.going()
    world.server.gateway.emit("GUILD_DELETE", {"id": str(world.guild.id), "unavailable": True})
    await done_once(world, script)
    live = world.rows("SELECT status FROM games WHERE channel_id = ?", script.channel.id)
    assert live == [("live",)]
