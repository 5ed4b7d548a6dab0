"""The interaction, server and game of the current task, which each line of the log names."""

from __future__ import annotations

from contextvars import ContextVar

interaction: ContextVar[int | None] = ContextVar("interaction", default=None)
guild: ContextVar[int | None] = ContextVar("guild", default=None)
game: ContextVar[int | None] = ContextVar("game", default=None)


def current() -> dict[str, int]:
    """Return the ids that the current task has, by name."""
    ids = {"interaction": interaction.get(), "guild": guild.get(), "game": game.get()}
    return {name: value for name, value in ids.items() if value}
