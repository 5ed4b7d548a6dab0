"""Drops from interaction payloads what the bot never reads: a clicked message but for its id and flags, and
the contents of a message in whose menu a command was chosen.
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


def without_messages(parse: Parse) -> Parse:
    """Return ``parse`` for interactions whose ``data`` has the id and flags of the clicked ``message``."""

    def parse_without_messages(data: InteractionCreateEvent) -> None:
        # Change a copy, because others may use the event.
        changed: Json = dict(data)
        given: Json = data.get("data") or {}
        message: Json = changed.pop("message", None)
        if message is not None:
            clicked = {"id": message["id"], "flags": message.get("flags", 0)}
            changed["data"] = {**given, "message": clicked}
        elif messages := (given.get("resolved") or {}).get("messages"):
            resolved = {**given["resolved"], "messages": {key: _bare(one) for key, one in messages.items()}}
            changed["data"] = {**given, "resolved": resolved}
        parse(changed)

    return parse_without_messages


def _bare(message: Json) -> Json:
    return {
        **{key: message[key] for key in KEPT if key in message},
        "content": "",
        "embeds": [],
        "attachments": [],
    }


def skip_messages(client: discord.Client) -> None:
    """Keep ``client`` from building an object for each clicked message: a tenth of a click's time.

    The bot reads only the id and flags of such a message; its content follows from the game. Written for
    discord.py 2.7.1; ``tests/cogs/test_interaction_payload.py`` tests it with the library. If that fails
    after an upgrade, delete this module and its call in ``sharded_bot.py``, and let
    :class:`~bot.discordpy.answer.Answer` read ``interaction.message``.
    """
    state = client._connection
    parse = without_messages(state.parse_interaction_create)
    state.parse_interaction_create = parse  # type: ignore[assignment,method-assign]
    state.parsers[EVENT] = parse
