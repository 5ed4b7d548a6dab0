"""From a screen to Discord's components, in a language, within Discord's limits."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.i18n.catalogue import Catalogue
from bot.screens.model import (
    CHANNELS,
    OPTIONS,
    Button,
    Buttons,
    Divider,
    Menu,
    Picture,
    Screen,
    Text,
)
from bot.screens.tokens import ButtonId

MOST_TEXT = 4000
"""Characters of text in one message of components, all parts together."""

LONGEST_LABEL = 80
LONGEST_PROMPT, LONGEST_OPTION = 150, 100
LONGEST_ALT = 256
"""Characters of the text that stands for a picture."""

STYLES = {
    "primary": discord.ButtonStyle.primary,
    "secondary": discord.ButtonStyle.secondary,
    "success": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}

Files = Mapping[str, bytes]
"""Files that go with a message, by name."""

PLAYABLE = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
    discord.ChannelType.forum,
]
"""Channels in which, or in whose threads, games can be played."""

NO_MENTIONS = discord.AllowedMentions.none()


class Board(ui.LayoutView):
    """A message of components. Clicks are told apart by their ids alone, so no view is kept in memory."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    def is_finished(self) -> bool:
        # The library stores views that are not finished, and then holds them for ever.
        return True


def render(screen: Screen, catalogue: Catalogue, locale: str, game_id: int = 0, version: int = 0) -> Board:
    """The message for ``screen``; its buttons carry ``game_id`` and ``version``."""
    texts = [
        [catalogue.text(locale, line) for line in block.lines] if isinstance(block, Text) else []
        for block in screen.blocks
    ]
    _shorten(screen, texts)
    container: ui.Container[Board] = ui.Container(accent_colour=screen.accent)
    divided = True
    for block, lines in zip(screen.blocks, texts, strict=True):
        match block:
            case Text():
                if lines:
                    container.add_item(ui.TextDisplay("\n".join(lines)))
                    divided = False
            case Divider():
                # A text that is empty leaves no two lines in a row behind.
                if not divided:
                    container.add_item(ui.Separator())
                    divided = True
            case Buttons():
                row: ui.ActionRow[Board] = ui.ActionRow()
                for button in block.buttons:
                    row.add_item(_button(button, catalogue, locale, game_id, version))
                container.add_item(row)
                divided = False
            case Menu():
                menu: ui.ActionRow[Board] = ui.ActionRow()
                container.add_item(menu.add_item(_menu(block, catalogue, locale, game_id, version)))
                divided = False
            case Picture(name, alt):
                gallery: ui.MediaGallery[Board] = ui.MediaGallery()
                words = _cut(catalogue.text(locale, alt), LONGEST_ALT)
                gallery.add_item(media=f"attachment://{name}", description=words)
                container.add_item(gallery)
                divided = False
    return Board().add_item(container)


def attached(files: Files) -> list[discord.File]:
    """The files ready to be sent, once."""
    return [discord.File(io.BytesIO(data), name) for name, data in files.items()]


def mentions(screen: Screen) -> discord.AllowedMentions:
    """Permission to notify the one person the screen calls, and nobody else."""
    if screen.mention is None:
        return NO_MENTIONS
    return discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(screen.mention)])


def _button(
    button: Button, catalogue: Catalogue, locale: str, game_id: int, version: int
) -> ui.Button[Board]:
    label = _cut(catalogue.text(locale, button.label), LONGEST_LABEL) if button.label else None
    icon = catalogue.icon(button.icon) if button.icon else None
    if button.icon and button.label_is_fallback:
        icon = catalogue.drawn(button.icon)
        label = None if icon else label
    return ui.Button(
        label=label,
        style=STYLES[button.style],
        disabled=button.disabled,
        emoji=icon,
        custom_id=str(ButtonId(game_id, version, button.token)),
    )


def _menu(menu: Menu, catalogue: Catalogue, locale: str, game_id: int, version: int) -> ui.Item[Board]:
    given: dict[str, Any] = {
        "custom_id": str(ButtonId(game_id, version, menu.token)),
        "placeholder": _cut(catalogue.text(locale, menu.prompt), LONGEST_PROMPT),
    }
    if menu.kind == OPTIONS:
        options = [
            discord.SelectOption(
                label=_cut(catalogue.text(locale, option.label), LONGEST_OPTION),
                value=option.value,
                description=_cut(catalogue.text(locale, option.detail), LONGEST_OPTION)
                if option.detail
                else None,
                default=option.chosen,
            )
            for option in menu.options
        ]
        return ui.Select(options=options, **given)
    given |= {"min_values": 0, "max_values": menu.most}
    if menu.kind == CHANNELS:
        channels = [
            discord.SelectDefaultValue(id=one, type=discord.SelectDefaultValueType.channel)
            for one in menu.chosen
        ]
        return ui.ChannelSelect(channel_types=PLAYABLE, default_values=channels, **given)
    roles = [
        discord.SelectDefaultValue(id=one, type=discord.SelectDefaultValueType.role) for one in menu.chosen
    ]
    return ui.RoleSelect(default_values=roles, **given)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _shorten(screen: Screen, texts: list[list[str]]) -> None:
    """Bring the text under Discord's limit: first the oldest spare lines go, then the longest text is cut."""

    def total() -> int:
        return sum(len("\n".join(lines)) for lines in texts)

    for block, lines in zip(screen.blocks, texts, strict=True):
        while isinstance(block, Text) and block.spare and lines and total() > MOST_TEXT:
            del lines[0]
    excess = total() - MOST_TEXT
    if excess > 0:
        longest = max((lines for lines in texts if lines), key=lambda lines: len("\n".join(lines)))
        longest[:] = ["\n".join(longest)[: -excess - 1] + "…"]
