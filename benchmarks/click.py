"""What a click costs: processor time and rate, against a floor that only parses and answers.

    python -m benchmarks.click [--games 1000] [--rounds 5]

The floor is a client that takes the same interactions and answers each with a message of the same size,
built anew, and does nothing else. Both are measured in turn, several rounds, in one process.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import statistics
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import discord
from discord import ui

from benchmarks.desk import Desk, Stopwatch, buttons, message
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
                        emoji=emoji and emoji.get("name"),
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

    async def open(self) -> None:
        answer = await self.desk.command(self.channel, ANNA, "tutto", "start", target=50_000)
        self.shown = answer["data"]["components"]
        await self.press(BEN, "l.join")
        await self.press(ANNA, "l.start")

    async def press(self, user: int, *tokens: str) -> bool:
        for button in buttons(self.shown):
            if any(button["custom_id"].split(":")[3].startswith(token) for token in tokens):
                answer = await self.desk.click(self.channel, user, self.message, button["custom_id"])
                if answer["type"] == 7:
                    self.shown = answer["data"]["components"]
                    return True
                return False
        return False

    async def step(self) -> None:
        """One move by whoever's turn it is."""
        shown = str(self.shown)
        user = ANNA if f"👉 **u{ANNA}" in shown else BEN
        self.desk.posted.pop(self.channel, None)
        if not await self.press(user, "s", "k", "t"):
            raise AssertionError(f"{user} could not move: {self.shown}")
        # Called when it is their turn after a while: the table was posted anew.
        posted = self.desk.posted.get(self.channel)
        if posted is not None:
            self.shown, self.message_id = posted["components"], int(posted["id"])


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bot = Bot(Settings(database=Path(folder) / "games.db"))
        desk = Desk(bot)
        await desk.start()
        await bot.setup_hook()
        try:
            await measure(given.games, given.rounds, bot, desk)
        finally:
            await bot.close()


async def measure(games: int, rounds: int, bot: Bot, desk: Desk) -> None:
    tables = [Table(desk, 1000 + number) for number in range(games)]
    for table in tables:
        await table.open()
    single: list[float] = []
    rate: list[float] = []
    floor_single: list[float] = []
    floor_rate: list[float] = []
    for _ in range(rounds):
        watch = Stopwatch()
        for table in tables:
            await table.step()
        single.append(watch.read()[0] / len(tables))
        watch = Stopwatch()
        await asyncio.gather(*(table.step() for table in tables))
        rate.append(len(tables) / watch.read()[1])
        # The same messages and clicks for the floor.
        floor = Floor(intents=discord.Intents.none())
        low = Desk(floor)
        await low.start()
        Floor.parts = {}
        clicks = []
        for number, table in enumerate(tables):
            parts = copy.deepcopy(table.shown)
            Floor.parts[number + 1] = parts
            clicks.append((table.channel, message(number + 1, table.channel, parts)))
        custom = [next(iter(buttons(one["components"])))["custom_id"] for _, one in clicks]
        watch = Stopwatch()
        for (channel, one), press in zip(clicks, custom, strict=True):
            await low.click(channel, ANNA, one, press)
        floor_single.append(watch.read()[0] / len(clicks))
        watch = Stopwatch()
        await asyncio.gather(
            *(
                low.click(channel, ANNA, one, press)
                for (channel, one), press in zip(clicks, custom, strict=True)
            )
        )
        floor_rate.append(len(clicks) / watch.read()[1])
        await floor.close()
        desk.resume()
    own, low_cost = statistics.median(single), statistics.median(floor_single)
    print(f"CPU a click: {own * 1e3:.2f} ms, floor {low_cost * 1e3:.2f} ms, ratio {own / low_cost:.2f}")
    own, low_rate = statistics.median(rate), statistics.median(floor_rate)
    print(f"Clicks a second: {own:.0f}, floor {low_rate:.0f}, share {own / low_rate:.0%}")


if __name__ == "__main__":
    asyncio.run(main())
