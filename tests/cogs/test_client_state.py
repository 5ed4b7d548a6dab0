"""The internals of libraries that the bot uses exist."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import discord

from bot.client import DiceBot
from bot.discordpy.client_state import cancel_ready, expect_no_voice, prepare_close
from bot.discordpy.preview import in_several_tabs
from bot.settings import Settings
from tests.support.world import World


async def test_a_bot_that_was_never_started_can_be_closed() -> None:
    bot = DiceBot(Settings())
    assert not hasattr(bot, "_AutoShardedClient__queue")
    await prepare_close(bot)
    # This is the name under which the library itself makes it.
    queue = vars(bot)["_AutoShardedClient__queue"]
    await prepare_close(bot)
    assert vars(bot)["_AutoShardedClient__queue"] is queue
    await bot.close()


async def test_a_bot_that_is_closed_while_it_starts_is_not_ready_any_more() -> None:
    bot = DiceBot(Settings())
    assert "_ready_task" in vars(bot._connection)
    cancel_ready(bot)
    waiting = bot._connection._ready_task = asyncio.create_task(asyncio.sleep(60))
    cancel_ready(bot)
    await asyncio.wait({waiting})
    assert waiting.cancelled()


def test_nothing_is_said_of_voice() -> None:
    assert {"warn_nacl", "warn_dave"} <= vars(discord.VoiceClient).keys()
    expect_no_voice()
    assert not discord.VoiceClient.warn_nacl
    assert not discord.VoiceClient.warn_dave


async def test_the_preview_tells_its_tabs(world: World, unused_tcp_port: int) -> None:
    viewer = world.person("Dora", permissions=discord.Permissions(read_message_history=True))
    async with world.env.preview(world.channel, viewers=[viewer], port=unused_tcp_port) as preview:
        assert not in_several_tabs(preview)
        pages: dict[str, Any] = cast(Any, preview)._pages
        pages |= {"one": None, "another": None}
        assert in_several_tabs(preview)
        del pages["one"], pages["another"]
