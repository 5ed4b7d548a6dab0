"""Measure how fast standings are read in a server with a million results, and what the end of a game costs.

    python -m benchmarks.memory [--results 1000000] [--people 5000] [--database FILE]

The results are made up and the sums built from them by the same code as ``rebuild-ratings``. A database that
exists is used as it is. Times are for one caller who waits for each answer, in milliseconds; those of the
processor say what an idle machine would need, apart from its disk.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from bot.registry import find
from bot.sessions.request import Click
from bot.sessions.session import Sessions
from bot.standings.periods import period_start
from bot.standings.values import Leaderboard, Period, Sort, Span
from bot.store.base import FINISHED, LIVE
from bot.store.sqlite.rebuild import rebuild_file
from bot.store.sqlite.store import SqliteStore

GUILD, GAME = 4242, "tutto"
FIRST_USER = 700_000_000_000_000_000
YEARS = 3
PAGE = 10

T = TypeVar("T")


def fill(path: Path, results: int, people: int, now: float) -> None:
    """Games of two to five people over some years. A few people play very often, most seldom."""
    rng = Random(1)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    game_id, written = 0, 0
    while written < results:
        games, seats, rows = [], [], []
        for _ in range(5000):
            if written >= results:
                break
            game_id += 1
            at = now - YEARS * 365 * 86_400 * (1 - written / results)
            number = min(rng.randint(2, 5), max(2, results - written))
            users: list[int] = []
            while len(users) < number:
                user = FIRST_USER + int(people * rng.random() ** 2)
                if user not in users:
                    users.append(user)
            order = rng.sample(range(1, number + 1), number)
            games.append((game_id, GAME, GUILD, rng.randrange(20), users[0], at, at, game_id))
            for seat, user in enumerate(users):
                tuttos, best = rng.randrange(4), rng.randrange(200, 4000, 50)
                feats = f'{{"cards":{rng.randrange(9, 30)},"nulls":{rng.randrange(9)},"tuttos":{tuttos}}}'
                seats.append((game_id, seat, user, f"Player {user - FIRST_USER}"))
                score = rng.randrange(0, 8000, 50)
                rows.append(
                    (game_id, seat, GUILD, GAME, user, order[seat], score, 9, best, feats, tuttos, at)
                )
            written += number
        connection.executemany(
            "INSERT INTO games (id, game, guild_id, channel_id, host_id, created_at, updated_at, finish,"
            " locale, status, version, rules_version, options, seed, draws, first_chance, news, acted,"
            " ai_to_move, turn_seconds, since, reminded, missed, votes, shown_version)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'en', 'over', 1, 1, '{}', x'00', 0, '[]', '[]', '[]',"
            " 0, 600, 0, 0, '[]', '[]', 1)",
            games,
        )
        connection.executemany(
            "INSERT INTO seats (game_id, seat, kind, user_id, name, policy) VALUES (?, ?, 'human', ?, ?, '')",
            seats,
        )
        connection.executemany(
            "INSERT INTO results (game_id, seat, guild_id, game, user_id, place, score, turns, best_turn,"
            " feats, feat, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    connection.executemany(
        "INSERT INTO members (guild_id, user_id, name, present) VALUES (?, ?, ?, ?)",
        [
            # One in ten has left.
            (GUILD, FIRST_USER + number, f"Player {number}", int(number % 10 != 7))
            for number in range(people)
        ],
    )
    connection.execute("COMMIT")
    connection.close()


class Times:
    """How long things took, and how much of that the processor worked for them, in milliseconds."""

    def __init__(self) -> None:
        self.clock: list[float] = []
        self.processor: list[float] = []

    async def of(self, work: Awaitable[T]) -> T:
        clock, processor = time.perf_counter(), time.process_time()
        result = await work
        self.clock.append(1000 * (time.perf_counter() - clock))
        self.processor.append(1000 * (time.process_time() - processor))
        return result

    def row(self, label: str) -> None:
        clock, processor = _three(self.clock), _three(self.processor)
        print(f"| {label} | {clock} | {processor} |", flush=True)

    def more(self, other: Times) -> str:
        """How much more than another, by the medians."""
        clock = statistics.median(self.clock) - statistics.median(other.clock)
        processor = statistics.median(self.processor) - statistics.median(other.processor)
        return f"{clock:.2f} | | | {processor:.2f} | |"


def _three(times: Sequence[float]) -> str:
    ordered = sorted(times)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{statistics.median(ordered):.2f} | {p95:.2f} | {ordered[-1]:.2f}"


async def timed(label: str, works: Sequence[Callable[[], Awaitable[Any]]]) -> None:
    """Run each once to warm up, then three times, and show how long they took."""
    times = Times()
    for work in works:
        await work()
        for _ in range(3):
            await times.of(work())
    times.row(label)


async def pages(store: SqliteStore, now: float) -> None:
    boards = [
        Leaderboard(GUILD, GAME, sort, period, period_start(period, now, "UTC"))
        for sort in Sort
        for period in Period
    ]

    def page(board: Leaderboard, start: int) -> Callable[[], Awaitable[Any]]:
        async def work() -> None:
            await store.ranked(board)
            await store.standings(board, start, PAGE)

        return work

    works = []
    for board in boards:
        people = await store.ranked(board)
        for start in (0, people // 2, max(0, people - PAGE)):
            works.append(page(board, start))
    await timed("leaderboard: any page", works)
    rng = Random(2)
    users = [FIRST_USER + rng.randrange(2000) for _ in range(20)]
    await timed(
        "leaderboard: where am I",
        [lambda b=b, u=u: store.standing_of(b, u) for b in boards[::3] for u in users],  # type: ignore[misc]
    )
    await timed("/stats: the busiest", [lambda: store.stats(GUILD, GAME, FIRST_USER + 1)] * 10)
    await timed("/stats: anybody", [lambda u=u: store.stats(GUILD, GAME, u) for u in users])  # type: ignore[misc]
    await timed("records of the server", [lambda: store.records(GUILD, GAME)] * 10)
    await timed(
        "/history: a page of the server",
        [
            partial(store.finished_in_guild, GUILD, range(20), 1, Span(6, before=key))
            for key in (1 << 62, 5000, 500)
        ],
    )


async def endings(store: SqliteStore, games: int, seats: int, target: int) -> None:
    """Whole games through the session: ordinary clicks, those that end a game, and the difference."""
    clock = time.time
    sessions = Sessions(store, clock)
    ordinary, ends = Times(), Times()
    rng = Random(3)
    interaction = int(time.time() * 1000) << 22
    entry = find(GAME)
    for number in range(games):
        channel = 10_000_000 + int(time.time() * 1000) % 10**9 * 1000 + number
        session = sessions.at(channel)
        users = [FIRST_USER + rng.randrange(500) * 10 + seat for seat in range(seats)]

        def click(user: int, channel: int = channel) -> Click:
            nonlocal interaction
            interaction += 1
            return Click(interaction, user, f"Player {user - FIRST_USER}", GUILD, channel, "en")

        game = await session.open(click(users[0]), GAME, {"target": target}, 0)
        for user in users[1:]:
            await session.press_lobby(click(user), game.id, "l.join")
        await session.press_lobby(click(users[0]), game.id, "l.start")
        begun = await session.begin(game.id, interaction)
        assert begun is not None
        game = begun
        while game.status == LIVE:
            state = game.state
            seat = entry.rules.to_move(state)
            action = entry.policies["casual"].choose(state, rng)
            token = {"TurnCard": "t", "Stop": "s"}.get(type(action).__name__) or "k" + mask(state, action)
            request = click(users[seat])
            times = Times()
            pressed = await times.of(session.press(request, game.id, game.version, token))
            game = pressed.row
            kept = ends if game.status == FINISHED else ordinary
            kept.clock += times.clock
            kept.processor += times.processor
    ordinary.row(f"a click, {seats} people")
    ends.row(f"the click that ends the game, {seats} people")
    print(f"| - more than an ordinary click | {ends.more(ordinary)}", flush=True)


def mask(state: Any, action: Any) -> str:
    """The dice of an action as the token of its button has them."""
    rest, bits = list(action.dice), 0
    for index, face in enumerate(state.roll):
        if face in rest:
            rest.remove(face)
            bits |= 1 << index
    return f"{bits:02x}"


async def measure(path: Path, now: float) -> None:
    store = await SqliteStore.open(path)
    try:
        print("| what | median | 95 % | most | processor: median | 95 % | most |\n|--|--|--|--|--|--|--|")
        await pages(store, now)
        for seats in (2, 5, 10):
            await endings(store, 25, seats, 1000)
    finally:
        await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--results", type=int, default=1_000_000)
    parser.add_argument("--people", type=int, default=5000)
    parser.add_argument("--database", type=Path, help="where to make it, or one that was made before")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.database or Path(folder) / "games.db"
        if not path.exists():
            now = time.time()
            asyncio.run(_empty(path))
            start = time.perf_counter()
            fill(path, given.results, given.people, now)
            print(f"filled in {time.perf_counter() - start:.0f} s", flush=True)
            start = time.perf_counter()
            report = rebuild_file(path, now)
            print(f"sums of {report.games:,} games built in {time.perf_counter() - start:.0f} s", flush=True)
        print(f"{path.stat().st_size / 2**20:,.0f} MiB\n")
        asyncio.run(measure(path, time.time()))


async def _empty(path: Path) -> None:
    await (await SqliteStore.open(path)).close()


if __name__ == "__main__":
    main()
