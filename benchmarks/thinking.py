"""Whether clicks of other games wait while an AI thinks; and how long odds and reviews take.

    python -m benchmarks.thinking [--rounds 20] [--games 40]

Games between people are played click by click, each click timed from its arrival to its answer, while a
grandmaster decides without a pause: nowhere, in a process of its own (as the bot does it), in a thread of the
bot. The three take turns every few dozen clicks, so that whatever else the machine does hits all alike.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.click import ANNA, Bot, Table
from benchmarks.desk import Desk, buttons
from bot.charts.winning_chances import winning_chances_chart
from bot.games.core import OVER, play
from bot.games.seats import ai
from bot.games.tutto import Tutto
from bot.games.tutto.state import Options, State
from bot.records.seeds import SeededChance
from bot.registry import find
from bot.settings import Settings

RULES = Tutto()
WAYS = ("no AI thinks", "in a process", "in a thread")
REVIEWS = (
    ("2 seats to 6000", Options(), 2),
    ("4 seats to 6000", Options(), 4),
    ("10 seats to 6000", Options(), 10),
    ("2 seats to 20,000", Options(target=20_000), 2),
    ("3 seats to 50,000", Options(target=50_000), 3),
)


async def main() -> None:
    parser = argparse.ArgumentParser(description="Time clicks while an AI thinks.")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--games", type=int, default=40)
    given = parser.parse_args()
    # A game may end by chance, and this client takes no pictures and knows no servers.
    for name in ("bot.services.pictures", "bot.services.data_retention"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        bot = Bot(Settings(database=Path(folder) / "games.db", emojis=False))
        desk = Desk(bot)
        await desk.start()
        try:
            await clicks(bot, desk, given.rounds, given.games)
            await reviews(bot)
        finally:
            await bot.close()


async def clicks(bot: Bot, desk: Desk, rounds: int, games: int) -> None:
    tables = [Table(desk, 1000 + number) for number in range(games)]
    for table in tables:
        await table.open()
    positions = some_positions(3000)
    grandmaster = find("tutto").policies["grandmaster"]
    think = bot.sessions.think
    await think(grandmaster.choose, positions[0], random.Random(1))
    took: dict[str, list[float]] = {way: [] for way in WAYS}
    decided: dict[str, list[float]] = {way: [] for way in WAYS}
    odds: list[float] = []
    for round_ in range(rounds):
        # In turn, each beginning as often as the others.
        for way in WAYS[round_ % 3 :] + WAYS[: round_ % 3]:
            thinkers = {WAYS[0]: None, WAYS[1]: think, WAYS[2]: asyncio.to_thread}
            async with thinking(thinkers[way], grandmaster.choose, positions, decided[way]):
                for table in list(tables):
                    start = time.perf_counter()
                    try:
                        await table.step()
                    except AssertionError:  # the game is over
                        tables.remove(table)
                        continue
                    took[way].append(1e3 * (time.perf_counter() - start))
                    await asyncio.sleep(0.002)
        for table in tables[:5]:
            odds.append(await look(table))
    print("| while an AI thinks | clicks | median ms | 95% ms | 99% ms | longest ms | decisions/s |")
    print("|--|--|--|--|--|--|--|")
    for way in WAYS:
        speed = f"{len(decided[way]) / sum(decided[way]):.0f}" if decided[way] else ""
        print(f"| {way} | {row(took[way])} | {speed} |")
    print("\n| | clicks | median ms | 95% ms | 99% ms | longest ms |\n|--|--|--|--|--|--|")
    print(f"| odds | {row(odds)} |")


@asynccontextmanager
async def thinking(
    think: Callable[..., Any] | None, choose: Callable[..., Any], positions: list[State], took: list[float]
) -> AsyncIterator[None]:
    """Let an AI decide without a pause, every time something new."""

    async def work() -> None:
        assert think is not None
        while True:
            start = time.perf_counter()
            await think(choose, positions.pop(), random.Random(1))
            took.append(time.perf_counter() - start)

    if think is None:
        yield
        return
    task = asyncio.create_task(work())
    await asyncio.sleep(0.05)
    try:
        yield
    finally:
        # Not cancelled in the middle: that would cost the process its life.
        positions_left, positions[:] = positions[:], []
        await asyncio.gather(task, return_exceptions=True)
        positions[:] = positions_left


async def look(table: Table) -> float:
    """Milliseconds until the odds of a table are answered."""
    (odds,) = (one for one in buttons(table.shown) if one["custom_id"].endswith(":g.odds"))
    start = time.perf_counter()
    await table.desk.click(table.channel, ANNA, table.message, odds["custom_id"])
    return 1e3 * (time.perf_counter() - start)


def row(times: list[float]) -> str:
    times = sorted(times)
    shares = (times[len(times) // 2], times[len(times) * 95 // 100], times[len(times) * 99 // 100], times[-1])
    return " | ".join([str(len(times)), *(f"{one:.1f}" for one in shares)])


def some_positions(number: int) -> list[State]:
    """Positions with a choice from games between casual players, in no order."""
    found: list[State] = []
    rng = random.Random(1)
    casual = find("tutto").policies["casual"]
    for seed in range(number):
        state, chance = RULES.initial(Options(), 2), SeededChance(seed.to_bytes(32, "big"))
        while RULES.to_move(state) != OVER:
            if len(RULES.legal(state)) > 1:
                found.append(state)
            state = play(RULES, state, casual.choose(state, rng), chance).state
        if len(found) > 4 * number:
            break
    rng.shuffle(found)
    return found


async def reviews(bot: Bot) -> None:
    entry = find("tutto")
    assert entry.coach is not None
    print("\n| review | turns | moves | s | picture ms |\n|--|--|--|--|--|")
    for name, options, seats in REVIEWS:
        log, state = a_game(options, seats)
        start = time.perf_counter()
        report = await bot.ponder(entry.coach.review, options, seats, log)
        review = time.perf_counter() - start
        start = time.perf_counter()
        await asyncio.to_thread(winning_chances_chart, report, [ai("casual")] * seats, bot.catalogue, "en")
        picture = 1e3 * (time.perf_counter() - start)
        print(f"| {name} | {state.finished} | {len(log)} | {review:.1f} | {picture:.0f} |", flush=True)


def a_game(options: Options, seats: int) -> tuple[list[Any], State]:
    state, chance, rng = RULES.initial(options, seats), SeededChance(bytes(32)), random.Random(1)
    casual = find("tutto").policies["casual"]
    log = []
    while RULES.to_move(state) != OVER:
        action = casual.choose(state, rng)
        played = play(RULES, state, action, chance)
        log.append((action, played.outcomes))
        state = played.state
    return log, state


if __name__ == "__main__":
    asyncio.run(main())
