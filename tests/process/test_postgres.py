"""The real bot on PostgreSQL: killed again and again, on a server that restarts, and in several processes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bot.store.base import LIVE
from tests.process.test_crash import checked
from tests.support import screen
from tests.support.databases import made, needs_postgres, opened
from tests.support.discord_server.crash import Crasher, examine
from tests.support.discord_server.people import Person
from tests.support.discord_server.player import Script, presses_of
from tests.support.discord_server.process import BotProcess
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.world import PREPARING
from tests.support.scraping import free_port
from tests.support.values import not_none
from tools.postgres_server import server as new_server

pytestmark = [needs_postgres, pytest.mark.timeout(300)]

TAKEN_OVER = 60.0
"""How many seconds it takes at most until the games of a dead process go on, on a busy machine."""

SHARDS = 2

RESTARTS, CLICKS = 20, 1000
"""How many processes are replaced, and how many clicks at least people make meanwhile."""


@pytest.fixture
def url() -> Iterator[str]:
    with made() as url:
        yield url


async def test_killed_again_and_again(tmp_path: Path, url: str) -> None:
    crasher = Crasher(tmp_path, seed=8, tables=4, database=url)
    checked(await crasher.run(8, pace=0.3))


async def test_killed_with_a_server_that_crashes(tmp_path: Path) -> None:
    with new_server({"fsync": "on"}) as postgres:
        crasher = Crasher(tmp_path, seed=9, tables=3, postgres=postgres)
        checked(await crasher.run(3, failures=1.0, pace=0.3))
    assert crasher.report.failures == 3


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_killed_more_than_a_hundred_times(tmp_path: Path) -> None:
    """Two bots side by side, each with its own Discord and its own server, which crashes now and then."""
    async with contextlib.AsyncExitStack() as stack:
        crashers = []
        for number in range(2):
            folder = tmp_path / str(number)
            folder.mkdir()
            postgres = stack.enter_context(new_server({"fsync": "on"}))
            crashers.append(Crasher(folder, seed=108 + number, tables=6, postgres=postgres))
        for report in await asyncio.gather(*(crasher.run(65, failures=0.25) for crasher in crashers)):
            checked(report)


class Fleet:
    """Two bot processes on one database, a guild for each, and people who play in both."""

    def __init__(self, server: DiscordServer, folder: Path, url: str) -> None:
        self.server = server
        self.url = url
        self.bots = [self._bot(folder, shard) for shard in range(SHARDS)]
        guilds: dict[int, Any] = {}
        while len(guilds) < SHARDS:
            guild = server.add_guild()
            guilds.setdefault((guild.id >> 22) % SHARDS, guild)
        self.guilds = guilds
        self.scripts: dict[int, list[Script]] = {shard: [] for shard in guilds}

    def _bot(self, folder: Path, shard: int) -> BotProcess:
        env = {"DATABASE_URL": self.url, "SHARD_COUNT": str(SHARDS), "SHARD_IDS": str(shard)}
        return BotProcess(self.server, env=env, log=folder / f"bot-{shard}.log")

    def script(self, shard: int, *names: str, ais: int = 0, target: int = 2000) -> Script:
        people = [Person.join(self.server, self.guilds[shard], name) for name in names]
        channel = self.server.add_channel(self.guilds[shard])
        seed = f"{shard}:{len(self.scripts[shard])}"
        script = Script(self.server, channel, people, seed=seed, ais=ais, target=target, mischief=0.05)
        self.scripts[shard].append(script)
        return script

    @property
    def all_scripts(self) -> list[Script]:
        return [script for scripts in self.scripts.values() for script in scripts]

    async def started(self) -> None:
        for bot in self.bots:
            await bot.start()

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with opened(self.url) as connection:
            found: list[tuple[Any, ...]] = connection.execute(query, values).fetchall()
            return found

    async def stopped(self, playing: Sequence[asyncio.Task[None]]) -> None:
        """Let all people stop clicking."""
        for script in self.all_scripts:
            script.stopped = True
        await asyncio.gather(*playing)

    async def ended(self) -> None:
        """Wait until all tables are right, and stop the bots."""
        await self.server.quiet(0.3)
        await self.server.until(self.shown, PREPARING, "all tables to show what is stored")
        for bot in self.bots:
            assert await bot.terminate() == 0

    def shown(self) -> bool:
        """Return whether each channel shows its game as it is stored."""
        stored = dict(self.rows("SELECT id, version FROM games"))
        tables = [script.table() for script in self.all_scripts]
        return all(table and stored[table.id.game_id] == table.id.version for table in tables)


@pytest_asyncio.fixture
async def fleet(tmp_path: Path, url: str) -> AsyncIterator[Fleet]:
    async with DiscordServer() as server:
        fleet = Fleet(server, tmp_path, url)
        try:
            yield fleet
        finally:
            for bot in fleet.bots:
                await bot.kill()
        for bot in fleet.bots:
            assert bot.errors() == []


def promised(scripts: list[Script]) -> int:
    return sum(press.promised for script in scripts for press in script.presses)


async def test_one_of_two_processes_is_killed(fleet: Fleet) -> None:
    """Games in two guilds go on all the time. A process dies with games under way, and comes back: nothing is
    lost, nothing counts twice, and the other one never notices."""
    for number in range(3):
        for shard in range(SHARDS):
            names = [f"ann{shard}{number}", f"ben{shard}{number}"]
            fleet.script(shard, *names, ais=number % 2)
    await fleet.started()
    playing = [asyncio.create_task(script.play(1000)) for script in fleet.all_scripts]
    try:
        await fleet.server.until(lambda: all(promised([one]) > 10 for one in fleet.all_scripts), PREPARING)
        for _ in range(2):
            await fleet.bots[1].kill()
            others = promised(fleet.scripts[0])
            # Discord gives the clicks of the dead process to nobody; the other one goes on.
            await fleet.server.reaches(lambda: promised(fleet.scripts[0]), others + 16, PREPARING)
            await fleet.bots[1].start()
            mark = promised(fleet.scripts[1])
            await fleet.server.reaches(lambda: promised(fleet.scripts[1]), mark + 16, PREPARING)
    finally:
        await fleet.stopped(playing)
    await fleet.ended()
    findings = await examine(fleet.url, fleet.all_scripts)
    assert findings.problems == []
    assert findings.finished > 0


async def replaced(fleet: Fleet, shard: int, log: Path) -> BotProcess:
    """Start the successor of a process beside it, and stop the old one, which is returned, a little later."""
    old = fleet.bots[shard]
    fleet.bots[shard] = new = BotProcess(fleet.server, env=old.env, log=log)
    try:
        await new.start(PREPARING)
        # Meanwhile both get each click.
        mark = promised(fleet.scripts[shard])
        await fleet.server.reaches(lambda: promised(fleet.scripts[shard]), mark + 10, PREPARING)
    finally:
        code = await old.terminate()
    assert code == 0
    return old


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_rolling_restarts_fail_no_click(fleet: Fleet, tmp_path: Path) -> None:
    """Two processes are replaced twenty times while people click: every click is answered in time, none
    counts twice, and none is refused because the other process was first.
    """
    for shard in range(SHARDS):
        for game in range(2):
            fleet.script(shard, f"ann{shard}{game}", f"ben{shard}{game}", ais=game)
    await fleet.started()
    old = []
    playing = [asyncio.create_task(script.play(1000)) for script in fleet.all_scripts]
    try:
        for restart in range(RESTARTS):
            mark = CLICKS * (restart + 1) // RESTARTS
            await fleet.server.reaches(lambda: len(list(presses_of(fleet.all_scripts))), mark, PREPARING)
            old.append(await replaced(fleet, restart % SHARDS, tmp_path / f"bot-{restart}.log"))
    finally:
        await fleet.stopped(playing)
    await fleet.ended()
    assert [bot.errors() for bot in old] == [[]] * RESTARTS
    presses = list(presses_of(fleet.all_scripts))
    stored = {number for (number,) in fleet.rows("SELECT id FROM interactions")}
    print(f"{len(presses)} clicks, {len(stored)} of which changed a game, and {RESTARTS} restarts")
    assert len(presses) >= CLICKS
    assert [str(press) for press in presses if not press.reply.acked_in_time] == []
    # The other process may answer that a command was done before, which is true.
    clicks = [press for press in presses if press.button is not None and press.id in stored]
    assert [f"{press}: {press.told}" for press in clicks if press.told] == []
    assert (await examine(fleet.url, fleet.all_scripts)).problems == []


async def test_a_result_is_shared_once_though_two_processes_get_the_click(
    fleet: Fleet, tmp_path: Path
) -> None:
    """Nothing of a puzzle is stored with the click that shares it."""
    first = fleet.bots[0]
    fleet.bots[1] = BotProcess(fleet.server, env=first.env, log=tmp_path / "second.log")
    await fleet.started()
    ann = Person.join(fleet.server, fleet.guilds[0], "ann")
    channel = fleet.server.add_channel(fleet.guilds[0])
    asked = await ann.slash(channel, "puzzle")
    await fleet.server.quiet()
    choice = screen.buttons(not_none(asked.message))[0]
    await ann.click(not_none(asked.message), choice["custom_id"])
    await fleet.server.quiet()
    reply = ann.click(not_none(asked.message), "Share here")
    await fleet.server.quiet(1.0)
    assert reply.acked_in_time
    assert len(fleet.server.messages(channel)) == 1


async def test_the_clicks_of_a_dead_process_go_to_the_other(fleet: Fleet) -> None:
    """The other process starts anew with both shards; the games go on where they were."""
    script = fleet.script(1, "ann", "ben", ais=1, target=4000)
    await fleet.started()
    playing = asyncio.create_task(script.play(1000))
    try:
        await fleet.server.until(lambda: promised([script]) > 10, PREPARING)
        await fleet.bots[1].kill()
        assert await fleet.bots[0].terminate() == 0
        fleet.bots[0].env["SHARD_IDS"] = "0-1"
        await fleet.bots[0].start()
        seen = promised([script])
        await fleet.server.until(lambda: promised([script]) > seen + 15, PREPARING)
    finally:
        script.stopped = True
        await playing
    await fleet.server.quiet(0.3)
    await fleet.server.until(fleet.shown, PREPARING)
    assert await fleet.bots[0].terminate() == 0
    assert (await examine(fleet.url, fleet.all_scripts)).problems == []


async def test_ai_turns_and_tables_of_a_dead_process_go_on(fleet: Fleet) -> None:
    """It dies while an AI is to move. The other one plays the AI's turn and shows it."""
    script = fleet.script(1, "ann", "ben", target=6000)
    await fleet.started()
    async with asyncio.timeout(PREPARING):
        while not (table := script.table()) or not table.turn or promised([script]) < 8:
            await script.step()
    await fleet.server.quiet()
    await fleet.bots[1].kill()
    # As a crash in the middle of an AI's turn leaves it: the seat is the AI's, and nobody is told.
    ((game_id, version),) = fleet.rows("SELECT id, version FROM games WHERE status = ?", LIVE)
    with opened(fleet.url) as connection:
        seat = next(
            number
            for number, (name,) in enumerate(
                connection.execute("SELECT name FROM seats WHERE game_id = ? ORDER BY seat", (game_id,))
            )
            if name == table.turn
        )
        connection.execute(
            "UPDATE seats SET kind = 'ai', user_id = NULL, name = '', policy = 'casual' "
            "WHERE game_id = ? AND seat = ?",
            (game_id, seat),
        )
        connection.execute("UPDATE games SET ai_to_move = 1, deadline = 1 WHERE id = ?", (game_id,))

    def gone_on() -> bool:
        ((now, waiting, shown),) = fleet.rows(
            "SELECT version, ai_to_move, shown_version FROM games WHERE id = ?", game_id
        )
        return now > version and not waiting and shown == now

    await fleet.server.until(gone_on, TAKEN_OVER, "the other process to go on")
    assert "Now responsible for shards" in fleet.bots[0].output()
    # The process that comes back looks after them again, and the person's clicks work.
    await fleet.bots[1].start()
    seen = promised([script])
    async with asyncio.timeout(PREPARING):
        while promised([script]) < seen + 2:
            await script.step()
    for bot in fleet.bots:
        assert await bot.terminate() == 0
    # Processes that stopped properly have no row left; that of the dead one stays for an hour.
    assert fleet.rows("SELECT count(*) FROM processes") == [(1,)]


async def test_nobodys_turn_is_played_while_the_process_is_dead_that_gets_their_clicks(fleet: Fleet) -> None:
    """The process that looks after their game meanwhile would play it for them, as if they were away."""
    script = fleet.script(1, "ann", "ben", target=6000)
    await fleet.started()
    async with asyncio.timeout(PREPARING):
        while not (table := script.table()) or not table.turn:
            await script.step()
    await fleet.server.quiet()
    await fleet.bots[1].kill()
    ((game_id, version),) = fleet.rows("SELECT id, version FROM games WHERE status = ?", LIVE)
    await fleet.server.until(
        lambda: "Now responsible for shards" in fleet.bots[0].output(), TAKEN_OVER, "the other process"
    )
    with opened(fleet.url) as connection:
        # A turn whose player was reminded, and whose time is over.
        connection.execute(
            "UPDATE games SET turn_seconds = 600, reminded = 1, touched = touched + 1, "
            "since = extract(epoch FROM now()) - 601, deadline = extract(epoch FROM now()) + 1 WHERE id = ?",
            (game_id,),
        )
    # A process notices within an hour what another one has written, but at once what it takes over.
    assert await fleet.bots[0].terminate() == 0
    await fleet.bots[0].start()
    await asyncio.sleep(5.0)
    assert fleet.rows("SELECT version FROM games WHERE id = ?", game_id) == [(version,)]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
async def test_the_server_restarts_while_people_play(tmp_path: Path, how: signal.Signals) -> None:
    with new_server({"fsync": "on"}) as postgres:
        async with DiscordServer() as server:
            fleet = Fleet(server, tmp_path, postgres.url)
            for number in range(2):
                fleet.script(0, f"ann{number}", f"ben{number}", ais=number)
            playing: list[asyncio.Task[None]] = []
            try:
                await fleet.bots[0].start()
                playing = [asyncio.create_task(script.play(1000)) for script in fleet.all_scripts]
                for _ in range(2):
                    seen = promised(fleet.all_scripts)
                    await server.reaches(lambda: promised(fleet.all_scripts), seen + 11, PREPARING)
                    await asyncio.to_thread(postgres.stop, how)
                    await asyncio.sleep(0.5)
                    await asyncio.to_thread(postgres.start)
                seen = promised(fleet.all_scripts)
                await server.until(lambda: promised(fleet.all_scripts) > seen + 10, PREPARING)
            finally:
                for script in fleet.all_scripts:
                    script.stopped = True
                await asyncio.gather(*playing)
                code = await fleet.bots[0].terminate()
            assert code == 0
            assert (await examine(fleet.url, fleet.all_scripts)).problems == []


async def test_an_old_process_beside_a_newer_schema_ends(tmp_path: Path, url: str) -> None:
    """A newer version has migrated the database; code 2 tells a supervisor not to start the old one again."""
    async with DiscordServer() as server:
        bot = BotProcess(server, env={"DATABASE_URL": url}, log=tmp_path / "bot.log")
        async with bot:
            with opened(url) as connection:
                connection.execute("UPDATE schema_version SET version = version + 1")
            assert await bot.wait_exit(20.0) == 2
        assert "start the newer version" in bot.output()
        assert "Traceback" not in bot.output()


async def test_one_command_stops_all_processes(fleet: Fleet) -> None:
    await fleet.started()
    code, said = await fleet.bots[0].command("maintenance", "back soon")
    assert code == 0, said
    assert [await bot.wait_exit() for bot in fleet.bots] == [0] * len(fleet.bots)
    code, said = await fleet.bots[0].command("stats")
    assert (code, "0 games     running now" in said) == (0, True)


async def test_healthz_says_that_the_database_is_read_only(tmp_path: Path) -> None:
    """And a start says so in a line."""
    with new_server() as postgres:
        async with DiscordServer() as server:
            port = free_port()
            env = {"DATABASE_URL": postgres.url, "METRICS_PORT": str(port)}
            bot = BotProcess(server, env=env, log=tmp_path / "bot.log")
            await bot.start()
            try:
                with opened(postgres.url) as connection:
                    connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
                    connection.execute("SELECT pg_reload_conf()")
                async with aiohttp.ClientSession() as session:
                    until = asyncio.get_running_loop().time() + 10
                    text = ""
                    while "read-only" not in text and asyncio.get_running_loop().time() < until:
                        async with session.get(f"http://127.0.0.1:{port}/healthz") as response:
                            text = f"{response.status} {await response.text()}"
                assert text == "503 degraded: the database is read-only\n"
            finally:
                await bot.terminate()
            await bot.launch()
            assert await bot.wait_exit(20.0) == 1
            (line,) = [line for line in bot.output().splitlines() if "read-only" in line]
            assert "name the primary server" in line
            assert "Traceback" not in bot.output()
