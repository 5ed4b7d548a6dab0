"""Games through a proxy for REST and one that keeps the session with the gateway."""

from __future__ import annotations

from pathlib import Path

from tests.support.discord_server.crash import CALLBACK, examine
from tests.support.discord_server.player import Script
from tests.support.discord_server.proxies import GatewayProxy, RestProxy
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_server.world import World, done_once, move


async def test_games_through_proxies(tmp_path: Path) -> None:
    """Two people play while the proxies fail, and two others play a game to its end."""
    async with DiscordServer() as server:
        world = World(server, tmp_path)
        async with RestProxy(server) as rest, GatewayProxy(server) as gateway:
            world.bot.env |= {"DISCORD_API_URL": rest.url, "DISCORD_GATEWAY_URL": gateway.url}
            await world.bot.launch()
            try:
                await world.bot.wait_line("Ready as .* in 1 server")
                going = await world.going("ann", "ben")
                await limited_and_cut_off(world, going, rest)
                await cut_in_the_middle(world, going, gateway)
                whole = world.script("cleo", "dan")
                await whole.play()
                board = await whole.host.slash(whole.channel, "leaderboard")
                assert "dan" in board.text
            finally:
                code = await world.bot.terminate()
        assert code == 0
        assert world.bot.errors() == []
        # The bot used only the proxies, and Discord saw one client all the time.
        assert len(rest.passed) == len(server.calls) - rest.waited
        assert all(path.startswith("/api/v10/") for _, path, _ in rest.passed)
        assert (server.gateway.identifies, server.gateway.resumes) == (1, 0)
    findings = await examine(world.database, world.scripts)
    assert findings.problems == []


async def limited_and_cut_off(world: World, script: Script, rest: RestProxy) -> None:
    """The proxy waits for rate limits; the bot repeats requests that get no answer."""
    server = world.server
    server.faults.rate_limit("POST", CALLBACK, retry_after=0.2)
    await done_once(world, script)
    assert rest.waited == 1
    assert 429 not in {status for _, _, status in rest.passed}
    server.faults.cut("POST", CALLBACK)
    await done_once(world, script)
    assert [status for _, _, status in rest.passed].count(502) == 1


async def cut_in_the_middle(world: World, script: Script, gateway: GatewayProxy) -> None:
    """The session can't be resumed: a click made meanwhile is lost, and the next one counts."""
    server, version = world.server, world.version(script)
    await gateway.cut()
    lost = move(script)
    await server.until(lambda: len(gateway.identifies) == 2, within=6.0)
    assert len(gateway.resumes) == 1
    press = await done_once(world, script)
    assert not lost.reply.acked
    assert world.version(script) == version + press.moves
