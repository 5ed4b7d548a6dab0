"""Checks the records of finished games; :mod:`bot.records.record` describes their contents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from bot.records.reading import (
    MAX_BYTES,
    array,
    check_keys,
    decoded,
    differ,
    hex_bytes,
    json_object,
    shown,
    values_of,
)
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
from bot.records.seeds import SeededChance, seed_hash
from bot.records.who_begins import BEGINS, first_seat, is_begins, turned
from bot.registry import GAMES

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

T = TypeVar("T")


class OtherVersion(RecordError):
    """The record was made under another version of the game's rules, so that its moves can't be checked here.

    All that does not need the rules has been checked.
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


Checker = Callable[[dict[str, Json]], Verified]
"""Checks a record of one schema, whose keys it has to check as well; see :func:`verify_line`."""

NO_OTHERS: Mapping[int, Checker] = {}


def verify_line(text: str, others: Mapping[int, Checker] = NO_OTHERS) -> Verified:
    """Check one record: its form, the seed against its hash or against seal, secret and start, each outcome
    against the seed, each move against the rules and the seat to move, each row of scores, and the result.

    ``others`` check the records of further schemas.
    Raises :class:`OtherVersion`, or :class:`RecordError` for the first error, whatever ``text`` is.
    """
    raw = _parse(text, others)
    if raw["schema"] in others:
        return others[raw["schema"]](raw)
    game, state, seed = _header(raw)
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
            found = type(error)(error.what, error.where, move=error.move, line=number)
            if unchecked is None or not isinstance(found, OtherVersion):
                raise found from None
            unchecked(found)
        if progress is not None:
            progress(len(data))


class Check:
    """Replays a record from a state on and compares each step with the record.

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
        seat, action, outcomes = values_of(raw, ("seat", "action", "chance"), where, index)
        seats = len(self.game.scores(self.state))
        if type(seat) is not int or not 0 <= seat < seats:
            self.fail(f"must be a seat from 0 to {seats - 1}, not {shown(seat)}", f"{where}.seat")
        self.act(seat, action, where)
        self.chance(outcomes, f"{where}.chance")

    def act(self, seat: int, raw: Json, where: str) -> None:
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
            step = game.apply(state, action)
        except GameError:
            if isinstance(action, Leave):
                self.fail(f"seat {seat} has left before", f"{where}.action")
            open_now = ", ".join(shown(game.action_to_json(legal)) for legal in game.legal(state)[:8])
            self.fail(
                f"the rules forbid {shown(raw)} here; open to seat {seat}: {open_now}", f"{where}.action"
            )
        self.take(step)

    def chance(self, raw: Json, where: str) -> None:
        """Compare a list of outcomes with the next ones from the seed."""
        self.given, self.where, self.used = array(raw, where, self.index), where, 0
        for _, step in draw_until_choice(self.game, self.state, self):
            self.take(step)
        if self.used < len(self.given):
            more = shown(self.given[self.used])
            self.fail(f"is {more}, but nothing was left to chance", f"{where}[{self.used}]")

    def draw(self, outcomes: Sequence[tuple[T, int]]) -> T:
        """Return the next outcome from the seed, after comparing it with the record's."""
        due = self.source.draw(outcomes)
        should = self.game.outcome_to_json(due)
        if self.used == len(self.given):
            self.fail(f"an outcome is missing at the end: the seed gives {shown(should)}", self.where)
        given, place = self.given[self.used], f"{self.where}[{self.used}]"
        try:
            outcome = self.game.outcome_from_json(given)
        except Unreadable:
            self.fail(f"{shown(given)} is not an outcome of {self.game.key}", place)
        if outcome != due:
            self.fail(f"is {shown(given)}, but the seed gives {shown(should)}", place)
        self.canonical(given, should, place)
        self.used += 1
        return due

    def canonical(self, given: Json, should: Json, where: str) -> None:
        """Refuse another way of writing the same value, so that equal games have equal records."""
        if differ(given, should):
            self.fail(f"is {shown(given)}; it is written {shown(should)}", where)

    def take(self, step: Step[Any]) -> None:
        """Go on to the next state. If a turn has ended with it, compare the row of scores."""
        ended = self.game.turns(step.state) > self.game.turns(self.state)
        self.state = step.state
        if not ended:
            return
        should, where = list(self.game.scores(self.state)), f"scores[{self.turns}]"
        at = "" if self.index is None else f" at moves[{self.index}]"
        if self.turns == len(self.scores):
            self.fail(f"is missing: a turn ended with the scores {shown(should)}{at}", where)
        given = self.scores[self.turns]
        if differ(given, should):
            self.fail(f"is {shown(given)}, but the turn ended with {shown(should)}{at}", where)
        self.turns += 1

    def end(self, raw: Json, *, aborted: bool) -> Result | None:
        """Compare the part of the record after the last move. ``aborted`` games have no result."""
        self.index = None
        result = self.game.result(self.state)
        if result is None and not aborted:
            known = "all records of this schema have" if raw is None else "the record has"
            self.fail(f"the game is not over after the last move, but {known} a result", "moves")
        if len(self.scores) > self.turns:
            self.fail(f"is one row too many: {self.turns} turns were finished", f"scores[{self.turns}]")
        if result is None:
            return None
        should = result_to_json(result)
        values_of(raw, tuple(should), "result")
        for key, value in should.items():
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


def _header(raw: dict[str, Json]) -> tuple[AnyGame, Any, bytes]:
    """Check the part of the record before the moves. Return the game, its first state and its seed."""
    key = raw["game"]
    if not isinstance(key, str) or key not in GAMES:
        raise RecordError(f"is {shown(key)}; known: {', '.join(GAMES)}", "game")
    game = GAMES[key].rules
    seats = [check_seat(seat, f"seats[{index}]") for index, seat in enumerate(array(raw["seats"], "seats"))]
    seed = hex_bytes(raw["seed"], "seed")
    if raw["schema"] in START:
        _check_sealed(raw, seed)
    else:
        promised = hex_bytes(raw["seed_sha256"], "seed_sha256").hex()
        if promised != seed_hash(seed):
            raise RecordError(f"is {promised}, but the seed's SHA-256 is {seed_hash(seed)}", "seed_sha256")
    check_version(game, raw["rules_version"])
    options = _options(game, raw["options"])
    try:
        state = game.initial(options, len(seats))
    except GameError:
        raise RecordError(
            f"there are {len(seats)}; {key} is played by {game.min_seats} to {game.max_seats}", "seats"
        ) from None
    return game, state, seed


def check_version(game: AnyGame, version: Json) -> None:
    """Raise :class:`OtherVersion` unless a record was made under the present rules of its game."""
    if type(version) is not int or version < 1:
        raise RecordError(f"must be a number from 1, not {shown(version)}", "rules_version")
    if version != game.rules_version:
        raise OtherVersion(
            f"is {version}, but this program plays {game.key} by version {game.rules_version}: "
            "the moves can only be checked by a program of that version",
            "rules_version",
        )


def _check_sealed(raw: dict[str, Json], seed: bytes) -> None:
    """Check the seal against the secret, the start against the record, and the seed against both."""
    secret, seal = hex_bytes(raw["secret"], "secret"), hex_bytes(raw["seal"], "seal").hex()
    start = raw["start"]
    values_of(start, START[raw["schema"]], "start")
    game_id, message_id = start["game_id"], start[MESSAGE]
    if type(game_id) is not int or not 1 <= game_id <= MAX_ID:
        raise RecordError(f"must be a number from 1, not {shown(game_id)}", "start.game_id")
    if seal != (should := seal_of(secret, game_id)):
        raise RecordError(f"is {seal}, but the secret's seal for game {game_id} is {should}", "seal")
    if (
        not isinstance(message_id, str)
        or not (message_id.isascii() and message_id.isdigit())
        or str(int(message_id[:20])) != message_id
    ):
        raise RecordError(f"must be digits in quotes, not {shown(message_id)}", f"start.{MESSAGE}")
    for key in ("game", "options", "rules_version", *(("rated",) if raw["schema"] >= RATED else ())):
        if _canonical(start[key]) != _canonical(raw[key]):
            raise RecordError(f"is {shown(start[key])}, but the record has {shown(raw[key])}", f"start.{key}")
    _check_words(raw, secret)
    if raw["schema"] >= RATED:
        _check_rated(raw)
    if raw["schema"] >= BEGUN and not is_begins(start[BEGINS], len(raw["seats"])):
        raise RecordError(
            f'must be "table", "lot" or a seat from 0 to {len(raw["seats"]) - 1}, not {shown(start[BEGINS])}',
            f"start.{BEGINS}",
        )
    if seed != (right := seed_of(secret, _canonical(start))):
        raise RecordError(f"is {seed.hex()}, but secret and start give {right.hex()}", "seed")
    first = first_seat(_canonical(start), seed)
    if raw["schema"] >= BEGUN and differ(raw[FIRST], first):
        raise RecordError(f"is {shown(raw[FIRST])}, but by the start it is seat {first} that began", FIRST)
    if raw["schema"] >= RATED:
        _check_replaced(raw, turned(start["seats"], first), array(raw["moves"], "moves"))


def _check_rated(raw: dict[str, Json]) -> None:
    """Check whether the game could be rated: only games that begin with two people or more are."""
    rated = raw["rated"]
    if not isinstance(rated, bool):
        raise RecordError(f"must be true or false, not {shown(rated)}", "rated")
    if rated and raw["start"]["seats"].count("human") < 2:
        raise RecordError("is true, but the game began with fewer than two people", "rated")


def _check_replaced(raw: dict[str, Json], begun: Sequence[str], moves: list[Json]) -> None:
    """Check that the replacements lead from the seats as they ``begun`` to those of the record."""
    now: list[Json] = [None] * len(raw["seats"])
    replaced = array(raw["replaced"], "replaced")
    left: dict[int, int] = {}
    for number, move in enumerate(moves, 1):
        if is_leave(move) and type(move.get("seat")) is int:
            left.setdefault(move["seat"], number)
    since = 0
    for index, entry in enumerate(replaced):
        where = f"replaced[{index}]"
        made, seat, before, after = values_of(entry, ("moves", "seat", "from", "to"), where)
        if type(made) is not int or not since <= made <= len(moves):
            raise RecordError(f"must be from {since} to {len(moves)}, not {shown(made)}", f"{where}.moves")
        if type(seat) is not int or not 0 <= seat < len(now):
            raise RecordError(f"must be a seat from 0 to {len(now) - 1}, not {shown(seat)}", f"{where}.seat")
        check_seat(after, f"{where}.to")
        if isinstance(check_seat(before, f"{where}.from"), Ai):
            raise RecordError("must be a person; an AI's seat is not handed over", f"{where}.from")
        if now[seat] is None:
            _check_kind(begun[seat], before, f"{where}.from")
        elif before != now[seat]:
            raise RecordError(f"is {shown(before)}, but seat {seat} had {shown(now[seat])}", f"{where}.from")
        if left.get(seat, made + 1) <= made:
            raise RecordError(f"seat {seat} has left before", f"{where}.seat")
        now[seat], since = after, made
    for seat, who in enumerate(raw["seats"]):
        if now[seat] is None:
            _check_kind(begun[seat], who, f"seats[{seat}]")
        elif who != now[seat]:
            raise RecordError(
                f"is {shown(who)}, but the last to get it is {shown(now[seat])}", f"seats[{seat}]"
            )


def _check_kind(begun: str, who: Json, where: str) -> None:
    """Compare who is said to have had a seat at the start with what the start says."""
    should = "human" if who["kind"] == "human" else f"ai:{who['policy']}"
    if begun != should:
        raise RecordError(f"is {shown(who)}, but the game began with {shown(begun)} in this seat", where)


def is_leave(move: Json) -> bool:
    """Return whether in a move of a record a seat gives up the game."""
    return isinstance(move, dict) and move.get("action") == {"type": LEAVE}


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
        if len(array(given, where)) != number:
            raise RecordError(f"has {len(given)} entries for {number} seats", where)
    for seat, (kind, fixed, word) in enumerate(
        zip(start["seats"], start["words"], raw["words"], strict=True)
    ):
        if not isinstance(kind, str) or not (kind == "human" or kind.startswith("ai:")):
            raise RecordError(f'must be "human" or "ai:...", not {shown(kind)}', f"start.seats[{seat}]")
        where = f"words[{seat}]"
        if fixed == "":
            if word != "":
                raise RecordError(f"is {shown(word)}, but the start has no word of this seat", where)
            continue
        hex_bytes(fixed, f"start.{where}")
        if word is None:
            continue
        if not isinstance(word, str) or not 1 <= len(word) <= MAX_NAME:
            raise RecordError(
                f"must be a text of 1 to {MAX_NAME} characters or null, not {shown(word)}", where
            )
        try:
            should = fingerprint(secret, start["game_id"], seat, word)
        except UnicodeEncodeError:
            raise RecordError(f"is not text: {shown(word)}", where) from None
        if should != fixed:
            raise RecordError(f"is {shown(word)}, which is not the word that the start was made with", where)


def _options(game: AnyGame, raw: Json) -> GameOptions:
    if not isinstance(raw, dict):
        raise RecordError(f"must be an object, not {shown(raw)}", "options")
    try:
        options: GameOptions = game.options(raw)
    except GameError as error:
        facts = ", ".join(f"{name} {shown(value)}" for name, value in error.facts.items())
        reason = f"{error.code}: {facts}" if facts else error.code
        raise RecordError(f"{game.key} can't be played with {shown(raw)} ({reason})", "options") from None
    should = options.to_json()
    if differ(raw, should):
        raise RecordError(f"are {shown(raw)}; written out in full they are {shown(should)}", "options")
    return options


def check_seat(raw: Json, where: str) -> Player:
    """Return who has a seat. Raises :class:`RecordError` if nobody can be read there."""
    kind = raw.get("kind") if isinstance(raw, dict) else None
    field = {"ai": "policy", "human": "name"}.get(kind) if isinstance(kind, str) else None
    if field is None:
        raise RecordError(f'must be {{"kind":"ai",...}} or {{"kind":"human",...}}, not {shown(raw)}', where)
    _, name = values_of(raw, ("kind", field), where)
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME:
        raise RecordError(
            f"must be a text of 1 to {MAX_NAME} characters, not {shown(name)}", f"{where}.{field}"
        )
    return Ai(name) if kind == "ai" else Human(name)
