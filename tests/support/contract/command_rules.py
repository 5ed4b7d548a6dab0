"""What Discord's documentation asks of commands and its description does not say.

References are pages below https://docs.discord.com/developers/interactions/.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from discord import Locale

CHAT, USER, MESSAGE = 1, 2, 3
SUBCOMMAND, GROUP = 1, 2

MAX_COMMANDS = {CHAT: 100, USER: 15, MESSAGE: 15}
"""How many commands there may be of each type (application-commands#registering-a-command)."""

MAX_CHARACTERS = 8000
"""Most characters of a command with all its options (application-commands#slash-commands)."""

MAX_VALUE = 100
"""Most characters of what a choice stands for."""

LOCALES = {one.value for one in Locale}
"""https://docs.discord.com/developers/reference#locales"""

Part = Mapping[str, Any]
Violations = Iterator[str]


def commands(registered: Sequence[Part]) -> Violations:
    """All commands that an application registers in one go."""
    kinds = Counter(_kind(one) for one in registered)
    for kind, number in kinds.items():
        if number > MAX_COMMANDS[kind]:
            yield f"{number} commands of type {kind} are more than {MAX_COMMANDS[kind]}"
        yield from _unique([one for one in registered if _kind(one) == kind], f"commands of type {kind}")
    for one in registered:
        yield from _command(one)


def _command(command: Part) -> Violations:
    """application-commands#application-command-object"""
    name, options = f"/{command['name']}", command.get("options") or []
    yield from _locales(command, name)
    if _kind(command) == CHAT:
        yield from _names(command, name)
        if not command.get("description"):
            yield f"{name} has no description"
        yield from _options(options, name)
    elif options or any(_each(command, "description")):
        yield f"{name} is a menu, but has a description or options"
    if (number := _characters(command)) > MAX_CHARACTERS:
        yield f"{name} has {number} characters, more than {MAX_CHARACTERS}"


def _options(options: Sequence[Part], where: str) -> Violations:
    """application-commands#application-command-object-application-command-option-structure"""
    yield from _unique(options, f"options of {where}")
    nested = {one["type"] in (SUBCOMMAND, GROUP) for one in options}
    if len(nested) > 1:
        yield f"{where} has subcommands beside other options"
    required = [bool(one.get("required")) for one in options]
    if required != sorted(required, reverse=True):
        yield f"{where} has required options after optional ones"
    for one in options:
        name = f"{where} {one['name']}"
        yield from _names(one, name)
        yield from _locales(one, name)
        yield from _options(one.get("options") or [], name)
        yield from _values(one, name)


def _values(option: Part, name: str) -> Violations:
    """What can be chosen or typed; where that is written: see :func:`_options`."""
    choices = option.get("choices") or []
    if choices and option.get("autocomplete"):
        yield f"{name} has choices and completes what is typed"
    yield from _unique(choices, f"choices of {name}")
    for one in choices:
        yield from _locales(one, f"{name} {one['name']}")
        if isinstance(one["value"], str) and len(one["value"]) > MAX_VALUE:
            yield f"{name} has a choice with a value of {len(one['value'])} characters"
    for least, most in (("min_value", "max_value"), ("min_length", "max_length")):
        if option.get(least) is not None and option.get(most) is not None and option[least] > option[most]:
            yield f"{name} wants at least {option[least]} and at most {option[most]}"


def _names(part: Part, where: str) -> Violations:
    """application-commands#application-command-object-application-command-naming"""
    for name in _each(part, "name"):
        if not all(map(_may_be_in_names, name)):
            yield f"{where}: the name {name!r} has characters that names can't have"
        elif name != name.lower():
            yield f"{where}: the name {name!r} has capital letters"


def _locales(part: Part, where: str) -> Violations:
    for key in ("name_localizations", "description_localizations"):
        if unknown := set(part.get(key) or {}) - LOCALES:
            yield f"{where}: {key} has {sorted(unknown)}, which are no locales"


def _unique(parts: Sequence[Part], what: str) -> Violations:
    """Names are unique in each language, in which those that are not translated stay as they are."""
    for locale in {"", *(one for part in parts for one in part.get("name_localizations") or {})}:
        names = Counter((part.get("name_localizations") or {}).get(locale, part["name"]) for part in parts)
        for name, number in names.items():
            if number > 1:
                yield f"{number} {what} are called {name!r}{f' in {locale}' if locale else ''}"


def _each(part: Part, key: str) -> list[str]:
    """Return a text of a part in all languages."""
    return [part.get(key) or "", *(part.get(f"{key}_localizations") or {}).values()]


def _characters(part: Part) -> int:
    """Return how many characters of a part count: of each text the longest in any language."""
    own = sum(max(map(len, _each(part, key))) for key in ("name", "description"))
    value = part.get("value")
    inner = [*(part.get("options") or []), *(part.get("choices") or [])]
    return own + (len(value) if isinstance(value, str) else 0) + sum(map(_characters, inner))


def _kind(command: Part) -> int:
    return command.get("type") or CHAT


def _may_be_in_names(character: str) -> bool:
    r"""Return whether names may have a character: one of ``[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]``.

    >>> [_may_be_in_names(one) for one in "é7_- !"]
    [True, True, True, True, False, False]
    """
    # The two scripts have marks besides letters and digits.
    is_other_script = unicodedata.name(character, "").startswith(("DEVANAGARI", "THAI"))
    return character in "-_'" or unicodedata.category(character)[0] in "LN" or is_other_script
