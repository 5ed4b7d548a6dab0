"""How the bot starts, stops and is killed, and the message of each start that can't succeed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.store.schema import migrations
from bot.store.sqlite.store import SqliteStore
from tests.support import screen
from tests.support.discord_server.crash import CALLBACK, POST, examine
from tests.support.discord_server.player import Press, Script
from tests.support.discord_server.process import BOT, BotProcess
from tests.support.discord_server.world import (
    PREPARING,
    PUT_COMMANDS,
    World,
    done_once,
    first_post,
    move,
    move_on,
    world_at_rest,
)
from tests.support.values import not_none


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[World]:
    """A world for one test, whose bot is not running yet."""
    async with world_at_rest(tmp_path) as world:
        yield world
    assert world.bot.errors() == []


# ---------------------------------------------------------------------- killed and stopped


async def test_killed_at_the_third_turn(own: World) -> None:
    async with own.bot:
        script = await own.going()
        await script.turns(3)
        await own.server.quiet()
        before, table = own.version(script), script.table()
        assert table is not None
        await own.bot.kill()
        await own.bot.start()
        await own.server.quiet()
        # The message from before is still the table, and its buttons work.
        now = not_none(script.table())
        assert (now.text, now.buttons) == (table.text, table.buttons)
        # The last click, delivered again, does not count again. Seconds later its table is an old one.
        last = next(press for press in reversed(script.presses) if press.is_move and press.promised)
        last.who.again(last.reply)
        await own.server.until(lambda: len(last.reply.tries) > 1)
        await own.server.quiet()
        assert own.version(script) == before
        assert all("has moved on" in screen.text_of(one) for one in last.reply.followups)
        press = move_on(script, table)
        await press.reply
        assert press.promised
        await own.painted(script, before + press.moves)
        assert own.version(script) == before + press.moves
        assert await own.bot.terminate() == 0
    assert (await examine(own.database, own.scripts)).problems == []


async def test_killed_between_commit_and_answer(own: World) -> None:
    """The move is stored, but not shown: the table catches up by itself, and a second click changes nothing.

    Other games go on while Discord is slow to show that table.
    """
    async with own.bot:
        stuck, free = await own.going("gina", "hugo"), await own.going("ida", "jack")
        before, table = own.version(stuck), stuck.table()
        assert table is not None
        rule = own.server.faults.hold("POST", CALLBACK)
        rule.cut = True
        press = move_on(stuck, table)
        await own.server.until(lambda: rule.hits)
        await own.bot.kill()
        own.server.faults.clear()
        assert not press.reply.acked
        rule = own.server.faults.hold("PATCH", f"{stuck.channel.id}.*{table.message['id']}$")
        await own.bot.start()
        await own.server.until(lambda: rule.hits, 10.0)
        version, elsewhere = own.version(free), move(free)
        await own.painted(free, version + elsewhere.moves)
        assert elsewhere.promised
        rule.release()
        await own.painted(stuck, before + 1)
        again = move_on(stuck, table, stale=True)
        await again.reply
        assert not again.promised
        await own.server.quiet()
        assert own.version(stuck) == before + 1
        assert await own.bot.terminate() == 0
    assert (await examine(own.database, own.scripts)).problems == []


async def test_killed_after_posting(own: World) -> None:
    """The new table is posted, but the bot was killed before it noted that: it does not post it twice."""
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
        await own.server.until(lambda: len(own.boards(script)) == 1)
        await own.painted(script, own.version(script))
        assert len(own.server.messages(script.channel)) == before + 2  # the question as well
        await done_once(own, script)


async def test_stopped_during_a_click(own: World) -> None:
    """The click is finished and answered."""
    async with own.bot:
        script = await own.going()
        before = own.version(script)
        rule = own.server.faults.hold("POST", CALLBACK)
        press = move(script)
        await own.server.until(lambda: rule.hits)
        os.kill(own.bot.pid, signal.SIGTERM)
        await asyncio.sleep(0.3)
        own.server.faults.clear()
        assert await own.bot.wait_exit(10.0) == 0
    assert press.promised
    assert own.version(script) == before + 1
    # The last connection that closes properly takes the write-ahead log with it.
    assert not own.database.with_name("games.db-wal").exists()


async def test_stopped_in_a_burst_of_clicks(own: World) -> None:
    """Delivered clicks are answered, later ones are not begun, and nothing fails."""
    async with own.bot:
        scripts = [await own.going(f"ann{number}", f"ben{number}") for number in range(2)]
        rule = own.server.faults.delay("POST", CALLBACK, 0.2, times=None)
        presses = [press for script in scripts for press in everything(script)]
        # Clicks that are still in the socket when the bot stops count as not delivered.
        await own.server.gateway.heard()
        await own.server.until(lambda: rule.hits)
        os.kill(own.bot.pid, signal.SIGTERM)
        # The clicks go on while it stops.
        for _ in range(20):
            await asyncio.sleep(0.02)
            for script in scripts:
                everything(script)
        assert await own.bot.wait_exit(10.0) == 0
    assert [press for press in presses if not press.reply.acked] == []
    assert own.bot.errors() == []
    assert (await examine(own.database, scripts)).problems == []


def everything(script: Script) -> list[Press]:
    """Everybody presses every button of the table."""
    table = not_none(script.table())
    buttons = [button for button in table.buttons if not button.get("disabled")]
    return [script.press(who, table, one, stale=True) for who in script.people.values() for one in buttons]


def children(pid: int) -> set[int]:
    """The processes that a process has started."""
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux tells of a process's children")
async def test_no_process_stays_behind(own: World) -> None:
    """The worker processes end with the bot, even if it is killed."""
    async with own.bot:
        script = await own.seated("carl", ais=1)
        thinking: set[int] = set()
        async with asyncio.timeout(PREPARING):
            while not thinking:
                await script.step()
                thinking = children(own.bot.pid)
        await own.bot.kill()
        await own.server.until(lambda: not any(Path(f"/proc/{one}").exists() for one in thinking), 10.0)


async def test_stopped_while_discord_says_nothing(own: World) -> None:
    """An answer that never gets through does not keep the bot from stopping in time."""
    async with own.bot:
        script = await own.going()
        before = own.version(script)
        rule = own.server.faults.hold("POST", CALLBACK)
        move(script)
        await own.server.until(lambda: rule.hits)
        os.kill(own.bot.pid, signal.SIGINT)
        assert await own.bot.wait_exit(10.0) == 0
        own.server.faults.clear()
    assert own.version(script) == before + 1
    assert not own.database.with_name("games.db-wal").exists()


async def test_stopped_while_the_database_is_busy(own: World) -> None:
    """The click that waits for the database is finished."""
    async with own.bot:
        script = await own.going()
        before = own.version(script)
        with contextlib.closing(sqlite3.connect(own.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            move(script)
            await asyncio.sleep(0.2)
            os.kill(own.bot.pid, signal.SIGTERM)
            await asyncio.sleep(0.3)
            other.execute("ROLLBACK")
        assert await own.bot.wait_exit(10.0) == 0
    assert own.version(script) == before + 1


async def test_second_start_while_the_first_stops(own: World) -> None:
    """The supervisor is too quick, or the first bot slow: only the next start works."""
    async with own.bot:
        script = await own.going()
        os.kill(own.bot.pid, signal.SIGSTOP)
        os.kill(own.bot.pid, signal.SIGTERM)
        await refused(own, 2, r"Another bot is running on .*games\.db.*stop")
        os.kill(own.bot.pid, signal.SIGCONT)
        assert await own.bot.wait_exit(10.0) == 0
        await own.bot.start()
        await done_once(own, script)


async def test_commands_are_registered_once(own: World) -> None:
    """If Discord's daily limit is reached (30034), the bot goes on with the registered ones."""
    async with own.bot:
        script = await own.going()
        await own.bot.kill()
        await own.bot.start()
        assert len(own.server.calls_to("PUT", PUT_COMMANDS)) == 1
        assert await own.bot.terminate() == 0
        with contextlib.closing(sqlite3.connect(own.database)) as connection:
            connection.execute("UPDATE meta SET value = 'old' WHERE key LIKE 'commands:%'")
            connection.commit()
        rule = own.server.faults.error("PUT", PUT_COMMANDS, 400, 30034, "Max number of daily creates")
        await own.bot.start()
        assert rule.hits == 1
        await done_once(own, script)
        await own.bot.kill()
        # Commands that were not registered are tried again at the next start.
        await own.bot.start()
        assert [call.status for call in own.server.calls_to("PUT", PUT_COMMANDS)] == [200, 400, 200]


# ---------------------------------------------------------------------- starts that can't succeed


async def refused(
    world: World,
    code: int,
    pattern: str,
    database: Path | None = None,
    args: list[str] | None = None,
    **env: str,
) -> None:
    """Start a bot that must end at once, with this code and one line that says why and what to do."""
    given = {"DATABASE_URL": f"sqlite:///{database or world.database}", **env}
    number = len(list(world.folder.glob("refused-*.log")))
    log = world.folder / f"refused-{number}.log"
    log.touch()
    bot = BotProcess(world.server, args or BOT, env=given, log=log)
    await bot.launch()
    try:
        assert await bot.wait_exit(20.0) == code, bot.output()
    finally:
        await bot.kill()
    told = [
        line for line in bot.output().splitlines() if not re.match(r"[\d-]+ [\d:,]+ (INFO|WARNING)", line)
    ]
    assert len(told) == 1, bot.output()
    assert re.search(pattern, told[0]), told[0]
    assert bot.errors() == []


async def test_wrong_token(own: World) -> None:
    await refused(own, 3, r"token.*https://discord\.com/developers/applications", DISCORD_TOKEN="wrong")


async def test_missing_intents(own: World) -> None:
    own.server.gateway.refuse_with = 4014
    await refused(own, 3, r"intents.*https://discord\.com/developers/applications")


async def test_intents_withdrawn(own: World) -> None:
    """Intents can be switched off in the portal while the bot runs; Discord then closes the session."""
    async with own.bot:
        await own.server.gateway.drop(4014)
        assert await own.bot.wait_exit(15.0) == 3


async def test_discord_out_of_reach(own: World) -> None:
    own.server.faults.fail("GET", "^/users/@me$", 503, times=None)
    await asyncio.gather(
        refused(own, 1, "Discord can't be reached"),
        refused(
            own, 1, "can't be reached", own.folder / "other.db", DISCORD_API_URL="http://127.0.0.1:9/api/v10"
        ),
    )


async def test_second_bot_on_one_database(own: World) -> None:
    """Not even under another name of the file."""
    link = own.folder / "link.db"
    async with own.bot:
        script = await own.going()
        link.symlink_to(own.database)
        await refused(own, 2, r"Another bot is running on .*link\.db.*stop", link)
        assert own.bot.running
        await done_once(own, script)


async def test_newer_database(own: World) -> None:
    await (await SqliteStore.open(own.database)).close()
    newest = len(migrations())
    with contextlib.closing(sqlite3.connect(own.database)) as connection:
        connection.execute(f"PRAGMA user_version = {newest + 1}")
        connection.commit()
    before = own.database.read_bytes()
    await refused(own, 2, f"schema {newest + 1}.*up to {newest}.*(newer version|backup)")
    assert own.database.read_bytes() == before
    assert own.server.gateway.identifies == 0


async def test_damaged_database(own: World) -> None:
    """It is not a database, only its header is right, or its end is missing."""
    notes, spoilt, short = (own.folder / f"{name}.db" for name in ("notes", "spoilt", "short"))
    notes.write_bytes(b"These are somebody's notes and no database.\n" * 100)
    for path in (spoilt, short):
        await (await SqliteStore.open(path)).close()
    size = spoilt.stat().st_size
    with spoilt.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    os.truncate(short, 3 * 4096)
    before = [path.read_bytes() for path in (notes, spoilt, short)]
    await asyncio.gather(
        refused(own, 2, r"notes\.db.*not a database", notes),
        refused(own, 2, r"database.*malformed", spoilt),
        refused(own, 2, r"database.*malformed", short),
    )
    assert [path.read_bytes() for path in (notes, spoilt, short)] == before


async def test_database_not_writable(own: World) -> None:
    """The folder or the file is read-only, or it is not a file."""
    args = without_privilege()
    folder, file, other = own.folder / "closed", own.folder / "closed.db", own.folder / "other"
    folder.mkdir()
    other.mkdir()
    folder.chmod(0o555)
    await (await SqliteStore.open(file)).close()
    file.chmod(0o444)
    try:
        await asyncio.gather(
            refused(own, 2, r"closed/games\.db.*Permission denied", folder / "games.db", args),
            refused(own, 2, r"closed\.db.*readonly", file, args),
            refused(own, 2, r"other.*DATABASE_URL.*not a file", other, args),
        )
    finally:
        folder.chmod(0o755)


async def test_settings_that_only_the_start_finds_wrong(own: World) -> None:
    """Their form is right, but there is no such place: one line names the setting."""
    circle = own.folder / "circle.db"
    circle.symlink_to(circle)
    await asyncio.gather(
        refused(own, 2, "DATABASE_URL", circle),
        refused(own, 1, "DATABASE_URL.*can't be reached", DATABASE_URL="postgresql://u:p@127.0.0.1:9/games"),
        refused(own, 2, "METRICS_PORT.*999.*METRICS_HOST", METRICS_PORT="9464", METRICS_HOST="999.1.1.1"),
    )


async def test_gateway_out_of_reach_at_the_start(own: World) -> None:
    """Commands can be registered, but the gateway does not answer: a warning per try, and a clean end."""
    own.bot.env["DISCORD_GATEWAY_URL"] = "ws://127.0.0.1:9/"
    await own.bot.launch()
    try:
        await own.bot.wait_line("WARNING.*Failed to connect.*127.0.0.1:9", 20.0)
        assert await own.bot.terminate() == 0
    finally:
        await own.bot.kill()
    assert own.bot.errors() == []


def without_privilege() -> list[str]:
    """The bot's command for a process that file permissions apply to, even if root runs the tests."""
    if os.geteuid() != 0:
        return [*BOT]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search", *BOT]
