"""Opens lobbies: for the start commands, challenges and the buttons of pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.options import declared
from bot.registry import find
from cogs.new_table import new_table, open_table


def default_options(bot: DiceBot, game: str, guild_id: int | None) -> dict[str, Any]:
    """Return the default options of a game in this server."""
    settings = bot.servers.of(guild_id)
    return {
        name: settings.value(option.setting) if option.setting else option.default
        for name, option in declared(find(game).rules.options_type).items()
    }


async def open_lobby(
    bot: DiceBot,
    answer: Answer,
    game: str,
    options: Mapping[str, Any],
    invited: int | None = None,
    rated: bool | None = None,
) -> None:
    """Open a lobby where the server wants it, and post it; ``invited`` is a person to mention in it.

    If ``rated`` is None the server's default says whether the game will be rated.
    """
    chosen = bot.servers.of(answer.click().guild_id)
    table = new_table(game, options, chosen.rated if rated is None else rated, invited)
    await open_table(bot, answer, table, chosen.tables)
