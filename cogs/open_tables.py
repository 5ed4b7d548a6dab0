"""Lists of open tables: ``/tables`` of the server, ``/mygames`` of a person in all servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import discord
from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import CORRUPT_DATA_ERRORS, Unreadable
from bot.games.values import replace
from bot.registry import GAMES, find
from bot.screens import open_tables as screens
from bot.screens.button_ids import Page
from bot.screens.model import Screen, message_link
from bot.screens.open_tables import OpenTable
from bot.sessions.absence import turn_ends
from bot.sessions.presentation import to_move_user
from bot.sessions.request import Click, Refused, seat_number
from bot.store.base import LIVE, LOBBY, GameRow
from cogs.command_texts import described
from cogs.elsewhere import games_of
from cogs.history import can_see, without_names
from cogs.new_table import join
from cogs.pages import page, page_count, read_hex, read_number

MAX_PAGE = 10_000
"""More pages than any list will have."""

T = TypeVar("T")


class Tables(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="tables", description=described("cmd-tables"))
    @answered
    async def tables(self, answer: Answer) -> None:
        await answer.private(await _of_server(self.bot, answer, 0))

    @app_commands.command(name="mygames", description=described("cmd-mygames"))
    @answered
    async def mygames(self, answer: Answer) -> None:
        await answer.private(await _of_person(self.bot, answer, 0))


@page(Page.TABLES)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on a list of tables."""
    match list(parts):
        case [screens.SERVER | screens.MINE as kind, at, *_]:
            await answer.turn_page(await _LISTS[kind](bot, answer, read_number(at, MAX_PAGE)))
        case [screens.JOIN, game_id]:
            row = await bot.store.game(read_hex(game_id))
            if (
                row is None
                or row.guild_id != click.guild_id
                or not can_see(answer.interaction, row.channel_id)
            ):
                raise Refused("error-no-such-game")
            await join(bot, answer, row)
        case _:
            raise Unreadable("error-old-button")


async def _of_server(bot: DiceBot, answer: Answer, at: int) -> Screen:
    """List the server's tables in channels and threads that the person can see, as far as that is known.

    Discord names no archived threads, so tables there are listed only for those who sit at them
    (docs/decisions/tables-in-threads.md).
    """
    click = answer.click()
    guild = answer.interaction.guild
    places = [click.channel_id]
    if isinstance(guild, discord.Guild):
        places += [place.id for place in (*guild.channels, *guild.threads)]
    mine = _open(await games_of(bot, click.user_id, click.guild_id))
    open_ids = await bot.store.open_tables(places)
    rows = {row.id: row for row in _open([await bot.store.game(game_id) for game_id in open_ids])}
    visible = {row.id: row for row in rows.values() if can_see(answer.interaction, row.channel_id)}
    visible |= {row.id: row for row in mine}
    people = {seat.user_id for row in visible.values() for seat in row.seats if seat.user_id is not None}
    hidden = await bot.store.unlisted(click.guild_id, people) - {click.user_id}
    shown, at, pages = _page(sorted(visible.values(), key=lambda row: -row.id), at)
    tables = [_table(bot, click, replace(row, seats=without_names(row.seats, hidden))) for row in shown]
    return screens.of_server(tables, at, pages, GAMES)


async def _of_person(bot: DiceBot, answer: Answer, at: int) -> Screen:
    """List the tables of the person in all servers: first those that wait for them, then the latest."""
    click = answer.click()
    tables = [_table(bot, click, row) for row in _open(await games_of(bot, click.user_id))]
    tables.sort(key=lambda table: (not table.is_my_turn, -table.game_id))
    shown, at, pages = _page(tables, at)
    return screens.of_person(shown, at, pages)


_LISTS: dict[str, Callable[[DiceBot, Answer, int], Awaitable[Screen]]] = {
    screens.SERVER: _of_server,
    screens.MINE: _of_person,
}


def _open(rows: Iterable[GameRow | None]) -> list[GameRow]:
    """Return those of these games that are open tables, of a game that the bot still has."""
    return [row for row in rows if row is not None and row.status in (LOBBY, LIVE) and row.game in GAMES]


def _table(bot: DiceBot, click: Click, row: GameRow) -> OpenTable:
    """Return a game as a line of a list."""
    try:
        player_id = to_move_user(row)
    except (*CORRUPT_DATA_ERRORS, Unreadable):
        player_id = None
    guild = bot.get_guild(row.guild_id)
    return OpenTable(
        row.id,
        row.game,
        row.channel_id,
        message_link(row.guild_id, row.channel_id, row.message_id),
        row.seats,
        find(row.game).rules.max_seats if row.status == LOBBY else None,
        seat_number(row, player_id) if player_id is not None else None,
        seat_number(row, click.user_id),
        turn_ends(row),
        guild.name if guild is not None else "",
    )


def _page(lines: Sequence[T], at: int) -> tuple[Sequence[T], int, int]:
    """Return the lines of page ``at``, or of the last one, its number, and how many pages there are."""
    pages = page_count(len(lines), screens.PAGE)
    at = min(at, pages - 1)
    return lines[at * screens.PAGE : (at + 1) * screens.PAGE], at, pages


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Tables(bot))
