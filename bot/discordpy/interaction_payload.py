"""Drops the components of the clicked message from interaction payloads, because the bot never reads them."""

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
    """Return ``parse`` for interactions without the components of their message."""

    def parse_without_components(data: InteractionCreateEvent) -> None:
        message: Json = data.get("message")
        if message is not None:
            # Change a copy, because others may use the event.
            changed: Json = {**data, "message": {**message, "components": []}}
            data = changed
        parse(data)

    return parse_without_components


def skip_message_components(client: discord.Client) -> None:
    """Keep ``client`` from building objects for clicked messages' components: a tenth of a click's time.

    The bot reads only the id and flags of such a message; its content follows from the game. Written for
    discord.py 2.7.1; ``tests/cogs/test_interaction_payload.py`` tests it with the library. If that fails
    after an upgrade, delete this module and its call in ``sharded_bot.py``: the library's own parser works.
    """
    state = client._connection
    parse = without_components(state.parse_interaction_create)
    state.parse_interaction_create = parse  # type: ignore[assignment,method-assign]
    state.parsers[EVENT] = parse
