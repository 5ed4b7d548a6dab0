"""Measure what a click costs on PostgreSQL, compared with SQLite in the same run.

    python -m benchmarks.postgres [--games 1 20 200] [--processes 1 2] [--clicks 1000]
                                  [--kinds sqlite postgres] [--no-wire]

Starts a PostgreSQL server of its own (tools/postgres_server.py) that waits for the disk as one in earnest
does: ``fsync`` and ``synchronous_commit`` on. Each bot is a process of its own with games of its own; all
click at the same instant, in as many games as the row says, and the next round begins when all have been
answered. The clicks are those of benchmarks/click.py, and made while no clock runs. Latency is what one click
waits for its answer to be at Discord, the clicks before it in the same round included.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import benchmarks.desk
from benchmarks.click import Table, plain_bot, seeded, unlimited
from benchmarks.desk import Desk, Stopwatch, serving
from bot.cli.run import tune
from tools.postgres_server import Server, server

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
"""The usual settings of a server, which the one for tests has switched off."""

CHANNELS = 100_000
"""So many channels apart are the games of two processes."""

TICK = os.sysconf("SC_CLK_TCK")


# One bot.


async def bot_process(place: str, number: int, processes: int, games: int, wired: bool) -> None:
    """Open the games, then do a round for each line that comes in, and tell what it took."""
    # A server in the shard of this process, and interactions that no other one has.
    benchmarks.desk.GUILD = (number << 22) + 1
    benchmarks.desk._ids = itertools.count((1 << 60) + (number << 40))
    with contextlib.ExitStack() as stack:
        if wired:
            stack.enter_context(serving())
        where: dict[str, Any] = {"postgres": place} if "://" in place else {"database": Path(place)}
        if processes > 1:
            where |= {"shard_count": processes, "shard_ids": (number,)}
        unlimited()
        bot = plain_bot(**where)
        desk = Desk(bot, wired=wired)
        await desk.start()
        seeded(bot, number * CHANNELS)
        # What it looks for at its start are games that no channel shows, as the new ones are for a moment.
        await bot.deadlines.first_round()
        try:
            tune()
            await rounds(desk, number * CHANNELS, games)
        finally:
            await bot.close()


async def rounds(desk: Desk, first: int, games: int) -> None:
    tables = [Table(desk, first + 1000 + number) for number in range(games)]
    for some in _batched(tables, 20):
        await asyncio.gather(*(table.open() for table in some))
        for _ in range(3):
            await asyncio.gather(*(table.step() for table in some if not table.over))
    while True:
        tables = [table for table in tables if not table.over]
        clicks = [table.next_text() for table in tables]
        print(json.dumps({"ready": len(clicks)}), flush=True)
        if not await asyncio.to_thread(sys.stdin.readline):
            return
        watch, waited = Stopwatch(), list[float]()

        async def click(text: str, waited: list[float] = waited) -> dict[str, Any]:
            start = time.perf_counter()
            answer = await desk.send(text)
            waited.append(time.perf_counter() - start)
            return answer

        answers = await asyncio.gather(*(click(text) for text in clicks))
        cpu, wall = watch.read()
        for table, answer in zip(tables, answers, strict=True):
            assert table.take(answer), answer
        print(json.dumps({"cpu": cpu, "wall": wall, "waited": waited}), flush=True)


def _batched(tables: Sequence[Table], size: int) -> Iterator[Sequence[Table]]:
    for start in range(0, len(tables), size):
        yield tables[start : start + size]


# All of them.


@dataclass
class Measured:
    """What one row of the table says; seconds, and one entry a round or a click."""

    cpu: list[float] = field(default_factory=list)
    server_cpu: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def row(self, kind: str, processes: int, games: int) -> str:
        self.waited.sort()
        late = self.waited[int(0.95 * (len(self.waited) - 1))]
        # Processor time of a server comes in ticks of 10 ms, so only the sum of many rounds means something.
        servers = f"{1000 * sum(self.server_cpu) / len(self.waited):.2f} ms" if self.server_cpu else ""
        return (
            f"| {kind} | {processes} | {games} | {statistics.median(self.rate):.0f} "
            f"| {1000 * statistics.median(self.cpu):.2f} ms | {servers} "
            f"| {1000 * statistics.median(self.waited):.1f} ms | {1000 * late:.1f} ms |"
        )


def measured(
    place: str, processes: int, games: int, clicks: int, wired: bool, one: Server | None
) -> Measured:
    """``games`` at once, shared out to the processes, until there were so many clicks."""
    found = Measured()
    with contextlib.ExitStack() as stack:
        bots = [
            stack.enter_context(_bot(place, number, processes, games // processes, wired))
            for number in range(processes)
        ]
        for number in range(max(clicks // games, 5) + 2):
            counts = [_line(bot)["ready"] for bot in bots]
            before = _server_seconds(one)
            for bot in bots:
                _say(bot)
            told = [_line(bot) for bot in bots]
            if number < 2:
                # Connections are opened and statements prepared in the first ones.
                continue
            done = sum(counts)
            if one is not None:
                found.server_cpu.append(_server_seconds(one) - before)
            found.cpu.append(sum(bot["cpu"] for bot in told) / done)
            found.rate.append(done / max(bot["wall"] for bot in told))
            found.waited += itertools.chain.from_iterable(bot["waited"] for bot in told)
        for bot in bots:
            _line(bot)
    return found


@contextlib.contextmanager
def _bot(place: str, *numbers: int) -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.postgres", "--bot", place, *(str(int(one)) for one in numbers)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield child
    finally:
        assert child.stdin is not None
        child.stdin.close()
        child.wait()


def _say(bot: subprocess.Popen[str]) -> None:
    assert bot.stdin is not None
    bot.stdin.write("\n")
    bot.stdin.flush()


def _line(bot: subprocess.Popen[str]) -> Any:
    assert bot.stdout is not None
    line = bot.stdout.readline()
    if not line:
        raise SystemExit("a bot has ended")
    return json.loads(line)


def _server_seconds(one: Server | None) -> float:
    """Processor time that the server's processes have used so far."""
    if one is None:
        return 0.0
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parts = path.read_text().rpartition(")")[2].split()
            if one.pid in (int(parts[1]), int(path.parent.name)):
                ticks += int(parts[11]) + int(parts[12])
    return ticks / TICK


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a click costs on PostgreSQL.")
    parser.add_argument("--games", type=int, nargs="+", default=[1, 20, 200])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--clicks", type=int, default=1000, help="at least, for each row")
    parser.add_argument("--kinds", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    parser.add_argument("--no-wire", action="store_true", help="serialise answers, but don't send them")
    parser.add_argument("--bot", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bot:
        place, number, processes, games, wired = given.bot
        asyncio.run(bot_process(place, int(number), int(processes), int(games), wired == "1"))
        return
    print("| database | bots | games | clicks a second | CPU, bot | CPU, server | median | 95 % |")
    print("|--|--|--|--|--|--|--|--|")
    for games in given.games:
        for kind in given.kinds:
            for processes in given.processes:
                if (kind == "sqlite" and processes > 1) or games < processes:
                    continue
                with _database(kind) as (place, one):
                    found = measured(place, processes, games, given.clicks, not given.no_wire, one)
                print(found.row(kind, processes, games), flush=True)


@contextlib.contextmanager
def _database(kind: str) -> Iterator[tuple[str, Server | None]]:
    if kind == "postgres":
        with server(DURABLE) as one:
            yield one.url, one
        return
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "games.db"), None


if __name__ == "__main__":
    main()
