"""Measure clicks and starts with a thousand games at once and a database full of games.

    python -m benchmarks.crowd [--games 1000] [--live 100000] [--moves 10000000] [--rounds 5] [--folder DIR]

Two databases are compared in one run, in turn: an empty one, and one that holds so many live games and
moves, copied in SQL from games that were really played. Only the latest games are kept in memory, so a
start, a click and the memory of the process should be the same with both. The full one takes about 2 GB
meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import logging
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from benchmarks.click import WAYS, Measured, Table, plain_bot, seeded, unlimited
from benchmarks.desk import Desk
from bot.discordpy import acknowledging
from bot.registry import GAMES, find
from bot.sessions.request import Click
from bot.sessions.session import Sessions
from bot.store.base import LIVE
from bot.store.sqlite.store import SqliteStore

SERVERS = 2000
PATTERNS = 40
"""Games that are really played; all others are copies of them."""

MAX_MOVES = {"tutto": 70, "gambler": 30}
"""So far the live ones have come."""

BYTES_A_MOVE = 400
"""More than a move takes on the disk, with everything around it."""


# Games to copy.


async def play_patterns(path: Path) -> None:
    """Games of both kinds between people, some at their end and some in the middle."""
    store = await SqliteStore.open(path)
    try:
        numbers = itertools.count(1)
        sessions = Sessions(store, time.time, lambda: hashlib.sha256(b"%d" % next(numbers)).digest())
        for channel in range(1, PATTERNS + 1):
            keys = tuple(GAMES)
            key = keys[channel % len(keys)]
            live = channel <= PATTERNS // 2
            target = {"tutto": 50_000 if live else 3000, "gambler": 1000 if live else 300}[key]
            await _play(sessions, channel, key, target, MAX_MOVES[key] if live else 10_000, numbers)
    finally:
        await store.close()


async def _play(
    sessions: Sessions, channel: int, key: str, target: int, most: int, numbers: Iterator[int]
) -> None:
    def click(user: int) -> Click:
        return Click(next(numbers), user, f"Player {user}", 1, channel, "en-US", False)

    first, second = channel * 2, channel * 2 + 1
    session = sessions.at(channel)
    row = await session.open(click(first), key, {"target": target})
    await session.press_lobby(click(second), row.id, "l.join")
    await session.press_lobby(click(first), row.id, "l.start")
    begun = await session.begin(row.id, next(numbers))
    assert begun is not None
    row = begun
    entry, rng = find(key), Random(channel)
    for _ in range(most):
        if row.status != LIVE:
            return
        state = row.state
        tokens = [
            button.token
            for controls in entry.screen.controls(state, "")
            for button in controls.buttons
            if not button.disabled and not button.token.startswith("v")
        ]
        token = "s" if "s" in tokens else rng.choice(tokens)
        user = row.seats[entry.rules.to_move(state)].user_id or 0
        row = (await session.press(click(user), row.id, row.version, token)).row


def fill(path: Path, live: int, moves: int) -> None:
    """Copy the patterns until there are so many live games and so many moves."""
    connection = sqlite3.connect(path, isolation_level=None)
    with contextlib.closing(connection):
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -400000")
        connection.execute("PRAGMA temp_store = MEMORY")
        patterns: dict[str, list[int]] = {}
        for game_id, status in connection.execute("SELECT id, status FROM games ORDER BY id"):
            patterns.setdefault("live" if status == LIVE else "over", []).append(game_id)
        length = dict(connection.execute("SELECT game_id, count(*) FROM moves GROUP BY game_id").fetchall())
        there = sum(length.values())
        plan: list[tuple[int, int]] = []
        fresh = itertools.count(max(length) + 1)
        for game_id in itertools.islice(itertools.cycle(patterns["live"]), live - len(patterns["live"])):
            plan.append((next(fresh), game_id))
            there += length[game_id]
        for game_id in itertools.cycle(patterns["over"]):
            if there >= moves:
                break
            plan.append((next(fresh), game_id))
            there += length[game_id]
        connection.execute("CREATE TEMP TABLE plan (id INTEGER PRIMARY KEY, pattern INTEGER)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO plan VALUES (?, ?)", plan)
        # Each in a channel of its own, with people and a deadline of its own; all show what is stored.
        late = time.time() + 86_400
        _copy(
            connection,
            "games",
            {
                "id": "plan.id",
                "channel_id": "plan.id + 1000000",
                "guild_id": f"plan.id % {SERVERS} + 1",
                "host_id": "plan.id * 2",
                "deadline": f"iif(status = 'live', {late} + plan.id, NULL)",
                "finish": "iif(finish IS NULL, NULL, plan.id + 1000000)",
                "message_id": "plan.id",
                "shown_version": "version",
            },
            "id",
        )
        _copy(connection, "moves", {"game_id": "plan.id"})
        _copy(connection, "seats", {"game_id": "plan.id", "user_id": "plan.id * 2 + seat"})
        _copy(
            connection,
            "results",
            {
                "game_id": "plan.id",
                "guild_id": f"plan.id % {SERVERS} + 1",
                "user_id": "plan.id * 2 + seat",
                "luck": "coalesce(luck, 0)",
            },
        )
        connection.execute("UPDATE games SET shown_version = version, message_id = id")
        connection.execute(
            "UPDATE games SET deadline = ? WHERE deadline IS NOT NULL AND deadline < ?", (late, late)
        )
        connection.execute("UPDATE results SET luck = 0 WHERE luck IS NULL")
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def what_is_in(path: Path) -> dict[str, int]:
    queries = {
        "live games": "SELECT count(*) FROM games WHERE status = 'live'",
        "finished games": "SELECT count(*) FROM games WHERE status = 'over'",
        "moves": "SELECT count(*) FROM moves",
    }
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {name: connection.execute(query).fetchone()[0] for name, query in queries.items()}


def _copy(connection: sqlite3.Connection, table: str, changed: dict[str, str], key: str = "game_id") -> None:
    columns = [
        row[1]
        for row in connection.execute(f"PRAGMA table_xinfo({table})")
        if row[6] == 0  # not generated
    ]
    values = [changed.get(column, f"old.{column}") for column in columns]
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} "
        f"FROM plan CROSS JOIN {table} AS old ON old.{key} = plan.pattern ORDER BY plan.id"
    )


# Starting.


async def start(path: Path) -> None:
    """Start a bot on a database, say how long that took and how much memory it has, and stop it."""
    began = time.perf_counter()
    bot = plain_bot(database=path)
    desk = Desk(bot)
    await desk.start()
    seconds = time.perf_counter() - began
    # What is done in the background is part of a start as well; the memory is that after it.
    await bot.deadlines.first_round()
    print(seconds, resident())
    await bot.close()


def resident() -> int:
    """Bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def started(path: Path) -> tuple[float, float, int]:
    """Start a bot in a process of its own: seconds for all of it, for the bot alone, and bytes of memory."""
    began = time.perf_counter()
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.crowd", "--start", str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    whole = time.perf_counter() - began
    seconds, memory = answer.stdout.split()
    return whole, float(seconds), int(memory)


def starts(paths: Sequence[Path], rounds: int) -> None:
    found: dict[Path, list[tuple[float, float, int]]] = {path: [] for path in paths}
    for number in range(rounds + 1):
        for path in paths:
            one = started(path)
            if number:  # the first time files are read from the disk
                found[path].append(one)
    print("| start | process until it has stopped again | bot until it is ready | memory |")
    print("|--|--|--|--|")
    medians = []
    for path in paths:
        whole, alone, memory = (statistics.median(column) for column in zip(*found[path], strict=True))
        medians.append((alone, memory))
        print(f"| {path.stem} | {1000 * whole:.0f} ms | {1000 * alone:.0f} ms | {memory / 2**20:.1f} MiB |")
    (empty, without), (full, with_all) = medians
    print(f"\nStart: {1000 * (full - empty):+.1f} ms; memory: {(with_all - without) / 2**10:+.0f} KiB in all")


# Clicking.


async def clicks(paths: Sequence[Path], games: int, rounds: int) -> None:
    # A thousand clicks in one instant take longer than that; here each is to get its one real answer.
    acknowledging.ACK_SECONDS = 600.0
    # The desk takes no pictures; it is no loss here.
    logging.getLogger("bot.services.pictures").disabled = True
    unlimited()
    bots = [plain_bot(database=path) for path in paths]
    desks = [Desk(bot) for bot in bots]
    tables: list[list[Table]] = []
    measured = [{name: Measured() for name in WAYS} for _ in paths]
    for bot, desk in zip(bots, desks, strict=True):
        await desk.start()
        seeded(bot)
        desk.resume()
        mine = [Table(desk, 100 + number) for number in range(games)]
        for table in mine:
            await table.open()
        tables.append(mine)
    before = resident()
    for number in range(rounds + 1):
        # Neither is always the first, and pays for what the other has left to be tidied up.
        for place, desk in (list(enumerate(desks)), list(reversed(list(enumerate(desks)))))[number % 2]:
            for name, way in WAYS.items():
                kept = measured[place][name] if number else Measured()
                tables[place] = await kept.of_all(way, desk, tables[place])
    print("\n| clicks | database | CPU a click | clicks a second |")
    print("|--|--|--|--|")
    for name in WAYS:
        for path, mine_too in zip(paths, measured, strict=True):
            one = mine_too[name]
            print(f"| {name} | {path.stem} | {one.milliseconds:.2f} ms | {one.a_second:.0f} |")
    for name in WAYS:
        a, b = measured[0][name], measured[1][name]
        print(
            f"\n{name}: CPU {b.milliseconds / a.milliseconds:.2f} times, "
            f"rate {b.a_second / a.a_second:.2f} times that with an empty database"
        )
    print(f"\n{(resident() - before) / 2**20:+.1f} MiB while {2 * games} games were played at once")
    for bot in bots:
        await bot.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure with a thousand games at once and a full database.")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--live", type=int, default=100_000)
    parser.add_argument("--moves", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="keep the full database here, and take it from here")
    parser.add_argument("--build", action="store_true", help="build it, and no more")
    parser.add_argument("--start", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.start:
        asyncio.run(start(given.start))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        needed, free = given.moves * BYTES_A_MOVE, shutil.disk_usage(folder).free
        if free < 2 * needed:
            sys.exit(
                f"{needed / 1e9:.0f} GB may be needed, and only {free / 1e9:.0f} GB are free in {folder}"
            )
        empty, full = Path(folder) / "empty.db", Path(folder) / "full.db"
        asyncio.run(_nothing(empty))
        built = given.folder / f"crowd-{given.live}-{given.moves}.db" if given.folder else None
        if built is not None and built.exists():
            shutil.copyfile(built, full)
        else:
            asyncio.run(play_patterns(full))
            fill(full, given.live, given.moves)
            if built is not None:
                shutil.copyfile(full, built)
        print(", ".join(f"{number:,} {name}" for name, number in what_is_in(full).items()))
        print(f"in {os.path.getsize(full) / 1e9:.2f} GB\n")
        if given.build:
            return
        starts((empty, full), given.rounds)
        asyncio.run(clicks((empty, full), given.games, given.rounds))


async def _nothing(path: Path) -> None:
    await (await SqliteStore.open(path)).close()


if __name__ == "__main__":
    main()
