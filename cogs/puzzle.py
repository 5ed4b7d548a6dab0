"""Puzzles: ``/puzzle`` and its private pages. Nothing is stored; each button carries the puzzle's number."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import randbelow

from discord import app_commands
from discord.ext import commands

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.discordpy.handling import answered
from bot.games.core import Unreadable
from bot.screens import puzzle
from bot.screens.button_ids import Page
from bot.sessions.request import Click, Refused
from bot.strategy.shipped import TableProblem
from bot.strategy.tutto.puzzles import Collection, load
from cogs.command_texts import described
from cogs.pages import number, page


class Puzzles(commands.Cog):
    @app_commands.command(name="puzzle", description=described("cmd-puzzle"))
    @answered
    async def puzzle(self, answer: Answer) -> None:
        shipped = _shipped()
        await answer.private(puzzle.question(shipped, randbelow(len(shipped.puzzles))))


@page(Page.PUZZLE)
async def turn(bot: DiceBot, answer: Answer, click: Click, parts: Sequence[str]) -> None:
    """Answer a click on a button of a puzzle."""
    shipped = _shipped()
    last = len(shipped.puzzles) - 1
    match list(parts):
        case [puzzle.SHOW, which]:
            await answer.turn_page(puzzle.question(shipped, number(which, last)))
        # The numbers of another edition mean other puzzles.
        case [puzzle.ANSWER, shipped.edition, which, chosen]:
            found = number(which, last)
            index = number(chosen, len(shipped.puzzles[found].choices) - 1)
            await answer.turn_page(puzzle.solution(shipped, found, index))
        case _:
            raise Unreadable("error-old-button")


def _shipped() -> Collection:
    try:
        return load()
    except TableProblem as problem:
        raise Refused("error-puzzle-missing", file=str(problem.facts["file"])) from problem


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Puzzles())
