"""Measure how many clicks a second a bot sustains over many games, each answered after its durable commit.

    python -m benchmarks.steady [--games 1000] [--flying 200] [--rounds 8] [--seconds 4] [--full FILE]

The bot, a bot that takes every step as written without writing it, and the floor (which takes the same
interactions and answers each with the same message, built anew) are processes of their own. This one is
Discord to all: it hands them clicks over a pipe, takes their answers over a socket, and then hands out the
next click of whichever game has waited longest, so that ``flying`` clicks are always on their way. Windows of
some seconds alternate between them, and a figure is the median of all windows.

A click counts when its answer shows the new table, which the bot sends after the commit. "Late" are those
that were only acknowledged at first, as they had waited for too long; they count when the table follows.

``--without PIECE`` switches a piece of the speed layer off in a bot that takes that place, and a row of its
own says how it does; docs/speed.md says what each piece gains.

``--full`` names a database as benchmarks/crowd.py makes them (``--folder DIR --build``). A bot that plays on
a copy of it takes the place of the one that writes nothing, and a row of its own says how it does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import math
import shutil
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import discord
import orjson
from aiohttp import web
from discord.http import Route

import bot.discordpy.answer
import bot.store.sqlite.store
import bot.store.sqlite.writer
from benchmarks.click import ANNA, BEN, Bot, Floor, Shown, Unwritten, built, plain_bot, seeded, unlimited
from benchmarks.desk import command, message
from benchmarks.wire import answered, components_of, listening, said
from bot.cli.run import tune
from bot.i18n.identity_cache import IdentityCache
from bot.sessions import presentation
from bot.store.base import GameRow
from bot.store.cache import CachedStore
from bot.store.sqlite.store import SqliteStore

FIRST_CHANNEL = 1 << 40
"""Beyond those of a full database."""

UNWRITTEN = b"unwritten\n"
"""From this line on a bot writes no steps any more."""


# ---------------------------------------------------------------------- what is measured


def without(piece: str) -> None:
    """Switch a piece of the speed layer off, in this process. Raises :class:`KeyError` for an unknown one."""

    async def fresh(store: CachedStore, game_id: int) -> GameRow | None:
        return await store.fresh(game_id)

    real = SqliteStore.mark_shown

    async def at_once(store: SqliteStore, row: GameRow, *, urgent: bool) -> None:
        await real(store, row, urgent=True)

    async def edit(interaction: discord.Interaction[Any], components: list[dict[str, Any]]) -> None:
        await interaction.response.edit_message(view=built(components))

    off: dict[str, tuple[Any, str, Any]] = {
        "batches": (bot.store.sqlite.store, "is_plain", lambda change: False),
        "shared-commits": (bot.store.sqlite.writer, "MAX_JOBS", 1),
        "transactions-without-savepoints": (
            bot.store.sqlite.writer, "transaction", bot.store.sqlite.writer._one_by_one
        ),
        "cached-games": (CachedStore, "game", fresh),
        "lazy-notes": (SqliteStore, "mark_shown", at_once),
        "texts-by-identity": (IdentityCache, "__call__", lambda cache, one: cache._make(one)),
        "fast-response": (bot.discordpy.answer, "edit_clicked", edit),
    }  # fmt: skip
    owner, name, value = off[piece]
    setattr(owner, name, value)


async def client_process(url: str, database: str | None, piece: str | None) -> None:
    """A bot, or without a database the floor: clicks come in as lines, the answers go to ``url``."""
    Route.BASE = url
    if piece and piece != "tuning":
        without(piece)
    client: discord.Client
    if database is None:
        client = Floor(intents=discord.Intents.none())
    else:
        unlimited()
        # Each process is stopped while the others are measured, which must not make its people inactive.
        presentation.NOTIFY_SECONDS = math.inf
        client = plain_bot(database=Path(database), emojis=True)
    await client._async_setup_hook()
    await client.login("none")
    if isinstance(client, Bot):
        seeded(client)
        # Drawings are on their way to the server, which is nothing a click does.
        await client.app_emojis.first_round.wait()
    if piece != "tuning":
        tune()
    async for line in lines_from_parent():
        if line == UNWRITTEN:
            assert isinstance(client, Bot)
            sessions: Any = client.sessions
            sessions.store._store = Unwritten(sessions.store._store)
            continue
        click = discord.utils._from_json(line.decode())
        if database is None and "message" in click:
            Floor.parts[int(click["message"]["id"])] = click["message"]["components"]
        client._connection.parse_interaction_create(click)
    await client.close()


async def lines_from_parent() -> AsyncIterator[bytes]:
    """Say that this process is ready, and yield what comes in."""
    lines = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin.buffer
    )
    print("ready", flush=True)
    while line := await lines.readline():
        yield line


@contextlib.asynccontextmanager
async def process(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of a benchmark that is ready, and takes lines."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert await child.stdout.readline() == b"ready\n", f"it has ended: {arguments}"
        yield child
    finally:
        child.stdin.close()
        await child.wait()


# ---------------------------------------------------------------------- Discord


class Game(Shown):
    """A game in a process."""

    def __init__(self, side: Side, channel: int) -> None:
        super().__init__(channel)
        self.side = side
        self.waiting: asyncio.Future[None] | None = None

    async def open(self) -> None:
        await self.done(command(self.channel, ANNA, "tutto", "start", target=50_000))
        await self.done(self.click(BEN, "l.join"))
        await self.done(self.click(ANNA, "l.start"))

    async def done(self, interaction: Mapping[str, Any]) -> None:
        """Send this, and wait until the table shows what came of it."""
        self.waiting = asyncio.get_running_loop().create_future()
        self.side.send(interaction)
        await self.waiting

    def shows(self, components: list[Any], *, settles: bool = True) -> None:
        """The table has changed; ``settles``: as the answer to the click that is on its way."""
        self.shown = components
        if settles and self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(None)
            self.side.settled(self)


class Side:
    """A process that is measured, and its games."""

    def __init__(self, child: asyncio.subprocess.Process, channels: range) -> None:
        self.child = child
        self.games = {channel: Game(self, channel) for channel in channels}
        self.done = 0
        self.late = 0
        self.posted = 0
        self.cpu: list[float] = []
        self.rate: list[float] = []
        self.own: list[float] = []
        self._line: deque[Game] = deque()
        self._open = False
        self._idle, self._under_way = asyncio.Event(), asyncio.Event()
        self._flying = self._first_counted = 0
        self._short = False

    def send(self, interaction: Mapping[str, Any]) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(orjson.dumps(interaction) + b"\n")

    @property
    def seconds(self) -> float:
        """Processor time of the process with all of its threads."""
        # What clock_getcpuclockid() gives for a process, which Python doesn't offer.
        return time.clock_gettime((~self.child.pid << 3) | 2)

    def settled(self, game: Game) -> None:
        """An answer has come: the next game's turn."""
        self.done += 1
        if not self._flying:
            # It is being opened.
            return
        self._flying -= 1
        if self.done >= self._first_counted:
            self._under_way.set()
        if not game.over:
            self._line.append(game)
        if self._open and self._line:
            self._next()
            return
        self._short |= self._open
        if not self._flying:
            self._idle.set()

    def _next(self) -> None:
        game = self._line.popleft()
        game.waiting = asyncio.get_running_loop().create_future()
        self._flying += 1
        self.send(game.next_click())

    async def window(self, flying: int, seconds: float) -> None:
        """Keep so many clicks on their way for so long.

        The rate is counted from when as many are answered: the first of them all come at once, so that none
        is answered for a while, and the slower the client the longer.
        """
        self._line = deque(game for game in self.games.values() if not game.over)
        self._idle.clear()
        self._under_way.clear()
        self._open = True
        first, cpu = self.done, self.seconds
        self._first_counted = first + flying
        for _ in range(min(flying, len(self._line))):
            self._next()
        await self._under_way.wait()
        counted_before, own, start = self.done, time.process_time(), time.perf_counter()
        await asyncio.sleep(seconds)
        wall, counted = time.perf_counter() - start, self.done - counted_before
        self._open = False
        self.rate.append(counted / wall)
        self.own.append((time.process_time() - own) / wall)
        await self._idle.wait()
        if self._short:
            raise SystemExit("games have ended, and too few are left for so many clicks: take more games")
        self.cpu.append((self.seconds - cpu) / (self.done - first))

    def row(self, unwritten: Side | None, floor: Side) -> str:
        """A line of the table; without a bot that writes nothing, its columns stay empty."""
        cpu, least = self.milliseconds, floor.milliseconds
        bare = unwritten.milliseconds if unwritten else None
        rate, most = statistics.median(self.rate), statistics.median(floor.rate)
        return (
            f"| {len(self.games)} | {cpu:.2f} ms | {'' if bare is None else f'{cpu - bare:.2f} ms'} "
            f"| {least:.2f} ms | {cpu / least:.2f} | {'' if bare is None else f'{bare / least:.2f}'} "
            f"| {rate:.0f} | {most:.0f} | {rate / most:.0%} | {self.done} | {self.late} | {self.posted} "
            f"| {statistics.median(self.own):.0%}, {statistics.median(floor.own):.0%} |"
        )

    @property
    def milliseconds(self) -> float:
        return 1000 * statistics.median(self.cpu)


class Discord:
    """Takes answers over a socket, for all sides, and tells the games."""

    def __init__(self) -> None:
        self.games: dict[int, Game] = {}
        self._ids = itertools.count(1 << 61)

    def serving(self) -> contextlib.AbstractAsyncContextManager[str]:
        """At the address that is given."""
        return listening(self.app())

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/interactions/{id}/{token}/callback", self._callback)
        app.router.add_patch("/webhooks/{application}/{token}/messages/{message}", self._late)
        app.router.add_post("/channels/{channel}/messages", self._posted)
        app.router.add_patch("/channels/{channel}/messages/{message}", self._edited)
        return app

    def _of(self, token: str) -> Game:
        return self.games[int(token.split("-")[2])]

    def _answered(self, token: str, components: list[Any]) -> None:
        """The clicked message shows this. What remains of a lobby or of a former table is not the table."""
        game = self._of(token)
        clicked = int(token.split("-")[1])
        game.shows(components if clicked in (0, game.message_id) else game.shown)

    async def _callback(self, request: web.Request) -> web.Response:
        answer = orjson.loads(await request.read())
        game = self._of(request.match_info["token"])
        kind = answer["type"]
        assert kind in (4, 6, 7), answer
        if kind == 4:
            assert not game.shown, answer
            game.message_id = next(self._ids)
        elif kind == 6:
            game.side.late += 1
        if kind == 6:
            return answered(request, kind, game.message_id, None)
        self._answered(request.match_info["token"], answer["data"]["components"])
        return answered(request, kind, game.message_id, game.message)

    async def _late(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        self._answered(token, await components_of(request))
        return said(self._of(token).message)

    async def _posted(self, request: web.Request) -> web.Response:
        """The next person is called with a table of their own below."""
        game = self.games[int(request.match_info["channel"])]
        game.message_id = next(self._ids)
        game.side.posted += 1
        game.shows(await components_of(request), settles=False)
        return said(game.message)

    async def _edited(self, request: web.Request) -> web.Response:
        game, number = self.games[int(request.match_info["channel"])], int(request.match_info["message"])
        components = await components_of(request)
        if number == game.message_id:
            game.shows(components)
        return said(message(number, game.channel, components))


# ---------------------------------------------------------------------- the run


async def main(
    games: int, flying: int, rounds: int, seconds: float, full: Path | None, piece: str | None
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        there = Discord()
        url = await stack.enter_async_context(there.serving())

        async def side(first: int, *place: str) -> Side:
            child = await stack.enter_async_context(process("benchmarks.steady", "--client", url, *place))
            made = Side(child, range(first, first + games))
            there.games |= made.games
            return made

        first = await side(FIRST_CHANNEL, "--database", str(Path(folder) / "games.db"))
        second = Path(folder) / "second.db"
        if full is not None:
            shutil.copyfile(full, second)
        switched = ("--without", piece) if piece else ()
        other = await side(FIRST_CHANNEL + games, "--database", str(second), *switched)
        floor = await side(FIRST_CHANNEL + 2 * games)
        for one in (first, other):
            waiting = list(one.games.values())
            while waiting:
                await asyncio.gather(*(game.open() for game in waiting[:50]))
                del waiting[:50]
            one.done = one.late = one.posted = 0
        alike = full is not None or piece is not None
        if not alike:
            assert other.child.stdin is not None
            other.child.stdin.write(UNWRITTEN)
        for _ in range(rounds + 1):
            await first.window(flying, seconds)
            for low, game in zip(floor.games.values(), first.games.values(), strict=True):
                low.shown, low.message_id = game.shown, game.message_id
            await floor.window(flying, seconds)
            await other.window(flying, seconds)
        for one in (first, other, floor):
            # In the first window connections are opened, and everything is done for the first time.
            del one.cpu[0], one.rate[0], one.own[0]
        print(
            "| games | CPU a click | its commit | floor | ratio | without commit "
            "| a second | floor | share | clicks | late | posted | here |"
        )
        print("|--|--|--|--|--|--|--|--|--|--|--|--|--|")
        print(first.row(None if alike else other, floor))
        if alike:
            print(other.row(None, floor))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure how many clicks a second a bot sustains.")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--flying", type=int, default=200, help="clicks that are on their way at any time")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--full", type=Path, help="a database full of games to play on a copy of")
    parser.add_argument("--without", metavar="PIECE", help="a piece of the speed layer to measure, or tuning")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument("--database", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        asyncio.run(client_process(given.client, given.database, given.without))
    else:
        asyncio.run(main(given.games, given.flying, given.rounds, given.seconds, given.full, given.without))
