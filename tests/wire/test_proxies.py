"""The real process behind proxies for REST and for the gateway: DISCORD_API_URL, DISCORD_GATEWAY_URL."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.wire.crash import examine
from tests.wire.player import Press, presses_of
from tests.wire.proxies import Proxies
from tests.wire.server import DiscordServer
from tests.wire.world import PREPARING, World

RESUMING = 30.0
"""The library waits 5 seconds before it identifies anew."""


@pytest.mark.timeout(180)
async def test_games_go_on_behind_proxies(tmp_path: Path) -> None:
    """Clicks are answered through them; a bot that was killed, or cut off, costs no IDENTIFY at Discord."""
    async with DiscordServer() as server:
        world = World(server, tmp_path)
        tables = [world.script("ann", "ben"), world.script("cleo", ais=1)]
        async with Proxies(server) as proxies:
            world.bot.env |= proxies.env()

            async def clicks(more: int) -> None:
                """Play until so many clicks more were taken, at each table."""
                for script in tables:
                    until = promised(script.presses) + more
                    async with asyncio.timeout(PREPARING):
                        while promised(script.presses) < until:
                            await script.step()

            async with world.bot:
                await clicks(12)
                await world.bot.kill()
                await world.bot.start()
                await world.bot.wait_ready()
                assert (proxies.identifies, proxies.resumes) == (2, 0)
                await clicks(12)
                await server.quiet()
                await proxies.drop()
                await server.until(lambda: proxies.identifies == 3, RESUMING, "an IDENTIFY after the RESUME")
                assert proxies.resumes >= 1
                await clicks(12)
                await server.quiet()
                assert await world.bot.terminate() == 0
            assert server.gateway.identifies == 1
            assert proxies.passed_on == len(server.calls) > 72
        assert world.bot.errors() == []
        findings = await examine(world.database, tables)
        assert findings.problems == []
        assert findings.promised == promised(presses_of(tables)) >= 72


def promised(presses: Iterable[Press]) -> int:
    return sum(press.promised for press in presses)
