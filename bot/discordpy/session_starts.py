"""Keeps the bot from using up the sessions that Discord allows it to begin in a day."""

from __future__ import annotations

import asyncio

import discord

from bot.discordpy.errors import DISCORD_ERRORS

RESERVE = 20
"""How many sessions to leave, so that the bot can be started again on the same day.

Discord resets the token of a bot that begins more than it may.
"""

PATIENCE_SECONDS = 5.0
"""How long Discord may take to say how many are left; after that, the session is begun all the same."""


class StartsExhausted(discord.ClientException):
    """Discord allows hardly any more sessions today; the text says how many, and when that changes."""


async def check_starts(client: discord.AutoShardedClient, wanted: int = 1) -> None:
    """Raise :class:`StartsExhausted` unless ``wanted`` sessions can be begun and :data:`RESERVE` are left.

    Each shard begins one. If Discord does not say how many are left, they are begun all the same.
    """
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            limits = await client.fetch_session_start_limits()
    except (*DISCORD_ERRORS, KeyError):
        return
    check_limits(limits, wanted)


def check_limits(limits: discord.SessionStartLimits, wanted: int) -> None:
    """Raise :class:`StartsExhausted` unless ``limits`` allow ``wanted`` sessions and leave the reserve."""
    if limits.remaining < wanted + RESERVE:
        hours = limits.reset_after / 3_600_000
        raise StartsExhausted(
            f"Discord allows {limits.remaining} of {limits.total} more sessions until the limit resets in "
            f"{hours:.1f} h"
        )
