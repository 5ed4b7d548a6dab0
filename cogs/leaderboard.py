"""The leaderboard of a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.registry import GAMES, find
from bot.screens import seasons
from bot.screens.button_ids import Page
from bot.screens.leaderboard import PAGE, WHERE_AM_I, leaderboard, sorts_of
from bot.screens.model import Screen
from bot.sessions.request import Click, Refused
from bot.standings.periods import period_start
from bot.standings.values import Board, Leaderboard, Period, Sort
from cogs.command_texts import described, game_choices
from cogs.membership import refresh_presence, with_names
from cogs.pages import page, page_count, read_number

MAX_MONTH = 12 * 1000
"""Later than any month that the bot will see; see :mod:`bot.standings.seasons`."""

MAX_CHECKS = 3
"""How often to ask Discord who is still in the server, while the answers show that people have left."""

LINES_TO_CHECK = 50
"""How many lines to check at a time: those of the page and the next ones, which may move up."""

SEASONS = "seasons"
"""The choice, among periods, that shows the months that are over."""


async def season_screen(bot: DiceBot, guild_id: int, game: str, month: int | None = None) -> Screen:
    """Return the board of a season of a game, by default of the latest."""
    months = await bot.store.seasons.months(guild_id, game)
    shown = month if month is not None else next(iter(months), None)
    if shown is None:
        return seasons.empty(game)
    lines = await bot.store.seasons.lines(guild_id, game, shown)
    if await refresh_presence(bot, guild_id, [line.user_id for line in lines if line.user_id is not None]):
        lines = await bot.store.seasons.lines(guild_id, game, shown)
    return seasons.board(game, shown, months, lines)


async def board_screen(bot: DiceBot, board: Leaderboard, at: int | None, reader: int | None = None) -> Screen:
    """Return page ``at``, or the last one if there are fewer; None means the page with the reader's line.

    ``reader`` is the only person who sees the page: it highlights their line and has their chances to win.
    Raises :class:`Refused` if their page is asked for and they have no line.
    """
    feat = find(board.game).feat
    if board.sort not in sorts_of(board.board, feat):
        board = replace(board, sort=Sort.WINS)
    zone = bot.servers.of(board.guild_id).time_zone
    board = replace(board, since=period_start(board.period, bot.sessions.now(), zone))
    if reader is not None:
        await refresh_presence(bot, board.guild_id, [reader])
    checks_left = MAX_CHECKS
    while True:
        pages = page_count(await bot.store.ranked(board), PAGE)
        if at is None:
            mine = await bot.store.standing_of(board, reader) if reader is not None else None
            if mine is None:
                raise Refused("error-not-ranked")
            shown = mine[1] // PAGE
        else:
            shown = max(0, min(at, pages - 1))
        rows = await bot.store.standings(board, shown * PAGE, LINES_TO_CHECK)
        if not checks_left or not await refresh_presence(bot, board.guild_id, [row.user_id for row in rows]):
            rows = with_names(bot, board.guild_id, rows)[:PAGE]
            chances = None
            if reader is not None and board.sort is Sort.RATING:
                others = [row.user_id for row in rows if row.user_id != reader]
                chances = await bot.store.forecasts(board.guild_id, board.game, reader, others)
            return leaderboard(board, feat, rows, shown, pages, zone=zone, me=reader, forecasts=chances)
        checks_left -= 1


class Leaderboards(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="leaderboard", description=described("cmd-leaderboard"))
    @app_commands.describe(
        game=described("cmd-leaderboard-game"),
        period=described("cmd-leaderboard-period"),
        sort=described("cmd-leaderboard-sort"),
        against=described("cmd-leaderboard-against"),
    )
    @app_commands.choices(
        game=game_choices(),
        period=[app_commands.Choice(name=described(f"board-{one}"), value=one) for one in (*Period, SEASONS)],
        sort=[
            app_commands.Choice(name=described(f"board-sort-{one.value}"), value=one.value) for one in Sort
        ],
        against=[
            app_commands.Choice(name=described(f"board-against-{one.value}"), value=one.value)
            for one in Board
        ],
    )
    @answered
    async def leaderboard(
        self,
        answer: Answer,
        game: str = next(iter(GAMES)),
        period: str = Period.ALL.value,
        sort: str = Sort.WINS.value,
        against: str = Board.PEOPLE.value,
    ) -> None:
        click = answer.click()
        if period == SEASONS:
            await answer.page(await season_screen(self.bot, click.guild_id, game))
            return
        board = Leaderboard(click.guild_id, game, Sort(sort), Period(period), board=Board(against))
        await answer.page(await board_screen(self.bot, board, 0))


@page(Page.LEADERBOARD)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on a leaderboard: "Where am I" privately, everything else by changing the page."""
    match parts:
        case [game, against, period, sort, at, button] if (
            against in tuple(Board) and period in tuple(Period) and sort in tuple(Sort)
        ):
            board = Leaderboard(click.guild_id, game, Sort(sort), Period(period), board=Board(against))
        case [game, period, sort, at, button] if period in tuple(Period) and sort in tuple(
            Sort
        ):  # from before there were games against AIs
            board = Leaderboard(click.guild_id, game, Sort(sort), Period(period))
        case [game, sort, at, button] if sort in tuple(Sort):  # a button from before there were periods
            board = Leaderboard(click.guild_id, game, Sort(sort))
        case _:
            raise Unreadable("error-old-button")
    if button == WHERE_AM_I:
        bot.members.note(click.guild_id, answer.interaction.user)
        await answer.private(await board_screen(bot, board, None, click.user_id))
        return
    reader = click.user_id if answer.is_on_private else None
    await answer.turn_page(await board_screen(bot, board, read_number(at), reader))


@page(Page.SEASONS)
async def turn_season(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click that asks for the board of a season."""
    match list(parts):
        case [game] if game in GAMES:
            month = None
        case [game, text, seasons.OPEN] if game in GAMES:
            await answer.private(await season_screen(bot, click.guild_id, game, read_number(text, MAX_MONTH)))
            return
        case [game, text] if game in GAMES:
            month = read_number(text, MAX_MONTH)
        case _:
            raise Unreadable("error-old-button")
    await answer.turn_page(await season_screen(bot, click.guild_id, game, month))


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Leaderboards(bot))
