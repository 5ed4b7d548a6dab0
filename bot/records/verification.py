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
from bot.records.beginner import BEGINS, first_seat, is_begins, turned
from bot.records.record import (
    BARE,
    BEGUN,
    FIRST,
    OPENING,
    RATED,
    SEALED,
    Ai,
    Human,
    Player,
    RecordError,
    result_to_json,
)
from bot.records.sealing import MESSAGE, canonical, fingerprint, seal_of, seed_of
from bot.records.seeds import SEED_BYTES, SeededChance, seed_hash
from bot.registry import GAMES

MAX_BYTES = 8 << 20
"""Limit of a record's size. A game of ten casual players to 50,000 points takes a twentieth of it."""

MAX_NAME = 100
"""Limit of characters of a name or a policy."""

_COMMON = ("schema", "game", "rules_version", "options", "seats", "seed", "moves", "scores", "result")

REQUIRED = {
    BARE: (*_COMMON, "seed_sha256"),
    SEALED: (*_COMMON, "seal", "secret", "start", "words"),
    RATED: (*_COMMON, "rated", "replaced", "seal", "secret", "start", "words"),
    BEGUN: (*_COMMON, "rated", FIRST, "replaced", "seal", "secret", "start", "words"),
}
"""The keys of a record by schema."""

_START = ("game", "game_id", MESSAGE, "options", "rules_version", "seats", "words")

START = {SEALED: _START, RATED: (*_START, "rated"), BEGUN: (*_START, "rated", BEGINS)}
"""The keys of a record's ``start`` by schema."""

MAX_ID = (1 << 63) - 1
_GZIP = b"\x1f\x8b"

T = TypeVar("T")


class OtherVersion(RecordError):
    """The record was made under another version of the game's rules, so that its moves can't be checked here.

    What does not need the rules has been checked.
    """


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


def verify_line(text: str) -> Verified:
    """Check one record: its form, the seed against its hash or against seal, secret and start, each outcome
    against the seed, each move against the rules and the seat to move, each row of scores, and the result.

    Raises :class:`OtherVersion`, or :class:`RecordError` for the first error, whatever ``text`` is.
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
    result = check.end(raw["result"], aborted=raw["schema"] in START and raw["result"] is None)
    deleted = sum(word is None for word in raw.get("words", ()))
    return Verified(game.key, len(moves), check.source.index, check.turns, result, deleted)


def verify_stream(
    stream: BinaryIO,
    progress: Callable[[int], object] | None = None,
    unchecked: Callable[[OtherVersion], object] | None = None,
) -> Iterator[Verified]:
    """Check the records of a file line by line, skipping blank lines; call ``progress`` with the bytes read.

    Raises :class:`RecordError` with the line's number, but passes an :class:`OtherVersion` to ``unchecked``
    if that is given. Reads only one line at a time into memory.
    """
    number = 0
    while data := stream.readline(MAX_BYTES + 1):
        number += 1
        try:
            if data.strip():
                yield verify_line(_decode(data))
        except RecordError as error:
            found = type(error)(error.what, error.where, move=error.move, line=number)
            if unchecked is None or not isinstance(found, OtherVersion):
                raise found from None
            unchecked(found)
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

    def end(self, raw: Json, *, aborted: bool) -> Result | None:
        """Compare the part of the record after the last move. ``aborted`` games have no result."""
        self.index = None
        result = self.game.result(self.state)
        if result is None and not aborted:
            self.fail("the game is not over after the last move, but the record has a result", "moves")
        if len(self.scores) > self.turns:
            self.fail(f"is one row too many: {self.turns} turns were finished", f"scores[{self.turns}]")
        if result is None:
            return None
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
    schema = raw.get("schema")
    if "schema" in raw and (type(schema) is not int or schema not in REQUIRED):
        known = ", ".join(map(str, REQUIRED))
        raise RecordError(f"is {_show(schema)}; this program reads {known}", "schema")
    required = REQUIRED[schema if isinstance(schema, int) else SEALED]
    for key in required:
        if key not in raw:
            raise RecordError("is missing", key)
    for key in raw:
        if key not in required and key != OPENING:
            raise RecordError(f"there is no key {_show(key)} in a record")
    return raw


def _header(raw: dict[str, Json]) -> tuple[AnyGame, Any, bytes]:
    """Check the part of the record before the moves. Return the game, its first state and its seed."""
    key = raw["game"]
    if not isinstance(key, str) or key not in GAMES:
        raise RecordError(f"is {_show(key)}; known: {', '.join(GAMES)}", "game")
    game = GAMES[key].rules
    seats = [_seat(seat, f"seats[{index}]") for index, seat in enumerate(_array(raw["seats"], "seats"))]
    seed = _hex(raw["seed"], "seed")
    if raw["schema"] in START:
        _check_sealed(raw, seed)
    else:
        promised = _hex(raw["seed_sha256"], "seed_sha256").hex()
        if promised != seed_hash(seed):
            raise RecordError(f"is {promised}, but the seed's SHA-256 is {seed_hash(seed)}", "seed_sha256")
    if type(raw["rules_version"]) is not int or raw["rules_version"] < 1:
        raise RecordError(f"must be a number from 1, not {_show(raw['rules_version'])}", "rules_version")
    if raw["rules_version"] != game.rules_version:
        raise OtherVersion(
            f"is {raw['rules_version']}, but this program plays {key} by version {game.rules_version}: "
            "the moves can only be checked by a program of that version",
            "rules_version",
        )
    options = _options(game, raw["options"])
    try:
        state = game.initial(options, len(seats))
    except GameError:
        raise RecordError(
            f"there are {len(seats)}; {key} is played by {game.min_seats} to {game.max_seats}", "seats"
        ) from None
    return game, state, seed


def _check_sealed(raw: dict[str, Json], seed: bytes) -> None:
    """Check the seal against the secret, the start against the record, and the seed against both."""
    secret, seal, start = _hex(raw["secret"], "secret"), _hex(raw["seal"], "seal").hex(), raw["start"]
    _object(start, START[raw["schema"]], "start")
    game_id, message_id = start["game_id"], start[MESSAGE]
    if type(game_id) is not int or not 1 <= game_id <= MAX_ID:
        raise RecordError(f"must be a number from 1, not {_show(game_id)}", "start.game_id")
    if seal != (should := seal_of(secret, game_id)):
        raise RecordError(f"is {seal}, but the secret's seal for game {game_id} is {should}", "seal")
    if (
        not isinstance(message_id, str)
        or not (message_id.isascii() and message_id.isdigit())
        or str(int(message_id[:20])) != message_id
    ):
        raise RecordError(f"must be digits in quotes, not {_show(message_id)}", f"start.{MESSAGE}")
    for key in ("game", "options", "rules_version", *(("rated",) if raw["schema"] >= RATED else ())):
        if _canonical(start[key]) != _canonical(raw[key]):
            raise RecordError(f"is {_show(start[key])}, but the record has {_show(raw[key])}", f"start.{key}")
    _check_words(raw, secret)
    if raw["schema"] >= RATED:
        _check_rated(raw)
    if raw["schema"] >= BEGUN and not is_begins(start[BEGINS], len(raw["seats"])):
        raise RecordError(
            f'must be "table", "lot" or a seat from 0 to {len(raw["seats"]) - 1}, not {_show(start[BEGINS])}',
            f"start.{BEGINS}",
        )
    if seed != (right := seed_of(secret, _canonical(start))):
        raise RecordError(f"is {seed.hex()}, but secret and start give {right.hex()}", "seed")
    first = first_seat(_canonical(start), seed)
    if raw["schema"] >= BEGUN and _wrong(raw[FIRST], first):
        raise RecordError(f"is {_show(raw[FIRST])}, but by the start it is seat {first} that began", FIRST)
    if raw["schema"] >= RATED:
        _check_replaced(raw, turned(start["seats"], first), _array(raw["moves"], "moves"))


def _check_rated(raw: dict[str, Json]) -> None:
    """Check whether the game could be rated: only games that begin with two people or more are."""
    rated = raw["rated"]
    if not isinstance(rated, bool):
        raise RecordError(f"must be true or false, not {_show(rated)}", "rated")
    if rated and raw["start"]["seats"].count("human") < 2:
        raise RecordError("is true, but the game began with fewer than two people", "rated")


def _check_replaced(raw: dict[str, Json], begun: Sequence[str], moves: list[Json]) -> None:
    """Check that the replacements lead from the seats as they ``begun`` to those of the record."""
    now: list[Json] = [None] * len(raw["seats"])
    replaced = _array(raw["replaced"], "replaced")
    since = 0
    for index, entry in enumerate(replaced):
        where = f"replaced[{index}]"
        made, seat, before, after = _object(entry, ("moves", "seat", "from", "to"), where)
        if type(made) is not int or not since <= made <= len(moves):
            raise RecordError(f"must be from {since} to {len(moves)}, not {_show(made)}", f"{where}.moves")
        if type(seat) is not int or not 0 <= seat < len(now):
            raise RecordError(f"must be a seat from 0 to {len(now) - 1}, not {_show(seat)}", f"{where}.seat")
        _seat(after, f"{where}.to")
        if isinstance(_seat(before, f"{where}.from"), Ai):
            raise RecordError("must be a person; an AI's seat is not handed over", f"{where}.from")
        if now[seat] is None:
            _check_kind(begun[seat], before, f"{where}.from")
        elif before != now[seat]:
            raise RecordError(f"is {_show(before)}, but seat {seat} had {_show(now[seat])}", f"{where}.from")
        if any(_is_leave(move, seat) for move in moves[:made]):
            raise RecordError(f"seat {seat} has left before", f"{where}.seat")
        now[seat], since = after, made
    for seat, who in enumerate(raw["seats"]):
        if now[seat] is None:
            _check_kind(begun[seat], who, f"seats[{seat}]")
        elif who != now[seat]:
            raise RecordError(
                f"is {_show(who)}, but the last to get it is {_show(now[seat])}", f"seats[{seat}]"
            )


def _check_kind(begun: str, who: Json, where: str) -> None:
    """Compare who is said to have had a seat at the start with what the start says."""
    should = "human" if who["kind"] == "human" else f"ai:{who['policy']}"
    if begun != should:
        raise RecordError(f"is {_show(who)}, but the game began with {_show(begun)} in this seat", where)


def _is_leave(move: Json, seat: int) -> bool:
    return isinstance(move, dict) and move.get("seat") == seat and move.get("action") == {"type": LEAVE}


def _canonical(value: Json) -> str:
    try:
        return canonical(value)
    except (ValueError, RecursionError):
        raise RecordError("can't be written again", "start") from None


def _check_words(raw: dict[str, Json], secret: bytes) -> None:
    """Check the seats and words of a record's start, and the words against their fingerprints."""
    start, number = raw["start"], len(raw["seats"])
    for where, given in (
        ("start.seats", start["seats"]),
        ("start.words", start["words"]),
        ("words", raw["words"]),
    ):
        if len(_array(given, where)) != number:
            raise RecordError(f"has {len(given)} entries for {number} seats", where)
    for seat, (kind, fixed, word) in enumerate(
        zip(start["seats"], start["words"], raw["words"], strict=True)
    ):
        if not isinstance(kind, str) or not (kind == "human" or kind.startswith("ai:")):
            raise RecordError(f'must be "human" or "ai:...", not {_show(kind)}', f"start.seats[{seat}]")
        where = f"words[{seat}]"
        if fixed == "":
            if word != "":
                raise RecordError(f"is {_show(word)}, but the start has no word of this seat", where)
            continue
        _hex(fixed, f"start.{where}")
        if word is None:
            continue
        if not isinstance(word, str) or not 1 <= len(word) <= MAX_NAME:
            raise RecordError(
                f"must be a text of 1 to {MAX_NAME} characters or null, not {_show(word)}", where
            )
        try:
            should = fingerprint(secret, start["game_id"], seat, word)
        except UnicodeEncodeError:
            raise RecordError(f"is not text: {_show(word)}", where) from None
        if should != fixed:
            raise RecordError(f"is {_show(word)}, which is not the word that the start was made with", where)


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
