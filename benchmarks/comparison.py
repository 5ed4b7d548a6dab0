"""Compare a click's cost in this bot, in a game of discord-games, and in a client that only answers.

    make bench-comparison, or python -m benchmarks.comparison [--games 200] [--rounds 5]

The library (MIT) is not among this project's requirements; the make target puts it into a folder of its own
(benchmarks/comparison.txt). Its tic-tac-toe with buttons is played by the script that fills the board from
the first square to the seventh, with which the first player wins. All three get their clicks through the same
desk, in turn, in one run; answers are serialised and not sent.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import importlib.metadata
import json
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import discord

from benchmarks.click import (
    ANNA,
    BEN,
    Floor,
    Measured,
    Table,
    one_by_one,
    plain_bot,
    same_clicks,
    seeded,
    unlimited,
)
from benchmarks.desk import Desk, buttons, component, message

MOVES = 7
"""So many clicks has a game of the script: X takes squares 1, 3, 5 and wins with 7."""


def tic_tac_toe() -> Any:
    """The library's game; what its other games need, and this one doesn't, may be missing."""
    for name in ("akinator", "chess", "english_words"):
        with contextlib.suppress(ImportError):
            __import__(name)
        sys.modules.setdefault(name, _Anything(name))
    return importlib.import_module("discord_games.button_games").BetaTictactoe


class _Anything(types.ModuleType):
    """Stands in for a module of which only names are used while others are defined."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {})
        setattr(self, name, made)
        return made


class Host(discord.Client):
    """A client on which the library's games run."""

    async def wait_for(self, event: str, /, **_: Any) -> Any:
        # The game also waits for its message to be deleted, which nobody does here.
        await asyncio.Event().wait()


class Posted:
    """A message that was sent, as far as the library uses it."""

    def __init__(self, number: int) -> None:
        self.id = number

    async def add_reaction(self, emoji: str) -> None:
        """The library offers to delete the game's message; it is no part of a click."""


class Square:
    """One game of the library between two people, begun as its command would."""

    def __init__(self, desk: Desk, kind: Any, number: int) -> None:
        self.desk, self.channel, self.message_id = desk, 10_000 + number, 500_000 + number
        self.clicked = 0
        self.shown: list[Any] = []
        state = desk.client._connection
        guild = discord.Object(1)
        self._people = [discord.User(state=state, data=_user(user)) for user in (ANNA, BEN)]
        self.game = kind(*self._people)
        self.bot, self.guild = desk.client, guild
        self.task: asyncio.Task[Any] | None = None

    async def send(self, *, view: discord.ui.View, **_: Any) -> Any:
        """What the game's command sends; the view is kept as the library would keep it for its message."""
        self.desk.client._connection._view_store.add_view(view, self.message_id)
        self.shown = view.to_components()
        self.squares = [button["custom_id"] for button in buttons(self.shown)]
        return Posted(self.message_id)

    async def open(self) -> None:
        self.task = asyncio.create_task(self.game.start(self))
        # It sends its table at once.
        await asyncio.sleep(0)
        assert self.shown

    def next_click(self) -> str:
        user, shown = (ANNA, BEN)[self.clicked % 2], message(self.message_id, self.channel, self.shown)
        clicked = component(self.channel, user, shown, self.squares[self.clicked])
        self.clicked += 1
        return json.dumps(clicked)

    def take(self, answer: dict[str, Any]) -> bool:
        self.shown = answer["data"]["components"]
        return bool(answer["type"] == 7)


def _user(number: int) -> Any:
    return {"id": str(number), "username": f"u{number}", "discriminator": "0", "avatar": None}


async def main() -> None:
    parser = argparse.ArgumentParser(description="Compare with a published library of games.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    kind = tic_tac_toe()
    with tempfile.TemporaryDirectory() as folder:
        unlimited()
        bot = plain_bot(database=Path(folder) / "games.db")
        desk, low, other = (
            Desk(bot),
            Desk(Floor(intents=discord.Intents.none())),
            Desk(Host(intents=discord.Intents.none())),
        )
        for one in (desk, low, other):
            await one.start()
        seeded(bot)
        try:
            await measure(given.games, given.rounds, kind, desk, low, other)
        finally:
            for one in (desk, low, other):
                await one.client.close()


async def measure(games: int, rounds: int, kind: Any, desk: Desk, low: Desk, other: Desk) -> None:
    desk.resume()
    tables = [Table(desk, 1000 + number) for number in range(games)]
    for table in tables:
        await table.open()
    names = ("this bot", "discord-games", "floor")
    found = {name: Measured() for name in names}
    for number in range(rounds + 1):
        kept = found if number else {name: Measured() for name in names}
        tables = await kept["this bot"].of_all(one_by_one, desk, tables)
        other.resume()
        squares = [Square(other, kind, number * games + place) for place in range(games)]
        for square in squares:
            await square.open()
        # The first click of every game, then the second of every game: as with ours, games take turns.
        played = Measured()
        for _ in range(MOVES):
            given = [square.next_click() for square in squares]
            for square, answer in zip(squares, await played.of(one_by_one, other, given), strict=True):
                assert square.take(answer), answer
        assert all(square.game.winner == square._people[0] for square in squares)
        for square in squares:
            assert square.task is not None
            square.task.cancel()
        for task in asyncio.all_tasks():
            # The library goes on waiting for each message to be deleted.
            if "wait_for_delete" in repr(task.get_coro()):
                task.cancel()
        kept["discord-games"].cpu += played.cpu
        kept["discord-games"].rate += played.rate
        await kept["floor"].of(one_by_one, low, same_clicks(tables))
    version = importlib.metadata.version("discord-games")
    lowest = found["floor"].milliseconds
    print(f"discord-games {version}, discord.py {discord.__version__}\n")
    print("| one click at a time | CPU a click | against the floor | clicks a second |")
    print("|--|--|--|--|")
    for name in names:
        one = found[name]
        print(
            f"| {name} | {one.milliseconds:.2f} ms | {one.milliseconds / lowest:.2f} | {one.a_second:.0f} |"
        )


if __name__ == "__main__":
    asyncio.run(main())
