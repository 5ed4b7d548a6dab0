"""Checks the records of finished games; :mod:`bot.records.record` describes their contents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn, TypeVar

from bot.games.core import (
    LEAVE,
    OVER,
    AnyGame,
    Applied,
    GameError,
    Json,
    Leave,
    Result,
    Unreadable,
    draw_until_choice,
)
from bot.records.header import REQUIRED, START, OtherVersion, check_header
from bot.records.reading import MAX_BYTES, array, check_keys, decoded, differ, json_object, shown, values_of
from bot.records.record import OPENING, SEALED, RecordError, result_to_json
from bot.records.seeds import SeededChance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verified:
    """A summary of a valid record: its game, and how many moves, outcomes and finished turns it has.

    ``result`` is None if the game was ended without one; ``deleted`` counts words that can't be checked
    because they were deleted.
    """

    game: str
    moves: int
    outcomes: int
    turns: int
    result: Result | None
    deleted: int = 0


Checker = Callable[[dict[str, Json]], Verified]
"""Checks a record of one schema, including its keys; see :func:`verify_line`."""

NO_OTHERS: Mapping[int, Checker] = {}
"""No checkers of further schemas."""


def verify_line(text: str, others: Mapping[int, Checker] = NO_OTHERS) -> Verified:
    """Check one record: its form, the seed against its hash or against seal, secret and start, each outcome
    against the seed, each move against the rules and the seat to move, each row of scores, and the result.

    ``others`` check the records of further schemas, by schema.
    Raises :class:`OtherVersion`, or :class:`RecordError` for the first error, whatever ``text`` is.
    """
    raw = _parse(text, others)
    if raw["schema"] in others:
        return others[raw["schema"]](raw)
    game, state, seed = check_header(raw)
    check = Check(game, state, SeededChance(seed), array(raw["scores"], "scores"))
    check.chance(raw.get(OPENING, []), OPENING)
    if raw.get(OPENING) == []:
        raise RecordError("is left out when nothing came before the first move", OPENING)
    moves = array(raw["moves"], "moves")
    for index, move in enumerate(moves):
        check.move(move, index)
    result = check.end(raw["result"], aborted=raw["schema"] in START and raw["result"] is None)
    deleted = sum(word is None for word in raw.get("words", ()))
    return Verified(game.key, len(moves), check.source.index, check.turns, result, deleted)


def verify_stream(
    stream: BinaryIO,
    progress: Callable[[int], object] | None = None,
    unchecked: Callable[[OtherVersion], object] | None = None,
    others: Mapping[int, Checker] = NO_OTHERS,
) -> Iterator[Verified]:
    """Check the records of a file line by line, skipping blank lines; call ``progress`` with the bytes read.

    Raises :class:`RecordError` with the line's number, but passes an :class:`OtherVersion` to ``unchecked``
    if that is given. ``others`` are as in :func:`verify_line`. Reads only one line at a time into memory.
    """
    number = 0
    while data := stream.readline(MAX_BYTES + 1):
        number += 1
        try:
            if data.strip():
                yield verify_line(decoded(data), others)
        except RecordError as error:
            located = type(error)(error.what, error.where, move=error.move, line=number)
            if unchecked is None or not isinstance(located, OtherVersion):
                raise located from None
            unchecked(located)
        if progress is not None:
            progress(len(data))


class Check:
    """Replays a record from a state on and compares each state with the record.

    It is also the game's source of chance: it draws from the seed and compares each outcome with the next one
    in ``given``, the list at the place ``where``. ``used`` counts the compared outcomes of this list,
    ``turns`` the compared rows of scores.
    """

    given: list[Json]
    where: str
    used: int

    def __init__(self, game: AnyGame, state: Any, source: SeededChance, scores: list[Json]) -> None:
        self.game, self.state, self.source, self.scores = game, state, source, scores
        self.turns = 0
        self.index: int | None = None

    def fail(self, what: str, where: str) -> NoReturn:
        """Raise a :class:`RecordError` that names the move that is being replayed."""
        raise RecordError(what, where, move=self.index)

    def move(self, raw: Json, index: int) -> None:
        """Replay the move ``raw``, which is number ``index`` from 0, with the outcomes that follow it."""
        self.index, where = index, f"moves[{index}]"
        seat, action, outcomes = values_of(raw, ("seat", "action", "chance"), where, index)
        seats = len(self.game.scores(self.state))
        if type(seat) is not int or not 0 <= seat < seats:
            self.fail(f"must be a seat from 0 to {seats - 1}, not {shown(seat)}", f"{where}.seat")
        self.act(seat, action, where)
        self.chance(outcomes, f"{where}.chance")

    def act(self, seat: int, raw: Json, where: str) -> None:
        """Replay the action of a move."""
        game, state = self.game, self.state
        mover = game.to_move(state)
        if mover == OVER:
            self.fail("comes after the end of the game", where)
        action: Any
        if isinstance(raw, dict) and raw.get("type") == LEAVE:
            values_of(raw, ("type",), f"{where}.action", self.index)
            action = Leave(seat)
        elif seat != mover:
            self.fail(f"it is seat {mover} that is to move, not seat {seat}", f"{where}.seat")
        else:
            try:
                action = game.action_from_json(raw)
            except Unreadable:
                self.fail(f"{shown(raw)} is not an action of {game.key}", f"{where}.action")
            self.canonical(raw, game.action_to_json(action), f"{where}.action")
        try:
            applied = game.apply(state, action)
        except GameError:
            if isinstance(action, Leave):
                self.fail(f"seat {seat} has left before", f"{where}.action")
            legal_now = ", ".join(shown(game.action_to_json(legal)) for legal in game.legal(state)[:8])
            self.fail(
                f"the rules forbid {shown(raw)} here; open to seat {seat}: {legal_now}", f"{where}.action"
            )
        self.take(applied)

    def chance(self, raw: Json, where: str) -> None:
        """Compare a list of outcomes with the next ones from the seed."""
        self.given, self.where, self.used = array(raw, where, self.index), where, 0
        for _, applied in draw_until_choice(self.game, self.state, self):
            self.take(applied)
        if self.used < len(self.given):
            more = shown(self.given[self.used])
            self.fail(f"is {more}, but nothing was left to chance", f"{where}[{self.used}]")

    def draw(self, outcomes: Sequence[tuple[T, int]]) -> T:
        """Return the next outcome from the seed, after comparing it with the record's."""
        drawn = self.source.draw(outcomes)
        expected = self.game.outcome_to_json(drawn)
        if self.used == len(self.given):
            self.fail(f"an outcome is missing at the end: the seed gives {shown(expected)}", self.where)
        given, place = self.given[self.used], f"{self.where}[{self.used}]"
        try:
            outcome = self.game.outcome_from_json(given)
        except Unreadable:
            self.fail(f"{shown(given)} is not an outcome of {self.game.key}", place)
        if outcome != drawn:
            self.fail(f"is {shown(given)}, but the seed gives {shown(expected)}", place)
        self.canonical(given, expected, place)
        self.used += 1
        return drawn

    def canonical(self, given: Json, expected: Json, where: str) -> None:
        """Refuse another way of writing the same value, so that equal games have equal records."""
        if differ(given, expected):
            self.fail(f"is {shown(given)}; it is written {shown(expected)}", where)

    def take(self, applied: Applied[Any]) -> None:
        """Go on to the next state. If a turn has ended with it, compare the row of scores."""
        ended = self.game.turns(applied.state) > self.game.turns(self.state)
        self.state = applied.state
        if not ended:
            return
        expected, where = list(self.game.scores(self.state)), f"scores[{self.turns}]"
        at = "" if self.index is None else f" at moves[{self.index}]"
        if self.turns == len(self.scores):
            self.fail(f"is missing: a turn ended with the scores {shown(expected)}{at}", where)
        given = self.scores[self.turns]
        if differ(given, expected):
            self.fail(f"is {shown(given)}, but the turn ended with {shown(expected)}{at}", where)
        self.turns += 1

    def end(self, raw: Json, *, aborted: bool) -> Result | None:
        """Compare the result, and the number of rows of scores. ``aborted`` games have no result."""
        self.index = None
        result = self.game.result(self.state)
        if result is None and not aborted:
            claim = "all records of this schema have" if raw is None else "the record has"
            self.fail(f"the game is not over after the last move, but {claim} a result", "moves")
        if len(self.scores) > self.turns:
            self.fail(f"is one row too many: {self.turns} turns were finished", f"scores[{self.turns}]")
        if result is None:
            return None
        expected = result_to_json(result)
        values_of(raw, tuple(expected), "result")
        for key, value in expected.items():
            if differ(raw[key], value):
                self.fail(f"is {shown(raw[key])}, but should be {shown(value)}", f"result.{key}")
        return result


def _parse(text: str, others: Collection[int]) -> dict[str, Json]:
    raw = json_object(text)
    schema = raw.get("schema")
    known = (*REQUIRED, *others)
    if "schema" in raw and (type(schema) is not int or schema not in known):
        raise RecordError(f"is {shown(schema)}; this program reads {', '.join(map(str, known))}", "schema")
    if schema not in others:
        check_keys(raw, REQUIRED[schema if isinstance(schema, int) else SEALED], (OPENING,))
    return raw
