"""When to acknowledge an interaction: Discord gives up 3 seconds after the click, not after its arrival."""

from __future__ import annotations

import discord

ACK_SECONDS = 1.5
"""How long after the click to acknowledge the interaction if it has no answer yet."""

LATE_ACK_SECONDS = 0.2
"""How long to wait at least for the answer, if the interaction arrives late: most answers take less."""

MAX_AGE_SECONDS = 3.0
"""An interaction that seems older than this, or from the future, shows that this machine's clock is wrong."""


def snowflake_seconds(discord_id: int) -> float:
    """Return when Discord made this id, in Unix seconds."""
    return ((discord_id >> 22) + discord.utils.DISCORD_EPOCH) / 1000


def seconds_to_ack(interaction_id: int, now: float) -> float:
    """Return how long after its arrival at ``now`` (Unix seconds) to acknowledge an interaction.

    >>> made = (1_700_000_000 * 1000 - discord.utils.DISCORD_EPOCH) << 22
    >>> seconds_to_ack(made, 1_700_000_000 + 0.5)
    1.0
    """
    age = now - snowflake_seconds(interaction_id)
    if not 0 <= age <= MAX_AGE_SECONDS:
        return ACK_SECONDS
    return min(ACK_SECONDS, max(ACK_SECONDS - age, LATE_ACK_SECONDS))
