"""A month is closed by the real bot, which is killed at each moment of it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord.backend.models import Channel

from bot.standings.seasons import month_at, starts_at
from tests.store.standings.test_standings import end
from tests.support import screen
from tests.support.databases import open_store
from tests.support.discord_server.crash import Deadly
from tests.support.discord_server.people import Person
from tests.support.discord_server.world import World, world_at_rest

HASTY = """
import sys
from bot.__main__ import main
from bot.services import seasons
seasons.FIRST_SECONDS = seasons.UNCERTAIN_SECONDS = 0.1
sys.exit(main())
"""
"""The program, which does not wait for half a minute before it looks for a month to close."""


async def play(world: World, ann: Person, ben: Person, channel: Channel) -> int:
    """Let Ann win two games of a month that is over, in a server that wants its card in this channel."""
    month = month_at(time.time()) - 1
    store = await open_store(world.database)
    for _ in range(2):
        await end(store, ann.id, ben.id, guild_id=world.guild.id, at=starts_at(month) + 5)
    await store.set_settings(world.guild.id, {"seasons": (channel.id,)}, 0.0)
    await store.close()
    with contextlib.closing(sqlite3.connect(world.database)) as connection:
        connection.execute("UPDATE games SET shown_version = version")
        connection.commit()
    everyone = world.guild.everyone_role
    value = everyone.permissions | discord.Permissions(read_message_history=True).value
    world.server.backend.edit_role(world.guild.id, everyone.id, {"permissions": value})
    return month


def cards(world: World, channel: Channel) -> int:
    return sum("🏆" in screen.text_of(message) for message in world.server.messages(channel))


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_month_is_closed_and_shown_once_though_the_bot_is_killed_at_each_moment(
    tmp_path: Path,
) -> None:
    async with world_at_rest(tmp_path) as world:
        ann, ben = (Person.join(world.server, world.guild, name) for name in ("ann", "ben"))
        elsewhere, channel = (world.server.add_channel(world.guild, name) for name in ("dice", "cards"))
        month = await play(world, ann, ben, channel)
        world.bot.args = [sys.executable, "-c", HASTY, "run"]
        messages = rf"^/channels/{channel.id}/messages$"

        async def begin(*, busy: bool = False) -> None:
            """Start the bot, and tell it the time by a click, perhaps with a database that takes nothing."""
            await world.bot.start()
            with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
                if busy:
                    other.execute("BEGIN IMMEDIATE")
                ann.slash(elsewhere, "leaderboard")
                if busy:
                    await asyncio.sleep(1.0)
                    await world.bot.kill()

        async def killed(method: str, *, after: bool, cut: bool) -> None:
            """Let the bot die at a request to the channel: lost on its way, under way or carried out."""
            rule = Deadly(method, messages, "deadly", after=after, cut=cut, gate=asyncio.Event())
            await begin()
            rule.pid = world.bot.pid
            world.server.faults.add(rule)
            await world.server.until(lambda: rule.hits, 20.0)
            await world.bot.wait_exit()
            world.server.faults.clear()
            world.server.gateway.sessions.clear()
            # Discord remembers a nonce for some minutes only.
            world.server._nonces.clear()

        def stored() -> list[tuple[Any, ...]]:
            return world.rows("SELECT game, month, place, user_id, wins FROM season_lines")

        await begin(busy=True)
        assert (stored(), cards(world, channel)) == ([], 0)

        champions = [("tutto", month, 1, ann.id, 2)]
        due = [(month, month, None)]
        for method, after, cut, shown in (
            ("POST", False, True, 0),
            ("GET", False, True, 0),
            ("POST", False, False, 1),
            ("GET", True, True, 1),
        ):
            await killed(method, after=after, cut=cut)
            await world.server.until(lambda shown=shown: cards(world, channel) == shown)  # type: ignore[misc]
            assert stored() == champions
            assert world.rows("SELECT through, card, refused FROM seasons") == due
        for _ in range(2):
            await begin()
            await world.server.until(
                lambda: world.rows("SELECT through, card, refused FROM seasons") == [(month, None, None)]
            )
            assert await world.bot.terminate() == 0
            assert (stored(), cards(world, channel)) == (champions, 1)
        assert world.bot.errors() == []
