"""Reading messages as a person sees them: their text, their buttons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from simcord.components import walk_components
from simcord.enums import ComponentType

Message = dict[str, Any]
Component = dict[str, Any]
Attachment = dict[str, Any]
Which = str | Component | Callable[[Component], bool]

EPHEMERAL = 1 << 6
LOADING = 1 << 7
COMPONENTS_V2 = 1 << 15


def walk(message: Message) -> Iterator[Component]:
    """Yield every component in order, including those in containers, rows, sections and accessories."""
    return walk_components(message.get("components") or [])


def read(text: str) -> str:
    """Return the text with plain spaces for the no-break ones between dice, before signs and after emojis."""
    return re.sub(r"(?<=\d)\u00a0(?=\d)|\u00a0(?=[·→↓])|(?<=>)\u00a0", " ", text)


def text_of(message: Message | None) -> str:
    """Return all text of a message: its content and its text displays, a line each."""
    if message is None:
        return ""
    texts = [c["content"] for c in walk(message) if c["type"] == ComponentType.TEXT_DISPLAY]
    return read("\n".join(part for part in (message.get("content") or "", *texts) if part))


def buttons(message: Message) -> list[Component]:
    """Return all buttons, disabled ones and links included, and the lines of menus, each as a button."""
    found = []
    for component in walk(message):
        if component["type"] == ComponentType.BUTTON:
            found.append(component)
        elif component["type"] == ComponentType.STRING_SELECT:
            found += [_line(component, one) for one in component["options"]]
    return found


def _line(menu: Component, option: Component) -> Component:
    """Return a line of a menu as the button that it is for the bot."""
    line = {"custom_id": option["value"], "label": option["label"], "menu": menu["custom_id"]}
    return {**line, "disabled": option.get("default", False)}


def click_data(component: Component) -> dict[str, Any]:
    """Return what Discord sends of a click on one of :func:`buttons`."""
    if "menu" in component:
        chosen = {"custom_id": component["menu"], "values": [component["custom_id"]]}
        return {**chosen, "component_type": int(ComponentType.STRING_SELECT)}
    return {"custom_id": component["custom_id"], "component_type": int(ComponentType.BUTTON)}


def labels(message: Message, *, enabled: bool = True) -> list[str]:
    """Return the labels of the buttons, by default only of the enabled ones."""
    return [c.get("label", "") for c in buttons(message) if not (enabled and c.get("disabled"))]


def files(message: Message) -> list[Attachment]:
    """Return the files that a person sees, including pictures, in order.

    A message of components shows a file only where one of them names it.
    """
    attached = {str(one["id"]): one for one in message.get("attachments") or []}
    shown = []
    for component in walk(message):
        media = [component.get("file"), *(item["media"] for item in component.get("items") or [])]
        shown += [str(one["attachment_id"]) for one in media if one and "attachment_id" in one]
    return [attached[one] for one in shown if one in attached]


def find(components: list[Component], which: Which) -> Component:
    """Return the one component that is meant, found by custom_id, label or predicate, or given as it is."""
    if isinstance(which, dict):
        which = str(which["custom_id"])
    if isinstance(which, str):
        found = [c for c in components if which in (c.get("custom_id"), c.get("label"))]
    else:
        found = [c for c in components if which(c)]
    if len(found) != 1:
        there = [(c.get("label"), c.get("custom_id"), bool(c.get("disabled"))) for c in components]
        raise LookupError(f"{len(found)} components match {which!r}; there are {there}")
    return found[0]


def button(message: Message, which: Which) -> Component:
    """Return the one button that is meant."""
    return find(buttons(message), which)


def with_id(ending: str) -> Callable[[Component], bool]:
    """Return a predicate: whether a component's custom_id has this ending."""
    return lambda component: str(component.get("custom_id")).endswith(ending)


def is_ephemeral(message: Message | None) -> bool:
    """Return whether only one person sees the message."""
    return bool(message and message.get("flags", 0) & EPHEMERAL)
