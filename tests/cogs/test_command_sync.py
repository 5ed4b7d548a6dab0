"""Where commands are registered, and that they are taken away where they are no longer wanted."""

from __future__ import annotations

from bot.discordpy.command_sync import sync_commands
from tests.support.world import World


async def test_commands_that_are_wanted_elsewhere_are_taken_away(world: World) -> None:
    """So that nobody sees each of them twice."""
    bot, guild = world.bot, world.guild.id
    other = world.env.create_guild().id

    def registered() -> dict[int | None, bool]:
        return {place: bool(world.env.backend.commands.get(place)) for place in (None, guild, other)}

    assert registered() == {None: True, guild: False, other: False}
    await sync_commands(bot.tree, bot.store, (guild,), other, always=False)
    assert registered() == {None: False, guild: True, other: False}
    await sync_commands(bot.tree, bot.store, (guild, other), always=False)
    assert registered() == {None: False, guild: True, other: True}
    bot.tree.clear_commands(guild=world.guild._guild)
    requests = len(world.env.http_requests)
    world.fail("PUT", "/guilds", 403, 50001)
    await sync_commands(bot.tree, bot.store, (), always=False)
    await sync_commands(bot.tree, bot.store, (), always=False)
    assert [one.method for one in world.env.http_requests[requests:]] == ["PUT", "PUT", "PUT"]
    assert registered()[None]
