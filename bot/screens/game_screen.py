"""The base class of a game's screen: its part of the table, its buttons, and the narration of its turns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from bot.games.base import GameState
from bot.games.core import Result
from bot.games.options import Choice, Flag, GameOptions, declared, value_key
from bot.i18n.say import Argument, Line, Say, nested, say
from bot.screens.model import Act, Block, Buttons, ChangeView, Mark
from bot.screens.narration import tell


class Event(Protocol):
    """Something that happened in a game, to be narrated in the line of a seat."""

    @property
    def seat(self) -> int: ...


S = TypeVar("S", bound=GameState)
"""The game's states."""
E = TypeVar("E", bound=Event)
"""The game's events."""


@dataclass(frozen=True, slots=True)
class Interim:
    """A position that the rules pass over at once, such as the roll that ends a turn, to be shown a while.

    ``view`` is that of :class:`ChangeView`. ``by_hand`` is the label of the button with which the player may
    bring about what follows, or None if it follows by itself.
    """

    state: Any
    view: str = ""
    by_hand: Say | None = None


class GameScreen(ABC, Generic[S, E]):
    """The screen of one game. Instances hold no state.

    A simple game defines ``body``, ``controls``, ``press``, ``pieces`` and ``topics``; all else has defaults.
    """

    key: ClassVar[str]
    """The game's key; the keys of its texts begin with it."""
    turn_ends: ClassVar[Set[str]] = frozenset()
    """Keys of the pieces that end a turn. The next piece starts a new line."""
    in_passing: ClassVar[tuple[type[object], ...]] = ()
    """Types of events that are narrated in the line of the current turn, such as another player's leaving."""
    headlines: ClassVar[Collection[str]] = ()
    """Keys of the pieces that :meth:`outcome` needs; a line that grows too long keeps them."""
    who_begins: ClassVar[Say | None] = None
    """Says who begins by custom, or by the rule sheet."""
    topics: ClassVar[tuple[str, ...]]
    """The pages of the rules; page ``x`` has the keys ``<game>-rules-x`` and ``…-title``."""
    rules_arguments: ClassVar[Mapping[str, Argument]] = {}
    """Values for the placeholders on the rules pages; numbers are formatted for the reader's language."""

    @abstractmethod
    def body(self, state: S, view: str) -> tuple[Block, ...]:
        """Return the middle of the table: cards, dice, boards. ``view`` is that of :class:`ChangeView`."""

    @abstractmethod
    def controls(self, state: S, view: str) -> tuple[Buttons, ...]:
        """Return the buttons of the seat to move."""

    @abstractmethod
    def press(self, state: S, token: str) -> ChangeView | Act:
        """Return what a click on one of the controls means. Raises :class:`~bot.games.core.Unreadable`."""

    @abstractmethod
    def pieces(self, event: E) -> tuple[Say, ...]:
        """Return the narration of an event as short pieces; none if the event is not worth mentioning."""

    def goal(self, options: GameOptions) -> tuple[Say, ...]:
        """Return the goal for lobby and table: the text ``<game>-goal`` with the values of all options.

        Flags that were added to the game later are appended to it if they are on.
        """
        values, on = options.values(), list[Say]()
        chosen: dict[str, Argument] = {}
        for name, option in declared(type(options)).items():
            value = values[name]
            if isinstance(option, Flag) and option.added:
                on += [Say(value_key(self.key, name, value))] if value else []
            elif isinstance(option, Choice | Flag):
                chosen[name] = Say(value_key(self.key, name, value))
            else:
                chosen[name] = value
        goal = say(f"{self.key}-goal", **chosen)
        return (nested([goal, *on], "facts-joined"),)

    def title(self, state: S) -> Say:
        """Return the game and its goal as the short title of the table."""
        return self.goal(state.options)[0]

    def outcome(self, line: Line) -> tuple[Say, ...]:
        """Return what came of a turn, told in few words, e.g. the card and the points."""
        return line.pieces[-1:]

    def closing(self, line: Line) -> tuple[Say, ...]:
        """Return what ended with a turn, such as a round: the table tells it after the outcome."""
        return ()

    def untold(self, line: Line) -> tuple[Say, ...]:
        """Return the pieces of the turn being played that its table does not show."""
        return ()

    def seat_notes(self, state: S) -> tuple[Say, ...]:
        """Return what each seat has besides points, in a word or two; nothing if there is nothing to say."""
        return ()

    def owned(self, state: S) -> tuple[Say, ...]:
        """Return what each seat owns in pictures, for the page behind "More"; nothing without pictures."""
        return ()

    def interim(self, state: S, event: E) -> Interim | None:
        """Return the position right after an event, such as a roll; ``state`` is the one before it.

        None if the event is only narrated.
        """
        return None

    def narrate(self, lines: Sequence[Line], events: Sequence[E]) -> tuple[Line, ...]:
        """Return ``lines`` with the narration of ``events`` added: pieces of the last turn, or new turns."""
        narration = tuple(lines)
        for event in events:
            in_passing = isinstance(event, self.in_passing)
            pieces = self.pieces(event)
            narration = tell(
                narration, event.seat, pieces, self.turn_ends, self.headlines, in_passing=in_passing
            )
        return narration

    def accent(self, state: S) -> int | None:
        """Return the colour of the table's edge (0xRRGGBB), or None."""
        return None

    def result_columns(self, feats: Mapping[str, int]) -> tuple[Say, ...]:
        """Return what a seat has achieved besides its score, for its line in the result."""
        return ()

    def epilogue(self, options: Any, result: Result, names: Sequence[Argument]) -> tuple[Say, ...]:
        """Return what the leaflet says of the result besides who has won. ``names`` are by seat."""
        return ()

    def marks(self, events: Sequence[E]) -> tuple[Mark, ...]:
        """Return the events to mark in the score chart."""
        return ()


AnyScreen = GameScreen[Any, Any]
"""The screen of any game, as the registry holds it."""
