"""A person's games in other channels of the server, shown only to them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.i18n.say import GameName, say
from bot.screens.button_ids import Page
from bot.screens.model import PRIMARY, SECONDARY, Block, Button, Screen, Section, Text

MAX_GAMES = 5
"""How many games are listed."""


def games_page(running: Sequence[tuple[int, str, int]]) -> Screen:
    """List games as ``(id, game, channel id)``, each with a button that shows its table in its channel."""
    blocks: list[Block] = [Text.of(say("elsewhere"))]
    for number, (game_id, game, channel_id) in enumerate(running[:MAX_GAMES]):
        style = SECONDARY if number else PRIMARY
        line = say("elsewhere-game", game=GameName(game), channel=f"<#{channel_id}>")
        button = Button(Page.SHOW.token(f"{game_id:x}"), say("elsewhere-show"), style)
        blocks.append(Section((line,), button))
    return Screen.of(*blocks)
