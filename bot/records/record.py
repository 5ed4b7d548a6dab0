"""The public record of a finished game: one JSON object per line, as docs/game-record.md describes it.

A record contains everything that is needed to replay its game and to check that no die was changed: the
seed, every move with the outcomes that followed it, the scores after every turn and the result. Every change
of the format needs a new number of :data:`SCHEMA`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

from bot.games.core import (
    A,
    ChanceSource,
    Game,
    Json,
    Leave,
    Move,
    O,
    Result,
    S,
    ScriptedChance,
    Step,
    answers,
)
from bot.games.options import GameOptions
from bot.records.seeds import seed_hash

SCHEMA = 1

OPENING = "chance"
"""The optional key for the outcomes before the first move."""


class RecordError(Exception):
    """An error in a record.

    ``where`` is the place in its JSON, e.g. ``moves[11].chance[0]``, or empty; ``move`` is the index of the
    wrong move, if there is one; ``line`` is the number of the line, from 1.
    """

    def __init__(
        self, what: str, where: str = "", *, move: int | None = None, line: int | None = None
    ) -> None:
        self.what, self.where, self.move, self.line = what, where, move, line
        super().__init__(what, where)

    def __str__(self) -> str:
        place = [f"line {self.line}"] if self.line is not None else []
        place += [self.where] if self.where else []
        return f"{', '.join(place)}: {self.what}" if place else self.what


@dataclass(frozen=True, slots=True)
class Ai:
    """A seat played by code."""

    policy: str

    def to_json(self) -> dict[str, Json]:
        return {"kind": "ai", "policy": self.policy}


@dataclass(frozen=True, slots=True)
class Human:
    """A seat played by a person."""

    name: str

    def to_json(self) -> dict[str, Json]:
        return {"kind": "human", "name": self.name}


Player = Ai | Human


class Recorder(Generic[S, A, O]):
    """One game while it is played, and what its record says about it so far.

    ``state`` is the current state, ``rows`` the scores after each finished turn, ``moves`` the actions (a
    :class:`Leave` among them) by seat with the outcomes that followed each, ``opening`` the outcomes that
    came before the first. ``move`` and ``settle`` raise what :meth:`Game.apply` and the chance raise; the
    move or outcome concerned then changes nothing.
    """

    def __init__(self, game: Game[S, A, O], options: GameOptions, seats: int) -> None:
        self.game = game
        self.options = options
        self.state = game.initial(options, seats)
        self.opening: list[O] = []
        self.moves: list[tuple[int, A | Leave, list[O]]] = []
        self.rows: list[tuple[int, ...]] = []

    def move(self, action: A | Leave) -> None:
        """Play an action of the seat to move, or a :class:`Leave`."""
        seat = action.seat if isinstance(action, Leave) else self.game.to_move(self.state)
        self._take(self.game.apply(self.state, action))
        self.moves.append((seat, action, []))

    def settle(self, chance: ChanceSource) -> None:
        """Draw chance outcomes until a seat must decide or the game is over."""
        outcomes = self.moves[-1][2] if self.moves else self.opening
        for outcome, step in answers(self.game, self.state, chance):
            self._take(step)
            outcomes.append(outcome)

    def _take(self, step: Step[S]) -> None:
        if self.game.turns(step.state) > self.game.turns(self.state):
            self.rows.append(self.game.scores(step.state))
        self.state = step.state

    def record(self, seats: Sequence[Player], seed: bytes) -> dict[str, Json]:
        """Return the record of the game. Raises :class:`RecordError` unless it is over."""
        result = self.game.result(self.state)
        if result is None:
            raise RecordError("the game is not over; only finished games have a record")
        return {
            "schema": SCHEMA,
            "game": self.game.key,
            "rules_version": self.game.rules_version,
            "options": self.options.to_json(),
            "seats": [seat.to_json() for seat in seats],
            "seed_sha256": seed_hash(seed),
            "seed": seed.hex(),
            **({OPENING: self._outcomes(self.opening)} if self.opening else {}),
            "moves": [
                {"seat": seat, "action": self.game.move_to_json(action), "chance": self._outcomes(outcomes)}
                for seat, action, outcomes in self.moves
            ],
            "scores": [list(row) for row in self.rows],
            "result": result_to_json(result),
        }

    def _outcomes(self, outcomes: Iterable[O]) -> list[Json]:
        return [self.game.outcome_to_json(outcome) for outcome in outcomes]


def build(
    game: Game[S, A, O],
    options: GameOptions,
    seats: Sequence[Player],
    seed: bytes,
    moves: Iterable[Move[A, O]],
    *,
    opening: Sequence[O] = (),
) -> dict[str, Json]:
    """Build the record of a finished game: ``moves`` are its log as :func:`bot.games.core.replay` takes it,
    ``opening`` the outcomes before the first move.

    Raises :class:`IllegalMove` for an impossible log, and :class:`RecordError` if it ends too early.
    """
    recorder = Recorder(game, options, len(seats))
    chance = ScriptedChance(opening)
    recorder.settle(chance)
    chance.check_used_up()
    for move in moves:
        recorder.move(move.action)
        chance = ScriptedChance(move.outcomes)
        recorder.settle(chance)
        chance.check_used_up()
    return recorder.record(seats, seed)


def to_line(record: dict[str, Json]) -> str:
    """Return the record as one line of plain ASCII, without the line's end."""
    return json.dumps(record, separators=(",", ":"))


def result_to_json(result: Result) -> dict[str, Json]:
    return {"scores": list(result.scores), "winners": list(result.winners), "reason": result.reason}
