"""Count the interpreter's instructions and the calls of Python functions of a click, by module.

    python -m benchmarks.instructions [--games 8] [--rounds 24] [--rows 30]

The clicks of benchmarks/click.py, with answers over a socket, of the bot and of the floor. Unlike times, the
counts hardly differ from run to run and on a busy machine. What the benchmark does itself is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import discord

from benchmarks.click import Bot, Floor, Table, plain_bot, same_clicks, seeded, tables_of, unlimited
from benchmarks.desk import Desk, serving
from bot.cli.run import tune
from bot.discordpy import acknowledging, answer

SETTLE_SECONDS = 0.05
"""How long to count on after the last answer."""


class Counts:
    """Instructions and calls by code, in this thread and in those that were started with :meth:`watch`."""

    def __init__(self) -> None:
        self.instructions: Counter[CodeType] = Counter()
        self.calls: Counter[CodeType] = Counter()
        self.clicks = 0
        self._on = False

    def watch(self) -> None:
        """Count in all threads that are started from now on."""
        threading.settrace(self._enter)

    async def of(self, desk: Desk, clicks: list[str]) -> list[Any]:
        """Count what the client does with these clicks, all at once. Return the answers."""
        desk.resume()
        self.clicks += len(clicks)
        self._on = True
        sys.settrace(self._enter)
        answers = await asyncio.gather(*map(desk.send, clicks))
        await asyncio.sleep(SETTLE_SECONDS)
        sys.settrace(None)
        self._on = False
        return list(answers)

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self._on or "/benchmarks/" in frame.f_code.co_filename:
            return None
        self.calls[frame.f_code] += 1
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._instruction

    def _instruction(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "opcode":
            self.instructions[frame.f_code] += 1
        return self._instruction

    def by_module(self) -> Counter[str]:
        """Return the instructions of a click by module."""
        found: Counter[str] = Counter()
        for code, number in self.instructions.items():
            found["/".join(Path(code.co_filename).parts[-3:])] += number
        return found

    def row(self, name: str) -> str:
        numbers = (sum(self.instructions.values()), sum(self.calls.values()))
        return f"| {name} | {' | '.join(f'{number / self.clicks:,.0f}' for number in numbers)} |"


async def main(games: int, rounds: int, rows: int) -> None:
    unlimited()
    # Counting takes fifty times as long as the click, which must not be acknowledged first for that.
    acknowledging.ACK_SECONDS = acknowledging.LATE_ACK_SECONDS = answer.ATTEMPT_SECONDS = 100.0
    bot, floor = Counts(), Counts()
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(serving())

        async def desk(client: discord.Client, counts: Counts) -> Desk:
            counts.watch()
            made = Desk(client, wired=True)
            stack.push_async_callback(client.close)
            await made.start()
            return made

        client = plain_bot(database=folder / "games.db", emojis=True)
        usual = await desk(client, bot)
        assert isinstance(client, Bot)
        seeded(client)
        await client.app_emojis.first_round.wait()
        low = await desk(Floor(intents=discord.Intents.none()), floor)
        tune()
        tables: list[Table] = await tables_of(usual, games)
        for _ in range(rounds):
            tables = [table for table in tables if not table.over]
            answers = await bot.of(usual, [table.next_text() for table in tables])
            for table, given in zip(tables, answers, strict=True):
                assert table.take(given), given
            await floor.of(low, same_clicks(tables))
    print("| module | instructions |\n|--|--|")
    for module, number in bot.by_module().most_common(rows):
        print(f"| {module} | {number / bot.clicks:,.0f} |")
    print("\n| a click of | instructions | calls |\n|--|--|--|")
    print(bot.row("the bot"))
    print(floor.row("the floor"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count what the interpreter does for a click.")
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--rows", type=int, default=30, help="how many modules to list")
    given = parser.parse_args()
    asyncio.run(main(given.games, given.rounds, given.rows))
