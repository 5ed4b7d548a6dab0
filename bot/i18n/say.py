"""Messages without a language: a key of the catalogue with its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, NamedTuple, Union


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name: shown as typed, never as markdown, a mention or a link."""

    text: str


@dataclass(frozen=True, slots=True)
class SeatRef:
    """A seat of the message's game; its name is filled in when the message is shown."""

    seat: int


@dataclass(frozen=True, slots=True)
class Icons:
    """Icons by name, e.g. ``("die-1", "die-4")``; shown as emojis or as text."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameName:
    """The name of a game by its key; a general word for one that is no longer offered."""

    game: str


@dataclass(frozen=True, slots=True)
class GameIcon:
    """The icon of a game by its key; dice for one that is no longer offered."""

    game: str


@dataclass(frozen=True, slots=True)
class Faces:
    """Dice as digits, for running text."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention, which notifies a person."""

    user_id: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time in Unix seconds; Discord shows it in the reader's language and time zone."""

    at: float


@dataclass(frozen=True, slots=True)
class Percent:
    """A share of 1 in the language's format, e.g. 51.2%; ``digits`` is the number of decimals."""

    share: float
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Decimal:
    """A number in the language's format, rounded to so many ``digits`` after the point."""

    value: float
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Day:
    """A date in the language's format; ``number`` counts days from 1970-01-01."""

    number: int


@dataclass(frozen=True, slots=True)
class Month:
    """A month with its year in the language's words; ``number`` counts months from January 1970."""

    number: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Parts joined one by one by the text of ``key``, which has ``{head}`` and ``{tail}``."""

    key: str
    parts: tuple[Argument, ...]


Argument = Union[
    int,
    str,
    Name,
    SeatRef,
    Icons,
    GameName,
    GameIcon,
    Faces,
    Mention,
    Moment,
    Percent,
    Decimal,
    Day,
    Month,
    Chain,
    "Say",
]


class Say(NamedTuple):
    """A message. Integers are formatted for the language; an argument ``n`` selects the plural form."""

    key: str
    args: tuple[tuple[str, Argument], ...] = ()


class Line(NamedTuple):
    """The narration of one turn of a seat so far, piece by piece."""

    seat: int
    pieces: tuple[Say, ...]


def say(key: str, /, **args: Argument) -> Say:
    """Return a message of the catalogue with its arguments, in order of their names."""
    return Say(key, tuple(sorted(args.items()))) if args else _bare(key)


@lru_cache(maxsize=4096)
def _bare(key: str) -> Say:
    return Say(key)


def nested(parts: Sequence[Say], key: str = "list-joined") -> Say:
    """Join messages into a single one. Unlike in a :class:`Chain`, :func:`resolve` fills in their seats."""
    return reduce(lambda head, tail: say(key, head=head, tail=tail), parts)


def resolve(message: Say, seat: Callable[[int], Argument]) -> Say:
    """Replace every :class:`SeatRef` in a message by what ``seat`` returns for its number.

    Returns the message itself if there is none in it.
    """
    args = message.args
    for index, (name, value) in enumerate(args):
        resolved = value
        if isinstance(value, SeatRef):
            resolved = seat(value.seat)
        elif isinstance(value, Say):
            resolved = resolve(value, seat)
        if resolved is not value:
            args = (*args[:index], (name, resolved), *args[index + 1 :])
    return message if args is message.args else Say(message.key, args)


def to_json(message: Say) -> list[object]:
    """Encode a message as ``[key, {argument: value}]``. Raises :class:`TypeError` for names."""
    if not message.args:
        return [message.key]
    return [
        message.key,
        {name: _STORED.get(type(value), _text_or_number)(value) for name, value in message.args},
    ]


def _text_or_number(value: object) -> object:
    if not isinstance(value, (int, str)):
        raise TypeError(f"{value!r} is not meant to be stored")
    return value


# A dictionary, because every click writes narration and a match statement takes twice as long.
_STORED: Mapping[type, Callable[[Any], object]] = {
    SeatRef: lambda ref: {"seat": ref.seat},
    Faces: lambda faces: {"faces": faces.dice},
    Icons: lambda icons: {"icons": icons.names},
    Say: lambda message: {"say": to_json(message)},
}


def from_json(raw: Any) -> Say:
    """Decode what :func:`to_json` returned. Raises :class:`ValueError` for anything else."""
    key, given = raw[0], raw[1] if len(raw) > 1 else {}

    def read(value: object) -> Argument:
        match value:
            case int() | str():
                return value
            case {"seat": seat}:
                return SeatRef(seat)
            case {"faces": dice}:
                return Faces(tuple(dice))
            case {"icons": names}:
                return Icons(tuple(names))
            case {"say": message}:
                return from_json(message)
        raise ValueError(f"not a stored message: {raw!r}")

    return Say(key, tuple((name, read(value)) for name, value in given.items()))


def and_list(names: Sequence[Argument]) -> Argument:
    """Return the names as a list with "and" before the last one."""
    if len(names) < 2:
        return joined(names)
    return say("list-and", head=joined(names[:-1]), tail=names[-1])


def joined(parts: Sequence[Argument], key: str = "list-joined") -> Argument:
    """Return the parts as one argument, joined by the text of ``key``."""
    return Chain(key, tuple(parts)) if len(parts) > 1 else parts[0] if parts else ""
