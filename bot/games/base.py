"""A base class for games: a state with scores and turns, and JSON forms derived from dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from bot.games.codec import at_schema, dumps
from bot.games.core import OVER, Game, GameError, Json, Result, Unreadable
from bot.games.json_forms import object_form, reader, writer
from bot.games.options import GameOptions


# Without slots, because bot.games.values.replace needs __dict__.
@dataclass(frozen=True)
class GameState:
    """The part of a position that all games have. Subclasses add fields with defaults.

    ``scores`` are the banked points by seat, ``left`` the seats that have left the game, ascending. ``seat``
    is the seat whose turn it is, or was last; ``finished`` counts finished turns. ``reason`` says why the
    game is over (the text ``end-won-<reason>``) or is "", and ``winners`` are the winning seats, ascending.
    """

    options: GameOptions
    scores: tuple[int, ...]
    left: tuple[int, ...] = ()
    seat: int = 0
    finished: int = 0
    reason: str = ""
    winners: tuple[int, ...] = ()


def best_seats(state: GameState) -> tuple[int, ...]:
    """Return the seats with the highest score among those that are still in the game."""
    present = [seat for seat in range(len(state.scores)) if seat not in state.left]
    best = max(state.scores[seat] for seat in present)
    return tuple(seat for seat in present if state.scores[seat] == best)


S = TypeVar("S", bound=GameState)
A = TypeVar("A")
O = TypeVar("O")  # noqa: E741


class BaseGame(Game[S, A, O]):
    """A game whose state is a :class:`GameState` and whose values are dataclasses.

    An action becomes ``{"type": <name>, …}`` with its fields. An outcome becomes an object with just its
    fields, so two kinds of outcomes must not have the same field names.
    """

    state_type: ClassVar[type[GameState]]
    action_types: ClassVar[Mapping[str, type[Any]]]
    """The kinds of actions by their name in records; ``leave`` is taken."""
    outcome_types: ClassVar[tuple[type[Any], ...]]
    state_schema: ClassVar[int] = 1
    """The version of the state's form in the database. Increase it and add an upcaster when fields change."""
    upcasters: ClassVar[Mapping[int, Callable[[dict[str, Json]], dict[str, Json]]]] = {}
    """``upcasters[n]`` turns form n of a stored state into form n + 1."""

    def turn_seat(self, state: S) -> int:
        return state.seat

    def turns(self, state: S) -> int:
        return state.finished

    def scores(self, state: S) -> tuple[int, ...]:
        return state.scores

    def left(self, state: S) -> tuple[int, ...]:
        return state.left

    def result(self, state: S) -> Result | None:
        if self.to_move(state) != OVER:
            return None
        return Result(state.scores, state.winners, state.reason, state.left)

    def sound(self, state: S) -> bool:
        """Return whether a decoded position is consistent, so that the rules can go on from it.

        The fields of :class:`GameState` have already been checked.
        """
        return True

    def action_to_json(self, action: A) -> dict[str, Json]:
        name = next(name for name, kind in self.action_types.items() if type(action) is kind)
        return {"type": name, **writer(type(action))(action)}

    def action_from_json(self, raw: Json) -> A:
        if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
            raise Unreadable("error-unreadable")
        kind = self.action_types.get(raw["type"])
        if kind is None:
            raise Unreadable("error-unreadable")
        action: A = reader(kind)({name: value for name, value in raw.items() if name != "type"})
        return action

    def outcome_to_json(self, outcome: O) -> dict[str, Json]:
        form: dict[str, Json] = writer(type(outcome))(outcome)
        return form

    def outcome_from_json(self, raw: Json) -> O:
        for kind in self.outcome_types:
            if isinstance(raw, dict) and raw.keys() == object_form(kind).keys():
                outcome: O = reader(kind)(raw)
                return outcome
        raise Unreadable("error-unreadable")

    def state_to_json(self, state: S) -> dict[str, Json]:
        return {"schema": self.state_schema, **writer(type(state))(state)}

    def state_from_json(self, raw: Json) -> S:
        given = at_schema(raw, self.state_schema, self.upcasters)
        form = object_form(self.state_type)
        if given.keys() != {"schema", *form}:
            raise Unreadable("error-unreadable")
        try:
            values = {name: read(given[name]) for name, (read, _) in form.items() if name != "options"}
            state: Any = self.state_type(options=self.options(given["options"]), **values)
        except (GameError, AttributeError, TypeError) as error:
            raise Unreadable("error-unreadable") from error
        # Encode it again, to refuse other ways of writing the same state, e.g. unsorted dice.
        if dumps(self.state_to_json(state)) != dumps(given) or not self._consistent(state):
            raise Unreadable("error-unreadable")
        found: S = state
        return found

    def _consistent(self, state: S) -> bool:
        """Return whether the fields that all games have are consistent, and then those of this game."""
        seats, over = range(len(state.scores)), state.reason != ""
        return (
            self.min_seats <= len(seats) <= self.max_seats
            and state.seat in seats
            and _ascending(state.left, seats)
            and _ascending(state.winners, seats)
            and state.finished >= 0
            and bool(state.winners) == over
            and (over or (len(state.left) < len(seats) - 1 and state.seat not in state.left))
            and self.sound(state)
            and (self.to_move(state) == OVER) == over
        )


def _ascending(numbers: tuple[int, ...], among: range) -> bool:
    return all(number in among for number in numbers) and list(numbers) == sorted(set(numbers))
