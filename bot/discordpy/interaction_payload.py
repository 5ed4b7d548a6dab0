"""Clicks as they come in, without what nobody reads.

The library builds an object of each button and text of the message that was clicked: a tenth of a click.
The bot asks such a message for its id and flags alone; what it shows is known from the game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

EVENT = "INTERACTION_CREATE"

Parse = Callable[[Any], None]


def without_components(parse: Parse) -> Parse:
    """``parse`` for interactions whose message is handed on without its components."""

    def lean(data: Any) -> None:
        message = data.get("message")
        if message is not None:
            # Others may hold the event as it came.
            data = {**data, "message": {**message, "components": []}}
        parse(data)

    return lean


def take_lean(state: Any) -> None:
    """See to it that a connection of the library takes interactions in that way."""
    lean = without_components(state.parse_interaction_create)
    state.parse_interaction_create = lean
    state.parsers[EVENT] = lean
