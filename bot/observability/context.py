"""What a line of the log is about: the interaction, the server and the game in whose task it is written."""

from __future__ import annotations

from contextvars import ContextVar

interaction: ContextVar[int | None] = ContextVar("interaction", default=None)
guild: ContextVar[int | None] = ContextVar("guild", default=None)
game: ContextVar[int | None] = ContextVar("game", default=None)


def current() -> dict[str, int]:
    """What is known of the present task, by name."""
    known = {"interaction": interaction.get(), "guild": guild.get(), "game": game.get()}
    return {name: value for name, value in known.items() if value}
