"""Checks the records of finished games; :mod:`bot.records.record` describes their contents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn, TypeVar

from bot.games.core import (
    LEAVE,
    OVER,
    AnyGame,
    GameError,
    Json,
    Leave,
    Result,
    Step,
    Unreadable,
    draw_until_choice,
)
from bot.games.options import GameOptions
from bot.records.record import (
    OPENING,
    SCHEMA,
    Ai,
    Human,
    Player,
    RecordError,
    result_to_json,
)
from bot.records.seeds import SEED_BYTES, SeededChance, seed_hash
from bot.registry import GAMES

MAX_BYTES = 8 << 20
"""Limit of a record's size. A game of ten casual players to 50,000 points takes a twentieth of it."""

MAX_NAME = 100
"""Limit of characters of a name or a policy."""

REQUIRED = (
    "schema",
    "game",
    "rules_version",
    "options",
    "seats",
    "seed_sha256",
    "seed",
    "moves",
    "scores",
    "result",
)
_GZIP = b"\x1f\x8b"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verified:
    """A summary of a valid record: its game, and how many moves, outcomes and finished turns it has."""

    game: str
    moves: int
    outcomes: int
    turns: int
    result: Result


def verify_line(text: str) -> Verified:
    """Check one record: its form, the seed against its hash, each outcome against the seed, each move
    against the rules and the seat to move, each row of scores, and the result.

    Raises :class:`RecordError` for the first error, whatever ``text`` is.
    """
    raw = _parse(text)
    game, state, seed = _header(raw)
    check = _Check(game, state, SeededChance(seed), _array(raw["scores"], "scores"))
    check.chance(raw.get(OPENING, []), OPENING)
    if raw.get(OPENING) == []:
        raise RecordError("is left out when nothing came before the first move", OPENING)
    moves = _array(raw["moves"], "moves")
    for index, move in enumerate(moves):
        check.move(move, index)
    result = check.end(raw["result"])
    return Verified(game.key, len(moves), check.source.index, check.turns, result)


def verify_stream(stream: BinaryIO, progress: Callable[[int], object] | None = None) -> Iterator[Verified]:
    """Check the records of a file line by line, skipping blank lines; call ``progress`` with the bytes read.

    Raises :class:`RecordError` with the line's number. Reads only one line at a time into memory.
    """
    number = 0
    while data := stream.readline(MAX_BYTES + 1):
        number += 1
        try:
            if data.strip():
                yield verify_line(_decode(data))
        except RecordError as error:
            raise RecordError(error.what, error.where, move=error.move, line=number) from None
        if progress is not None:
            progress(len(data))


class _Check:
    """Replays a record and compares each step with the record.

    It is also the game's source of chance: it draws from the seed and compares each outcome with the next one
    in ``given``, the list at the place ``where``; ``used`` counts those compared. ``turns`` counts the
    compared rows of scores.
    """

    def __init__(self, game: AnyGame, state: Any, source: SeededChance, scores: list[Json]) -> None:
        self.game, self.state, self.source, self.scores = game, state, source, scores
        self.turns = 0
        self.index: int | None = None
        self.given: list[Json] = []
        self.where = ""
        self.used = 0

    def fail(self, what: str, where: str) -> NoReturn:
        raise RecordError(what, where, move=self.index)

    def move(self, raw: Json, index: int) -> None:
        self.index, where = index, f"moves[{index}]"
        seat, action, outcomes = _object(raw, ("seat", "action", "chance"), where, index)
        seats = len(self.game.scores(self.state))
        if type(seat) is not int or not 0 <= seat < seats:
            self.fail(f"must be a seat from 0 to {seats - 1}, not {_show(seat)}", f"{where}.seat")
        self.act(seat, action, where)
        self.chance(outcomes, f"{where}.chance")

    def act(self, seat: int, raw: Json, where: str) -> None:
        game, state = self.game, self.state
        mover = game.to_move(state)
        if mover == OVER:
            self.fail("comes after the end of the game", where)
        action: Any
        if isinstance(raw, dict) and raw.get("type") == LEAVE:
            _object(raw, ("type",), f"{where}.action", self.index)
            action = Leave(seat)
        elif seat != mover:
            self.fail(f"it is seat {mover} that is to move, not seat {seat}", f"{where}.seat")
        else:
            try:
                action = game.action_from_json(raw)
            except Unreadable:
                self.fail(f"{_show(raw)} is not an action of {game.key}", f"{where}.action")
            self.canonical(raw, game.action_to_json(action), f"{where}.action")
        try:
            step = game.apply(state, action)
        except GameError:
            if isinstance(action, Leave):
                self.fail(f"seat {seat} has left before", f"{where}.action")
            open_now = ", ".join(_show(game.action_to_json(legal)) for legal in game.legal(state)[:8])
            self.fail(
                f"the rules forbid {_show(raw)} here; open to seat {seat}: {open_now}", f"{where}.action"
            )
        self.take(step)

    def chance(self, raw: Json, where: str) -> None:
        """Compare a list of outcomes with the next ones from the seed."""
        self.given, self.where, self.used = _array(raw, where, self.index), where, 0
        for _, step in draw_until_choice(self.game, self.state, self):
            self.take(step)
        if self.used < len(self.given):
            more = _show(self.given[self.used])
            self.fail(f"is {more}, but nothing was left to chance", f"{where}[{self.used}]")

    def draw(self, outcomes: Sequence[tuple[T, int]]) -> T:
        """Return the next outcome from the seed, after comparing it with the record's."""
        due = self.source.draw(outcomes)
        should = self.game.outcome_to_json(due)
        if self.used == len(self.given):
            self.fail(f"an outcome is missing at the end: the seed gives {_show(should)}", self.where)
        given, place = self.given[self.used], f"{self.where}[{self.used}]"
        try:
            outcome = self.game.outcome_from_json(given)
        except Unreadable:
            self.fail(f"{_show(given)} is not an outcome of {self.game.key}", place)
        if outcome != due:
            self.fail(f"is {_show(given)}, but the seed gives {_show(should)}", place)
        self.canonical(given, should, place)
        self.used += 1
        return due

    def canonical(self, given: Json, should: Json, where: str) -> None:
        """Refuse another way of writing the same value, so that equal games have equal records."""
        if _wrong(given, should):
            self.fail(f"is {_show(given)}; it is written {_show(should)}", where)

    def take(self, step: Step[Any]) -> None:
        """Go on to the next state. If a turn has ended with it, compare the row of scores."""
        ended = self.game.turns(step.state) > self.game.turns(self.state)
        self.state = step.state
        if not ended:
            return
        should, where = list(self.game.scores(self.state)), f"scores[{self.turns}]"
        at = "" if self.index is None else f" at moves[{self.index}]"
        if self.turns == len(self.scores):
            self.fail(f"is missing: a turn ended with the scores {_show(should)}{at}", where)
        given = self.scores[self.turns]
        if _wrong(given, should):
            self.fail(f"is {_show(given)}, but the turn ended with {_show(should)}{at}", where)
        self.turns += 1

    def end(self, raw: Json) -> Result:
        """Compare the part of the record after the last move."""
        self.index = None
        result = self.game.result(self.state)
        if result is None:
            self.fail("the game is not over after the last move; only finished games have a record", "moves")
        if len(self.scores) > self.turns:
            self.fail(f"is one row too many: {self.turns} turns were finished", f"scores[{self.turns}]")
        should = result_to_json(result)
        _object(raw, tuple(should), "result")
        for key, value in should.items():
            if _wrong(raw[key], value):
                self.fail(f"is {_show(raw[key])}, but should be {_show(value)}", f"result.{key}")
        return result


def _parse(text: str) -> dict[str, Json]:
    if len(text) > MAX_BYTES:
        raise RecordError(f"is longer than {MAX_BYTES} bytes, which no record needs")
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
    except _Twice as error:
        raise RecordError(f"the key {_show(error.args[0])} stands twice in one object") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON ({error.msg} at character {error.pos + 1})") from None
    except (ValueError, RecursionError):
        raise RecordError("not usable JSON (a number too long, or nested too deeply)") from None
    if not isinstance(raw, dict):
        raise RecordError(f"must be a JSON object, not {_show(raw)}")
    for key in REQUIRED:
        if key not in raw:
            raise RecordError("is missing", key)
    for key in raw:
        if key not in REQUIRED and key != OPENING:
            raise RecordError(f"there is no key {_show(key)} in a record")
    return raw


def _header(raw: dict[str, Json]) -> tuple[AnyGame, Any, bytes]:
    """Check the part of the record before the moves. Return the game, its first state and its seed."""
    if _wrong(raw["schema"], SCHEMA):
        raise RecordError(f"is {_show(raw['schema'])}; this program reads {SCHEMA}", "schema")
    key = raw["game"]
    if not isinstance(key, str) or key not in GAMES:
        raise RecordError(f"is {_show(key)}; known: {', '.join(GAMES)}", "game")
    game = GAMES[key].rules
    if _wrong(raw["rules_version"], game.rules_version):
        raise RecordError(
            f"is {_show(raw['rules_version'])}; this program plays {key} by version {game.rules_version}",
            "rules_version",
        )
    options = _options(game, raw["options"])
    seats = [_seat(seat, f"seats[{index}]") for index, seat in enumerate(_array(raw["seats"], "seats"))]
    seed = _hex(raw["seed"], "seed")
    promised = _hex(raw["seed_sha256"], "seed_sha256")
    if promised.hex() != seed_hash(seed):
        raise RecordError(f"is {promised.hex()}, but the seed's SHA-256 is {seed_hash(seed)}", "seed_sha256")
    try:
        state = game.initial(options, len(seats))
    except GameError:
        raise RecordError(
            f"there are {len(seats)}; {key} is played by {game.min_seats} to {game.max_seats}", "seats"
        ) from None
    return game, state, seed


def _options(game: AnyGame, raw: Json) -> GameOptions:
    if not isinstance(raw, dict):
        raise RecordError(f"must be an object, not {_show(raw)}", "options")
    try:
        options: GameOptions = game.options(raw)
    except GameError as error:
        facts = ", ".join(f"{name} {_show(value)}" for name, value in error.facts.items())
        reason = f"{error.code}: {facts}" if facts else error.code
        raise RecordError(f"{game.key} can't be played with {_show(raw)} ({reason})", "options") from None
    should = options.to_json()
    if _wrong(raw, should):
        raise RecordError(f"are {_show(raw)}; written out in full they are {_show(should)}", "options")
    return options


def _seat(raw: Json, where: str) -> Player:
    kind = raw.get("kind") if isinstance(raw, dict) else None
    field = {"ai": "policy", "human": "name"}.get(kind) if isinstance(kind, str) else None
    if field is None:
        raise RecordError(f'must be {{"kind":"ai",...}} or {{"kind":"human",...}}, not {_show(raw)}', where)
    _, name = _object(raw, ("kind", field), where)
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME:
        raise RecordError(
            f"must be a text of 1 to {MAX_NAME} characters, not {_show(name)}", f"{where}.{field}"
        )
    return Ai(name) if kind == "ai" else Human(name)


def _hex(raw: Json, where: str) -> bytes:
    digits = 2 * SEED_BYTES
    if not isinstance(raw, str) or len(raw) != digits or set(raw) - set("0123456789abcdef"):
        raise RecordError(f"must be {digits} digits 0-9 a-f, not {_show(raw)}", where)
    return bytes.fromhex(raw)


def _object(raw: Json, keys: tuple[str, ...], where: str, move: int | None = None) -> tuple[Json, ...]:
    """Return the values of ``keys``. Raises :class:`RecordError` unless ``raw`` has exactly these."""
    if not isinstance(raw, dict) or raw.keys() != set(keys):
        names = ", ".join(keys)
        raise RecordError(f"must be an object with exactly {names}, not {_show(raw)}", where, move=move)
    return tuple(raw[key] for key in keys)


def _array(raw: Json, where: str, move: int | None = None) -> list[Json]:
    if not isinstance(raw, list):
        raise RecordError(f"must be a list, not {_show(raw)}", where, move=move)
    return raw


def _wrong(raw: Json, should: Json) -> bool:
    """Return whether two values differ as JSON, where 1, 1.0 and true differ. ``should`` is not deep."""
    if type(raw) is not type(should) or raw != should:
        return True
    if isinstance(should, dict):
        return any(_wrong(raw[key], value) for key, value in should.items())
    return isinstance(should, list) and any(map(_wrong, raw, should))


def _show(value: Json) -> str:
    """Return a value as short ASCII JSON for an error message."""
    try:
        text = json.dumps(value, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        return "something unprintable"
    return text if len(text) <= 100 else f"{text[:97]}..."


class _Twice(ValueError):
    """A JSON object has the same key twice."""


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object's pairs as a dict. Refuse equal keys, of which JSON readers use one or the other."""
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise RecordError(f"is longer than {MAX_BYTES} bytes, which no record needs")
    if data.startswith(_GZIP):
        raise RecordError("is a gzip file and not text: unpack it first")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"is not UTF-8 text (byte {error.start + 1})") from None
