"""Says why Discord refuses the bot for good, and what to do about it."""

from __future__ import annotations

from typing import Final

import discord

from bot.cli.text import PORTAL
from bot.discordpy.session_starts import StartsExhausted

TOKEN: Final = (
    f"Discord refuses the token. Take a new one from {PORTAL} (Bot > Reset Token) and put it into .env as "
    "DISCORD_TOKEN."
)
INTENTS: Final = (
    f"Discord refuses the intents. Switch them on at {PORTAL} (Bot > Privileged Gateway Intents)."
)

CLOSE_CODES: Final = {
    4004: TOKEN,
    4010: "Discord refuses the shard. Check SHARD_COUNT and SHARD_IDS: all processes must have the same "
    "count, and ids are smaller than it.",
    4011: "Discord refuses so few shards for so many servers. Raise SHARD_COUNT, or leave it out.",
    4012: "Discord refuses this version of its API. Install a newer version of the bot.",
    4013: "Discord does not know the intents. Install a newer version of the bot.",
    4014: INTENTS,
}
"""Discord's close codes after which a client must not connect again, and what to do about each.

https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
"""


def refusal(error: BaseException) -> str | None:
    """Return what to do if ``error`` means that Discord refuses the bot for good, else None."""
    match error:
        case discord.LoginFailure():
            return TOKEN
        case discord.PrivilegedIntentsRequired():
            return INTENTS
        case discord.ConnectionClosed():
            return CLOSE_CODES.get(error.code)
        case StartsExhausted():
            return (
                f"{error}. Something begins new sessions again and again: stop what restarts the bot, see "
                "https://discordstatus.com, and start it later."
            )
        case _:
            return None
