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
from bot.i18n.names import clean
from bot.records.game_log import OtherRules
from bot.screens import puzzle as screens
from bot.screens.button_ids import Page
from bot.screens.model import Screen
from bot.screens.puzzle import Posed
from bot.sessions.request import Click, Refused
from bot.store.puzzles import game_key, shipped_key
from bot.strategy.shipped import TableProblem
from bot.strategy.tutto.puzzles import Collection, load, next_key
from cogs.command_texts import described
from cogs.history import load_finished_game, visible_channels
from cogs.pages import page, read_hex, read_number

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
    match list(parts):
        # Earlier versions named the next puzzle.
        case [screens.SHOW, *_]:
            await answer.turn_page(screens.question(await _next(bot, answer, click)))
        case [screens.OPEN, kind, which]:
            posed, key = await _named(bot, answer, click, kind, which)
            await bot.store.puzzles.note_seen(click.user_id, key)
            await answer.private(screens.question(posed))
        case [screens.ANSWER | screens.SHARE as what, kind, which, chosen]:
            posed, _ = await _named(bot, answer, click, kind, which)
            index = read_number(chosen, len(posed.puzzle.choices) - 1)
            if what == screens.SHARE:
                await _share(bot, answer, click, posed, index)
            else:
                await answer.turn_page(screens.solution(posed, index))
        case _:
            raise Unreadable("error-old-button")


async def _named(bot: DiceBot, answer: Answer, click: Click, kind: str, which: str) -> tuple[Posed, str]:
    """Return the puzzle that a button names, and its key."""
    shipped = _shipped()
    if kind == screens.GAME:
        return await _from_game(bot, answer, click, which), game_key(read_hex(which))
    # The numbers of another edition mean other puzzles.
    if kind != shipped.edition:
        raise Unreadable("error-old-button")
    index = read_number(which, len(shipped.puzzles) - 1)
    return screens.shipped(shipped, index), shipped_key(shipped.edition, index)


async def _share(bot: DiceBot, answer: Answer, click: Click, posed: Posed, chosen: int) -> None:
    """Post to the channel whether a choice was right."""

    async def afterwards() -> Screen:
        return screens.solution(posed, chosen, shared=True)

    key = answer.message_id, posed.named
    await bot.shares.post(answer, key, screens.shared(posed, chosen, clean(click.name)), afterwards)


async def _next(bot: DiceBot, answer: Answer, click: Click) -> Posed:
    """Choose the puzzle to show a person next, and note that they have seen it."""
    shipped, store = _shipped(), bot.store.puzzles
    game_ids = await store.games(click.guild_id, visible_channels(answer.interaction), click.user_id)
    games = {game_key(game_id): game_id for game_id in game_ids}
    numbers = {shipped_key(shipped.edition, index): index for index in range(len(shipped.puzzles))}
    while True:
        seen = await store.seen(click.user_id)
        key, forget = next_key(list(games), list(numbers), seen, randbelow)
        if key in numbers:
            posed: Posed | None = screens.shipped(shipped, numbers[key])
        else:
            posed = await _from_game_if_any(bot, answer, click, f"{games.pop(key):x}")
        await store.note_seen(click.user_id, key, forget)
        if posed is not None:
            return posed


async def _from_game_if_any(bot: DiceBot, answer: Answer, click: Click, game: str) -> Posed | None:
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
