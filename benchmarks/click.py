"""What a click costs: processor time and rate, against a floor that only parses and answers.

    python -m benchmarks.click [--games 200] [--rounds 5] [--no-wire]

The floor is a client that takes the same interactions and answers each with a message of the same size,
built anew, and does nothing else. Both are measured in turn, several rounds, in one run. Answers go over a
socket to a server in a process of its own, whose time does not count; with ``--no-wire`` they are only
serialised, so that nothing but the program's own work is left on both sides.

"One at a time" waits for each answer; every click then pays for a durable commit of its own. "All at once"
clicks in all games at the same time, and commits that wait together share one.
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

from benchmarks.desk import Desk, Stopwatch, buttons, component, message, serving
from bot.__main__ import tune
from bot.client import DiceBot
from bot.settings import Settings

ANNA, BEN = 11, 12


class Bot(DiceBot):
    """The bot without what needs Discord's answer at start."""

    async def _sync(self) -> None:
        pass


class Floor(discord.Client):
    """Answers every click with a copy of the message that was clicked, built from parts."""

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        assert interaction.message is not None
        components = self.parts[interaction.message.id]
        await interaction.response.edit_message(view=built(components))

    parts: ClassVar[dict[int, list[Any]]] = {}


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


class Table:
    """One game between two people who do the first thing the table offers."""

    def __init__(self, desk: Desk, channel: int) -> None:
        self.desk, self.channel = desk, channel
        self.shown: list[Any] = []
        self.message_id = 5

    @property
    def message(self) -> dict[str, Any]:
        return message(self.message_id, self.channel, self.shown)

    @property
    def over(self) -> bool:
        return any(button["custom_id"].endswith(":e.record") for button in buttons(self.shown))

    async def open(self) -> None:
        answer = await self.desk.command(self.channel, ANNA, "tutto", "start", target=50_000)
        self.shown = answer["data"]["components"]
        await self.press(BEN, "l.join")
        await self.press(ANNA, "l.start")

    async def press(self, user: int, *tokens: str) -> bool:
        return self.take(await self.desk.send(self.click(user, *tokens)))

    def click(self, user: int, *tokens: str) -> str:
        """A click on the first button whose token begins like this, as it comes from the gateway."""
        for button in buttons(self.shown):
            if any(button["custom_id"].split(":")[3].startswith(token) for token in tokens):
                return json.dumps(component(self.channel, user, self.message, button["custom_id"]))
        raise AssertionError(f"{user} can do nothing: {self.shown}")

    def next_click(self) -> str:
        """One move by whoever's turn it is."""
        self.desk.posted.pop(self.channel, None)
        return self.click(ANNA if f"👉 **u{ANNA}" in str(self.shown) else BEN, "s", "k", "t")

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
        assert self.take(await self.desk.send(self.next_click())), self.shown


async def one_by_one(desk: Desk, clicks: Sequence[str]) -> list[dict[str, Any]]:
    return [await desk.send(click) for click in clicks]


async def at_once(desk: Desk, clicks: Sequence[str]) -> list[dict[str, Any]]:
    return list(await asyncio.gather(*(desk.send(click) for click in clicks)))


WAYS: dict[str, Callable[[Desk, Sequence[str]], Awaitable[list[dict[str, Any]]]]] = {
    "one at a time": one_by_one,
    "all at once": at_once,
}


class Measured:
    """Processor seconds and rates of one way of clicking, one entry a round."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.rate: list[float] = []

    async def of(
        self,
        way: Callable[[Desk, Sequence[str]], Awaitable[list[dict[str, Any]]]],
        desk: Desk,
        clicks: Sequence[str],
    ) -> list[dict[str, Any]]:
        desk.resume()
        watch = Stopwatch()
        answers = await way(desk, clicks)
        cpu, wall = watch.read()
        self.cpu.append(cpu / len(clicks))
        self.rate.append(len(clicks) / wall)
        return answers

    @property
    def milliseconds(self) -> float:
        return 1000 * statistics.median(self.cpu)

    @property
    def a_second(self) -> float:
        return statistics.median(self.rate)


async def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a click costs.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-wire", action="store_true", help="serialise answers, but don't send them")
    parser.add_argument("--database", type=Path, help="use this one, with what is in it")
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if not given.no_wire:
            stack.enter_context(serving())
        path = given.database or Path(folder) / "games.db"
        bot = Bot(Settings(database=path, emojis=not given.no_wire))
        desk = Desk(bot, wired=not given.no_wire)
        await desk.start()
        # The same games in every run.
        seeds = itertools.count()
        bot.sessions.seed = lambda: hashlib.sha256(b"click %d" % next(seeds)).digest()
        floor = Floor(intents=discord.Intents.none())
        low = Desk(floor, wired=not given.no_wire)
        await low.start()
        desk.resume()
        if not given.no_wire:
            # Drawings are on their way to the server, which is nothing a click does.
            await bot.drawings.first_round.wait()
        try:
            tune()
            await measure(given.games, given.rounds, desk, low)
        finally:
            await floor.close()
            await bot.close()


async def measure(games: int, rounds: int, desk: Desk, low: Desk) -> None:
    # Channels that no earlier run with the same database has used.
    first = 1000 + 2 * max((int(game) for game in await _newest(desk)), default=0)
    tables = [Table(desk, first + number) for number in range(games)]
    for table in tables:
        await table.open()
    # Some moves into the games, and nothing is new any more.
    for _ in range(3):
        tables = [table for table in tables if not table.over]
        for table in tables:
            await table.step()
    own = {name: Measured() for name in WAYS}
    lowest = {name: Measured() for name in WAYS}
    for _ in range(rounds):
        for name, way in WAYS.items():
            # The floor answers the very clicks with the very messages.
            tables = [table for table in tables if not table.over]
            clicks = [table.next_click() for table in tables]
            answers = await own[name].of(way, desk, clicks)
            for table, answer in zip(tables, answers, strict=True):
                assert table.take(answer), answer
            Floor.parts = {number + 1: copy.deepcopy(table.shown) for number, table in enumerate(tables)}
            same = [
                json.dumps(
                    component(
                        table.channel,
                        ANNA,
                        message(number + 1, table.channel, table.shown),
                        next(iter(buttons(table.shown)))["custom_id"],
                    )
                )
                for number, table in enumerate(tables)
            ]
            await lowest[name].of(way, low, same)
    print("| clicks | CPU a click | floor | ratio | clicks a second | floor | share |")
    print("|--|--|--|--|--|--|--|")
    for name in WAYS:
        a, b = own[name], lowest[name]
        print(
            f"| {name} | {a.milliseconds:.2f} ms | {b.milliseconds:.2f} ms "
            f"| {a.milliseconds / b.milliseconds:.2f} "
            f"| {a.a_second:.0f} | {b.a_second:.0f} | {a.a_second / b.a_second:.0%} |"
        )


async def _newest(desk: Desk) -> list[int]:
    bot = desk.client
    assert isinstance(bot, DiceBot)
    return list(await bot.store.unshown())[-1:]


if __name__ == "__main__":
    asyncio.run(main())
