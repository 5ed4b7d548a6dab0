"""Measure the processor time of a click step by step.

    python -m benchmarks.steps [--games 100] [--rounds 10]

The clicks of benchmarks/click.py, one at a time and without a socket. Each step is timed where it runs, in
the event loop's thread or in the database's; what no step accounts for is the event loop with its tasks,
locks and timers, and the timing itself.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from time import process_time_ns, thread_time_ns
from typing import Any

import bot.screens.table
import bot.services.table_messages
import bot.sessions.turns
import bot.store.sqlite.writer
from benchmarks.click import Table, plain_bot, seeded, unlimited
from benchmarks.desk import Desk

spent: defaultdict[str, int] = defaultdict(int)
"""Nanoseconds by step, of the present round."""


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        start = thread_time_ns()
        try:
            return function(*args, **kwargs)
        finally:
            spent[name] += thread_time_ns() - start

    return call


def watch(desk: Desk) -> None:
    """Put a watch on every step."""
    state: Any = desk.client._connection
    taken = "take it in (the library's objects)"
    state.parse_interaction_create = timed(taken, state.parse_interaction_create)
    for owner, attribute, name in (
        (bot.sessions.turns, "play", "play it: rules, dice, cards"),
        (bot.sessions.turns, "advance", "the game that follows: state, narration, counts"),
        (bot.store.sqlite.writer, "transaction", "commit: statements, and the disk's share of the processor"),
        (bot.screens.table, "table", "the screen: what the table says"),
        (bot.services.table_messages, "render", "words and components"),
    ):
        setattr(owner, attribute, timed(name, getattr(owner, attribute)))


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a click costs step by step.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    unlimited()
    with tempfile.TemporaryDirectory() as folder:
        client = plain_bot(database=Path(folder) / "games.db")
        desk = Desk(client)
        await desk.start()
        seeded(client)
        try:
            await measure(desk, given.games, given.rounds)
        finally:
            await client.close()


async def measure(desk: Desk, games: int, rounds: int) -> None:
    tables = [Table(desk, 1000 + number) for number in range(games)]
    for table in tables:
        await table.open()
    for _ in range(3):
        tables = [table for table in tables if not table.over]
        for table in tables:
            await table.step()
    watch(desk)
    found: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        tables = [table for table in tables if not table.over]
        clicks = [table.next_text() for table in tables]
        spent.clear()
        start = process_time_ns()
        answers = [await desk.send(click) for click in clicks]
        whole = process_time_ns() - start
        for table, answer in zip(tables, answers, strict=True):
            assert table.take(answer), answer
        spent["everything else"] = whole - sum(spent.values())
        spent["a click"] = whole
        for name, nanoseconds in spent.items():
            found[name].append(nanoseconds / len(clicks) / 1e6)
    medians = {name: statistics.median(times) for name, times in found.items()}
    whole_click = medians["a click"]
    print("| step | ms | share |\n|--|--|--|")
    for name, median in sorted(medians.items(), key=lambda one: (one[0] == "a click", -one[1])):
        print(f"| {name} | {median:.3f} | {median / whole_click:.0%} |")


if __name__ == "__main__":
    asyncio.run(main())
