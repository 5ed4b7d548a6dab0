"""Drops from interaction payloads what the bot never reads: the components of a clicked message, and the
contents of a message in whose menu a command was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import discord

from bot.games.core import Json

if TYPE_CHECKING:
    from discord.types.gateway import InteractionCreateEvent

    Parse = Callable[[InteractionCreateEvent], None]

EVENT = "INTERACTION_CREATE"


KEPT = (
    "id",
    "channel_id",
    "author",
    "type",
    "pinned",
    "tts",
    "mention_everyone",
    "edited_timestamp",
    "flags",
)
"""What the library needs of a message. It might fail to read the rest; the command would get no answer."""


def without_components(parse: Parse) -> Parse:
    """Return ``parse`` for interactions without the components and contents of their messages."""

    def parse_without_components(data: InteractionCreateEvent) -> None:
        message: Json = data.get("message")
        if message is not None:
            # Change a copy, because others may use the event.
            changed: Json = {**data, "message": {**message, "components": []}}
            data = changed
        given: Json = data.get("data") or {}
        if messages := (given.get("resolved") or {}).get("messages"):
            resolved = {**given["resolved"], "messages": {key: _bare(one) for key, one in messages.items()}}
            changed = {**data, "data": {**given, "resolved": resolved}}
            data = changed
        parse(data)

    return parse_without_components


def _bare(message: Json) -> Json:
    return {
        **{key: message[key] for key in KEPT if key in message},
        "content": "",
        "embeds": [],
        "attachments": [],
    }


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
