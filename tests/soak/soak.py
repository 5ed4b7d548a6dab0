"""Play thousands of games with random faults of every kind, and check what must be true afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sqlite3
import statistics
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from bot.client import DiceBot
from bot.i18n.identity_cache import IdentityCache
from bot.registry import GAMES, find
from bot.screens.button_ids import AGREE, END, ButtonId
from bot.services import painter
from bot.services.thinking import Thinker
from bot.settings import Settings
from bot.store.base import LIVE, LOBBY, GameRow, intact
from bot.store.sqlite.store import SqliteStore
from tests.soak.desk import INJECTED, Desk, Faults
from tests.support import reckoning
from tests.support.databases import open_files, store_on
from tests.support.examples import shortest

FIRST_CHANNEL, FIRST_PERSON = 1000, 100
MAX_STEPS = 600
"""After so many actions the host ends a game, with everybody's consent."""

BROKEN = "user-defined function raised exception"
"""The text of SQLite's error when a function that it calls has failed."""

POOL = "asyncio_"
"""The prefix of the names of threads that asyncio keeps for later calls."""

HANGING = 3
"""How many times an AI really hangs, in a process that must be killed; each costs a second."""


@dataclass
class Report:
    """What a run did, and the problems that it found."""

    games: Counter[str] = field(default_factory=Counter)
    clicks: int = 0
    promised: int = 0
    moves: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    objects: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    seconds: float = 0.0
    simulated: float = 0.0
    problems: list[str] = field(default_factory=list)

    def grown(self, samples: list[int]) -> float:
        """Return the growth from the median of the first third to that of the last third."""
        third = max(len(samples) // 3, 1)
        return statistics.median(samples[-third:]) - statistics.median(samples[:third])

    def __str__(self) -> str:
        return (
            f"{self.games.total()} games {dict(sorted(self.games.items()))}, "
            f"{self.clicks} clicks and commands, {self.promised} moves shown as done, "
            f"{self.moves} stored, {self.seconds:.0f} s, "
            f"{self.simulated / 86_400:.1f} simulated days\n"
            f"faults: {dict(sorted(self.faults.items()))}\n"
            f"errors in the log, all of them for these faults: {dict(self.errors)}\n"
            f"objects {self.objects[0]:,} at first, {self.grown(self.objects):+,.0f}; "
            f"memory {self.memory[0] / 2**20:.0f} MiB at first, {self.grown(self.memory) / 2**20:+.1f} MiB\n"
            f"{len(self.problems)} problems"
        )


class Soak:
    """``channels`` tables at once, with faults at ``rate``; all that is random follows from ``seed``."""

    def __init__(self, database: Path, *, seed: int, channels: int, rate: float = 0.02) -> None:
        self.database = database
        self.rng = Random(seed)
        self.rate = rate
        self.faults = Faults(self.rng, rate)
        self.report = Report(faults=self.faults.made)
        self.now = 1_700_000_000.0
        self.hung = 0
        self._channels = range(FIRST_CHANNEL, FIRST_CHANNEL + channels)
        self._begun: Counter[int] = Counter()
        self._promised: list[int] = []

    async def run(self, rounds: int, games: int) -> Report:
        """Let every channel play so many games in each round; between rounds the bot must be idle."""
        started, since = time.monotonic(), self.now
        threads, files = set(threading.enumerate()), open_files(self.database)
        usual, painter.RETRY_SECONDS = painter.RETRY_SECONDS, 0.02
        try:
            with self._listening():
                async with self._bot() as bot:
                    for _ in range(rounds):
                        await asyncio.gather(*(self._channel(channel, games) for channel in self._channels))
                        await self._quiet(bot)
                        await self._kept(bot)
                        self._sample(bot)
                await self._left_over(threads, files)
                self.faults.rate = 0.0
                async with self._bot() as bot:
                    # Tables that could not be shown are shown at the next start.
                    await self._quiet(bot)
                    await bot._store.write_postponed()  # type: ignore[union-attr]
                    if unshown := await bot.store.games_to_repaint():
                        for game_id in unshown:
                            self._problem(f"nobody is shown game {game_id}")
                await self._left_over(threads, files)
        finally:
            painter.RETRY_SECONDS = usual
        self.report.simulated = self.now - since
        await self._reckon()
        self.report.seconds = time.monotonic() - started
        return self.report

    # ------------------------------------------------------------------ the bot

    @contextlib.asynccontextmanager
    async def _bot(self) -> AsyncIterator[DiceBot]:
        """Yield a bot on the database; close it at the end, when it must hold no lock any more."""
        settings = Settings(database=self.database, emojis=False, step_by_step=False)
        self.thinker = Thinker(0.5)
        bot = Bot(settings, lambda: self.now, think=self._think)
        self._usual = asyncio.all_tasks()
        self.desk = Desk(bot, self.faults, lambda: self.now)
        try:
            await self.desk.start()
            await self._break_writes(bot)
            yield bot
        finally:
            self.desk.waiting.clear()
            await bot.close()
            await self.thinker.close()
        gc.collect()
        if locks := len(bot.sessions._locks) + len(bot.painter._locks):
            self._problem(f"{locks} locks are left")

    async def _break_writes(self, bot: DiceBot) -> None:
        """Let SQLite fail now and then when a game is written: one step alone, or the whole transaction."""
        store = bot._store
        assert isinstance(store, SqliteStore)

        def failing() -> int:
            chance = self.rng.random()
            if chance < self.faults.rate / 8:
                self.faults.made["step not written"] += 1
                raise OSError(INJECTED)
            if chance < self.faults.rate / 4:
                self.faults.made["transaction not written"] += 1
                return 1
            return 0

        def prepare(connection: sqlite3.Connection) -> None:
            # No process is killed here, so nothing has to wait for the disk.
            connection.execute("PRAGMA synchronous = OFF")
            connection.create_function("failing", 0, failing)
            for event in ("UPDATE", "INSERT"):
                connection.execute(
                    f"CREATE TEMP TRIGGER failing_{event} AFTER {event} ON main.games WHEN failing() "
                    f"BEGIN SELECT RAISE(ROLLBACK, '{INJECTED}'); END"
                )

        await store._thread.call(prepare)

    async def _think(self, function: Any, *args: Any) -> Any:
        """Think here; now and then the AI has a bug, is given up, or hangs until its process is killed."""
        chance = self.rng.random()
        if chance < self.rate / 2:
            self.faults.made["AI crashed"] += 1
            raise ZeroDivisionError(INJECTED)
        if chance < self.rate:
            self.faults.made["AI given up"] += 1
            raise TimeoutError(INJECTED)
        if chance < 1.5 * self.rate and self.hung < HANGING:
            self.hung += 1
            self.faults.made["AI hung"] += 1
            return await self.thinker(time.sleep, 3600)
        await asyncio.sleep(0)
        return function(*args)

    # ------------------------------------------------------------------ people

    async def _channel(self, channel: int, games: int) -> None:
        for _ in range(games):
            await self._game(channel)

    async def _game(self, channel: int) -> None:
        """Play one game from the command to an end of whatever kind."""
        keys = tuple(GAMES)
        key = keys[(channel + self._begun[channel]) % len(keys)]
        self._begun[channel] += 1
        rng = self.rng
        first = FIRST_PERSON + channel * 10
        people = list(range(first, first + rng.choice((1, 2, 2, 3))))
        ais = 1 if len(people) == 1 else rng.choice((0, 0, 1))
        self.desk.gone -= set(people)
        while (row := await self._row(channel)) is None:
            await self._command(channel, people[0], key, "start", **shortest(find(key).rules))
        steps = 0
        while row is not None:
            steps += 1
            if steps > MAX_STEPS:
                await self._end(row, people)
            elif row.status == LOBBY:
                await self._gather(row, people, ais)
            elif row.status == LIVE:
                await self._turn(row, people)
            row = await self._row(channel)
        self.report.games[key] += 1

    async def _row(self, channel: int) -> GameRow | None:
        row = await self.desk.bot.store.active_game(channel)
        assert row is None or row.status in (LOBBY, LIVE)
        return row

    async def _gather(self, row: GameRow, people: list[int], ais: int) -> None:
        seated = {seat.user_id for seat in row.seats}
        missing = [person for person in people if person not in seated]
        if missing:
            await self._press(row, missing[0], "l.join")
        elif sum(not seat.human for seat in row.seats) < ais:
            await self._press(row, row.host_id, f"l.ai.{next(iter(find(row.game).policies))}")
        else:
            await self._press(row, row.host_id, "l.start")

    async def _end(self, row: GameRow, people: list[int]) -> None:
        """End the game by its host. In a rated game the others are asked, and everybody agrees."""
        if not row.ending:
            await self._press(row, row.host_id, END)
        for person in people if row.ending else ():
            await self._press(row, person, AGREE)

    async def _turn(self, row: GameRow, people: list[int]) -> None:
        """Let somebody act in a running game: mostly the player to move makes a move."""
        rng = self.rng
        entry = find(row.game)
        self.now += rng.uniform(0.5, 4.0)
        chance = rng.random()
        if chance < 0.004 or row.ai_to_move:
            # Nobody acts for a while; or an AI was interrupted, and goes on at its deadline.
            await self._later(40.0 if row.ai_to_move else rng.uniform(200.0, 700.0))
            return
        if chance < 0.006:
            self.desk.gone.add(rng.choice(people))
        elif chance < 0.009:
            await self._press(row, rng.choice(people), "c.leave")
            return
        elif chance < 0.02:
            token = rng.choice(("b", "g.back", "g.vote", "g.odds", "e.record", "e.again", "l.join", "vff"))
            await self._press(row, rng.choice(people), token)
            return
        elif chance < 0.03:
            await self._press(row, 99, "t")
            return
        state = intact(row.state)
        seat = row.seats[entry.rules.to_move(state)]
        tokens = [
            button.token
            for controls in entry.screen.controls(state, "")
            for button in controls.buttons
            if not button.disabled and not button.token.startswith("v")
        ]
        token = "s" if "s" in tokens and rng.random() < 0.8 else rng.choice(tokens)
        if chance < 0.04:
            row = replace(row, version=row.version - 1)
        if chance < 0.06:
            # Two buttons at once, and one of them counts.
            await asyncio.gather(*(self._press(row, seat.user_id or 0, one) for one in (token, tokens[0])))
            return
        number, answer = await self._press(row, seat.user_id or 0, token)
        if answer is not None and answer["type"] == 7:
            self._promised.append(number)

    async def _press(self, row: GameRow, user: int, token: str) -> tuple[int, dict[str, Any] | None]:
        self.report.clicks += 1
        custom_id = str(ButtonId(row.id, max(row.version, 0), token))
        return await self.desk.press(
            row.channel_id, user, row.message_id or 5, custom_id, twice=0.02, cancelled=self.rate / 4
        )

    async def _command(self, channel: int, user: int, *path: str, **options: Any) -> None:
        self.report.clicks += 1
        await self.desk.slash(channel, user, *path, **options)

    async def _later(self, seconds: float) -> None:
        """Let time pass, and the deadlines that come with it."""
        self.now += seconds
        self.desk.bot.deadlines.expect(self.now)
        await asyncio.sleep(0.005)

    # ------------------------------------------------------------------ what must be true

    def _problem(self, text: str) -> None:
        self.report.problems.append(text)

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        """Note every error in the log that was not made on purpose."""
        root = logging.getLogger()
        # Other handlers would keep every record, with the objects of its traceback.
        usual, root.handlers = root.handlers, [Errors(self.report)]
        try:
            yield
        finally:
            root.handlers = usual

    async def _quiet(self, bot: DiceBot) -> None:
        """Wait until the bot has nothing left to do; a task that never ends is a problem."""
        end = time.monotonic() + 30.0
        mine = {asyncio.current_task()}
        while busy := {task for task in asyncio.all_tasks() - self._usual - mine if not task.done()}:
            if time.monotonic() > end:
                self._problem(f"these tasks don't end: {[task.get_name() for task in busy]}")
                return
            await asyncio.wait(busy, timeout=1.0)
        if bot.running:
            self._problem(f"{len(bot.running)} interactions are still being answered")

    async def _kept(self, bot: DiceBot) -> None:
        """Check that every move that was shown as done is in the database."""
        store = bot._store
        assert isinstance(store, SqliteStore)
        since = min(self._promised, default=0)
        query = "SELECT id FROM interactions WHERE id >= ?"
        rows = await store._thread.call(lambda connection: connection.execute(query, (since,)).fetchall())
        stored = {row[0] for row in rows}
        # A click on an old table also brings it up to date, and then says so in a text.
        promised = [number for number in self._promised if number not in self.desk.told]
        lost = [number for number in promised if number not in stored]
        self.report.promised += len(promised)
        self._promised.clear()
        self.desk.forget()
        if lost:
            self._problem(f"{len(lost)} moves were shown as done and are lost")

    def _sample(self, bot: DiceBot) -> None:
        """Note how many objects and bytes are in memory, after the caches are emptied."""
        bot.sessions.store.forget()
        gc.unfreeze()  # what was there before the first test counts as well
        for one in gc.get_objects():
            if isinstance(one, IdentityCache):
                one.forget()
        gc.collect()
        self.report.objects.append(len(gc.get_objects()))
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        self.report.memory.append(pages * os.sysconf("SC_PAGE_SIZE"))

    async def _left_over(self, threads: set[threading.Thread], files: set[str]) -> None:
        """Check that a closed bot leaves no task, timer, thread of its own or connection."""
        gc.collect()
        loop: Any = asyncio.get_running_loop()
        tasks = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        timers = [handle for handle in loop._scheduled if not handle.cancelled()]
        # Threads that asyncio keeps for calls are used again.
        others = {one for one in threading.enumerate() if not one.name.startswith(POOL)} - threads
        for what, found in (("tasks", tasks), ("timers", timers), ("threads", others)):
            if found:
                self._problem(f"{what} are left: {found}")
        # SQLite lets go of a closed connection with the last cursor on it, which a thread may still hold.
        for _ in range(20):
            if not (extra := open_files(self.database) - files):
                break
            await asyncio.sleep(0.1)
            gc.collect()
        if extra:
            self._problem(f"files of the database are left open: {sorted(extra)}")

    async def _reckon(self) -> None:
        """Check that every game in the database follows from its log and its seed."""
        self.report.problems += reckoning.checked(self.database)
        async with store_on(self.database) as store:
            query = "SELECT max(id) FROM games"
            ((last,),) = await store._thread.call(lambda connection: connection.execute(query).fetchall())
            for game_id in range(1, last + 1):
                row = await store.game(game_id)
                if row is None:
                    continue
                self.report.problems += [
                    f"game {row.id}: {line}" for line in await reckoning.folded(store, row)
                ]
                self.report.moves += len(await store.moves(row.id))


class Bot(DiceBot):
    """The bot without telling Discord about its commands."""

    async def _sync(self) -> None:
        pass


class Errors(logging.Handler):
    """Counts the errors that were made on purpose, and notes all others."""

    def __init__(self, report: Report) -> None:
        super().__init__(logging.ERROR)
        self.report = report

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        meant = any(INJECTED in str(one) or BROKEN in str(one) for one in causes(error))
        given_up = isinstance(error, TimeoutError) and "AI" in record.getMessage()
        if meant or given_up:
            self.report.errors[str(record.msg)] += 1
        else:
            self.report.problems.append(f"{record.name}: {logging.Formatter().format(record)}")


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
