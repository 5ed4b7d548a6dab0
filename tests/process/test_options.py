"""The form with a lobby's options, with the real bot as a process."""

from __future__ import annotations

from pathlib import Path

from tests.support.discord_server.people import Person
from tests.support.discord_server.player import find_table
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.world import World
from tests.support.values import not_none


async def test_options_are_chosen_with_a_form(tmp_path: Path) -> None:
    """Also twice: the same form is delivered again, and then sent again with what it showed."""
    async with DiscordServer() as server:
        world = World(server, tmp_path)
        async with world.bot:
            await _choose(world)
            assert await world.bot.terminate() == 0
        server.check()
        assert world.bot.errors() == []


async def _choose(world: World) -> None:
    channel = world.server.add_channel(world.guild)
    host = Person.join(world.server, world.guild, "dora")
    await host.slash(channel, "tutto", "start")
    lobby = not_none(find_table(world.server, channel))
    form = await host.click(lobby.message, "Options")
    assert form.type == 9
    done = await host.submit(form, target=["2000"], edition="classic", switches=[])
    host.again(done)
    late = await host.submit(form, target=["3000"])
    assert "have changed in the meantime" in late.text
    await world.server.quiet()
    lobby = not_none(find_table(world.server, channel))
    assert "Tutto to 2,000 points · classic edition" in lobby.text
    assert "Friendly: changes no ratings" in lobby.text
    await host.click(lobby.message, "Close the table")
