"""The crash test: scripted games over the socket, a bot that is killed repeatedly, and checks afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import discord

from bot.games.core import OVER, GameError, Leave
from bot.records.game_log import read_log
from bot.registry import find
from bot.screens.model import Act
from bot.store.base import FINISHED, LIVE, GameRow, Store
from bot.store.guild_settings import THREAD
from tests.support.databases import Database, open_store, opened, store_on, url_of
from tests.support.discord_server.faults import Rule
from tests.support.discord_server.people import Person
from tests.support.discord_server.player import Press, Script, presses_of
from tests.support.discord_server.process import NO_WRITING, SERVER_AWAY, BotProcess
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.thread_player import ThreadScript
from tests.support.reckoning import drawn_again
from tests.support.values import not_none
from tools.postgres_server import Server

CALLBACK = r"/callback$"
MESSAGE = r"^/channels/\d+/messages/\d+$"
POST = r"^/channels/\d+/messages$"
ORIGINAL = r"^/webhooks/.*/messages/@original$"

UNREACHED = 1
"""The exit code of a bot that can't reach Discord or its database when it starts."""


ENDLESS = 10**9
"""More games than a run has time for."""

MOMENTS = (
    "starting",  # before the bot is ready
    "any",
    "clicked",  # within milliseconds of a click
    "clicked",
    "unsaid",  # the answer is on its way, and is lost
    "saying",  # the answer is on its way, and arrives
    "said",  # the answer has arrived, the bot does not know
    "posting",
    "posted",
    "editing",
)
"""When the bot is killed; the rules of the kinds below hold a call until it is dead."""

_AIMED = {
    "unsaid": ("POST", CALLBACK, False, True),
    "saying": ("POST", CALLBACK, False, False),
    "said": ("POST", CALLBACK, True, False),
    "posting": ("POST", POST, False, False),
    "posted": ("POST", POST, True, False),
    "editing": ("PATCH", MESSAGE, True, False),
}


# ---------------------------------------------------------------------- the reckoning


@dataclass
class Findings:
    """Contradictions between a database and what people were shown."""

    games: int = 0
    finished: int = 0
    moves: int = 0
    outcomes: int = 0
    presses: int = 0
    promised: int = 0
    taken: int = 0
    unanswered: int = 0
    problems: list[str] = field(default_factory=list)


async def examine(database: Database, scripts: Sequence[Script]) -> Findings:
    """Compare a database that no bot has open with everything the scripts pressed and saw."""
    presses = list(presses_of(scripts))
    findings = Findings(
        presses=len(presses),
        promised=sum(press.promised for press in presses),
        taken=sum(press.taken for press in presses),
        unanswered=sum(not press.reply.acked for press in presses),
    )
    problems = findings.problems
    with opened(database) as connection:
        for check in ("integrity_check", "foreign_key_check") if isinstance(database, Path) else ():
            rows = [row for row in connection.execute(f"PRAGMA {check}") if row != ("ok",)]
            problems += [f"{check}: {row}" for row in rows]
        stored = dict(connection.execute("SELECT id, game_id FROM interactions").fetchall())
        ids = [row[0] for row in connection.execute("SELECT id FROM games ORDER BY id")]
    known = {press.id for press in presses}
    problems += [f"nobody has made interaction {one}" for one in stored if one not in known]
    problems += [f"missing: {press}" for press in presses if press.promised and press.id not in stored]
    problems += [line for script in scripts for line in script.differing]
    rolls = {place: roll for script in scripts for place, roll in script.rolls.items()}
    async with store_on(database) as store:
        for game_id in ids:
            row = not_none(await store.game(game_id))
            here = [press for press in presses if press.button and press.button.game_id == game_id]
            seen = {version: roll for (game, version), roll in rolls.items() if game == game_id}
            problems += [
                f"game {game_id}: {line}" async for line in _examine_game(store, row, here, stored, seen)
            ]
            findings.games += 1
            findings.finished += row.status == FINISHED
            findings.moves += len(await store.moves(game_id))
            findings.outcomes += row.draws
    return findings


async def _examine_game(
    store: Store,
    row: GameRow,
    presses: Sequence[Press],
    stored: dict[int, int],
    seen: dict[int, tuple[int, ...]],
) -> AsyncIterator[str]:
    """Return everything that is wrong with one game."""
    if row.state is None:
        return
    entry = find(row.game)
    rules = entry.rules
    moves = await store.moves(row.id)
    try:
        log = await read_log(store, row)
        steps = list(log.replay())
    except GameError as error:
        yield f"its log can't have happened: {error}"
        return
    if steps[-1].state != row.state:
        yield "the folded log is not the snapshot"
    for line in drawn_again(row, log, steps):
        yield line
    over = rules.to_move(steps[-1].state) == OVER
    if row.status in (LIVE, FINISHED) and over != (row.status == FINISHED):
        yield f"it is {row.status}, by its log it is {'over' if over else 'live'}"
    if len(await store.results(row.id)) != (len(row.seats) if row.status == FINISHED else 0):
        yield "the results are not those of a game that is " + row.status

    # The first move of a click on version v has the number v + 1; others of the same click follow.
    before = {move.number: step.state for move, step in zip(moves, steps, strict=False)}
    done: dict[int, list[Press]] = {}
    leaves = [press for press in presses if press.button and press.button.token == "c.leave"]
    for press in presses:
        if press.is_move and press.id in stored:
            assert press.button is not None
            done.setdefault(press.button.version + 1, []).append(press)
    then: list[object] = []
    for move in moves:
        whose = row.seats[move.seat]
        if not whose.human:
            continue
        if then:
            if move.action != (meant_next := then.pop(0)) or move.number in done:
                yield f"move {move.number} is {move.action}, but the click went on with {meant_next}"
            continue
        if isinstance(move.action, Leave):
            asked = [press for press in leaves if press.who.id == whose.user_id and press.id in stored]
            if len(asked) != 1:
                yield f"{whose.name} left by {len(asked)} clicks"
            continue
        asked = done.pop(move.number, [])
        if len(asked) != 1:
            yield f"move {move.number} of {whose.name} was made by {len(asked)} clicks"
            continue
        (press,) = asked
        assert press.button is not None
        meant = entry.screen.press(before[move.number], press.button.token)
        if press.who.id != whose.user_id:
            yield f"move {move.number} was made for somebody else: {press}"
        elif not isinstance(meant, Act) or meant.action != move.action:
            yield f"move {move.number} is {move.action}, but the click was {press}"
        else:
            then.extend(meant.then)
    if then:
        yield f"a click has not made its moves {then}"
    for number, asked in done.items():
        yield f"there is no move {number} for {[str(press) for press in asked]}"
    numbers = {move.number for move in moves if row.seats[move.seat].human}
    for press in presses:
        if press.is_move and press.taken and press.button and press.button.version + 1 not in numbers:
            # Announced in time, then cut off: Discord shows that nothing has happened.
            assert press.reply.acked_after is not None
            if press.reply.acked_after < 1.4:
                yield f"acknowledged, but not done: {press}"

    # What people saw lie on the table is what lies there.
    roll_at: dict[int, Any] = {}
    for move, step in zip(moves, steps[1:], strict=True):
        roll_at[move.number] = tuple(sorted(step.state.roll))
    for version, roll in seen.items():
        if version in roll_at and roll_at[version] != roll:
            yield f"at {version} people saw {roll}, the log says {roll_at[version]}"


# ---------------------------------------------------------------------- write failures


@contextlib.contextmanager
def writes_fail(bot: BotProcess) -> Iterator[None]:
    """Let every write to a file fail in the running bot, as on a broken disk (its log is lost, too)."""
    pid = bot.pid
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.asynccontextmanager
async def server_away(postgres: Server, how: signal.Signals = signal.SIGQUIT) -> AsyncIterator[None]:
    """Stop PostgreSQL in the meantime, by default as in a crash, without finishing or announcing anything."""
    await asyncio.to_thread(postgres.stop, how)
    try:
        yield
    finally:
        await asyncio.to_thread(postgres.start)


def fill(folder: Path) -> Path:
    """Fill the file system of ``folder`` to its last byte. Return the file that does so."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            with contextlib.suppress(OSError):
                while file.write(b"\0" * size):
                    pass
        os.fsync(file.fileno())
    return ballast


# ---------------------------------------------------------------------- the crashing


@dataclass
class Report:
    """The result of a run."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    failures: int = 0
    unreached: int = 0
    """Starts that failed because the database could not be reached."""
    seconds: float = 0.0
    findings: Findings = field(default_factory=Findings)
    errors: list[str] = field(default_factory=list)
    """Error lines in the log, except those that a database failing on purpose explains."""

    def __str__(self) -> str:
        found = self.findings
        return (
            f"seed {self.seed}: {self.kills.total()} kills {dict(sorted(self.kills.items()))}, "
            f"{self.failures} periods in which the database failed, "
            f"{self.unreached} starts without one, {self.seconds:.0f} s\n"
            f"{found.games} games ({found.finished} finished), {found.moves} moves, "
            f"{found.outcomes} cards and rolls\n"
            f"{found.presses} clicks: {found.promised} shown as done, {found.taken} taken silently, "
            f"{found.unanswered} unanswered\n"
            f"{len(found.problems)} differences"
        )


class Deadly(Rule):
    """Kills the bot as soon as it meets a call, and holds the call until the rule is removed."""

    pid = 0

    async def wait(self) -> None:
        """Kill the bot right after the effect."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        await super().wait()


class Crasher:
    """Runs scripts against a bot that is killed at random moments, all drawn from ``seed``."""

    def __init__(
        self,
        folder: Path,
        *,
        seed: int,
        tables: int,
        target: int = 2000,
        mischief: float = 0.05,
        database: Database | None = None,
        postgres: Server | None = None,
        threads: bool = False,
    ) -> None:
        """With ``threads`` all tables are of one channel, each in a thread of its own.

        Use a file in ``folder`` as the database, the named file, or a PostgreSQL server of its own."""
        self.postgres = postgres
        self.database: Database = database or (postgres.url if postgres else folder / "games.db")
        self.log = folder / "bot.log"
        self.server = DiscordServer()
        self.bot: BotProcess
        self.report = Report(seed)
        self._rng = Random(seed)
        guild = self._guild = self.server.add_guild()
        self._threads = threads
        channel = self.server.add_channel(guild, "dice") if threads else None
        everywhere = Person.join(self.server, guild, "eve")
        self.scripts: list[Script] = []
        for number in range(tables):
            names = [f"ann{number}", f"ben{number}", f"cat{number}"][: 2 + number % 2]
            people = [Person.join(self.server, guild, name) for name in names]
            self.scripts.append(
                (ThreadScript if threads else Script)(
                    self.server,
                    channel or self.server.add_channel(guild, f"dice-{number}"),
                    [*people, everywhere] if number < 2 and tables > 1 else people,
                    seed=f"{seed}:{number}",
                    # Every third table plays the other game.
                    game="gambler" if number % 3 == 2 else "tutto",
                    target=300 if number % 3 == 2 else target,
                    ais=number % 2,
                    # A bot that is killed every two seconds may not get round to a table for long.
                    stuck_seconds=600.0,
                    mischief=mischief,
                )
            )

    async def run(self, kills: int, *, failures: float = 0.0, pace: float = 0.6) -> Report:
        """Kill the bot ``kills`` times, then let it run undisturbed, stop it, and examine the database.

        ``failures`` is the probability of a period of failing writes, or of a ``postgres`` that crashes,
        before a kill; ``pace`` the longest time in seconds that the bot works before the moment of its end is
        looked for.
        """
        started = time.monotonic()
        async with self.server:
            if self._threads:
                await self._open_in_threads()
            env = {"DATABASE_URL": url_of(self.database)}
            self.bot = BotProcess(self.server, env=env, log=self.log)
            playing = [asyncio.create_task(script.play(ENDLESS)) for script in self.scripts]
            try:
                for _ in range(kills):
                    await self._life(failures, pace)
                    self._check(playing)
                await self._last_life()
                self._check(playing)
            finally:
                for script in self.scripts:
                    script.stopped = True
                await asyncio.gather(*playing, return_exceptions=True)
                await self.bot.kill()
        if not self.report.failures:
            self.report.errors = self.bot.errors()
        else:
            self.report.errors = self.bot.unexplained(SERVER_AWAY if self.postgres else NO_WRITING)
        self.report.findings = await examine(self.database, self.scripts)
        self.report.seconds = time.monotonic() - started
        return self.report

    async def _open_in_threads(self) -> None:
        """Choose threads for new tables, in a server with Discord's default: all see older messages."""
        store = await open_store(self.database)
        await store.set_settings(self._guild.id, {"tables": THREAD}, 0.0)
        await store.close()
        everyone = self._guild.everyone_role
        value = everyone.permissions | discord.Permissions(read_message_history=True).value
        self.server.backend.edit_role(self._guild.id, everyone.id, {"permissions": value})

    async def _life(self, failures: float, pace: float) -> None:
        """Start the bot once, and kill it."""
        rng = self._rng
        moment = rng.choice(MOMENTS)
        await self.bot.launch()
        if moment == "starting":
            await asyncio.sleep(rng.uniform(0.0, 1.2))
            if self.postgres and rng.random() < failures:
                async with self._trouble():
                    await asyncio.sleep(rng.uniform(0.05, 1.0))
                await asyncio.sleep(rng.uniform(0.0, pace))
                if self.bot.exit_code == UNREACHED and "can't be reached" in self.bot.output():
                    # It does not wait for a database when it starts; what runs it starts it again.
                    self.report.unreached += 1
                    return
        else:
            await self.bot.wait_ready()
            await asyncio.sleep(rng.uniform(0.0, pace))
            if rng.random() < failures:
                async with self._trouble():
                    await asyncio.sleep(rng.uniform(*rng.choice(self._lengths)))
                    if rng.random() < 0.5:
                        await self._kill("failing")
                        return
                await asyncio.sleep(rng.uniform(0.0, pace))
            await self._aim(moment)
        await self._kill(moment)

    @contextlib.asynccontextmanager
    async def _trouble(self) -> AsyncIterator[None]:
        """Let all writes fail for a while."""
        self.report.failures += 1
        if self.postgres is None:
            with writes_fail(self.bot):
                yield
        else:
            async with server_away(self.postgres):
                yield

    @property
    def _lengths(self) -> Sequence[tuple[float, float]]:
        """Return ranges of seconds that it lasts; some clicks do not wait for PostgreSQL that long."""
        short = (0.05, 0.5)
        return (short,) if self.postgres is None else (short, short, short, (3.0, 4.0))

    async def _aim(self, moment: str) -> None:
        """Wait for the moment, but after a while take any."""
        with contextlib.suppress(TimeoutError):
            if moment == "clicked":
                pressed = self._pressed()
                await self.server.until(lambda: self._pressed() > pressed, 2.0)
                await asyncio.sleep(self._rng.uniform(0.0, 0.02))
            elif moment in _AIMED:
                method, path, after, cut = _AIMED[moment]
                rule = Deadly(method, path, moment, after=after, cut=cut, gate=asyncio.Event())
                rule.pid = self.bot.pid
                self.server.faults.add(rule)
                await self.server.until(lambda: rule.hits, 1.0)
                await self.bot.wait_exit()

    async def _kill(self, moment: str) -> None:
        code = self.bot.exit_code
        assert code in (None, -signal.SIGKILL), f"the bot has ended by itself with {code}:\n{self._tail()}"
        await self.bot.kill()
        self.report.kills[moment] += 1
        self.server.faults.clear()
        # Nobody will resume the sessions of the dead.
        self.server.gateway.sessions.clear()

    async def _last_life(self) -> None:
        """Check that games go on, all tables show what is stored, and the bot stops cleanly."""
        await self.bot.start()
        marks = [len(script.presses) for script in self.scripts]

        def stuck() -> list[Script]:
            """Return the scripts that have not yet seen three more clicks succeed."""
            return [
                script
                for script, mark in zip(self.scripts, marks, strict=True)
                if sum(press.promised for press in script.presses[mark:]) < 3
            ]

        try:
            await self.server.until(lambda: not stuck(), 40.0)
        except TimeoutError:
            raise AssertionError("\n\n".join(map(str, stuck()))) from None
        for script in self.scripts:
            script.stopped = True
        await self.server.quiet(0.3)
        await self.server.until(self._all_shown, 10.0, "all tables to show what is stored")
        code = await self.bot.terminate(10.0)
        assert code == 0, f"the bot ended with {code}:\n{self._tail()}"
        if isinstance(self.database, Path):
            assert not self.database.with_name("games.db-wal").exists(), "the database was not closed"

    def _all_shown(self) -> bool:
        """Return whether each channel shows its game as it is stored."""
        with opened(self.database) as connection:
            stored = dict(connection.execute("SELECT id, version FROM games").fetchall())
        tables = [script.table() for script in self.scripts]
        return all(table and stored[table.id.game_id] == table.id.version for table in tables)

    def _pressed(self) -> int:
        return sum(len(script.presses) for script in self.scripts)

    def _check(self, playing: Sequence[asyncio.Task[None]]) -> None:
        for task in playing:
            if task.done() and not self.scripts[0].stopped:
                task.result()

    def _tail(self) -> str:
        return self.bot.output()[-3000:]
