"""Dump a database of the present version, filled by playing, to schema-N.sql.

    python tests/store/upgrade/make.py FOLDER

Run once for each schema, by the last version that has it, before a new migration is added, in a checkout of
that version with this file copied there. Everything but the rows themselves then comes from the migrations.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from bot.registry import GAMES, find
from bot.sessions import commands
from bot.sessions.request import Click
from bot.sessions.session import Sessions
from bot.store.sqlite.store import SqliteStore

TUTTO_GUILD, GAMBLER_GUILD = 810, 820
ANN, BEN, CLEO, DAN = 700_000_000_000_005_001, 700_000_000_000_005_002, 700_000_000_000_005_003, 701
NAMES = {ANN: "Ann", BEN: "Bén 'the *dice*'", CLEO: "Cleo", DAN: "Dan"}


class Table:
    """One channel in which people play; all of it follows from the number of the channel."""

    interactions = itertools.count(1_000_000)

    def __init__(self, sessions: Any, guild: int, channel: int) -> None:
        self.sessions, self.guild, self.channel = sessions, guild, channel
        self.row: Any = None

    def click(self, user: int) -> Any:
        return Click(next(self.interactions), user, NAMES[user], self.guild, self.channel, "en-US", False)

    async def lobby(self, game: str, options: dict[str, Any], *people: int, ais: int = 0) -> None:
        session = self.sessions.at(self.channel)
        arguments = [self.click(people[0]), game, options]
        self.row = await session.open(*arguments)
        for user in people[1:]:
            self.row = await session.press_lobby(self.click(user), self.row.id, "l.join")
        for _ in range(ais):
            policies = list(find(game).policies)
            for token in (f"l.ai.{policies[0]}", "l.ai"):
                try:
                    self.row = await session.press_lobby(self.click(people[0]), self.row.id, token)
                except Exception:
                    continue
                break
            assert len(self.row.seats) > len(people)

    async def begin(self, game: str, options: dict[str, Any], *people: int, ais: int = 0) -> None:
        await self.lobby(game, options, *people, ais=ais)
        session = self.sessions.at(self.channel)
        self.row = await session.press_lobby(self.click(people[0]), self.row.id, "l.start")
        # Since schema 6 a game begins with the message that opens it.
        if self.row.status == "lobby":
            self.row = await session.begin(self.row.id, next(self.interactions))

    async def play(self, most: int = 10_000) -> None:
        """Press a button of the table: stop if that is possible, otherwise the first one."""
        for _ in range(most):
            if self.row.status != "live":
                return
            entry = find(self.row.game)
            state = self.row.state
            user = self.row.seats[entry.rules.to_move(state)].user_id
            tokens = [
                button.token
                for controls in entry.screen.controls(state, "")
                for button in getattr(controls, "buttons", ())
                if not button.disabled and button.token[:1] not in "vg"
            ]
            token = "s" if "s" in tokens else tokens[0]
            pressed = await self.sessions.at(self.channel).press(
                self.click(user), self.row.id, self.row.version, token
            )
            self.row = pressed.row


async def at_once(function: Any, *arguments: Any) -> Any:
    return function(*arguments)


async def play(path: Path) -> None:
    store = await SqliteStore.open(path)
    time, seeds = itertools.count(1_700_000_000, 7), itertools.count(1)
    sessions = Sessions(store, lambda: float(next(time)), lambda: bytes([next(seeds)]) * 32, at_once)
    tables = (Table(sessions, TUTTO_GUILD, number) for number in itertools.count(8100))
    try:
        short: dict[str, Any] = {"edition": "current", "target": 1000}
        for people in ((ANN, BEN), (BEN, CLEO, DAN), (ANN, CLEO), (DAN, ANN, BEN), (ANN, BEN)):
            table = next(tables)
            await table.begin("tutto", short, *people)
            await table.play()
            assert table.row.status == "over"
        for edition in ("modern", "classic"):
            table = next(tables)
            await table.begin("tutto", {"edition": edition, "target": 1500}, CLEO, ANN)
            await table.play()
            assert table.row.status == "over"
        table = next(tables)
        await table.begin("tutto", short, BEN, ais=1)
        await table.play()
        assert table.row.status == "over"
        # Somebody leaves in the middle.
        table = next(tables)
        await table.begin("tutto", short, ANN, BEN, CLEO)
        await table.play(3)
        table.row = await sessions.at(table.channel).carry_out(commands.leave, table.click(CLEO))
        await table.play()
        assert table.row.status == "over"
        # And some that go on: at the start, in a turn, with an AI, and one that is only a lobby.
        table = next(tables)
        await table.begin("tutto", {"edition": "current", "target": 6000}, ANN, BEN)
        table = next(tables)
        await table.begin("tutto", {"edition": "current", "target": 6000}, CLEO, DAN)
        await table.play(12)
        table = next(tables)
        await table.begin("tutto", {"edition": "classic", "target": 6000}, ANN, CLEO, ais=1)
        await table.play(9)
        table = next(tables)
        await table.lobby("tutto", short, DAN, BEN)
        # One that was ended.
        table = next(tables)
        await table.begin("tutto", short, ANN, DAN)
        await table.play(2)
        await sessions.at(table.channel).carry_out(commands.end, table.click(ANN), table.row.id)
        if "gambler" in GAMES:
            for number, most in enumerate((10_000, 25)):
                table = Table(sessions, GAMBLER_GUILD, 8200 + number)
                await table.begin("gambler", {"target": 300}, ANN, BEN)
                await table.play(most)
                assert table.row.status == ("over" if most > 1000 else "live")
    finally:
        await store.close()


def rows(path: Path) -> Iterator[str]:
    """The rows of all tables as statements, in an order in which they can be inserted."""
    with closing(sqlite3.connect(path)) as connection:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        yield f"-- Written by tests/store/upgrade/make.py in the last version with schema {schema}."
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
            if not name.startswith("sqlite_")
        ]
        for name in sorted(names, key=lambda one: (one != "games", one)):
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
            quoted = ", ".join(f"quote({column})" for column in columns)
            for values in connection.execute(f"SELECT {quoted} FROM {name}"):
                yield f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join(values)});"


def main(folder: Path) -> None:

    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "games.db"
        asyncio.run(play(path))
        with closing(sqlite3.connect(path)) as connection:
            (schema,) = connection.execute("PRAGMA user_version").fetchone()
        target = folder / f"schema-{schema}.sql"
        target.write_text("\n".join(rows(path)) + "\n", encoding="utf-8")
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
