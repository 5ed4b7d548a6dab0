"""Backup and restore with the real bot: make a backup while people play, then lose the machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.world import World, done_once, move_on


async def test_backup_while_people_play_and_restore(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        world, copy = World(server, tmp_path), tmp_path / "backup.db"
        async with world.bot:
            first, second = await asyncio.gather(world.going("ann", "ben"), world.going("cleo", "dan"))
            # Others play meanwhile, in games that a Cloverleaf may end at any time.
            busy = world.script("gil", "hal")
            running = asyncio.create_task(world.bot.command("backup", copy))
            while not running.done():
                await busy.step()
            assert (await running)[0] == 0, (await running)[1]
            before = world.version(second)
            # A click that keeps dice and banks makes two moves.
            made = sum([(await done_once(world, second)).moves for _ in range(3)])
            lobby = world.script("emil", "fay")
            await lobby.step()
            await server.quiet()
            (lost,) = world.rows("SELECT max(id) FROM games")
            later = second.table()
            code, said = await world.bot.command("restore", copy)
            assert code == 2
            assert "stop it first" in said
            assert world.version(second) == before + made
            await world.bot.kill()

            code, said = await world.bot.command("restore", copy)
            assert code == 0, said
            assert "kept as" in said
            await world.bot.start()
            # The channels show later versions; they are brought back to what is stored without a click.
            await world.painted(first, world.version(first))
            await world.painted(second, before)
            assert later is not None
            # A button from the time that is lost does nothing.
            press = move_on(second, later, stale=True)
            await press.reply
            assert not press.promised
            await server.quiet()
            assert world.version(second) == before
            await done_once(world, first)
            await done_once(world, second)
            # The lobby is lost; the same channel starts another, whose buttons are its own.
            again = world.script("emil", "fay")
            await again.step()
            await server.quiet()
            assert world.rows("SELECT max(id) FROM games")[0][0] > lost[0]
            assert await world.bot.terminate() == 0
