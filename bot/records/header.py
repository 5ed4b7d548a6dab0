"""Checks the part of a record before its moves: its seats, its options, and where its seed comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.games.core import LEAVE, AnyGame, GameError, Json
from bot.games.options import GameOptions
from bot.records.reading import array, differ, hex_bytes, shown, values_of
from bot.records.record import BARE, BEGUN, FIRST, RATED, SEALED, Ai, Human, Player, RecordError
from bot.records.sealing import MESSAGE, canonical, fingerprint, seal_of, seed_of
from bot.records.seeds import seed_hash
from bot.records.who_begins import BEGINS, first_seat, is_begins, turned
from bot.registry import GAMES

MAX_WORD = 100
"""The limit of characters of a name, a policy or a word."""

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
"""The largest id of a game that databases can hold."""


class OtherVersion(RecordError):
    """The record was made under another version of the game's rules, so that its moves can't be checked here.

    What needs no rules has been checked.
    """


def check_header(raw: dict[str, Json]) -> tuple[AnyGame, Any, bytes]:
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
        given = hex_bytes(raw["seed_sha256"], "seed_sha256").hex()
        if given != seed_hash(seed):
            raise RecordError(f"is {given}, but the seed's SHA-256 is {seed_hash(seed)}", "seed_sha256")
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
    if seal != (expected := seal_of(secret, game_id)):
        raise RecordError(f"is {seal}, but the secret's seal for game {game_id} is {expected}", "seal")
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
    if seed != (expected_seed := seed_of(secret, _canonical(start))):
        raise RecordError(f"is {seed.hex()}, but secret and start give {expected_seed.hex()}", "seed")
    first = first_seat(_canonical(start), seed)
    if raw["schema"] >= BEGUN and differ(raw[FIRST], first):
        raise RecordError(f"is {shown(raw[FIRST])}, but by the start it is seat {first} that began", FIRST)
    if raw["schema"] >= RATED:
        _check_replaced(raw, turned(start["seats"], first), array(raw["moves"], "moves"))


def _check_rated(raw: dict[str, Json]) -> None:
    """Check that the game may be rated if it is: only games that begin with at least two people are."""
    rated = raw["rated"]
    if not isinstance(rated, bool):
        raise RecordError(f"must be true or false, not {shown(rated)}", "rated")
    if rated and raw["start"]["seats"].count("human") < 2:
        raise RecordError("is true, but the game began with fewer than two people", "rated")


def _check_replaced(raw: dict[str, Json], begun: Sequence[str], moves: list[Json]) -> None:
    """Check that the replacements lead from the seats with which the game has ``begun`` to the record's."""
    latest: list[Json] = [None] * len(raw["seats"])
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
        if type(seat) is not int or not 0 <= seat < len(latest):
            raise RecordError(
                f"must be a seat from 0 to {len(latest) - 1}, not {shown(seat)}", f"{where}.seat"
            )
        check_seat(after, f"{where}.to")
        if isinstance(check_seat(before, f"{where}.from"), Ai):
            raise RecordError("must be a person; an AI's seat is not handed over", f"{where}.from")
        if latest[seat] is None:
            _check_kind(begun[seat], before, f"{where}.from")
        elif before != latest[seat]:
            raise RecordError(
                f"is {shown(before)}, but seat {seat} had {shown(latest[seat])}", f"{where}.from"
            )
        if left.get(seat, made + 1) <= made:
            raise RecordError(f"seat {seat} has left before", f"{where}.seat")
        latest[seat], since = after, made
    for seat, who in enumerate(raw["seats"]):
        if latest[seat] is None:
            _check_kind(begun[seat], who, f"seats[{seat}]")
        elif who != latest[seat]:
            raise RecordError(
                f"is {shown(who)}, but the last to get it is {shown(latest[seat])}", f"seats[{seat}]"
            )


def _check_kind(begun: str, who: Json, where: str) -> None:
    """Compare the player ``who`` had a seat first with what the start says about the seat."""
    expected = "human" if who["kind"] == "human" else f"ai:{who['policy']}"
    if begun != expected:
        raise RecordError(f"is {shown(who)}, but the game began with {shown(begun)} in this seat", where)


def is_leave(move: Json) -> bool:
    """Return whether a move of a record is a :class:`~bot.games.core.Leave`."""
    return isinstance(move, dict) and move.get("action") == {"type": LEAVE}


def _canonical(value: Json) -> str:
    try:
        return canonical(value)
    except (ValueError, RecursionError):
        raise RecordError("can't be written again", "start") from None


def _check_words(raw: dict[str, Json], secret: bytes) -> None:
    """Check the seats and words of a record's start, and the words against their fingerprints."""
    start, seats = raw["start"], len(raw["seats"])
    for where, given in (
        ("start.seats", start["seats"]),
        ("start.words", start["words"]),
        ("words", raw["words"]),
    ):
        if len(array(given, where)) != seats:
            raise RecordError(f"has {len(given)} entries for {seats} seats", where)
    for seat, (kind, given_print, word) in enumerate(
        zip(start["seats"], start["words"], raw["words"], strict=True)
    ):
        if not isinstance(kind, str) or not (kind == "human" or kind.startswith("ai:")):
            raise RecordError(f'must be "human" or "ai:...", not {shown(kind)}', f"start.seats[{seat}]")
        where = f"words[{seat}]"
        if given_print == "":
            if word != "":
                raise RecordError(f"is {shown(word)}, but the start has no word of this seat", where)
            continue
        hex_bytes(given_print, f"start.{where}")
        if word is None:
            continue
        if not isinstance(word, str) or not 1 <= len(word) <= MAX_WORD:
            raise RecordError(
                f"must be a text of 1 to {MAX_WORD} characters or null, not {shown(word)}", where
            )
        try:
            expected = fingerprint(secret, start["game_id"], seat, word)
        except UnicodeEncodeError:
            raise RecordError(f"is not text: {shown(word)}", where) from None
        if expected != given_print:
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
    expected = options.to_json()
    if differ(raw, expected):
        raise RecordError(f"are {shown(raw)}; written out in full they are {shown(expected)}", "options")
    return options


def check_seat(raw: Json, where: str) -> Player:
    """Return the player of a seat. Raises :class:`RecordError` if ``raw`` is none."""
    kind = raw.get("kind") if isinstance(raw, dict) else None
    field = {"ai": "policy", "human": "name"}.get(kind) if isinstance(kind, str) else None
    if field is None:
        raise RecordError(f'must be {{"kind":"ai",...}} or {{"kind":"human",...}}, not {shown(raw)}', where)
    _, name = values_of(raw, ("kind", field), where)
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_WORD:
        raise RecordError(
            f"must be a text of 1 to {MAX_WORD} characters, not {shown(name)}", f"{where}.{field}"
        )
    return Ai(name) if kind == "ai" else Human(name)
