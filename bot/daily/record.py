"""The record of a daily game, which ``python -m bot verify`` checks; docs/game-record.md describes it.

It is like a record of a game at a table, but with one seat and the seal of the day, and its seed comes from
the date instead of a table's start.
"""

from __future__ import annotations

from bot.daily import choices
from bot.daily.days import date_of, day_of
from bot.daily.play import OPTIONS, RULES, START
from bot.daily.sealing import seal_of, seed_of
from bot.games.core import Json, play
from bot.records.header import check_seat, check_version, is_leave
from bot.records.reading import array, check_keys, differ, hex_bytes, shown
from bot.records.record import Human, RecordError, result_to_json
from bot.records.seeds import SeededChance
from bot.records.verification import Check, Verified
from bot.store.daily import DailyDay, DailyPlay

SCHEMA = 5
"""The schema of these records; those of games at tables have others."""

KEYS = (
    "schema",
    "daily",
    "game",
    "rules_version",
    "options",
    "seats",
    "seal",
    "secret",
    "seed",
    "moves",
    "scores",
    "result",
    "turns",
)
"""The keys of these records."""


def build(day: DailyDay, attempt: DailyPlay, name: str) -> dict[str, Json]:
    """Build the record of a person's game, as far as it went.

    Raises one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS` for choices that are damaged.
    """
    seed = seed_of(day.secret, day.day, day.rules_version)
    chance, state = SeededChance(seed), START.state
    moves: list[Json] = []
    scores: list[Json] = []
    for choice in choices.read(attempt.choices):
        played = play(RULES, state, choice, chance)
        outcomes: list[Json] = [RULES.outcome_to_json(outcome) for outcome in played.outcomes]
        moves.append({"seat": 0, "action": RULES.move_to_json(choice), "chance": outcomes})
        if RULES.turns(played.state) > RULES.turns(state):
            scores.append(list(RULES.scores(played.state)))
        state = played.state
    result = RULES.result(state)
    return {
        "schema": SCHEMA,
        "daily": date_of(day.day),
        "game": RULES.key,
        "rules_version": day.rules_version,
        "options": OPTIONS.to_json(),
        "seats": [Human(name).to_json()],
        "seal": seal_of(day.secret, day.day),
        "secret": day.secret.hex(),
        "seed": seed.hex(),
        "moves": moves,
        "scores": scores,
        "result": None if result is None else result_to_json(result),
        "turns": attempt.turns,
    }


def verify(raw: dict[str, Json]) -> Verified:
    """Check a record: the seal and the seed against the date and the secret, and the game as at a table.

    Raises :class:`~bot.records.header.OtherVersion`, or :class:`RecordError` for the first error.
    """
    check_keys(raw, KEYS)
    day = _day(raw["daily"])
    # The seal does not bind these, so nobody may choose them: with a lower target fewer turns would do.
    for key, fixed in (("game", RULES.key), ("options", OPTIONS.to_json())):
        if differ(raw[key], fixed):
            raise RecordError(f"is {shown(raw[key])}, but the daily game has {shown(fixed)}", key)
    _check_seats(array(raw["seats"], "seats"))
    secret, seal, seed = (hex_bytes(raw[key], key) for key in ("secret", "seal", "seed"))
    if seal.hex() != (expected := seal_of(secret, day)):
        raise RecordError(f"is {seal.hex()}, but the secret's seal for {raw['daily']} is {expected}", "seal")
    version = raw["rules_version"]
    if type(version) is int and seed != (expected_seed := seed_of(secret, day, version)):
        raise RecordError(f"is {seed.hex()}, but secret, date and rules give {expected_seed.hex()}", "seed")
    check_version(RULES, version)
    check = Check(RULES, START.state, SeededChance(seed), array(raw["scores"], "scores"))
    moves = array(raw["moves"], "moves")
    for index, move in enumerate(moves):
        if is_leave(move):
            raise RecordError("nobody can leave the daily game", f"moves[{index}].action", move=index)
        check.move(move, index)
    result = check.end(raw["result"], aborted=raw["result"] is None)
    turns = None if result is None else check.turns
    if differ(raw["turns"], turns):
        raise RecordError(f"is {shown(raw['turns'])}, but should be {shown(turns)}", "turns")
    return Verified(f"daily {RULES.key}", len(moves), check.source.index, check.turns, result)


def _day(raw: Json) -> int:
    try:
        day = day_of(raw) if isinstance(raw, str) else -1
    except ValueError:
        day = -1
    if day < 0:
        raise RecordError(f'must be a date such as "2026-11-29", not {shown(raw)}', "daily")
    return day


def _check_seats(seats: list[Json]) -> None:
    if len(seats) != 1:
        raise RecordError(f"there are {len(seats)}; the daily game is played by one", "seats")
    if not isinstance(check_seat(seats[0], "seats[0]"), Human):
        raise RecordError(f"must be a person, not {shown(seats[0])}", "seats[0]")
