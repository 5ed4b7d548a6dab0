"""Forms, which Discord calls modals: renders them as its JSON, and reads what was entered.

A form that the bot has opened is not kept: its id says everything, like a button's, so it can be submitted
after a restart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

import discord

from bot.discordpy.components import SELECT, Component, cut
from bot.games.core import Json
from bot.i18n.catalogue import Catalogue
from bot.i18n.voice import Voice
from bot.screens import model
from bot.screens.button_ids import ids
from bot.screens.model import Entered, Field, FieldOption, Form

MAX_TITLE = MAX_LABEL = 45
"""Discord's limits of characters in the title of a form and in the label of a field."""

MAX_FIELDS = 5
"""Discord's limit of labelled fields in one form."""

MAX_DETAIL = 100
"""Discord's limit of characters of an option, a description and a placeholder."""

ONE_LINE = discord.TextStyle.short.value
LABEL = discord.ComponentType.label.value
TEXT_INPUT = discord.ComponentType.text_input.value
RADIO_GROUP = discord.ComponentType.radio_group.value
CHECKBOX_GROUP = discord.ComponentType.checkbox_group.value
CHANNEL_SELECT = discord.ComponentType.channel_select.value
ROLE_SELECT = discord.ComponentType.role_select.value

TAKE_MESSAGES = [
    discord.ChannelType.text.value,
    discord.ChannelType.news.value,
    discord.ChannelType.voice.value,
    discord.ChannelType.stage_voice.value,
]
"""Types of channels, besides threads, in which messages can be posted."""

PLAYABLE = [*TAKE_MESSAGES, discord.ChannelType.forum.value]
"""Types of channels in which games can be played, or in whose threads."""


def render_form(
    form: Form, catalogue: Catalogue, locale: str, game_id: int = 0, version: int = 0
) -> Component:
    """Return ``form`` in a language, under an id with ``game_id`` and ``version``."""
    if len(form.fields) > MAX_FIELDS:
        raise ValueError(f"a form has more than {MAX_FIELDS} fields")
    voice = catalogue.voice(locale)
    return {
        "custom_id": ids(game_id, version)(form.token),
        "title": cut(voice.text(form.title), MAX_TITLE),
        "components": [_labelled(field, voice) for field in form.fields],
    }


def entered(data: Mapping[str, Json]) -> Entered:
    """Return what was entered, from the data of a form that was submitted; {} for another interaction."""
    values: dict[str, tuple[str, ...]] = {}
    for control in _controls(data.get("components")):
        if "values" in control:
            values[str(control["custom_id"])] = tuple(map(str, cast("list[str]", control["values"])))
        elif control.get("value") is not None:
            values[str(control["custom_id"])] = (str(control["value"]),)
    return values


def _controls(components: Json) -> Iterator[Mapping[str, Json]]:
    """Return what can be filled in: each in a label, or in the rows that forms of earlier versions had."""
    for component in components if isinstance(components, list) else ():
        if isinstance(component, dict):
            if "custom_id" in component:
                yield component
            yield from _controls([component.get("component")])
            yield from _controls(component.get("components"))


def _labelled(field: Field, voice: Voice) -> Component:
    made: Component = {
        "type": LABEL,
        "label": cut(voice.text(field.label), MAX_LABEL),
        "component": {"custom_id": field.name, **_control(field, voice)},
    }
    if field.detail is not None:
        made["description"] = cut(voice.text(field.detail), MAX_DETAIL)
    return made


def _control(field: Field, voice: Voice) -> Component:
    """Return a field without its id and label."""
    options: Json = [_option(option, voice) for option in field.options]
    match field.kind:
        case model.RADIO:
            return {"type": RADIO_GROUP, "options": options, "required": True}
        case model.CHECKBOXES:
            return {"type": CHECKBOX_GROUP, "options": options, "required": False, "min_values": 0}
        case model.LINE:
            return {"type": TEXT_INPUT, "style": ONE_LINE, **_line(field, voice)}
        case model.OPTIONS:
            return {"type": SELECT, "options": options, "required": True}
        case model.CHANNELS | model.POSTABLE:
            types = PLAYABLE if field.kind == model.CHANNELS else TAKE_MESSAGES
            return {"type": CHANNEL_SELECT, "channel_types": types, **_server_menu(field, "channel")}
        case _:
            return {"type": ROLE_SELECT, **_server_menu(field, "role")}


def _server_menu(field: Field, kind: str) -> Component:
    made: Component = {"min_values": 0, "max_values": field.most, "required": False}
    if field.chosen:
        made["default_values"] = [{"id": chosen, "type": kind} for chosen in field.chosen]
    return made


def _option(option: FieldOption, voice: Voice) -> Component:
    label = voice.text(option.label)
    # Many values are also parts of sentences, where they begin with a small letter.
    label = cut(label[:1].upper() + label[1:], MAX_DETAIL)
    return {"label": label, "value": option.value, "default": option.chosen}


def _line(field: Field, voice: Voice) -> Component:
    made: Component = {"required": field.required, "max_length": field.most}
    if field.text:
        made["value"] = field.text
    if field.hint is not None:
        made["placeholder"] = cut(voice.text(field.hint), MAX_DETAIL)
    return made
