"""Maintenance of the real bot: the command that asks for it, the signal, and the start after it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.support.discord_server.world import done_once, world_at_rest
from tests.support.values import not_none


async def test_a_command_or_a_signal_stops_the_bot_and_a_start_takes_the_line_away(tmp_path: Path) -> None:
    async with world_at_rest(tmp_path) as world:
        code, said = await world.bot.command("maintenance")
        assert (code, "no bot is running" in said) == (2, True)
        await world.bot.start()
        script = await world.going()
        code, said = await world.bot.command("stats")
        assert code == 0
        assert "1 games     running now" in said
        assert "2 people" in said
        code, said = await world.bot.command("maintenance", "back at 20:15")
        assert code == 0, said
        assert "has stopped after" in said
        assert await world.bot.wait_exit() == 0
        table = not_none(script.table())
        assert "back at 20" in table.text

        await world.bot.start()
        await world.server.until(lambda: (now := script.table()) and "Maintenance" not in now.text, 10.0)
        await done_once(world, script)
        os.kill(world.bot.pid, signal.SIGUSR1)
        assert await world.bot.wait_exit() == 0
        table = not_none(script.table())
        assert "**Maintenance:** the bot" in table.text
        assert not tmp_path.joinpath("games.db.pid").exists()
        world.server.check()
        assert world.bot.errors() == []
