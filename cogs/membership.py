"""Asks Discord who is still in a server, and stores it: events about that need a privileged intent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from bot.client import DiceBot
from bot.discordpy.membership import MAX_ASKED
from bot.standings.values import Opponent, ServerRecord, Standing

Row = TypeVar("Row", Standing, Opponent, ServerRecord)


async def refresh_presence(bot: DiceBot, guild_id: int, users: Sequence[int]) -> bool:
    """Find out which of these people have left the server or come back. Return whether anybody has.

    If Discord doesn't say, nobody's presence changes.
    """
    absent = await bot.store.absent(guild_id, MAX_ASKED - len(users))
    present = await bot.members.present(guild_id, [*users, *absent])
    if present is None:
        return False
    presence = {user_id: False for user_id in users if user_id not in present}
    presence |= {user_id: True for user_id in absent if user_id in present}
    somebody_changed = bool(presence)
    if len(users) + len(absent) >= MAX_ASKED:
        # There may be more absent people than fit into one request: others are asked about next time.
        presence |= {user_id: False for user_id in absent if user_id not in present}
    await bot.store.set_present(guild_id, presence, bot.sessions.now())
    return somebody_changed


def with_names(bot: DiceBot, guild_id: int, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return rows with people's present names, as far as known; equal names get the username added."""
    names = bot.members.names(guild_id, {row.user_id: row.name for row in rows})
    return tuple(replace(row, name=names[row.user_id]) for row in rows)
