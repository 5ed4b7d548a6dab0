"""Puzzles: ``/puzzle`` and its private pages. Each button names its puzzle, so it works after any restart."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import randbelow

from discord import app_commands
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.records.game_log import OtherRules
from bot.screens import puzzle as screens
from bot.screens.button_ids import Page
from bot.screens.puzzle import Posed
from bot.sessions.request import Click, Refused
from bot.store.puzzles import game_key, next_key, shipped_key
from bot.strategy.shipped import TableProblem
from bot.strategy.tutto.puzzles import Collection, load
from cogs.command_texts import described
from cogs.history import load_finished_game, visible_channels
from cogs.pages import number, page

MAX_NUMBER = 9999
"""The greatest number that can be typed; there are fewer puzzles than that."""


class Puzzles(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @app_commands.command(name="puzzle", description=described("cmd-puzzle"))
    @app_commands.describe(number=described("cmd-puzzle-number"))
    @answered
    async def puzzle(
        self, answer: Answer, number: app_commands.Range[int, 1, MAX_NUMBER] | None = None
    ) -> None:
        if number is None:
            posed = await _next(self.bot, answer, answer.click())
        else:
            posed = await _numbered(self.bot, answer.click(), number - 1)
        await answer.private(screens.question(posed))


@page(Page.PUZZLE)
async def answer_page(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on a button of a puzzle."""
    shipped = _shipped()
    match list(parts):
        # Earlier versions named the next puzzle.
        case [screens.SHOW, *_]:
            await answer.turn_page(screens.question(await _next(bot, answer, click)))
            return
        case [screens.ANSWER, screens.GAME, game, chosen]:
            posed = await _from_game(bot, answer, click, game)
        # The numbers of another edition mean other puzzles.
        case [screens.ANSWER, shipped.edition, which, chosen]:
            posed = screens.shipped(shipped, number(which, len(shipped.puzzles) - 1))
        case _:
            raise Unreadable("error-old-button")
    index = number(chosen, len(posed.puzzle.choices) - 1)
    await answer.turn_page(screens.solution(posed, index))


async def _next(bot: DiceBot, answer: Answer, click: Click) -> Posed:
    """Return the puzzle that a person is shown next, and note that they were."""
    shipped, store = _shipped(), bot.store.puzzles
    found = await store.games(click.guild_id, visible_channels(answer.interaction), click.user_id)
    games = {game_key(game_id): game_id for game_id in found}
    numbers = {shipped_key(shipped.edition, index): index for index in range(len(shipped.puzzles))}
    while True:
        seen = await store.seen(click.user_id)
        key, forget = next_key(list(games), list(numbers), seen, randbelow)
        if key in numbers:
            posed: Posed | None = screens.shipped(shipped, numbers[key])
        else:
            posed = await _if_there_is_one(bot, answer, click, f"{games.pop(key):x}")
        await store.note_seen(click.user_id, key, forget)
        if posed is not None:
            return posed


async def _if_there_is_one(bot: DiceBot, answer: Answer, click: Click, game: str) -> Posed | None:
    """Return the puzzle of a game, or None if it was deleted, is damaged, or has earlier rules.

    Raises :class:`Refused` if it can't be worked out now.
    """
    try:
        return await _from_game(bot, answer, click, game)
    except OtherRules:
        return None
    except Refused as refused:
        if refused.code in ("error-puzzle-gone", "error-damaged"):
            return None
        raise


async def _numbered(bot: DiceBot, click: Click, index: int) -> Posed:
    """Return a shipped puzzle that a person asked for."""
    shipped = _shipped()
    if index >= len(shipped.puzzles):
        raise Refused("error-puzzle-number", n=len(shipped.puzzles))
    await bot.store.puzzles.note_seen(click.user_id, shipped_key(shipped.edition, index))
    return screens.shipped(shipped, index)


async def _from_game(bot: DiceBot, answer: Answer, click: Click, game: str) -> Posed:
    """Return the puzzle of a game that the person may see. Raises :class:`Refused` if there is none."""
    try:
        row = await load_finished_game(bot, answer, click, game)
    except Refused:
        raise Refused("error-puzzle-gone") from None
    move = await bot.store.puzzles.move(row.id)
    puzzle = None if move is None else await bot.derived.puzzle(row, move, click.asker)
    if puzzle is None:
        raise Refused("error-puzzle-gone")
    return screens.from_game(row.id, puzzle)


def _shipped() -> Collection:
    try:
        return load()
    except TableProblem as problem:
        raise Refused("error-puzzle-missing", file=str(problem.facts["file"])) from problem


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Puzzles(bot))
