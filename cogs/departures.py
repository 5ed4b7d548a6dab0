"""Takes people who have left the server out of their games.

Discord sends events about them only with a privileged intent. So the bot asks whether they are gone: at their
next deadline (:mod:`bot.services.deadlines`), and here when somebody else at the table votes, or asks for
what only the host may do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.client import DiceBot
from bot.discordpy.membership import is_member
from bot.sessions.presentation import turn_key
from bot.sessions.request import Click, Refused, seat_number
from bot.store.base import LIVE, LOBBY, GameRow

_HOST_ONLY = ("error-host-only", "error-manager-only")
"""The codes of refusals that a host would not get."""


async def replace_departed_host(bot: DiceBot, click: Click, refused: Refused) -> bool:
    """Make the clicker the host if they were refused for not being it, and the host has left the server.

    Return whether that is so; the click may then be tried again.
    """
    row = await bot.store.active_game(click.channel_id) if refused.code in _HOST_ONLY else None
    return row is not None and await _let_go(bot, click, row, [row.host_id])


async def pass_turn_of_departed(bot: DiceBot, click: Click, game_id: int) -> bool:
    """Take people who have left the server out of the game, before somebody votes in it.

    Return whether this has ended the turn that the vote is about.
    """
    row = await let_departed_go(bot, click, game_id)
    if row is None:
        return False
    after = await bot.store.game(game_id)
    return after is None or turn_key(after) != turn_key(row)


async def let_departed_go(bot: DiceBot, click: Click, game_id: int) -> GameRow | None:
    """Take people who have left the server out of the game. Return it as it was, or None without any."""
    row = await bot.store.game(game_id)
    if row is None or row.channel_id != click.channel_id or row.status != LIVE:
        return None
    users = [seat.user_id for seat in row.seats if seat.user_id is not None]
    return row if await _let_go(bot, click, row, users) else None


async def _let_go(bot: DiceBot, click: Click, row: GameRow, users: Sequence[int]) -> bool:
    """Take those of ``users`` who are not in the server out of the game. Return whether there were any."""
    if row.status not in (LOBBY, LIVE) or seat_number(row, click.user_id) is None:
        return False
    present = await asyncio.gather(*(is_member(bot, row.guild_id, user_id) for user_id in users))
    gone = [user_id for user_id, there in zip(users, present, strict=True) if not there]
    session = bot.sessions.at(row.channel_id)
    changed = await session.depart(gone, row.id, click.user_id) if gone else None
    if changed is not None:
        await bot.painter.paint(changed.id)
    return changed is not None
