"""The record of a daily game verifies, and each change in it is found and named."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from bot.daily.choices import read, written
from bot.daily.play import START, advance
from bot.daily.record import KEYS, SCHEMA, build, verify
from bot.daily.sealing import seal_of, seed_of
from bot.games.tutto.state import Action
from bot.records.header import OtherVersion
from bot.records.record import RecordError, to_line
from bot.records.verification import Verified, verify_line
from bot.store.daily import DailyDay, DailyPlay
from bot.strategy.tutto import Casual

DAY = DailyDay(20_786, bytes(range(32)), 1)
SEED = seed_of(DAY.secret, DAY.day, DAY.rules_version)


def game() -> DailyPlay:
    rng, at, made = Random(3), START, list[Action]()
    while not at.is_over:
        made.append(Casual().choose(at.state, rng))
        at = advance(SEED, at, made[-1:])
    return DailyPlay(11, DAY.day, written(made), len(made), turns=at.turns)


PLAY = game()
RECORD: dict[str, Any] = build(DAY, PLAY, "Ann **é**")


def checked(record: Any) -> Verified:
    return verify_line(to_line(record), {SCHEMA: verify})


def test_a_game_verifies_with_its_turns_and_points() -> None:
    at = advance(SEED, START, read(PLAY.choices))
    assert tuple(RECORD) == KEYS
    assert RECORD["daily"] == "2026-11-29"
    assert RECORD["seats"] == [{"kind": "human", "name": "Ann **é**"}]
    assert RECORD["turns"] == PLAY.turns == len(RECORD["scores"])
    found = checked(RECORD)
    assert (found.game, found.moves, found.outcomes) == ("daily tutto", PLAY.made, at.draws)
    assert found.turns == PLAY.turns
    assert found.result is not None
    assert found.result.scores == at.state.scores


@pytest.mark.parametrize("made", [0, 1, 9])
def test_an_unfinished_game_verifies_up_to_its_last_choice(made: int) -> None:
    some = " ".join(PLAY.choices.split()[:made])
    record = build(DAY, DailyPlay(11, DAY.day, some, made), "Ann")
    assert (record["result"], record["turns"]) == (None, None)
    found = checked(record)
    assert (found.moves, found.result) == (made, None)


Change = Callable[[dict[str, Any]], Any]


def put(key: str, value: Any) -> Change:
    return lambda record: record.update({key: value})


def with_other_secret(record: dict[str, Any]) -> None:
    """Give all dice another secret, and keep the seal that everybody has seen."""
    other = DailyDay(DAY.day, bytes(32), 1)
    record.update(build(other, DailyPlay(11, DAY.day, "t", 1), "Ann"), seal=RECORD["seal"])


def with_sealed_other_secret(record: dict[str, Any]) -> None:
    """Replace the secret together with its seal and seed, and keep the dice."""
    secret = bytes(32)
    seed = seed_of(secret, DAY.day, 1).hex()
    record.update(secret=secret.hex(), seal=seal_of(secret, DAY.day), seed=seed)


def without_last_move(record: dict[str, Any]) -> None:
    del record["moves"][-1]


def with_leaving(record: dict[str, Any]) -> None:
    record["moves"][3:] = [{"seat": 0, "action": {"type": "leave"}, "chance": []}]


CHANGES: list[tuple[Change, str, str]] = [
    (put("daily", "2026-11-30"), "seal", "the secret's seal for 2026-11-30 is"),
    (put("daily", "1970-01-01"), "seal", "the secret's seal for 1970-01-01 is"),
    (put("daily", "20261129"), "daily", "must be a date"),
    (put("daily", "1969-12-31"), "daily", "must be a date"),
    (put("daily", 20_786), "daily", "must be a date"),
    (put("game", "gambler"), "game", 'the daily game has "tutto"'),
    (put("options", {"edition": "current", "target": 1000}), "options", "the daily game has"),
    (put("options", {"edition": "current", "target": 6000.0}), "options", "the daily game has"),
    (put("seats", []), "seats", "there are 0"),
    (put("seats", [{"kind": "ai", "policy": "casual"}]), "seats[0]", "must be a person"),
    (put("seats", [{"kind": "human"}]), "seats[0]", "must be an object with exactly kind, name"),
    (put("seal", "0" * 64), "seal", "but the secret's seal for 2026-11-29 is"),
    (put("secret", "0" * 64), "seal", "but the secret's seal"),
    (put("secret", "0"), "secret", "must be 64 digits"),
    (put("seed", "0" * 64), "seed", "but secret, date and rules give"),
    (put("rules_version", True), "rules_version", "must be a number from 1"),
    (put("rules_version", 2), "seed", "but secret, date and rules give"),
    (put("turns", RECORD["turns"] - 1), "turns", f"should be {RECORD['turns']}"),
    (put("turns", float(RECORD["turns"])), "turns", f"should be {RECORD['turns']}"),
    (put("turns", None), "turns", f"should be {RECORD['turns']}"),
    (put("result", None), "result", "must be an object"),
    (put("words", []), "", 'there is no key "words"'),
    (lambda record: record.pop("turns"), "turns", "is missing"),
    (lambda record: record["result"].update(scores=[9999]), "result.scores", "is [9999], but should be"),
    (lambda record: record["scores"].pop(), f"scores[{RECORD['turns'] - 1}]", "is missing"),
    (lambda record: record["scores"].append([1]), f"scores[{RECORD['turns']}]", "one row too many"),
    (lambda record: record["moves"][0]["chance"].pop(), "moves[0].chance", "an outcome is missing"),
    (lambda record: record["moves"][0].update(seat=1), "moves[0].seat", "must be a seat from 0 to 0"),
    (lambda record: record["moves"].insert(0, record["moves"][1]), "moves[0].action", "the rules forbid"),
    (without_last_move, "moves", "the game is not over"),
    (with_leaving, "moves[3].action", "nobody can leave"),
    (with_other_secret, "seal", "but the secret's seal"),
    (with_sealed_other_secret, "moves[0].chance[0]", "but the seed gives"),
]


@pytest.mark.parametrize(("change", "where", "what"), CHANGES)
def test_each_change_is_found_and_named(change: Change, where: str, what: str) -> None:
    record = deepcopy(RECORD)
    change(record)
    with pytest.raises(RecordError) as caught:
        checked(record)
    assert not isinstance(caught.value, OtherVersion)
    assert caught.value.where == where
    assert what in caught.value.what


def test_only_seal_and_seed_are_checked_under_other_rules() -> None:
    with pytest.raises(OtherVersion):
        checked({**RECORD, "rules_version": 2, "seed": seed_of(DAY.secret, DAY.day, 2).hex()})


def test_daily_records_and_those_of_tables_are_told_apart() -> None:
    with pytest.raises(RecordError, match="this program reads 1, 2, 3, 4"):
        verify_line(json.dumps(RECORD))
    with pytest.raises(RecordError, match="is missing"):
        checked({**RECORD, "schema": 4})
