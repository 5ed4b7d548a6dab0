"""Renders a screen as Discord's components, in a language and within Discord's limits."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

import discord
from discord import ui

from bot.games.core import Json
from bot.i18n.catalogue import Catalogue
from bot.i18n.voice import Voice
from bot.screens.button_ids import ids
from bot.screens.model import Button, Buttons, Divider, File, Menu, Picture, Screen, Section, Text

MAX_TEXT = 4000
"""Discord's limit of characters of text in one message of components."""

MAX_COMPONENTS = 40
"""Discord's limit of components in one message, nested ones included."""

MAX_LABEL = 80
"""Discord's limit of characters on a button."""

MAX_HINT = 150
"""Discord's limit of characters of what a menu shows as long as nothing is chosen."""

MAX_ALT = 256
"""Discord's limit of characters in the description of a picture."""

MAX_NONCE = 25
"""Discord's limit of characters in a nonce, by which it drops a second copy of a message."""

STYLES = {
    "primary": discord.ButtonStyle.primary.value,
    "secondary": discord.ButtonStyle.secondary.value,
    "success": discord.ButtonStyle.success.value,
    "danger": discord.ButtonStyle.danger.value,
}

CONTAINER = discord.ComponentType.container.value
TEXT = discord.ComponentType.text_display.value
SEPARATOR = discord.ComponentType.separator.value
ROW = discord.ComponentType.action_row.value
SECTION = discord.ComponentType.section.value
BUTTON = discord.ComponentType.button.value
SELECT = discord.ComponentType.string_select.value
GALLERY = discord.ComponentType.media_gallery.value
FILE = discord.ComponentType.file.value

Component: TypeAlias = dict[str, Json]
"""A part of a message in Discord's JSON: a component, an emoji, an option of a menu."""

_WRITTEN = (Text, Section)
"""The blocks that have a text of their own."""

Files = Mapping[str, bytes]
"""Files that go with a message, by name."""

NO_MENTIONS = discord.AllowedMentions.none()


class Rendered:
    """A message of components as Discord takes them. Clicks are matched by their ids, so no view is kept."""

    def __init__(self, components: list[Component]) -> None:
        self._components = components

    def to_components(self) -> list[Component]:
        return self._components

    @property
    def view(self) -> ui.LayoutView:
        """The message as a view, in which form discord.py sends it."""
        return _View(self._components)


class _View(ui.LayoutView):
    """A view of components that are JSON already, so that discord.py sends them.

    Written for discord.py 2.7.1, which needs only these methods of a view to send it;
    ``tests/cogs/test_look.py`` compares what Discord gets. If that fails after an upgrade, build the message
    from the library's own items.
    """

    def __init__(self, components: list[Component]) -> None:
        super().__init__(timeout=None)
        self._components = components

    def to_components(self) -> list[Component]:
        return self._components

    def has_components_v2(self) -> bool:
        return True

    def is_finished(self) -> bool:
        # discord.py would keep an unfinished view forever.
        return True


def render(screen: Screen, catalogue: Catalogue, locale: str, game_id: int = 0, version: int = 0) -> Rendered:
    """The message for ``screen``; its buttons carry ``game_id`` and ``version``.

    Components are built directly as JSON; building the library's objects first takes longer than all other
    work on a table.
    """
    voice = catalogue.voice(locale)
    custom_id, look = ids(game_id, version), voice.maker(_look)
    texts = [_written(voice, block) if isinstance(block, _WRITTEN) else "" for block in screen.blocks]
    if sum(map(len, texts)) > MAX_TEXT:
        texts = _shortened(screen, voice)
    parts: list[Component] = []
    nested = 0
    for block, text in zip(screen.blocks, texts, strict=True):
        match block:
            case Text():
                if text:
                    parts.append({"type": TEXT, "content": text})
            case Divider():
                # An empty text must not leave two separators in a row.
                if parts and parts[-1]["type"] != SEPARATOR:
                    parts.append({"type": SEPARATOR, "divider": True, "spacing": 1})
            case Buttons(buttons):
                row = [{**look(button), "custom_id": custom_id(button.token)} for button in buttons]
                parts.append({"type": ROW, "components": row})
                nested += len(row)
            case Menu(buttons, hint):
                options: Json = [
                    {**_option(look(button)), "value": custom_id(button.token)} for button in buttons
                ]
                # The id has the version of a table too, so Discord shows the menu empty after each change.
                menu: Component = {"type": SELECT, "options": options, "custom_id": options[0]["value"]}
                if hint is not None:
                    menu["placeholder"] = cut(voice.text(hint), MAX_HINT)
                parts.append({"type": ROW, "components": [menu]})
                nested += 1
            case Section(button=button):
                beside: Component = {**look(button), "custom_id": custom_id(button.token)}
                words: Component = {"type": TEXT, "content": text}
                parts.append({"type": SECTION, "components": [words], "accessory": beside})
                nested += 2
            case Picture(name, alt):
                described = cut(voice.text(alt), MAX_ALT)
                item = {"media": {"url": f"attachment://{name}"}, "description": described, "spoiler": False}
                parts.append({"type": GALLERY, "items": [item]})
            case File(name):
                parts.append({"type": FILE, "file": {"url": f"attachment://{name}"}, "spoiler": False})
    if 1 + len(parts) + nested > MAX_COMPONENTS:
        raise ValueError(f"a screen has more than {MAX_COMPONENTS} components")
    container = {"type": CONTAINER, "accent_color": screen.accent, "spoiler": False, "components": parts}
    return Rendered([container])


def attached(files: Files) -> list[discord.File]:
    """Return the files for sending them once."""
    return [discord.File(io.BytesIO(data), name) for name, data in files.items()]


def mentions(screen: Screen) -> discord.AllowedMentions:
    """Return the permission to notify the person that the screen mentions, and nobody else."""
    if screen.mention is None:
        return NO_MENTIONS
    return discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(screen.mention)])


def _written(voice: Voice, block: Text | Section) -> str:
    """Return the text of a block.

    On a phone, no line begins with a separator or an arrow, or ends with the emoji of the next word.
    """
    text = "\n".join([voice.text(line) for line in block.lines])
    # Written out, because each click that shows a table comes here for each block.
    text = text.replace(" ·", "\N{NO-BREAK SPACE}·")
    text = text.replace(" →", "\N{NO-BREAK SPACE}→").replace(" ↓", "\N{NO-BREAK SPACE}↓")
    return text.replace("> ", ">\N{NO-BREAK SPACE}").replace(">\N{NO-BREAK SPACE}<", "> <")


def _look(voice: Voice, button: Button) -> Component:
    """Return a button without its id."""
    label = cut(voice.text(button.label), MAX_LABEL) if button.label else None
    icon = voice.icon(button.icon) if button.icon else None
    made: Component = {"type": BUTTON, "style": STYLES[button.style], "disabled": button.disabled}
    if label is not None:
        made["label"] = label
    if icon is not None:
        made["emoji"] = _emoji(icon)
    return made


def _option(button: Component) -> Component:
    """Return what a menu shows of a button."""
    return {
        "default": button["disabled"],
        **{key: button[key] for key in ("label", "emoji") if key in button},
    }


@lru_cache(maxsize=1024)
def _emoji(icon: str) -> Component:
    """Return a Unicode emoji, or an application's emoji given as ``<:name:id>``."""
    return dict(discord.PartialEmoji.from_str(icon).to_dict())


def cut(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _shortened(screen: Screen, voice: Voice) -> list[str]:
    """Return the texts within Discord's limit: drop the oldest spare lines, then cut the longest text."""
    blocks = [block if isinstance(block, _WRITTEN) else Text(()) for block in screen.blocks]
    texts = [_written(voice, block) for block in blocks]
    for index, block in enumerate(blocks):
        lines = block.lines
        while isinstance(block, Text) and block.spare and lines and sum(map(len, texts)) > MAX_TEXT:
            lines = lines[1:]
            texts[index] = _written(voice, Text(lines))
    excess = sum(map(len, texts)) - MAX_TEXT
    if excess > 0:
        longest = max(range(len(texts)), key=lambda index: len(texts[index]))
        texts[longest] = texts[longest][: -excess - 1] + "…"
    return texts
