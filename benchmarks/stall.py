"""Measure how much people who ask for expensive things as fast as they can slow down games elsewhere.

    python -m benchmarks.stall --build FILE
    python -m benchmarks.stall --from FILE [--seconds 5] [--rate 5] [--only KIND]

The bot is a process of its own; this one is Discord to it. In another server ``--games`` games are played,
about one click a second in each, and each click is timed until its table is shown. Meanwhile one account, and
then a hundred accounts of one server, do one kind of thing ``--rate`` times a second each. Windows with and
without them alternate in one run: a kind's figure is the median click in its window against the median of the
quiet windows before and after it. "Other work" is what else the machine did in those: with more than a tenth
the figures say little. Every interaction must be answered, or acknowledged, within 3 seconds.

``--build`` plays long games and copies them, so that every window has a server of its own with full buckets
and more games than results are kept.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import discord
from aiohttp import web
from discord.http import Route

from benchmarks.click import plain_bot, seeded
from benchmarks.crowd import _copy, _play
from benchmarks.desk import GUILD, _common, command, component, message
from benchmarks.steady import FIRST_CHANNEL, Discord, Game, Side, lines_from_parent, process
from benchmarks.wire import answered, said
from bot.cli.run import tune
from bot.sessions.session import Sessions
from bot.store.sqlite.store import SqliteStore

PATTERNS, COPIES = 4, 40
"""Games that are really played, and how many copies of them each server has."""

CHANNELS, ROLES, OVERWRITES = 500, 250, 100
"""Of a server that was made to be expensive: channels, roles, and overwrites in each channel."""

FIRST_GUILD, FIRST_GAME, FIRST_USER = 100, 1000, 1 << 30
ELSEWHERE = 2
"""The server in which the games are played that are measured."""

LIMIT_SECONDS = 3.0
"""After this Discord shows an interaction as failed."""

Payload = dict[str, Any]
Kind = Callable[[int, int, int], Payload]
"""Makes an interaction for a server, a number from 0, and an account."""


def game_id(guild: int, number: int) -> int:
    return FIRST_GAME + (guild - FIRST_GUILD) * COPIES + number % COPIES


def button(guild: int, number: int, user: int, token: str, *, of_game: bool = True) -> Payload:
    """A click in the channel of one of a server's games."""
    game = game_id(guild, number)
    custom_id = f"1:{game:x}:1:{token}" if of_game else f"1:0:0:{token}"
    return component(10_000 + game, user, message(7, 10_000 + game, []), custom_id)


def letter(guild: int, number: int, user: int) -> Payload:
    """A letter that is typed after `/tutto review game:`, by somebody who has all roles of the server."""
    option = {"name": "game", "type": 3, "value": "abcdefgh"[: number % 8], "focused": True}
    data = {
        "id": "9",
        "name": "tutto",
        "type": 1,
        "options": [{"name": "review", "type": 1, "options": [option]}],
    }
    made = {**_common(10_000 + game_id(guild, number), user), "type": 4, "data": data}
    made["member"]["roles"] = [str(1000 + role) for role in range(ROLES)]
    return made


def listed(guild: int, number: int, user: int) -> Payload:
    channel = 10_000 + game_id(guild, number)
    path = (("history",), ("leaderboard",), ("stats",), ("tutto", "show"))[number % 4]
    return command(channel, user, *path, **({"where": "s"} if number % 4 == 0 else {}))


KINDS: Mapping[str, Kind] = {
    "Record": lambda guild, number, user: button(guild, number, user, "e.record"),
    "Fair?": lambda guild, number, user: button(guild, number, user, "f"),
    "Replay": lambda guild, number, user: button(
        guild, number, user, f"hi.r.{game_id(guild, number):x}.{number * 7 % 200}.a.c.0", of_game=False
    ),
    "Review": lambda guild, number, user: button(guild, number, user, "e.review"),
    "lists": listed,
    "typing": letter,
    "delete my data": lambda guild, number, user: button(guild, number, user, "pr.delete", of_game=False),
    "start": lambda guild, number, user: command(50_000 + (guild << 20) + number, user, "tutto", "start"),
    "others' moves": lambda guild, number, user: button(guild, number, user, "t"),
}


# What is stored before.


async def build(path: Path, servers: int) -> None:
    """Play the patterns and copy them for so many servers."""
    store = await SqliteStore.open(path)
    try:
        sessions = Sessions(store, time.time)
        numbers = itertools.count(1)
        for channel in range(1, PATTERNS + 1):
            await _play(sessions, channel, "tutto", 50_000, 10_000, numbers)
    finally:
        await store.close()
    connection = sqlite3.connect(path, isolation_level=None)
    with contextlib.closing(connection):
        connection.execute("CREATE TEMP TABLE plan (id INTEGER PRIMARY KEY, pattern INTEGER)")
        connection.execute("BEGIN")
        plan = [(FIRST_GAME + number, number % PATTERNS + 1) for number in range(servers * COPIES)]
        connection.executemany("INSERT INTO plan VALUES (?, ?)", plan)
        guild = f"(plan.id - {FIRST_GAME}) / {COPIES} + {FIRST_GUILD}"
        games = {"id": "plan.id", "channel_id": "plan.id + 10000", "guild_id": guild, "finish": "plan.id"}
        _copy(connection, "games", games | {"message_id": "plan.id"}, "id")
        _copy(connection, "moves", {"game_id": "plan.id"})
        _copy(connection, "seats", {"game_id": "plan.id"})
        _copy(connection, "results", {"game_id": "plan.id", "guild_id": guild, "luck": "coalesce(luck, 0)"})
        connection.execute("UPDATE games SET shown_version = version, message_id = id")
        connection.execute("UPDATE results SET luck = coalesce(luck, 0)")
        connection.execute("COMMIT")


# The process that is measured.


def expensive_guild(guild: int) -> Payload:
    def overwrites(rng: Random) -> list[Payload]:
        roles = rng.sample(range(ROLES), OVERWRITES)
        return [{"id": str(1000 + role), "type": 0, "allow": "1024", "deny": "0"} for role in roles]

    rng = Random(guild)
    channel = {"type": 0, "name": "", "position": 0}
    return {
        "id": str(guild),
        "owner_id": "1",
        "roles": [
            {"id": str(number), "name": "", "color": 0, "permissions": "0", "position": 1}
            for number in (guild, *range(1000, 1000 + ROLES))
        ],
        "channels": [
            {**channel, "id": str((guild << 30) + number), "permission_overwrites": overwrites(rng)}
            for number in range(CHANNELS)
        ],
    }


async def client_process(url: str, database: Path) -> None:
    """A bot to which interactions come in as lines, and whose answers go to ``url``."""
    Route.BASE = url
    client = plain_bot(database=database)
    await client._async_setup_hook()
    await client.login("none")
    seeded(client)
    tune()
    for at, (kind, _) in enumerate(itertools.product(KINDS, (1, 100))):
        if kind == "typing":
            client._connection._add_guild_from_data(expensive_guild(FIRST_GUILD + at))  # type: ignore[arg-type]
    async for line in lines_from_parent():
        client._connection.parse_interaction_create(discord.utils._from_json(line.decode()))
    await client.close()


# Discord.


class Server(Discord):
    """Also takes the answers to interactions that belong to no game that is measured."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, float] = {}
        """When those were sent that have no answer yet, by token."""
        self.answers: list[float] = []
        self.all_answered = asyncio.Event()

    def app(self) -> web.Application:
        app = super().app()
        app.router.add_get("/webhooks/{application}/{token}/messages/{message}", self._late)
        app.router.add_delete("/webhooks/{application}/{token}/messages/{message}", self._late)
        app.router.add_post("/webhooks/{application}/{token}", self._late)
        return app

    def expect(self, interaction: Payload) -> None:
        self.waiting[interaction["token"]] = time.perf_counter()

    async def _callback(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        if int(token.split("-")[2]) in self.games:
            return await super()._callback(request)
        await request.read()
        sent = self.waiting.pop(token, None)
        if sent is not None:
            self.answers.append(time.perf_counter() - sent)
        if not self.waiting:
            self.all_answered.set()
        return answered(request, 4, 9, message(9, 9, []))

    async def _late(self, request: web.Request) -> web.Response:
        if request.method == "PATCH" and int(request.match_info["token"].split("-")[2]) in self.games:
            return await super()._late(request)
        await request.read()
        return said(message(9, 9, []))

    async def _posted(self, request: web.Request) -> web.Response:
        if int(request.match_info["channel"]) in self.games:
            return await super()._posted(request)
        await request.read()
        return said(message(next(self._ids), int(request.match_info["channel"]), []))

    async def _edited(self, request: web.Request) -> web.Response:
        if int(request.match_info["channel"]) in self.games:
            return await super()._edited(request)
        await request.read()
        return said(message(int(request.match_info["message"]), int(request.match_info["channel"]), []))


class Elsewhere(Side):
    """The games that are measured, in a server of their own."""

    def send(self, interaction: Mapping[str, Any]) -> None:
        if interaction["guild_id"] == str(GUILD):
            interaction = {**interaction, "guild_id": str(ELSEWHERE)}
        super().send(interaction)


@dataclass
class Window:
    """Clicks in the games that are measured, and answers to the others' interactions, in seconds."""

    clicks: list[float] = field(default_factory=list)
    sent: int = 0
    answers: list[float] = field(default_factory=list)
    other: float = 0.0
    """The share of all processors that neither the bot nor Discord here used: others' work, or workers."""

    @property
    def median(self) -> float:
        return statistics.median(self.clicks)


def busy_seconds() -> float:
    """Seconds for which this machine's processors have worked since its start, all together."""
    user, nice, system, _, _, irq, soft, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


async def window(
    server: Server,
    side: Side,
    seconds: float,
    make: Callable[[int], Payload] | None = None,
    rate: float = 0.0,
) -> Window:
    """Play for some seconds, while interactions are sent at ``rate`` a second. Wait for all answers."""
    found, end, rng = Window(), time.perf_counter() + seconds, Random(1)
    start, other = time.perf_counter(), busy_seconds() - time.process_time() - side.seconds
    server.answers = found.answers

    async def play(game: Game) -> None:
        await asyncio.sleep(rng.random())
        while time.perf_counter() < end and not game.over:
            sent = time.perf_counter()
            await game.done(game.next_click())
            found.clicks.append(time.perf_counter() - sent)
            await asyncio.sleep(0.5 + rng.random())

    async def disturb() -> None:
        assert make is not None
        start = time.perf_counter()
        while (now := time.perf_counter()) < end:
            while found.sent < (now - start) * rate:
                interaction = make(found.sent)
                server.expect(interaction)
                side.send(interaction)
                found.sent += 1
            await asyncio.sleep(0.005)

    async with asyncio.TaskGroup() as group:
        for game in side.games.values():
            group.create_task(play(game))
        if make is not None:
            group.create_task(disturb())
    other = busy_seconds() - time.process_time() - side.seconds - other
    found.other = other / (time.perf_counter() - start) / (os.cpu_count() or 1)
    server.all_answered.clear()
    if server.waiting:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.all_answered.wait(), 2 * LIMIT_SECONDS)
    found.answers += [float("inf")] * len(server.waiting)
    server.waiting.clear()
    return found


def in_guild(guild: int, interaction: Payload) -> Payload:
    interaction["guild_id"] = interaction["channel"]["guild_id"] = str(guild)
    return interaction


async def run(path: Path, games: int, seconds: float, rate: float, only: Sequence[str]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = Path(folder) / "games.db"
        shutil.copyfile(path, database)
        server = Server()
        url = await stack.enter_async_context(server.serving())
        child = await stack.enter_async_context(
            process("benchmarks.stall", "--client", url, "--from", str(database))
        )
        side = Elsewhere(child, range(FIRST_CHANNEL, FIRST_CHANNEL + games))
        server.games |= side.games
        await asyncio.gather(*(game.open() for game in side.games.values()))
        await window(server, side, seconds)
        before = await window(server, side, seconds)
        print("| what | accounts | quiet | disturbed | ratio | worst | sent | slowest | late | other work |")
        print("|--|--|--|--|--|--|--|--|--|--|")
        for at, (kind, accounts) in enumerate(itertools.product(KINDS, (1, 100))):
            if only and kind not in only:
                continue
            guild, first = FIRST_GUILD + at, FIRST_USER + 1000 * at

            def make(number: int, kind: str = kind, guild: int = guild, first: int = first) -> Payload:
                user = first + number % accounts  # noqa: B023
                return in_guild(guild, KINDS[kind](guild, number, user))

            during = await window(server, side, seconds, make, rate * accounts)
            after = await window(server, side, seconds / 2)
            quiet = statistics.median(before.clicks + after.clicks)
            slowest = max((one for one in during.answers if one < float("inf")), default=0.0)
            lost = sum(one > LIMIT_SECONDS for one in (*during.answers, *during.clicks))
            print(
                f"| {kind} | {accounts} | {1000 * quiet:.1f} ms | {1000 * during.median:.1f} ms "
                f"| {during.median / quiet:.2f} | {1000 * max(during.clicks):.0f} ms | {during.sent} "
                f"| {slowest:.2f} s | {lost} | {(before.other + after.other) / 2:.0%} |",
                flush=True,
            )
            before = after


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure whether anybody can stall games elsewhere.")
    parser.add_argument("--build", type=Path, metavar="FILE", help="play games into this database")
    parser.add_argument("--from", dest="path", type=Path, metavar="FILE", help="the database that was built")
    parser.add_argument("--games", type=int, default=20, help="games that are played elsewhere")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long a window is")
    parser.add_argument("--rate", type=float, default=5.0, help="interactions of an account in a second")
    parser.add_argument("--only", action="append", default=[], choices=list(KINDS))
    parser.add_argument("--client", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.build:
        given.build.unlink(missing_ok=True)
        asyncio.run(build(given.build, 2 * len(KINDS)))
    elif given.client:
        asyncio.run(client_process(given.client, given.path))
    else:
        asyncio.run(run(given.path, given.games, given.seconds, given.rate, given.only))


if __name__ == "__main__":
    main()
