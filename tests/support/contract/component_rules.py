"""What Discord's documentation asks of components and its description does not say.

References are pages below https://docs.discord.com/developers/.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.support.contract.request import Component

MAX_COMPONENTS, MAX_TEXT, MAX_FIELDS = 40, 4000, 5

ROW, BUTTON, STRINGS, TEXT_INPUT, TEXT = 1, 2, 3, 4, 10
THUMBNAIL, GALLERY, FILE = 11, 12, 13
LABEL, RADIO, CHECKBOXES = 18, 21, 22
SELECTS = (STRINGS, 5, 6, 7, 8)
LINK, PREMIUM = 5, 6

Violations = Iterator[str]


def walk(components: Iterable[Component]) -> Iterator[Component]:
    """Yield all components, with those in them."""
    for one in components:
        yield one
        yield from walk(one.get("components") or [])
        yield from walk(one[key] for key in ("accessory", "component") if one.get(key))


def text_of(components: Iterable[Component]) -> str:
    """Return the text of all text displays."""
    return "".join(one["content"] for one in walk(components) if one["type"] == TEXT)


def media(components: Iterable[Component]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the files that components show, each with the type of its component."""
    for one in walk(components):
        if one["type"] == GALLERY:
            yield from ((GALLERY, item["media"]) for item in one["items"])
        elif one["type"] in (THUMBNAIL, FILE):
            yield one["type"], one["media" if one["type"] == THUMBNAIL else "file"]


def size(components: Sequence[Component]) -> Violations:
    """How much a message of components can hold."""
    if not components:
        yield "a message of components has none"
    if (number := sum(1 for _ in walk(components))) > MAX_COMPONENTS:  # components/reference
        yield f"{number} components are more than {MAX_COMPONENTS}"
    if (length := len(text_of(components))) > MAX_TEXT:
        # Undocumented; discord.py says so of LayoutView.content_length, and Discord's answers do.
        yield f"{length} characters of text are more than {MAX_TEXT}"


def form(components: Sequence[Component]) -> Violations:
    """components/reference#label and what can be in it; discord.py says how many there may be."""
    fields = [one for one in components if one["type"] != TEXT]
    if not fields:
        yield "a form has nothing to fill in"
    if len(fields) > MAX_FIELDS:
        yield f"{len(fields)} fields are more than {MAX_FIELDS}"
    for one in walk(components):
        if one.get("disabled"):
            yield f"the field {one['custom_id']!r} of a form is disabled"
        least = 1 if one.get("min_values") is None else one["min_values"]
        # components/reference#string-select: 0 needs required to be false.
        if one["type"] in (*SELECTS, CHECKBOXES) and not least and one.get("required") is not False:
            yield f"the field {one['custom_id']!r} is required but takes no value"
    yield from interactive(components)


def interactive(components: Sequence[Component]) -> Violations:
    """What can be pressed, chosen and filled in, in a message or a form."""
    parts = list(walk(components))
    yield from _ids(parts)
    for one in parts:
        kind = one["type"]
        if kind == ROW:
            yield from _row(one["components"])
        elif kind == BUTTON:
            yield from _button(one)
        elif kind in SELECTS:
            yield from _select(one)
        elif kind == TEXT_INPUT:
            yield from _text_input(one)
        elif kind in (RADIO, CHECKBOXES):
            yield from _group(one)


def _ids(parts: Sequence[Component]) -> Violations:
    """components/reference#anatomy-of-a-component"""
    for custom_id, number in Counter(one.get("custom_id") for one in parts).items():
        if custom_id is not None and number > 1:
            yield f"{number} components have the custom_id {custom_id!r}"
    # An id of 0 counts as none.
    for one, number in Counter(part["id"] for part in parts if part.get("id")).items():
        if number > 1:
            yield f"{number} components have the id {one}"


def _row(children: Sequence[Component]) -> Violations:
    """components/reference#action-row"""
    kinds = [one["type"] for one in children]
    if len(children) != 1 and set(kinds) != {BUTTON}:
        yield f"a row has components of types {kinds}: up to five buttons, or one of another kind"


def _button(button: Component) -> Violations:
    """components/reference#button"""
    style = button["style"]
    wanted = {LINK: "url", PREMIUM: "sku_id"}.get(style, "custom_id")
    has = {key for key, value in button.items() if value is not None}
    if wanted not in has:
        yield f"a button of style {style} has no {wanted}"
    if extra := has & ({"url", "sku_id", "custom_id"} - {wanted}):
        yield f"a button of style {style} has {sorted(extra)}"
    looks = [key for key in ("label", "emoji") if button.get(key)]
    if style == PREMIUM and looks:
        yield f"a button of style {style} has {looks}"
    if style != PREMIUM and not looks:
        # Undocumented; Discord refuses such a button with 50035.
        yield f"the button {button.get('custom_id') or button.get('url')!r} has neither label nor emoji"


def _select(menu: Component) -> Violations:
    """components/reference#string-select and the selects after it"""
    name = f"the menu {menu['custom_id']!r}"
    least, most = (1 if menu.get(key) is None else menu[key] for key in ("min_values", "max_values"))
    if least > most:
        yield f"{name} wants at least {least} and at most {most}"
    if menu["type"] == STRINGS:
        for value, number in Counter(one["value"] for one in menu["options"]).items():
            if number > 1:
                yield f"{name} has {number} options {value!r}"
        if most > len(menu["options"]):
            yield f"{name} lets one choose {most} of {len(menu['options'])} options"
        chosen = sum(bool(one.get("default")) for one in menu["options"])
    else:
        chosen = len(menu.get("default_values") or [])
    if chosen and not least <= chosen <= most:
        yield f"{name} has {chosen} default values, not {least} to {most}"


def _group(group: Component) -> Violations:
    """components/reference#radio-group and #checkbox-group"""
    name, options = f"the group {group['custom_id']!r}", group["options"]
    for value, number in Counter(one["value"] for one in options).items():
        if number > 1:
            yield f"{name} has {number} options {value!r}"
    chosen = sum(bool(one.get("default")) for one in options)
    most = 1 if group["type"] == RADIO else group.get("max_values") or len(options)
    if chosen > most:
        yield f"{name} has {chosen} default values, more than {most}"
    if most > len(options):
        yield f"{name} lets one choose {most} of {len(options)} options"


def _text_input(field: Component) -> Violations:
    """components/reference#text-input"""
    least, most = field.get("min_length") or 0, field.get("max_length") or MAX_TEXT
    if least > most:
        yield f"the field {field['custom_id']!r} wants at least {least} and at most {most} characters"
    elif (value := field.get("value")) and not least <= len(value) <= most:
        yield f"the field {field['custom_id']!r} holds {len(value)} characters, not {least} to {most}"
