"""Fields of a form for options that a game has declared, and what was entered into them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

from bot.games.core import Unreadable
from bot.games.options import Choice, Number, Value
from bot.i18n.say import Say, say
from bot.screens.model import CHECKBOXES, OPTIONS, RADIO, Entered, Field, FieldOption

MAX_RADIO = 10
"""Discord's limit of radio buttons; a field with more values is a menu."""

MAX_DIGITS = 20
"""No number of a form has so many digits; Discord's ids are the longest."""

SWITCHES = "switches"
"""The name of the field with everything that can be switched on or off."""


def option_field(
    name: str, label: Say, option: Number | Choice, value: Value, word: Callable[[Value], Say]
) -> Field:
    """Return the field of an option with its present ``value``; ``word`` says a value in words."""
    # The present number may be one that the menu doesn't offer.
    offered = sorted({*option.offered, int(value)}) if isinstance(option, Number) else option.values
    return choice_field(name, label, {str(one): word(one) for one in offered}, str(value))


def choice_field(
    name: str, label: Say, words: Mapping[str, Say], chosen: str, detail: Say | None = None
) -> Field:
    """Return a field of which one value is chosen; ``words`` are the labels by value."""
    kind = RADIO if 2 <= len(words) <= MAX_RADIO else OPTIONS
    options = tuple(FieldOption(value, label, chosen=value == chosen) for value, label in words.items())
    return Field(name, label, kind, options, detail)


def switches(on: Mapping[str, tuple[Say, bool]]) -> tuple[Field, ...]:
    """Return one field with all that can be on or off, given by name with its label; no field for nothing."""
    if not on:
        return ()
    options = tuple(FieldOption(name, label, chosen=value) for name, (label, value) in on.items())
    return (Field(SWITCHES, say("form-switches"), CHECKBOXES, options),)


def entered_value(option: Number | Choice, entered: Entered, name: str) -> Value:
    """Return the value of an option that was entered. Raises :class:`Unreadable` for one it can't have."""
    text = entered_word(entered, name)
    value: Value = entered_number(text) if isinstance(option, Number) else text
    if not option.accepts(value):
        raise Unreadable("error-form-value")
    return value


def entered_word(entered: Entered, name: str) -> str:
    """Return the one value of a field. Raises :class:`Unreadable` if there are others or none."""
    values = entered.get(name, ())
    if len(values) != 1:
        raise Unreadable("error-form-value")
    return values[0]


def entered_number(text: str) -> int:
    """Read a number that Discord sends as text. Raises :class:`Unreadable` for anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS):
        raise Unreadable("error-form-value")
    return int(text)


def digest(values: Sequence[object]) -> str:
    """Return a short text that differs for other values, to notice that they have changed."""
    return f"{zlib.crc32(repr(values).encode()):x}"
