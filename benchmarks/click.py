"""Measure what a click costs in processor time and rate, compared with a client that only parses and answers.

    python -m benchmarks.click [--games 200] [--rounds 5] [--no-wire]

The floor is a client that takes the same interactions and answers each with a message of the same size,
built anew, and does nothing else. Both are measured in turn, several rounds, in one run. Answers go over a
socket to a server in a process of its own, whose time does not count; with ``--no-wire`` they are only
serialised, so that nothing but the program's own work is left on both sides.

"One at a time" waits for each answer; every click then pays for a durable commit of its own. "All at once"
clicks in all games at the same time, and commits that wait together share one.

What the commit itself costs is shown apart: a second bot plays the same games and takes every step as written
without writing it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import copy
import hashlib
import itertools
import json
import statistics
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import discord
from discord import ui

from benchmarks.desk import FIRST_MESSAGE, Desk, Stopwatch, buttons, component, message, serving
from bot.cli.run import tune
from bot.client import DiceBot
from bot.discordpy import rate_limits
from bot.settings import Settings
from bot.store.base import Change, GameRow
from bot.store.delegate import StoreDelegate

ANNA, BEN = 11, 12

MOVES = ("s", "k", "t", "b0", "b1", "b2", "b3")
"""How the tokens of the buttons begin that people press, where there is one, the first first."""


class Bot(DiceBot):
    """The bot without what needs Discord's answer at start."""

    async def _sync(self) -> None:
        pass


def plain_bot(*, emojis: bool = False, **settings: Any) -> Bot:
    """Return a bot with these settings that shows everything at once, and without drawn emojis by default."""
    return Bot(Settings(emojis=emojis, step_by_step=False, **settings))


class Floor(discord.Client):
    """Answers every click with a copy of the message that was clicked, built from parts."""

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        assert interaction.message is not None
        components = self.parts[interaction.message.id]
        await interaction.response.edit_message(view=built(components))

    parts: ClassVar[dict[int, list[Any]]] = {}


class Unwritten(StoreDelegate):
    """A store that takes every step of a game as written. What it would give back is cached already."""

    async def commit(self, change: Change) -> None:
        # As long as the real one takes at least: the event loop gets its turn.
        await asyncio.sleep(0)

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        pass


class View(ui.LayoutView):
    def is_finished(self) -> bool:
        return True


def built(components: list[Any]) -> View:
    """The message of these components, made the way a bot makes one."""
    container: ui.Container[View] = ui.Container(accent_colour=components[0].get("accent_color"))
    for part in components[0]["components"]:
        if part["type"] == 10:
            container.add_item(ui.TextDisplay(part["content"]))
        elif part["type"] == 14:
            container.add_item(ui.Separator())
        elif part["type"] == 1:
            row: ui.ActionRow[View] = ui.ActionRow()
            for button in part["components"]:
                emoji = button.get("emoji")
                row.add_item(
                    ui.Button(
                        label=button.get("label"),
                        style=discord.ButtonStyle(button["style"]),
                        disabled=button.get("disabled", False),
                        emoji=emoji and discord.PartialEmoji.from_dict(emoji),
                        custom_id=button["custom_id"],
                    )
                )
            container.add_item(row)
    return View(timeout=None).add_item(container)


class Shown:
    """What a channel shows of one game between two people who do the first thing it offers."""

    def __init__(self, channel: int, message_id: int = 0) -> None:
        self.channel, self.message_id = channel, message_id
        self.shown: list[Any] = []

    @property
    def message(self) -> dict[str, Any]:
        return message(self.message_id, self.channel, self.shown)

    @property
    def over(self) -> bool:
        return any(button["custom_id"].endswith(":e.record") for button in buttons(self.shown))

    def click(self, user: int, *tokens: str) -> dict[str, Any]:
        """A click on the first button whose token begins like this."""
        for button in buttons(self.shown):
            if button["custom_id"].split(":")[3].startswith(tokens):
                return component(self.channel, user, self.message, button["custom_id"])
        raise AssertionError(f"{user} can do nothing: {self.shown}")

    def next_click(self) -> dict[str, Any]:
        """One move by whoever's turn it is."""
        return self.click(ANNA if f"👉 **u{ANNA}" in str(self.shown) else BEN, *MOVES)


class Table(Shown):
    """A game at the desk."""

    def __init__(self, desk: Desk, channel: int) -> None:
        super().__init__(channel, FIRST_MESSAGE)
        self.desk = desk

    async def open(self) -> None:
        """Begin the game and make some moves, after which nothing is new any more."""
        answer = await self.desk.command(self.channel, ANNA, "tutto", "start", target=50_000)
        self.shown = answer["data"]["components"]
        await self.press(BEN, "l.join")
        await self.press(ANNA, "l.start")
        for _ in range(3):
            if not self.over:
                await self.step()

    async def press(self, user: int, *tokens: str) -> bool:
        return self.take(await self.desk.send(json.dumps(self.click(user, *tokens))))

    def next_text(self) -> str:
        """The next click as it comes from the gateway."""
        self.desk.posted.pop(self.channel, None)
        return json.dumps(self.next_click())

    def take(self, answer: dict[str, Any]) -> bool:
        """Note what the table shows after an answer; whether the answer was the table."""
        moved = bool(answer["type"] == 7)
        if moved:
            self.shown = answer["data"]["components"]
        # Called when it is their turn after a while: the table was posted anew.
        posted = self.desk.posted.get(self.channel)
        if posted is not None:
            self.shown, self.message_id = posted["components"], int(posted["id"])
        return moved

    async def step(self) -> None:
        assert self.take(await self.desk.send(self.next_text())), self.shown


async def one_by_one(desk: Desk, clicks: Sequence[str]) -> list[dict[str, Any]]:
    return [await desk.send(click) for click in clicks]


async def at_once(desk: Desk, clicks: Sequence[str]) -> list[dict[str, Any]]:
    return list(await asyncio.gather(*(desk.send(click) for click in clicks)))


Way = Callable[[Desk, Sequence[str]], Awaitable[list[dict[str, Any]]]]

WAYS: dict[str, Way] = {
    "one at a time": one_by_one,
    "all at once": at_once,
}


class Measured:
    """Processor seconds and rates of one way of clicking, one entry a round."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.rate: list[float] = []

    async def of(self, way: Way, desk: Desk, clicks: Sequence[str]) -> list[dict[str, Any]]:
        desk.resume()
        watch = Stopwatch()
        answers = await way(desk, clicks)
        cpu, wall = watch.read()
        self.cpu.append(cpu / len(clicks))
        self.rate.append(len(clicks) / wall)
        return answers

    async def of_all(self, way: Way, desk: Desk, tables: Sequence[Table]) -> list[Table]:
        """Make a move at all tables that aren't over; return those."""
        tables = [table for table in tables if not table.over]
        answers = await self.of(way, desk, [table.next_text() for table in tables])
        for table, answer in zip(tables, answers, strict=True):
            assert table.take(answer), answer
        return tables

    @property
    def milliseconds(self) -> float:
        return 1000 * statistics.median(self.cpu)

    @property
    def a_second(self) -> float:
        return statistics.median(self.rate)


def seeded(bot: Bot, first: int = 0) -> None:
    """Let the bot have the same games in every run."""
    seeds = itertools.count(first)
    bot.sessions.new_secret = lambda: hashlib.sha256(b"click %d" % next(seeds)).digest()


def unlimited() -> None:
    """Lift the limits on requests in this process: the same few people open all games, in one server."""
    for name in ("PERSON", "SERVER"):
        setattr(rate_limits, name, rate_limits.Rate(1e6, 1e6))


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a click costs.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-wire", action="store_true", help="serialise answers, but don't send them")
    parser.add_argument("--database", type=Path, help="use this one, with what is in it")
    given = parser.parse_args()
    unlimited()
    wired = not given.no_wire
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if wired:
            stack.enter_context(serving())

        async def desk(client: discord.Client) -> Desk:
            made = Desk(client, wired=wired)
            stack.push_async_callback(client.close)
            await made.start()
            if isinstance(client, Bot):
                seeded(client)
                if wired:
                    made.resume()
                    # Drawings are on their way to the server, which is nothing a click does.
                    await client.app_emojis.first_round.wait()
            return made

        usual = await desk(plain_bot(database=given.database or folder / "games.db", emojis=wired))
        unwritten = await desk(plain_bot(database=folder / "unwritten.db", emojis=wired))
        floor = await desk(Floor(intents=discord.Intents.none()))
        tune()
        await measure(given.games, given.rounds, usual, unwritten, floor)


async def tables_of(desk: Desk, games: int) -> list[Table]:
    desk.resume()
    # Channels that no earlier run with the same database has used.
    first = 1000 + 2 * max((int(game) for game in await _newest(desk)), default=0)
    tables = [Table(desk, first + number) for number in range(games)]
    for table in tables:
        await table.open()
    return tables


async def measure(games: int, rounds: int, usual: Desk, unwritten: Desk, low: Desk) -> None:
    found = await clicked(await tables_of(usual, games), rounds, usual, low)
    # One after the other, for games that nobody clicks would still be in the processor's way.
    tables = await tables_of(unwritten, games)
    sessions: Any = unwritten.client.sessions  # type: ignore[attr-defined]
    sessions.store._store = Unwritten(sessions.store._store)
    without = await clicked(tables, rounds, unwritten, low)
    print("| clicks | CPU a click | its commit | floor | ratio | without commit | a second | floor | share |")
    print("|--|--|--|--|--|--|--|--|--|")
    for name in WAYS:
        (a, b), (bare, floor) = found[name], without[name]
        print(
            f"| {name} | {a.milliseconds:.2f} ms | {a.milliseconds - bare.milliseconds:.2f} ms "
            f"| {b.milliseconds:.2f} ms | {a.milliseconds / b.milliseconds:.2f} "
            f"| {bare.milliseconds / floor.milliseconds:.2f} "
            f"| {a.a_second:.0f} | {b.a_second:.0f} | {a.a_second / b.a_second:.0%} |"
        )


async def clicked(
    whole: Sequence[Table], rounds: int, desk: Desk, low: Desk
) -> dict[str, tuple[Measured, Measured]]:
    """Rounds of clicks in all games, each followed by the floor's; for each way what both took."""
    found = {name: (Measured(), Measured()) for name in WAYS}
    for _ in range(rounds):
        for name, way in WAYS.items():
            tables = await found[name][0].of_all(way, desk, whole)
            await found[name][1].of(way, low, same_clicks(tables))
    return found


def same_clicks(tables: Sequence[Table]) -> list[str]:
    """Clicks on these tables for the floor, which answers them with the very messages."""
    Floor.parts = {number: copy.deepcopy(table.shown) for number, table in enumerate(tables, 1)}
    return [
        json.dumps(
            component(
                table.channel,
                ANNA,
                message(number, table.channel, table.shown),
                next(buttons(table.shown))["custom_id"],
            )
        )
        for number, table in enumerate(tables, 1)
    ]


async def _newest(desk: Desk) -> list[int]:
    bot = desk.client
    assert isinstance(bot, DiceBot)
    return list(await bot.store.games_to_repaint())[-1:]


if __name__ == "__main__":
    asyncio.run(main())
