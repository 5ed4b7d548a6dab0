"""What to send when Discord refuses a message: the same again, plainer each time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.discordpy.components import Files, Rendered, render
from bot.discordpy.errors import INVALID_FORM
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.screens.model import Block, File, Picture, Screen, Text
from bot.screens.private import note

NOT_SHOWN = note(say("error-not-shown"))
"""The message that replaces an answer if Discord refuses all attempts."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A screen with its files, and the catalogue for its texts."""

    screen: Screen
    files: Files
    catalogue: Catalogue

    def rendered(self, locale: str, game_id: int = 0, version: int = 0) -> Rendered:
        return render(self.screen, self.catalogue, locale, game_id, version)


def attempts(screen: Screen, files: Files | None, catalogue: Catalogue) -> Iterator[Attempt]:
    """Return the screen itself, then without the parts that Discord may refuse.

    These are drawn emojis and pictures. Descriptions replace pictures, and the message says so. Files to open
    or save stay, because the person asked for them.
    """
    files = files or {}
    yield Attempt(screen, files, catalogue)
    kept = {block.name for block in screen.blocks if isinstance(block, File)}
    plain = replace(screen, blocks=tuple(map(_plain, screen.blocks)))
    yield Attempt(plain, {name: data for name, data in files.items() if name in kept}, catalogue.plain())


def is_about_emojis(error: BaseException) -> bool:
    """Return whether Discord refuses a message because one of the bot's emojis no longer exists."""
    return getattr(error, "code", 0) == INVALID_FORM and "emoji" in str(error).lower()


def _plain(block: Block) -> Block:
    return Text.of(say("picture-not-shown"), block.alt) if isinstance(block, Picture) else block
