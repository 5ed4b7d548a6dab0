"""The internals of libraries that the bot uses exist."""

from __future__ import annotations

import asyncio

import discord

from bot.client import DiceBot
from bot.discordpy.client_state import cancel_ready, expect_no_voice, prepare_close
from bot.settings import Settings


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


def test_there_are_no_warnings_about_voice() -> None:
    assert {"warn_nacl", "warn_dave"} <= vars(discord.VoiceClient).keys()
    expect_no_voice()
    assert not discord.VoiceClient.warn_nacl
    assert not discord.VoiceClient.warn_dave
