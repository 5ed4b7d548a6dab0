"""Reading messages as a person sees them: their text, their buttons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from simcord.components import walk_components
from simcord.enums import SELECT_TYPES, ComponentType

Message = dict[str, Any]
Component = dict[str, Any]
Attachment = dict[str, Any]
Which = str | Component | Callable[[Component], bool]

EPHEMERAL = 1 << 6
LOADING = 1 << 7
COMPONENTS_V2 = 1 << 15


def walk(message: Message) -> Iterator[Component]:
    """Every component, through containers, rows, sections and accessories, in order."""
    return walk_components(message.get("components") or [])


def read(text: str) -> str:
    """The text with plain spaces between dice, where it has such as no line ends at."""
    return re.sub(r"(?<=\d)\u00a0(?=\d)", " ", text)


def text_of(message: Message | None) -> str:
    """All text of a message: its content and its text displays, a line each."""
    if message is None:
        return ""
    texts = [c["content"] for c in walk(message) if c["type"] == ComponentType.TEXT_DISPLAY]
    return read("\n".join(part for part in (message.get("content") or "", *texts) if part))


def buttons(message: Message) -> list[Component]:
    """All buttons, disabled ones and links included."""
    return [c for c in walk(message) if c["type"] == ComponentType.BUTTON]


def selects(message: Message) -> list[Component]:
    """All select menus."""
    return [c for c in walk(message) if c["type"] in SELECT_TYPES]


def labels(message: Message, *, enabled: bool = True) -> list[str]:
    """The labels of the buttons; only of those that can be pressed unless told otherwise."""
    return [c.get("label", "") for c in buttons(message) if not (enabled and c.get("disabled"))]


def files(message: Message) -> list[Attachment]:
    """The files that a person sees, pictures among them, in order.

    A message made of components shows a file only where one of them names it.
    """
    attached = {str(one["id"]): one for one in message.get("attachments") or []}
    shown = []
    for component in walk(message):
        media = [component.get("file"), *(item["media"] for item in component.get("items") or [])]
        shown += [str(one["attachment_id"]) for one in media if one and "attachment_id" in one]
    return [attached[one] for one in shown if one in attached]


def find(components: list[Component], which: Which) -> Component:
    """The one component meant: by custom_id or label, by predicate, or as found earlier."""
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
    """The one button meant."""
    return find(buttons(message), which)


def with_id(ending: str) -> Callable[[Component], bool]:
    """Whether a component's custom_id ends like this."""
    return lambda component: str(component.get("custom_id")).endswith(ending)


def is_ephemeral(message: Message | None) -> bool:
    """Whether only one person sees it."""
    return bool(message and message.get("flags", 0) & EPHEMERAL)
