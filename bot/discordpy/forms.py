"""What to say when Discord refuses a message: the same more plainly, and at last that it was refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.discordpy.components import Files, Rendered, render
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.screens.model import Block, File, Picture, Screen, Text
from bot.screens.private import note

INVALID_FORM = 50035

NOT_SHOWN = note(say("error-not-shown"))
"""What a person is told of an answer that Discord takes in no form."""


@dataclass(frozen=True, slots=True)
class Form:
    """A screen with the files that go with it, and the catalogue that puts it into words."""

    screen: Screen
    files: Files
    catalogue: Catalogue

    def rendered(self, locale: str, game_id: int = 0, version: int = 0) -> Rendered:
        return render(self.screen, self.catalogue, locale, game_id, version)


def forms(screen: Screen, files: Files | None, catalogue: Catalogue) -> Iterator[Form]:
    """The screen as it is meant to be, and then without what Discord may refuse: drawn emojis and pictures.

    A picture is replaced by the words that describe it. Files that are to be opened or saved stay, since they
    are what was asked for.
    """
    files = files or {}
    yield Form(screen, files, catalogue)
    kept = {block.name for block in screen.blocks if isinstance(block, File)}
    plain = replace(screen, blocks=tuple(map(_in_words, screen.blocks)))
    yield Form(plain, {name: data for name, data in files.items() if name in kept}, catalogue.plain())


def is_about_emojis(error: BaseException) -> bool:
    """Whether Discord refuses a message because an emoji of ours is no longer there."""
    return getattr(error, "code", 0) == INVALID_FORM and "emoji" in str(error).lower()


def _in_words(block: Block) -> Block:
    return Text((block.alt,)) if isinstance(block, Picture) else block
