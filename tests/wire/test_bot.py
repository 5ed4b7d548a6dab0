"""The real bot as a process, against a Discord that misbehaves in every way it is known to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from simcord.backend.models import Channel, Guild

from bot.store.migrate import migrations
from bot.store.sqlite import SqliteStore
from tests.wire.crash import CALLBACK, MESSAGE, POST, examine
from tests.wire.people import Person, Reply
from tests.wire.player import Press, Script, Table
from tests.wire.process import BOT, BotProcess
from tests.wire.server import DiscordServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

COMMANDS = r"/commands$"
IN_TIME = 3.0
"""Discord wants an acknowledgement by then."""


class World:
    """A guild, a database, and a bot process that keeps it."""

    def __init__(self, server: DiscordServer, folder: Path) -> None:
        self.server = server
        self.guild: Guild = server.add_guild()
        self.database = folder / "games.db"
        self.bot = self.process(folder / "bot.log")
        self.scripts: list[Script] = []

    def process(self, log: Path, **env: str) -> BotProcess:
        """A bot on this world's database."""
        return BotProcess(self.server, env={"DATABASE_URL": f"sqlite:///{self.database}", **env}, log=log)

    def script(self, *names: str, ais: int = 0, target: int = 1000) -> Script:
        """People in a channel of their own, who know how to play."""
        people = [Person.join(self.server, self.guild, name) for name in names or ("ann", "ben")]
        channel: Channel = self.server.add_channel(self.guild)
        script = Script(self.server, channel, people, seed=len(self.scripts), ais=ais, target=target)
        self.scripts.append(script)
        return script

    async def seated(self, *names: str, ais: int = 0, target: int = 6000) -> Script:
        """A game that has just begun; whoever acts for the first time is called by a new post."""
        script = self.script(*names, ais=ais, target=target)
        while not (table := script.table()) or not table.turn:
            await script.step()
        await self.server.quiet()
        return script

    async def going(self, *names: str) -> Script:
        """A game in which all have acted a moment ago, so that its table stays where it is."""
        script = await self.seated(*names)
        while {press.who.id for press in script.presses if press.is_move and press.promised} != {
            person.id for person in script.people.values()
        }:
            await script.step()
        await self.server.quiet()
        return script

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read the database, beside the bot."""
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query, values).fetchall()

    def version(self, script: Script) -> int:
        """The version at which the channel's game is stored."""
        query = "SELECT version FROM games WHERE channel_id = ? ORDER BY id DESC LIMIT 1"
        return int(self.rows(query, script.channel.id)[0][0])

    def pointer(self, script: Script) -> str:
        """The message that is stored as the table of the channel's game."""
        query = "SELECT message_id FROM games WHERE channel_id = ? ORDER BY id DESC LIMIT 1"
        return str(self.rows(query, script.channel.id)[0][0])

    def boards(self, script: Script) -> list[Table]:
        """All messages of the channel that still have buttons of a game."""
        found = []
        for message in self.server.messages(script.channel):
            buttons = [b for b in Table.buttons_of(message) if not b.get("disabled")]
            if buttons:
                found.append(Table(message, buttons))
        return found

    async def painted(self, script: Script, version: int, within: float = 5.0) -> Table:
        """Wait until the channel shows its game at this version."""

        def shown() -> Table | None:
            table = script.table()
            return table if table is not None and table.id.version == version else None

        found = await self.server.until(shown, within, f"version {version} on the table")
        assert found is not None
        return found


def move(script: Script) -> Press:
    """Whoever's turn it is makes a move, at once and without waiting."""
    table = script.table()
    assert table is not None
    return move_on(script, table)


def move_on(script: Script, table: Table, *, stale: bool = False) -> Press:
    """The same on a table that was seen earlier; ``stale`` if it may have changed since."""
    return script.press(script.people[table.turn], table, script.moves(table)[0], stale=stale)


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
    assert shared.bot.errors() == []


@pytest_asyncio.fixture(loop_scope="module")
async def own(tmp_path: Path) -> AsyncIterator[World]:
    """A world for one test, whose bot is not running yet."""
    async with DiscordServer() as server:
        world = World(server, tmp_path)
        try:
            yield world
        finally:
            await world.bot.kill()
        assert world.bot.errors() == []


# ---------------------------------------------------------------------- whole games


async def test_a_game_of_two(world: World) -> None:
    script = world.script("ann", "ben")
    await script.play()
    table = script.table()
    assert table is not None
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
    script = world.script("carl", ais=1)
    await script.play()
    query = "SELECT count(*) FROM moves JOIN games ON games.id = game_id WHERE channel_id = ? AND seat = 1"
    assert world.rows(query, script.channel.id)[0][0] > 0
    assert all(press.promised or press.is_look or press.taken for press in script.presses)


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
    table = script.table()
    assert table is not None
    who, button = script.people[table.turn], script.moves(table)[0]
    presses = [script.press(who, table, button) for _ in range(20)]
    await asyncio.gather(*(press.reply.wait() for press in presses))
    await world.server.quiet()
    assert all(press.reply.acked for press in presses)
    assert world.version(script) == before + 1
    assert [press.told for press in presses] == [""] * 20
    await world.painted(script, before + 1)


# ---------------------------------------------------------------------- REST faults on the answer


async def done_once(world: World, script: Script, within: float = 6.0) -> Press:
    """One move; it must be stored once and shown, whatever happens to the calls meanwhile."""
    before = world.version(script)
    press = move(script)
    await world.painted(script, before + 1, within)
    await press.reply.wait(within)
    await world.server.quiet()
    assert world.version(script) == before + 1
    return press


async def test_answer_rate_limited(world: World) -> None:
    script = await world.going()
    rule = world.server.faults.rate_limit("POST", CALLBACK, retry_after=0.3)
    press = await done_once(world, script)
    assert rule.hits == 1
    assert press.reply.acked_after is not None
    assert press.reply.acked_after < IN_TIME


async def test_answer_fails_before_its_effect(world: World) -> None:
    script = await world.going()
    world.server.faults.fail("POST", CALLBACK, 502)
    press = await done_once(world, script)
    assert press.reply.acked_after is not None
    assert press.reply.acked_after < IN_TIME


async def test_answer_fails_after_its_effect(world: World) -> None:
    script = await world.going()
    world.server.faults.fail("POST", CALLBACK, 500, after=True)
    press = await done_once(world, script)
    await world.server.until(lambda: len(press.reply.tries) > 1)
    assert [call.code for call in press.reply.tries][:2] == [0, 40060]
    assert press.reply.followups == []


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("reset", [False, True])
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
    # Nobody has seen the answer, so the table is brought up to date with the bot's own rights.
    path = f"/messages/{press.reply.payload['message']['id']}$"
    assert world.server.calls_to("PATCH", path)


async def test_private_answer_too_late(world: World) -> None:
    """A refusal that comes too late is dropped without noise."""
    script = await world.going()
    table = script.table()
    assert table is not None
    (other,) = [person for name, person in script.people.items() if name != table.turn]
    world.server.faults.error("POST", CALLBACK, 404, 10062)
    press = script.press(other, table, script.moves(table)[0])
    await world.server.until(lambda: press.reply.tries)
    await world.server.quiet()
    assert not press.reply.acked


# ---------------------------------------------------------------------- slowness


async def test_slow_answer_is_still_in_time(world: World) -> None:
    script = await world.going()
    world.server.faults.delay("POST", CALLBACK, 2.0)
    press = await done_once(world, script)
    assert press.reply.acked_after is not None
    assert press.reply.acked_after < IN_TIME


async def test_busy_database(world: World) -> None:
    """Another process writes for two seconds: the click is acknowledged in time and done afterwards."""
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


async def first_post(world: World, script: Script) -> None:
    """Play until the turn comes to somebody who has not acted yet, and is therefore called by a new post."""
    table = script.table()
    assert table is not None
    first, posts = table.turn, len(world.server.calls_to("POST", POST))
    while (table := script.table()) and table.turn == first:
        press = move(script)
        await press.reply
        if len(world.server.calls_to("POST", POST)) > posts:
            return
        await world.server.quiet(0.03)


async def test_slow_post_is_acknowledged_in_time(world: World) -> None:
    script = await world.seated()
    world.server.faults.delay("POST", POST, 2.5)
    await first_post(world, script)
    press = script.presses[-1]
    assert press.reply.acked_after is not None
    assert press.reply.acked_after < IN_TIME
    await world.painted(script, world.version(script))
    await world.server.quiet()
    assert len(world.boards(script)) == 1


# ---------------------------------------------------------------------- REST faults on a new table


@pytest.mark.parametrize("after", [False, True])
async def test_post_fails_and_is_tried_again(world: World, after: bool) -> None:
    """A table whose first request took effect without an answer is in the channel once: it has a nonce."""
    script = await world.seated()
    before = len(world.server.messages(script.channel))
    world.server.faults.fail("POST", POST, 502, after=after)
    await first_post(world, script)
    await world.painted(script, world.version(script))
    await world.server.quiet()
    assert len(world.server.messages(script.channel)) == before + 1
    assert len(world.boards(script)) == 1
    assert world.pointer(script) == world.boards(script)[0].message["id"]


@pytest.mark.parametrize("after", [False, True])
async def test_post_fails_for_good(world: World, after: bool) -> None:
    """A 503 is not tried again by the library. Nobody clicks, but somebody is to be called."""
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
    assert len(world.server.messages(script.channel)) == before + 1


async def leave(world: World, script: Script, name: str) -> Reply:
    """Leave the game by command: the table is then edited with the bot's own rights."""
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


@pytest.mark.parametrize("after", [False, True])
async def test_edit_cut_off(world: World, after: bool) -> None:
    script = await world.going("dora", "emil", "fred")
    world.server.faults.cut("PATCH", MESSAGE, after=after)
    await leave(world, script, "fred")
    await world.painted(script, world.version(script))


async def test_edits_of_an_old_table_run_out(world: World) -> None:
    """30046: the old table is given up, a new one posted, and the game goes on there."""
    with world.server.dated(3700):
        script = await world.going("dora", "emil", "fred")
    old = script.table()
    assert old is not None
    path = f"/messages/{old.message['id']}$"
    world.server.faults.old_edits(path, retry_after=0.05, times=None)
    reply = await leave(world, script, "fred")
    assert reply.acked
    new = await world.painted(script, world.version(script))
    assert new.message["id"] != old.message["id"]
    await world.server.until(lambda: world.pointer(script) == new.message["id"])
    await done_once(world, script)
    # The old one still has its buttons, for it can't be edited; they lead to the new one.
    press = move_on(script, old)
    await press.reply
    assert press.reply.acked
    assert not press.promised
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


async def test_session_lost(world: World) -> None:
    """A session that can't be resumed; the library waits five seconds before it identifies again."""
    script = await world.going()
    gateway = world.server.gateway
    puts, readies = len(world.server.calls_to("PUT", COMMANDS)), gateway.readies
    await gateway.invalidate()
    await world.server.until(lambda: gateway.readies == readies + 1, 10.0)
    await done_once(world, script)
    assert len(world.server.calls_to("PUT", COMMANDS)) == puts


async def test_ready_repeated(world: World) -> None:
    """READY three times more: no command is registered anew, and each click still counts once."""
    script = await world.going()
    puts = len(world.server.calls_to("PUT", COMMANDS))
    (session,) = [one for one in world.server.gateway.sessions.values() if one.link is not None]
    ready = next(frame for frame in session.frames if frame["t"] == "READY")
    for _ in range(3):
        session.push("READY", ready["d"])
        await done_once(world, script)
    assert len(world.server.calls_to("PUT", COMMANDS)) == puts


async def test_guild_is_only_away(world: World) -> None:
    """GUILD_DELETE with unavailable=true tells of an outage: nothing is thrown away."""
    script = await world.going()
    world.server.gateway.emit("GUILD_DELETE", {"id": str(world.guild.id), "unavailable": True})
    await done_once(world, script)
    live = world.rows("SELECT status FROM games WHERE channel_id = ?", script.channel.id)
    assert live == [("live",)]


# ---------------------------------------------------------------------- killed, stopped, started


async def test_killed_at_the_third_turn(own: World) -> None:
    async with own.bot:
        script = await own.going()
        await script.turns(3)
        await own.server.quiet()
        before, table = own.version(script), script.table()
        assert table is not None
        await own.bot.kill()
        await own.bot.start()
        await own.bot.wait_ready()
        await own.server.quiet()
        # The message from before is still the table, and its buttons work.
        now = script.table()
        assert now is not None
        assert (now.text, now.buttons) == (table.text, table.buttons)
        press = move_on(script, table)
        await press.reply
        assert press.promised
        await own.painted(script, before + 1)
        assert own.version(script) == before + 1
        assert await own.bot.terminate() == 0
    assert (await examine(own.database, own.scripts)).problems == []


async def test_delivered_again_after_a_restart(own: World) -> None:
    """The interaction's id is kept with the move, so not even another process makes it twice."""
    async with own.bot:
        script = await own.going()
        press = move(script)
        await press.reply
        version = own.version(script)
        await own.bot.kill()
        await own.bot.start()
        await own.bot.wait_ready()
        press.who.again(press.reply)
        await own.server.until(lambda: len(press.reply.tries) == 2)
        await own.server.quiet()
        assert own.version(script) == version
        assert press.reply.followups == []


async def test_killed_between_commit_and_answer(own: World) -> None:
    """The move is there, nobody was told: the table catches up by itself, a second click changes nothing."""
    async with own.bot:
        script = await own.going()
        await own.server.quiet()
        before, table = own.version(script), script.table()
        assert table is not None
        rule = own.server.faults.hold("POST", CALLBACK)
        rule.cut = True
        press = move_on(script, table)
        await own.server.until(lambda: rule.hits)
        await own.bot.kill()
        own.server.faults.clear()
        assert not press.reply.acked
        await own.bot.start()
        await own.bot.wait_ready()
        await own.painted(script, before + 1)
        again = move_on(script, table, stale=True)
        await again.reply
        assert not again.promised
        await own.server.quiet()
        assert own.version(script) == before + 1
        assert await own.bot.terminate() == 0
    assert (await examine(own.database, own.scripts)).problems == []


async def test_killed_after_posting(own: World) -> None:
    """The new table is in the channel, the bot did not live to note it: it does not post it twice."""
    async with own.bot:
        script = await own.seated()
        before = len(own.server.messages(script.channel))
        rule = own.server.faults.hold("POST", POST, after=True)
        playing = asyncio.create_task(first_post(own, script))
        await own.server.until(lambda: rule.hits, 15.0)
        await own.bot.kill()
        own.server.faults.clear()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        await own.bot.start()
        await own.bot.wait_ready()
        await own.painted(script, own.version(script))
        await own.server.quiet()
        assert len(own.server.messages(script.channel)) == before + 1
        assert len(own.boards(script)) == 1
        await done_once(own, script)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_stopped_during_a_click(own: World, number: signal.Signals) -> None:
    async with own.bot:
        script = await own.going()
        before = own.version(script)
        rule = own.server.faults.hold("POST", CALLBACK)
        move(script)
        await own.server.until(lambda: rule.hits)
        os.kill(own.bot.pid, number)
        assert await own.bot.wait_exit(10.0) == 0
        own.server.faults.clear()
    assert own.version(script) == before + 1
    # The last connection that closes properly takes the write-ahead log with it.
    assert not own.database.with_name("games.db-wal").exists()


async def test_stopped_while_the_database_is_busy(own: World) -> None:
    async with own.bot:
        script = await own.going()
        before = own.version(script)
        with contextlib.closing(sqlite3.connect(own.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            move(script)
            await asyncio.sleep(0.2)
            os.kill(own.bot.pid, signal.SIGTERM)
            await asyncio.sleep(0.5)
            other.execute("ROLLBACK")
        assert await own.bot.wait_exit(10.0) == 0
    assert own.version(script) == before + 1


async def test_commands_are_registered_once(own: World) -> None:
    for number in range(4):
        await own.bot.start()
        await own.bot.wait_ready()
        assert len(own.server.calls_to("PUT", COMMANDS)) == 1, f"start {number}"
        await own.bot.kill()


@pytest.mark.slow
async def test_twenty_restarts_register_commands_once(own: World) -> None:
    for _ in range(20):
        await own.bot.start()
        await own.bot.wait_ready()
        assert await own.bot.terminate() == 0
    assert len(own.server.calls_to("PUT", COMMANDS)) == 1


@pytest.mark.slow
async def test_twenty_sessions_register_commands_once(own: World) -> None:
    gateway = own.server.gateway
    async with own.bot:
        for number in range(20):
            await gateway.invalidate()
            await own.server.until(lambda wanted=number + 2: gateway.readies == wanted, 15.0)
        assert gateway.identifies == 21
        assert len(own.server.calls_to("PUT", COMMANDS)) == 1


async def test_commands_refused(own: World) -> None:
    """Discord takes no more command updates today (30034): the bot goes on with those it has."""
    async with own.bot:
        script = await own.going()
        assert await own.bot.terminate() == 0
        with contextlib.closing(sqlite3.connect(own.database)) as connection:
            connection.execute("UPDATE meta SET value = 'old' WHERE key LIKE 'commands:%'")
            connection.commit()
        rule = own.server.faults.error(
            "PUT", COMMANDS, 400, 30034, "Max number of daily application command creates"
        )
        await own.bot.start()
        await own.bot.wait_ready()
        assert rule.hits == 1
        await done_once(own, script)
        assert await own.bot.terminate() == 0
        # What was not registered is tried again at the next start.
        await own.bot.start()
        await own.bot.wait_ready()
        assert own.server.calls_to("PUT", COMMANDS)[-1].status == 200


async def test_painting_does_not_keep_clicks_waiting(own: World) -> None:
    """A start with tables to repaint while Discord is slow about it: other games go on meanwhile."""
    async with own.bot:
        stuck, free = await own.going("gina", "hugo"), await own.going("ida", "jack")
        rule = own.server.faults.hold("POST", CALLBACK)
        rule.cut = True
        move(stuck)
        await own.server.until(lambda: rule.hits)
        await own.bot.kill()
        own.server.faults.clear()
        rule = own.server.faults.hold("PATCH", MESSAGE)
        await own.bot.start()
        await own.bot.wait_ready(8.0)
        before = own.version(free)
        press = move(free)
        await own.painted(free, before + 1)
        assert press.promised
        rule.release()
        await own.painted(stuck, own.version(stuck))


# ---------------------------------------------------------------------- starts that can't succeed


async def refused(world: World, code: int, pattern: str, **env: str) -> str:
    """Start a bot that must end at once: with this code and one line that tells why and what to do."""
    bot = world.process(world.database.with_name("refused.log"), **env)
    await bot.start()
    try:
        assert await bot.wait_exit(20.0) == code, bot.output()
    finally:
        await bot.kill()
    lines = [
        line for line in bot.output().splitlines() if not re.match(r"[\d-]+ [\d:,]+ (INFO|WARNING)", line)
    ]
    assert len(lines) == 1, bot.output()
    assert re.search(pattern, lines[0]), lines[0]
    assert bot.errors() == []
    return lines[0]


async def test_wrong_token(own: World) -> None:
    await refused(own, 3, r"token.*https://discord\.com/developers/applications", DISCORD_TOKEN="wrong")


async def test_missing_intents(own: World) -> None:
    own.server.gateway.refuse_with = 4014
    await refused(own, 3, r"intents.*https://discord\.com/developers/applications")


async def test_intents_withdrawn(own: World) -> None:
    """The portal's switches can be turned while the bot runs; the next IDENTIFY says so."""
    async with own.bot:
        own.server.gateway.refuse_with = 4014
        await own.server.gateway.drop(4014)
        assert await own.bot.wait_exit(15.0) == 3


async def test_discord_out_of_reach(own: World) -> None:
    await refused(own, 1, "Discord can't be reached", DISCORD_API_URL="http://127.0.0.1:9/api/v10")


async def test_discord_is_down(own: World) -> None:
    own.server.faults.fail("GET", "^/users/@me$", 503, times=None)
    await refused(own, 1, "Discord can't be reached")


async def test_second_bot_on_one_database(own: World) -> None:
    async with own.bot:
        script = await own.going()
        await refused(own, 2, r"Another bot is running on .*games\.db.*stop")
        link = own.database.with_name("link.db")
        link.symlink_to(own.database)
        await refused(own, 2, "Another bot is running", DATABASE_URL=f"sqlite:///{link}")
        assert own.bot.running
        await done_once(own, script)


async def test_second_start_while_the_first_stops(own: World) -> None:
    """A supervisor that is too quick: the second start is refused, and the next one works."""
    async with own.bot:
        script = await own.going()
        with contextlib.closing(sqlite3.connect(own.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            move(script)
            await asyncio.sleep(0.1)
            os.kill(own.bot.pid, signal.SIGTERM)
            await refused(own, 2, "Another bot is running")
            other.execute("ROLLBACK")
        assert await own.bot.wait_exit() == 0
        await own.bot.start()
        await own.bot.wait_ready()
        await done_once(own, script)


async def made(world: World) -> None:
    """A database as this version of the bot makes it, with a game in it."""
    await (await SqliteStore.open(world.database)).close()


async def test_newer_database(own: World) -> None:
    await made(own)
    newest = len(migrations())
    with contextlib.closing(sqlite3.connect(own.database)) as connection:
        connection.execute(f"PRAGMA user_version = {newest + 1}")
        connection.commit()
    before = own.database.read_bytes()
    await refused(own, 2, f"schema {newest + 1}.*up to {newest}.*(newer version|backup)")
    assert own.database.read_bytes() == before
    assert own.server.gateway.identifies == 0


async def test_no_database_at_all(own: World) -> None:
    own.database.write_bytes(b"These are somebody's notes and no database.\n" * 100)
    before = own.database.read_bytes()
    await refused(own, 2, r"games\.db.*not a database")
    assert own.database.read_bytes() == before


async def test_damaged_database(own: World) -> None:
    """The header is fine, everything behind it is not."""
    await made(own)
    size = own.database.stat().st_size
    with own.database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    await refused(own, 2, r"database.*malformed")


async def test_cut_off_database(own: World) -> None:
    await made(own)
    os.truncate(own.database, 3 * 4096)
    await refused(own, 2, r"database.*malformed")


async def test_database_in_an_impossible_place(own: World) -> None:
    file = own.database.with_name("file")
    file.touch()
    await refused(own, 2, f"{file.name}/games.db", DATABASE_URL=f"sqlite:///{file}/games.db")
    await refused(own, 2, own.database.parent.name, DATABASE_URL=f"sqlite:///{own.database.parent}")


def without_privilege() -> list[str]:
    """The bot's command for a process that file permissions apply to, even if root runs the tests."""
    if os.geteuid() != 0:
        return [*BOT]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search", *BOT]


@pytest.mark.parametrize("what", ["folder", "database"])
async def test_database_not_writable(own: World, what: str) -> None:
    await made(own)
    place = own.database if what == "database" else own.database.parent / "data"
    if what == "folder":
        place.mkdir()
        own.database = place / "games.db"
    place.chmod(0o444 if what == "database" else 0o555)
    bot = BotProcess(
        own.server,
        without_privilege(),
        env={"DATABASE_URL": f"sqlite:///{own.database}"},
        log=place.parent / "refused.log",
    )
    try:
        await bot.start()
        assert await bot.wait_exit(20.0) == 2, bot.output()
    finally:
        await bot.kill()
        place.chmod(0o755)
    (line,) = bot.output().splitlines()
    assert re.search(r"games\.db.*(Permission denied|readonly|unable to open)", line)
