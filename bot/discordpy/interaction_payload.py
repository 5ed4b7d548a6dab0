"""Interaction payloads without the components of the clicked message, which the bot never reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import discord

from bot.games.core import Json

if TYPE_CHECKING:
    from discord.types.gateway import InteractionCreateEvent

    Parse = Callable[[InteractionCreateEvent], None]

EVENT = "INTERACTION_CREATE"


def without_components(parse: Parse) -> Parse:
    """Return ``parse`` for interactions whose message has lost its components."""

    def parse_without_components(data: InteractionCreateEvent) -> None:
        message: Json = data.get("message")
        if message is not None:
            # The event itself stays whole: others may hold it.
            changed: Json = {**data, "message": {**message, "components": []}}
            data = changed
        parse(data)

    return parse_without_components


def skip_message_components(client: discord.Client) -> None:
    """Let ``client`` build no objects for the components of clicked messages: a tenth of a click's time.

    The bot asks such a message for its id and flags alone; what it shows follows from the game. Written for
    discord.py 2.7.1; ``tests/cogs/test_interaction_payload.py`` holds it against the library. If that fails
    after an upgrade, delete this module and its call in ``bot/client.py``: the library's own parser works.
    """
    state = client._connection
    parse = without_components(state.parse_interaction_create)
    state.parse_interaction_create = parse  # type: ignore[assignment,method-assign]
    state.parsers[EVENT] = parse
