"""A guild with people, a database and a bot process, with which tests of the real bot start."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from simcord.backend.models import Channel, Guild

from tests.support.discord_server.crash import POST
from tests.support.discord_server.people import Person
from tests.support.discord_server.player import Press, Script, Table
from tests.support.discord_server.process import BotProcess
from tests.support.discord_server.server import DiscordServer
from tests.support.values import not_none

PUT_COMMANDS = r"/commands$"

PREPARING = 30.0
"""More seconds than a busy machine needs to play a game to the point where a test begins."""


class World:
    """A guild, a database, and a bot process that uses them."""

    def __init__(self, server: DiscordServer, folder: Path) -> None:
        self.server = server
        self.guild: Guild = server.add_guild()
        self.folder = folder
        self.database = folder / "games.db"
        env = {"DATABASE_URL": f"sqlite:///{self.database}"}
        self.bot = BotProcess(server, env=env, log=folder / "bot.log")
        self.scripts: list[Script] = []

    def script(self, *names: str, ais: int = 0, target: int = 1000) -> Script:
        """Return a script for people in a new channel."""
        people = [Person.join(self.server, self.guild, name) for name in names or ("ann", "ben")]
        channel: Channel = self.server.add_channel(self.guild)
        script = Script(self.server, channel, people, seed=len(self.scripts), ais=ais, target=target)
        self.scripts.append(script)
        return script

    async def seated(self, *names: str, ais: int = 0, target: int = 6000) -> Script:
        """Begin a game in a new channel."""
        script = self.script(*names, ais=ais, target=target)
        async with asyncio.timeout(PREPARING):
            while not (table := script.table()) or not table.turn:
                await script.step()
        await self.server.quiet()
        return script

    async def going(self, *names: str, target: int = 6000) -> Script:
        """Begin a game in which all have just acted, so that its table is not posted again.

        The first button of its table makes one move.
        """
        script = await self.seated(*names, target=target)
        everybody = {person.id for person in script.people.values()}
        async with asyncio.timeout(PREPARING):
            while {press.who.id for press in script.presses if press.is_move and press.promised} != everybody:
                await script.step()
            await self.server.quiet()
            while script.offers_two_moves():
                await script.step()
                await self.server.quiet()
        return script

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read from the database while the bot runs."""
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query, values).fetchall()

    def version(self, script: Script) -> int:
        """Return the stored version of the channel's game."""
        query = "SELECT version FROM games WHERE channel_id = ? ORDER BY id DESC LIMIT 1"
        return int(self.rows(query, script.channel.id)[0][0])

    def pointer(self, script: Script) -> str:
        """Return the id of the message that is stored as the table of the channel's game."""
        query = "SELECT message_id FROM games WHERE channel_id = ? ORDER BY id DESC LIMIT 1"
        return str(self.rows(query, script.channel.id)[0][0])

    def boards(self, script: Script) -> list[Table]:
        """Return the messages of the channel that still have buttons of a game."""
        found = []
        for message in self.server.messages(script.channel):
            buttons = [b for b in Table.buttons_of(message) if not b.get("disabled")]
            if buttons:
                found.append(Table(message, buttons))
        return found

    async def painted(self, script: Script, version: int, within: float = 5.0) -> Table:
        """Wait until the channel shows its game at this version, and not a step that led to it."""

        def shown() -> Table | None:
            table = script.table()
            there = table is not None and table.id.version == version and not table.is_step
            return table if there else None

        return not_none(await self.server.until(shown, within, f"version {version} on the table"))


def move(script: Script) -> Press:
    """Make a move for the person whose turn it is, without waiting."""
    table = not_none(script.table())
    return move_on(script, table)


def move_on(script: Script, table: Table, *, stale: bool = False) -> Press:
    """Make a move on a table that was seen earlier; ``stale`` if it may have changed since."""
    assert table.turn in script.people, f"nobody here is to move:\n{table.text}"
    return script.press(script.people[table.turn], table, script.moves(table)[0], stale=stale)


@contextlib.asynccontextmanager
async def world_at_rest(folder: Path, **server: Any) -> AsyncIterator[World]:
    """Yield a world whose bot is not running yet, and kill the bot afterwards."""
    async with DiscordServer(**server) as there:
        world = World(there, folder)
        try:
            yield world
        finally:
            await world.bot.kill()


async def done_once(world: World, script: Script, within: float = 6.0) -> Press:
    """Make a move, and check that it is stored once and shown, whatever happens to the calls meanwhile."""
    before = world.version(script)
    press = move(script)
    await world.painted(script, before + press.moves, within)
    await press.reply.wait(within)
    await world.server.quiet()
    assert world.version(script) == before + press.moves
    return press


async def first_post(world: World, script: Script) -> None:
    """Play until the turn comes to somebody who has just got a seat and is called by a new message."""
    first = not_none(script.table()).turn
    (other,) = [name for name in script.people if name != first]
    heir = Person.join(world.server, world.guild, f"{other}heir")
    press = script.use(script.host, "tutto", "handover", member=script.people.pop(other), to=heir)
    question = not_none((await press.reply).message)
    take = next(button for button in Table.buttons_of(question) if button["label"] == "Take the seat")
    assert (await script.press(heir, Table(question, [take]), take).reply).acked
    script.people[world.server.backend.get_user(heir.id).name] = heir
    await world.server.quiet()
    posts = len(world.server.calls_to("POST", POST))
    async with asyncio.timeout(PREPARING):
        while (table := script.table()) and table.turn == first:
            press = move(script)
            await press.reply
            if len(world.server.calls_to("POST", POST)) > posts:
                return
            await world.server.quiet(0.03)
