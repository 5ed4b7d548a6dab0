"""The public record of a game that has ended: one JSON object per line, as docs/game-record.md describes it.

A record contains everything that is needed to replay its game and to check that no die was changed: the
seed and what it comes from, every move with the outcomes that followed it, the scores after every turn and
the result. Every change of the format needs a new schema.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.core import A, Game, Json, Move, O, Result, S, replay
from bot.games.options import GameOptions
from bot.records.sealing import rated_of, seed_of
from bot.records.seeds import seed_hash
from bot.records.who_begins import BEGINS, first_seat

BARE, SEALED, RATED, BEGUN = 1, 2, 3, 4
"""The schemas of records: with nothing but a seed, as in simulations and earlier versions; with a
:class:`SealedSeed`; with whether the game is rated as well; and with who began as well."""

FIRST = "first"
"""The key for the seat that began, as numbered in the start; in the record it is seat 0."""

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


@dataclass(frozen=True, slots=True)
class Replaced:
    """A person whose seat went to somebody else after so many ``moves`` of the game."""

    moves: int
    seat: int
    before: Human
    after: Player

    def to_json(self) -> dict[str, Json]:
        return {
            "moves": self.moves,
            "seat": self.seat,
            "from": self.before.to_json(),
            "to": self.after.to_json(),
        }


@dataclass(frozen=True, slots=True)
class SealedSeed:
    """Where the seed of a game comes from: the ``seal`` as the lobby showed it, the ``secret``, and the
    ``start`` of the game (see :mod:`bot.records.sealing`).

    ``words`` are those of the players by seat: "" if there was none, None if it was deleted.
    """

    seal: str
    secret: bytes
    start: str
    words: tuple[str | None, ...]

    @property
    def seed(self) -> bytes:
        return seed_of(self.secret, self.start)

    @property
    def schema(self) -> int:
        """The schema of the game's record: starts of earlier versions say less."""
        if rated_of(self.start) is None:
            return SEALED
        return BEGUN if BEGINS in json.loads(self.start) else RATED

    def to_json(self) -> dict[str, Json]:
        """Return the part of a record that says where its seed comes from."""
        start = json.loads(self.start)
        return {
            **({"rated": start["rated"]} if self.schema >= RATED else {}),
            **({FIRST: first_seat(self.start, self.seed)} if self.schema >= BEGUN else {}),
            "seal": self.seal,
            "secret": self.secret.hex(),
            "start": start,
            "words": list(self.words),
        }


def build(
    game: Game[S, A, O],
    options: GameOptions,
    seats: Sequence[Player],
    origin: bytes | SealedSeed,
    moves: Sequence[Move[A, O]],
    *,
    opening: Sequence[O] = (),
    aborted: bool = False,
    replaced: Sequence[Replaced] = (),
) -> dict[str, Json]:
    """Build the record of a game that has ended, whose dice come from a seed or from a :class:`SealedSeed`.

    ``moves`` are its log as :func:`bot.games.core.replay` takes it, ``opening`` the outcomes before the first
    move. An ``aborted`` game has no result. Records from :data:`RATED` on say who was ``replaced``.

    Raises :class:`IllegalMove` for an impossible log, and :class:`RecordError` if it ends too early.
    """
    state = game.initial(options, len(seats))
    rows: list[Json] = []
    for played in replay(game, options, len(seats), opening, moves):
        for after in played.states:
            if game.turns(after) > game.turns(state):
                rows.append(list(game.scores(after)))
            state = after
    result = game.result(state)
    if result is None and not aborted:
        raise RecordError("the game is not over; only games that have ended have a record")
    if isinstance(origin, SealedSeed):
        schema, seed, source = origin.schema, origin.seed, origin.to_json()
    else:
        schema, seed, source = BARE, origin, {"seed_sha256": seed_hash(origin)}

    def to_json(outcomes: Sequence[O]) -> list[Json]:
        return [game.outcome_to_json(outcome) for outcome in outcomes]

    return {
        "schema": schema,
        "game": game.key,
        "rules_version": game.rules_version,
        "options": options.to_json(),
        "seats": [seat.to_json() for seat in seats],
        **({"replaced": [person.to_json() for person in replaced]} if schema >= RATED else {}),
        **source,
        "seed": seed.hex(),
        **({OPENING: to_json(opening)} if opening else {}),
        "moves": [
            {"seat": move.seat, "action": game.move_to_json(move.action), "chance": to_json(move.outcomes)}
            for move in moves
        ],
        "scores": rows,
        "result": None if result is None else result_to_json(result),
    }


def to_line(record: dict[str, Json]) -> str:
    """Return the record as one line of plain ASCII, without the line's end."""
    return json.dumps(record, separators=(",", ":"))


def result_to_json(result: Result) -> dict[str, Json]:
    return {"scores": list(result.scores), "winners": list(result.winners), "reason": result.reason}
