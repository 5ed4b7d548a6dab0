"""Options of a game. Each is declared once; forms, checks and texts follow from its declaration.

A game's options are a frozen dataclass whose fields declare the allowed values:

>>> @dataclass(frozen=True)
... class Options(GameOptions):
...     sides: int = number(6, least=4, most=20, step=2)
...     doubles: bool = flag(False)
>>> declared(Options)["sides"].accepts(5), Options(sides=8).to_json()
(False, {'sides': 8, 'doubles': False})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")

Value = int | str | bool
"""The value of an option in JSON."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from ``least`` to ``most``, in steps of ``step`` from ``least`` on.

    ``setting`` is the name of the server's setting for its own default, or "" if there is none. ``menu`` are
    the numbers to offer in menus; if it is empty, these are at most :data:`MAX_OFFERED` evenly spread ones.
    """

    default: int
    least: int
    most: int
    step: int = 1
    setting: str = ""
    menu: tuple[int, ...] = ()

    def accepts(self, value: object) -> bool:
        return type(value) is int and value in range(self.least, self.most + 1, self.step)

    @property
    def offered(self) -> tuple[int, ...]:
        """The numbers to offer in a menu, ascending."""
        if self.menu:
            return self.menu
        numbers = range(self.least, self.most + 1, self.step)
        return tuple(numbers[:: -(-len(numbers) // MAX_OFFERED)])


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words; the first one is the default."""

    values: tuple[str, ...]
    setting: str = ""

    @property
    def default(self) -> str:
        return self.values[0]

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.values


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no.

    A flag that came after the first games were stored is ``added``: JSON leaves it out while it has its
    default, so that older options, states and records stay as they are.
    """

    default: bool
    setting: str = ""
    added: bool = False

    def accepts(self, value: object) -> bool:
        return type(value) is bool


Option = Number | Choice | Flag

MAX_OFFERED = 24
"""Discord's menus have 25 lines; one is reserved for a present value that is not offered."""


def number(
    default: int, *, least: int, most: int, step: int = 1, setting: str = "", menu: tuple[int, ...] = ()
) -> int:
    """Declare a field that is a :class:`Number`."""
    return _field(default, Number(default, least, most, step, setting, menu))


def choice(default: E, *others: E, setting: str = "") -> E:
    """Declare a field that is a :class:`Choice` of members of an enumeration, in the order given."""
    return _field(default, Choice((default.value, *(other.value for other in others)), setting))


def flag(default: bool, *, setting: str = "", added: bool = False) -> bool:
    """Declare a field that is a :class:`Flag`."""
    return _field(default, Flag(default, setting, added))


def _field(default: T, option: Option) -> T:
    return field(default=default, metadata={"option": option, "kind": type(default)})


@dataclass(frozen=True, slots=True)
class GameOptions:
    """Base class of every game's options."""

    def values(self) -> dict[str, Value]:
        """Return all options by name."""
        return {name: _plain(getattr(self, name)) for name in declared(type(self))}

    def to_json(self) -> dict[str, Value]:
        """Return the options by name, in their form in records and the database.

        Those that were ``added`` are left out while they have their defaults.
        """
        written = self.values()
        for name, default in _added(type(self)).items():
            if written[name] == default:
                del written[name]
        return written


def _plain(value: Value) -> Value:
    return value.value if isinstance(value, StrEnum) else value


def _declared(options: type[GameOptions]) -> Mapping[str, Option]:
    return {declaration.name: declaration.metadata["option"] for declaration in fields(options)}


def _added_flags(options: type[GameOptions]) -> Mapping[str, bool]:
    flags = {name: option for name, option in declared(options).items() if isinstance(option, Flag)}
    return {name: flag.default for name, flag in flags.items() if flag.added}


# Annotated, because mypy does not know that all types are hashable.
declared: Callable[[type], Mapping[str, Option]] = cache(_declared)
"""Returns the declarations by the names of the options, in order."""
_added: Callable[[type], Mapping[str, bool]] = cache(_added_flags)
"""Returns the defaults of the flags that were added, by their names."""


def value_key(game: str, name: str, value: Value) -> str:
    """Return the catalogue key of one value of a :class:`Choice` or :class:`Flag`."""
    return f"{game}-{name}-{value}".lower().replace("_", "-")


def build_options(options: type[GameOptions], values: Mapping[str, Any]) -> GameOptions:
    """Build options from accepted values; missing ones have their defaults."""
    kinds = {declaration.name: declaration.metadata["kind"] for declaration in fields(options)}
    return options(**{name: kinds[name](value) for name, value in values.items()})


def packed(options: Mapping[str, Option], values: Mapping[str, Value]) -> tuple[int, ...]:
    """Return the values of all options as numbers, which are short as text, in the order of the options.

    >>> packed({"sides": Number(6, 4, 20), "how": Choice(("all", "one"))}, {"sides": 8, "how": "one"})
    (8, 1)
    """
    return tuple(
        option.values.index(str(values[name])) if isinstance(option, Choice) else int(values[name])
        for name, option in options.items()
    )


def unpacked(options: Mapping[str, Option], numbers: Sequence[int]) -> dict[str, Value] | None:
    """Return the values that :func:`packed` made these numbers of, or None if it can't have made them.

    >>> unpacked({"sides": Number(6, 4, 20), "how": Choice(("all", "one"))}, (8, 1))
    {'sides': 8, 'how': 'one'}
    """
    values: dict[str, Value] = {}
    for (name, option), number in zip(options.items(), numbers, strict=False):
        match option:
            case Choice(values=words) if 0 <= number < len(words):
                values[name] = words[number]
            case Flag() if number in (0, 1):
                values[name] = bool(number)
            case Number() if option.accepts(number):
                values[name] = number
    return values if len(values) == len(options) == len(numbers) else None
