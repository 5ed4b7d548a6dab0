"""The bot is killed, out of disk space or unable to write: what was acknowledged is stored exactly once."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.discord_server.crash import ORIGINAL, Crasher, Report, examine, fill, writes_fail
from tests.support.discord_server.player import STUCK, Press, Script, Table
from tests.support.discord_server.process import NO_WRITING
from tests.support.discord_server.world import PREPARING, World, done_once, move, world_at_rest
from tests.support.values import not_none


def checked(report: Report) -> None:
    """Nothing is missing or doubled, all dice are right, and the log has no unexpected error."""
    print(f"\n{report}")
    assert report.findings.problems == []
    assert report.findings.promised > report.kills.total()
    assert report.errors == []


# ---------------------------------------------------------------------- killed


SPOILT = (
    # One die more in the first roll of each game; the last cards and dice gone; the last move gone.
    (
        """UPDATE moves SET chance = replace(chance, '[{"dice":[', '[{"dice":[1,')
        WHERE (game_id, number) IN
            (SELECT game_id, min(number) FROM moves WHERE chance LIKE '[{"dice":%' GROUP BY game_id)""",
        "can't have happened",
    ),
    (
        """UPDATE moves SET chance = '[]' WHERE game_id = 1
        AND number = (SELECT max(number) FROM moves WHERE game_id = 1 AND chance <> '[]')""",
        "can't have happened",
    ),
    (
        """DELETE FROM moves WHERE game_id = 1
        AND number = (SELECT max(number) FROM moves WHERE game_id = 1)""",
        "snapshot",
    ),
    # Other dice than those of the seed; one drawn in vain; another state; clicks lost and invented.
    ("UPDATE games SET seed = zeroblob(32) WHERE id = 1", "the seed gives"),
    ("UPDATE games SET draws = draws + 1 WHERE id = 1", "the seed gives another game"),
    ("UPDATE games SET state = replace(state, '\"points\":', '\"points\":1')", "snapshot"),
    ("DELETE FROM interactions WHERE id = (SELECT max(id) FROM interactions)", "missing|by 0 clicks"),
    ("INSERT INTO interactions (id, game_id) VALUES (1, 1)", "nobody has made interaction 1"),
)
"""Damages to a database after a run, and the finding that each must give."""


@pytest.mark.timeout(300)
async def test_killed_again_and_again(tmp_path: Path) -> None:
    crasher = Crasher(tmp_path, seed=7, tables=4)
    report = await crasher.run(5, pace=0.3)
    checked(report)
    assert isinstance(crasher.database, Path)
    with contextlib.closing(sqlite3.connect(crasher.database)) as connection:
        assert set(connection.execute("SELECT DISTINCT game FROM games")) == {("tutto",), ("gambler",)}
    # The examination finds each damage.
    copy = tmp_path / "copy.db"
    for query, finds in SPOILT:
        shutil.copy(crasher.database, copy)
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            assert connection.execute(query).rowcount > 0
            connection.commit()
        findings = await examine(copy, crasher.scripts)
        assert any(re.search(finds, problem) for problem in findings.problems), (query, findings.problems)


async def second_step(script: Script) -> Table:
    """Play until the table shows the second step that follows one click."""
    first: Table | None = None
    async with asyncio.timeout(PREPARING):
        while True:
            table = not_none(script.table())
            if not table.is_step:
                first = None
                await script.step()
            elif first is None or first.id.version != table.id.version:
                first = table
            elif first.text != table.text:
                return table
            else:
                await asyncio.sleep(0.02)


async def step_on_its_way(world: World) -> None:
    """Wait until Discord shows another step that the bot has not noted yet."""
    rule = world.server.faults.hold("PATCH", ORIGINAL, after=True)
    await world.server.until(lambda: rule.hits, STUCK)


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_killed_between_two_steps(world: World) -> None:
    """Killed while a step is shown, and while the next is sent: the next start shows the end."""
    world.bot.env["STEP_BY_STEP"] = "on"
    async with world.bot:
        script = await world.seated("ann", "ben", ais=2, target=20_000)
        for sent in (False, True):
            step = await second_step(script)
            if sent:
                await step_on_its_way(world)
            stored = world.rows("SELECT version, draws, state FROM games")
            log = world.rows("SELECT * FROM moves ORDER BY game_id, number")
            await world.bot.kill()
            world.server.faults.clear()
            await world.bot.start()
            now = await world.painted(script, step.id.version)
            assert (now.message["id"], now.id.version) == (step.message["id"], step.id.version)
            assert now.turn in script.people
            assert now.text != step.text
            assert world.rows("SELECT version, draws, state FROM games") == stored
            assert world.rows("SELECT * FROM moves ORDER BY game_id, number") == log
            assert len(world.boards(script)) == 1
            # A step that the player may roll on by hand stays for HAND_SECONDS.
            await done_once(world, script, within=PREPARING)
        assert await world.bot.terminate() == 0
    assert (await examine(world.database, world.scripts)).problems == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_one_game_killed_at_fifty_moments(tmp_path: Path) -> None:
    crasher = Crasher(tmp_path, seed=50, tables=1, target=20_000)
    checked(await crasher.run(50))


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_ten_tables_of_one_channel_are_killed_again_and_again(tmp_path: Path) -> None:
    crasher = Crasher(tmp_path, seed=19, tables=10, threads=True)
    checked(await crasher.run(10, pace=1.0))
    assert any(press.what == "Join" and press.button is None for press in crasher.scripts[0].presses)
    channels = {script.channel.id for script in crasher.scripts}
    assert len(channels) == 10
    assert {script.channel.parent_id for script in crasher.scripts} == {crasher.scripts[0].channel.parent_id}
    assert isinstance(crasher.database, Path)
    with contextlib.closing(sqlite3.connect(crasher.database)) as connection:
        played = connection.execute("SELECT DISTINCT channel_id FROM games WHERE state IS NOT NULL")
        assert {channel for (channel,) in played} == channels


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_killed_hundreds_of_times(tmp_path: Path) -> None:
    """Three bots side by side, each with its own Discord; writes fail now and then."""
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()
    crashers = [Crasher(folder, seed=100 + number, tables=6) for number, folder in enumerate(folders)]
    for report in await asyncio.gather(*(crasher.run(100, failures=0.25) for crasher in crashers)):
        checked(report)


# ---------------------------------------------------------------------- unable to write


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_at_rest(tmp_path) as world:
        yield world
    assert world.bot.unexplained(NO_WRITING) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place],
            capture_output=True,
            text=True,
            check=False,
        )
        problem = mounted.stderr.strip() if mounted.returncode else ""
    except FileNotFoundError:
        problem = "there is no mount command"
    if problem:
        pytest.skip(f"a small file system is needed, and can't be had: {problem}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


async def everybody_is_told(world: World, press: Press) -> None:
    """The click gets an error message and changes nothing."""
    script = world.scripts[0]
    before, table = world.version(script), script.table()
    assert table is not None
    await press.reply.finished()
    assert re.search("went wrong", press.told)
    assert world.version(script) == before
    now = not_none(script.table())
    assert now.text == table.text


async def test_full_disk(world: World, small_disk: Path) -> None:
    """People get an error; once there is room the bot goes on, even if it was killed in the middle."""
    world.database = small_disk / "games.db"
    world.bot.env["DATABASE_URL"] = f"sqlite:///{world.database}"
    async with world.bot:
        script = await world.going()
        for killed in (False, True):
            ballast = fill(small_disk)
            for _ in range(3):
                await everybody_is_told(world, move(script))
            assert "database or disk is full" in world.bot.output()
            if killed:
                await world.bot.kill()
            ballast.unlink()
            if killed:
                await world.bot.start()
            await done_once(world, script)
        assert await world.bot.terminate() == 0
    assert (await examine(world.database, world.scripts)).problems == []


async def test_writes_fail_for_a_while(world: World) -> None:
    async with world.bot:
        script = await world.going()
        with writes_fail(world.bot):
            for _ in range(3):
                await everybody_is_told(world, move(script))
        await done_once(world, script)
        assert await world.bot.terminate() == 0
    assert (await examine(world.database, world.scripts)).problems == []


@pytest.mark.parametrize("how", ["moved", "replaced"])
async def test_database_taken_away(world: World, how: str) -> None:
    """Nothing is shown as done that was only written into a deleted file."""
    kept = world.folder / "kept.db"
    async with world.bot:
        script = await world.going()
        before = world.version(script)
        world.database.rename(kept)
        if how == "replaced":
            world.database.touch()
        press = move(script)
        await press.reply.finished()
        assert re.search("went wrong", press.told)
        assert "is no longer the database that the bot opened" in world.bot.output()
        kept.rename(world.database)
        assert world.version(script) == before
        await done_once(world, script)
        assert await world.bot.terminate() == 0
    assert (await examine(world.database, world.scripts)).problems == []


@pytest.mark.parametrize("killed", [False, True])
async def test_log_of_the_database_taken_away(world: World, killed: bool) -> None:
    """What was shown as done is saved from the deleted log, and nothing more is written there."""
    async with world.bot:
        script = await world.going()
        before = world.version(script)
        world.database.with_name(f"{world.database.name}-wal").unlink()
        press = move(script)
        await press.reply.finished()
        assert re.search("went wrong", press.told)
        assert "start the bot again" in world.bot.output()
        if killed:
            await world.bot.kill()
        else:
            assert await world.bot.terminate() == 0
        assert world.version(script) == before
        await world.bot.start()
        await done_once(world, script)
        assert await world.bot.terminate() == 0
    assert (await examine(world.database, world.scripts)).problems == []


@pytest.mark.slow
async def test_database_busy_for_too_long(world: World) -> None:
    """Another process writes for longer than the bot waits: the click is refused, and the next one works."""
    async with world.bot:
        script = await world.going()
        with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            press = move(script)
            await press.reply
            assert press.reply.acked
            await everybody_is_told(world, press)
            other.execute("ROLLBACK")
        await done_once(world, script)
        assert await world.bot.terminate() == 0
    assert (await examine(world.database, world.scripts)).problems == []
