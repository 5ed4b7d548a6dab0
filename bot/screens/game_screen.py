"""What a game shows: the part of the table that is its own, its buttons, and how its turns are told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from bot.games.options import Choice, Flag, GameOptions, declared, value_key
from bot.i18n.say import Argument, Line, Say, say
from bot.screens.model import Act, Block, Buttons, ChangeView, Mark
from bot.screens.narration import tell


class Event(Protocol):
    """Something that happened in a game, to be told in the line of a seat."""

    @property
    def seat(self) -> int: ...


S = TypeVar("S")
"""The game's states."""
E = TypeVar("E", bound=Event)
"""The game's events."""


class GameScreen(ABC, Generic[S, E]):
    """What one game shows. Instances hold no state.

    A simple game writes ``body``, ``controls``, ``press``, ``pieces`` and ``topics``; all else has defaults.
    """

    key: ClassVar[str]
    """The game's key, with which the keys of its texts begin."""
    turn_ends: ClassVar[Collection[str]] = ()
    """Keys of the pieces that end a turn: what is told after one begins a new line."""
    in_passing: ClassVar[tuple[type[object], ...]] = ()
    """Kinds of events that are told in the line of whosever turn it is, like somebody's leaving."""
    seen_on_table: ClassVar[Collection[str]] = ()
    """Keys of pieces that are left out where they come last, as the table shows the same below."""
    rules_arguments: ClassVar[Mapping[str, Argument]] = {}
    """What the pages of the rules have filled in: numbers and pictures, in each reader's own writing."""

    @abstractmethod
    def body(self, state: S, view: str) -> tuple[Block, ...]:
        """Return the middle of the table: cards, dice, boards. ``view`` is as :class:`ChangeView` has it."""

    @abstractmethod
    def controls(self, state: S, view: str) -> tuple[Buttons, ...]:
        """Return the buttons of the seat to move."""

    @abstractmethod
    def press(self, state: S, token: str) -> ChangeView | Act:
        """Return what a click on one of the controls means. Raises :class:`~bot.games.core.Unreadable`."""

    @abstractmethod
    def pieces(self, event: E) -> tuple[Say, ...]:
        """Return what is told of an event, in short pieces; nothing for one that is not worth telling."""

    @abstractmethod
    def topics(self) -> tuple[str, ...]:
        """Return the pages of the rules; page ``x`` has the keys ``<game>-rules-x`` and ``…-title``."""

    def goal(self, options: GameOptions) -> tuple[Say, ...]:
        """Return what is played, for lobby and table: the text ``<game>-goal`` with all options filled in."""
        chosen: dict[str, Argument] = {}
        for name, option in declared(type(options)).items():
            value = options.to_json()[name]
            chosen[name] = value
            if isinstance(option, Choice | Flag):
                chosen[name] = Say(value_key(self.key, name, value))
        return (say(f"{self.key}-goal", **chosen),)

    def narrate(self, lines: Sequence[Line], events: Sequence[E]) -> tuple[Line, ...]:
        """Return ``lines`` with what ``events`` add to them: pieces to the last turn, or new turns."""
        told = tuple(lines)
        for event in events:
            in_passing = isinstance(event, self.in_passing)
            told = tell(told, event.seat, self.pieces(event), self.turn_ends, in_passing=in_passing)
        return told

    def accent(self, state: S) -> int | None:
        """Return the colour of the table's edge (0xRRGGBB), None for none."""
        return None

    def result_columns(self, feats: Mapping[str, int]) -> tuple[Say, ...]:
        """Return what a seat's line in the result of a game tells beside score and turns."""
        return ()

    def marks(self, events: Sequence[E]) -> tuple[Mark, ...]:
        """Return what of the events is marked in the picture of the race."""
        return ()


AnyScreen = GameScreen[Any, Any]
"""A screen of which nothing more is known, as the registry holds it."""
