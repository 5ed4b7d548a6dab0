"""Opens lobbies: for the start commands, challenges and the buttons of pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.client import DiceBot
from bot.discordpy.answer import Answer
from bot.games.options import declared
from bot.i18n.say import say
from bot.registry import find
from bot.screens.private import note
from cogs.permissions import check_channel, check_start, tell_deleted_choices


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
    """Open a lobby and post it; ``invited`` is a person to mention in it.

    If ``rated`` is None the server's default says whether the game will be rated.
    """
    click = answer.click()
    await check_channel(answer.interaction)
    check_start(bot, answer.interaction)
    chosen = bot.servers.of(click.guild_id)
    session = bot.sessions.at(click.channel_id)
    rated = chosen.rated if rated is None else rated
    row = await session.open(click, game, options, chosen.turn_seconds, rated)
    # The page whose button was clicked stays as it is.
    await bot.painter.paint(row.id, answer if answer.is_command else None, invited=invited)
    if answer.is_command and not answer.posted:
        await answer.private(note(say("done-opened")))
    await tell_deleted_choices(bot, answer)
