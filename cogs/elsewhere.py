"""A person's games in other channels, and a button to post their tables again in their own channel.

This brings up the table of a thread in which they can't click: phones allow no click in an archived thread,
and a thread archives itself after some time without messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import compress

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.channels import is_gone
from bot.games.core import Unreadable
from bot.i18n.say import say
from bot.screens.button_ids import Page
from bot.screens.private import note
from bot.sessions.request import Click, Refused, seat_number
from bot.store.base import LIVE, LOBBY, GameRow
from cogs.pages import page, read_hex


async def games_of(bot: DiceBot, user_id: int, guild_id: int | None = None) -> list[GameRow]:
    """Return a person's lobbies and games in a server or in all, oldest first; close those whose channel is
    gone."""
    found = [await bot.store.game(game_id) for game_id in await bot.store.active_games_of(user_id)]
    rows = [row for row in found if row is not None and guild_id in (None, row.guild_id)]
    gone = await asyncio.gather(*(is_gone(bot, row.guild_id, row.channel_id) for row in rows))
    for row in compress(rows, gone):
        await bot.painter.channel_gone(row.channel_id)
    return [row for row, is_lost in zip(rows, gone, strict=True) if not is_lost]


async def games_elsewhere(bot: DiceBot, click: Click) -> list[tuple[int, str, int]]:
    """Return the clicker's lobbies and games in this server, as ``(id, game, channel id)``, newest first."""
    rows = await games_of(bot, click.user_id, click.guild_id)
    return [(row.id, row.game, row.channel_id) for row in reversed(rows)]


@page(Page.SHOW)
async def show(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Post the table of a game again in its own channel, which opens an archived thread."""
    if len(parts) != 1:
        raise Unreadable("error-old-button")
    row = await bot.store.game(read_hex(parts[0]))
    if row is None or row.guild_id != click.guild_id:
        raise Unreadable("error-old-button")
    if row.status not in (LOBBY, LIVE):
        raise Refused("error-game-over", game=row.game)
    if seat_number(row, click.user_id) is None:
        raise Refused("error-not-in-game")
    await bot.painter.paint(row.id, fresh=True)
    code = "elsewhere-shown" if await is_reposted(bot, row) else "elsewhere-not-shown"
    await answer.turn_page(note(say(code, channel=f"<#{row.channel_id}>")))


async def is_reposted(bot: DiceBot, before: GameRow) -> bool:
    """Return whether a game's table stands in another message than it did ``before``."""
    row = await bot.store.game(before.id)
    return row is not None and row.message_id != before.message_id
