"""The seal of a secret and what is mixed with it; a change of any part is found and named."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.games.core import OVER, Move, play, settle
from bot.games.seats import ai, person
from bot.records.header import MAX_WORD, OtherVersion
from bot.records.record import Ai, Human, Player, RecordError, Replaced, SealedSeed, build, to_line
from bot.records.sealing import fingerprint, message_of, seal_of, seed_of, start_text, with_message
from bot.records.seeds import SeededChance, drawn_number
from bot.records.verification import verify_line
from bot.records.who_begins import (
    BY_LOT,
    IN_ORDER,
    LOT_INDEX,
    first_seat,
    is_begins,
    is_by_lot,
    turned,
)
from bot.registry import GAMES, find
from tests.support.examples import random_move

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
MESSAGE = 1_234_567_890_123_456_789
SEATS = (person(1, "Ann"), person(2, "Bén"), ai("casual"))
WORDS = {0: "kumquat", 1: "42 ∑ 🍀"}
SAMPLES = Path(__file__).parent / "samples"


def start_of(game: str = "tutto", **changes: Any) -> str:
    rules = find(game).rules
    values: dict[str, Any] = {
        "secret": SECRET,
        "game_id": 7,
        "game": game,
        "rules_version": rules.rules_version,
        "options": rules.options({}).to_json(),
        "seats": SEATS,
        "words": WORDS,
        "rated": True,
        "begins": IN_ORDER,
    }
    return start_text(**(values | changes))


def record_of(
    game: str = "tutto",
    moves: int | None = None,
    begins: int = IN_ORDER,
    raw: Mapping[str, Any] | None = None,
    game_id: int = 7,
    words: Mapping[int, str] = WORDS,
    shown: Sequence[str | None] | None = None,
) -> dict[str, Any]:
    """The record of a game with words, or of its first ``moves`` if it was ended without a result."""
    rules = find(game).rules
    options = rules.options(raw or {})
    start = with_message(
        start_of(game, begins=begins, options=options.to_json(), game_id=game_id, words=words), MESSAGE
    )
    chance = SeededChance(seed_of(SECRET, start))
    opening = now = settle(rules, rules.initial(options, len(SEATS)), chance)
    log: list[Move[Any, Any]] = []
    rng = Random(1)
    while rules.to_move(now.state) != OVER and len(log) != moves:
        seat, action = rules.to_move(now.state), random_move(rules, now.state, rng)
        now = play(rules, now.state, action, chance)
        log.append(Move(seat, action, now.outcomes))
    shown = shown or [words.get(seat, "") for seat in range(len(SEATS))]
    sealed = SealedSeed(seal_of(SECRET, game_id), SECRET, start, tuple(shown))
    seated: tuple[Player, ...] = (Human("Ann"), Human("Bén"), Ai("casual"))
    players = turned(seated, first_seat(start, sealed.seed))
    return build(rules, options, players, sealed, log, opening=opening.outcomes, aborted=moves is not None)


def test_the_recipe_is_the_one_of_the_documents() -> None:
    assert seal_of(SECRET, 7) == hashlib.sha256(b"dicebot seal" + (7).to_bytes(8, "big") + SECRET).hexdigest()
    place = (7).to_bytes(8, "big") + (1).to_bytes(8, "big")
    assert (
        fingerprint(SECRET, 7, 1, "42")
        == hmac.digest(SECRET, b"dicebot word" + place + b"42", "sha256").hex()
    )
    start = with_message(start_of(), MESSAGE)
    assert start == json.dumps(json.loads(start), sort_keys=True, separators=(",", ":"))
    assert seed_of(SECRET, start) == hmac.digest(SECRET, start.encode(), "sha256")
    assert (message_of(""), message_of(start_of()), message_of(start)) == (None, None, MESSAGE)
    assert seed_of(SECRET, "") == SECRET


@pytest.mark.parametrize(
    "changes",
    [
        {"game_id": 8},
        {"game": "gambler"},
        {"rules_version": 2},
        {"options": {"edition": "classic", "target": 6000}},
        {"seats": SEATS[::-1]},
        {"seats": (*SEATS[:2], ai("expert"))},
        {"words": {0: "kumquat"}},
        {"words": {0: WORDS[1], 1: WORDS[0]}},
        {"words": {}},
        {"rated": False},
        {"begins": BY_LOT},
        {"begins": 0},
        {"begins": 1},
    ],
    ids=str,
)
def test_everything_at_the_table_changes_the_seed(changes: dict[str, Any]) -> None:
    seeds = {seed_of(SECRET, with_message(start, MESSAGE)) for start in (start_of(), start_of(**changes))}
    assert len(seeds) == 2


def test_secret_and_message_change_the_seed() -> None:
    start = with_message(start_of(), MESSAGE)
    seeds = {seed_of(SECRET, start), seed_of(OTHER, start)}
    assert len(seeds | {seed_of(SECRET, with_message(start_of(), MESSAGE + 1))}) == 3


def test_names_stay_out_of_it() -> None:
    renamed = (person(8, "Somebody"), *SEATS[1:])
    assert start_of(seats=renamed) == start_of()
    assert "kumquat" not in start_of()


@pytest.mark.parametrize("game", GAMES)
def test_a_record_of_every_game_verifies(game: str) -> None:
    line = to_line(record_of(game))
    verified = verify_line(line)
    assert (verified.game, verified.deleted) == (game, 0)
    assert verified.result is not None


def test_who_begins_is_a_seat_or_one_of_two_words() -> None:
    found = [raw for raw in ("table", "lot", "dice", "", 0, 1, 2, -1, True, None) if is_begins(raw, 2)]
    assert found == ["table", "lot", 0, 1]
    assert not any(is_begins(raw, 0) for raw in ("table", "lot", 0))
    assert is_begins("lot", 1)
    assert [is_by_lot(start) for start in ("", start_of(), start_of(begins=BY_LOT))] == [False, False, True]
    assert first_seat("", SECRET) == 0


@pytest.mark.parametrize("game_id", [1, (1 << 63) - 1])
def test_the_least_and_the_greatest_id_and_the_longest_word_verify(game_id: int) -> None:
    record = record_of(moves=1, game_id=game_id, words={0: "x", 1: "x" * MAX_WORD})
    assert verify_line(to_line(record)).moves == 1


@pytest.mark.parametrize("begins", [BY_LOT, IN_ORDER, 0, 1, 2])
def test_a_record_says_who_began(begins: int) -> None:
    record = record_of("gambler", 3, begins)
    assert verify_line(to_line(record)).moves == 3
    lot = drawn_number(bytes.fromhex(record["seed"]), LOT_INDEX, 3)
    first = {BY_LOT: lot, IN_ORDER: 0}.get(begins, begins)
    assert record["first"] == first
    assert [seat["kind"] for seat in record["seats"]][2 - first] == "ai"
    # The seats can't be turned another way, and the words keep their seats.
    for changes in ({"first": (first + 1) % 3}, {"seats": turned(record["seats"], 1)}):
        with pytest.raises(RecordError):
            verify_line(to_line(record | changes))
    assert verify_line(to_line(record | {"words": [None, WORDS[1], ""]})).deleted == 1


def test_every_seat_is_drawn_equally_often() -> None:
    starts = [with_message(start_of(begins=BY_LOT), message) for message in range(600)]
    drawn = [first_seat(start, seed_of(SECRET, start)) for start in starts]
    assert all(170 <= drawn.count(seat) <= 230 for seat in range(3))


@pytest.mark.parametrize("moves", [0, 1, 5])
def test_a_game_that_was_ended_has_a_record_without_a_result(moves: int) -> None:
    record = record_of(moves=moves)
    assert record["result"] is None
    verified = verify_line(to_line(record))
    assert (verified.moves, verified.result) == (moves, None)


def test_a_deleted_word_is_counted_and_the_rest_verifies() -> None:
    assert verify_line(to_line(record_of(shown=(None, WORDS[1], "")))).deleted == 1


RECORD = record_of()


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    copy: Any = json.loads(json.dumps(RECORD))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    found: dict[str, Any] = copy
    return found


@pytest.mark.parametrize(
    ("path", "value", "where", "what"),
    [
        (["seal"], "0" * 64, "seal", "but the secret's seal for game 7 is"),
        (["seal"], None, "seal", "64 digits"),
        (["secret"], OTHER.hex(), "seal", "but the secret's seal"),
        (["secret"], "x", "secret", "64 digits"),
        (["seed"], "0" * 64, "seed", "but secret and start give"),
        (["start"], None, "start", "exactly"),
        (["start", "game_id"], 8, "seal", "for game 8"),
        (["start", "game_id"], "7", "start.game_id", "must be a number"),
        (["start", "game_id"], 0, "start.game_id", "must be a number"),
        (["start", "message_id"], str(MESSAGE + 1), "seed", "but secret and start give"),
        (["start", "message_id"], MESSAGE, "start.message_id", "digits in quotes"),
        (["start", "message_id"], "0" + str(MESSAGE), "start.message_id", "digits in quotes"),
        (["start", "message_id"], "", "start.message_id", "digits in quotes"),
        (["start", "message_id"], "9" * 20, "seed", "but secret and start give"),
        (["start", "message_id"], "9" * 21, "start.message_id", "digits in quotes"),
        (["start", "game"], "gambler", "start.game", "but the record has"),
        (["start", "rules_version"], 2, "start.rules_version", "but the record has"),
        (["start", "rules_version"], True, "start.rules_version", "but the record has"),
        (["start", "options", "target"], 1000, "start.options", "but the record has"),
        (["options", "target"], 1000, "start.options", "but the record has"),
        (["start", "seats", 2], "human", "seed", "but secret and start give"),
        (["start", "seats", 0], "ai:casual", "rated", "fewer than two people"),
        (["start", "seats", 0], "cat", "start.seats[0]", "must be"),
        (["start", "seats"], ["human"], "start.seats", "1 entries for 3 seats"),
        (["start", "words", 0], "0" * 64, "words[0]", "not the word"),
        (["start", "words", 2], "0" * 64, "words[2]", "1 to 100 characters"),
        (["start", "words", 0], "", "words[0]", "no word of this seat"),
        (["start", "words", 0], 7, "start.words[0]", "64 digits"),
        (["start", "note"], "", "start", "exactly"),
        (["words", 0], "kumquats", "words[0]", "not the word"),
        (["words", 0], "", "words[0]", "1 to 100 characters"),
        (["words", 0], "\ud800", "words[0]", "is not text"),
        (["words", 2], "plum", "words[2]", "no word of this seat"),
        (["words", 2], None, "words[2]", "no word of this seat"),
        (["words"], [], "words", "0 entries for 3 seats"),
        (["words"], "kumquat", "words", "must be a list"),
        (["rated"], False, "start.rated", "but the record has"),
        (["start", "rated"], False, "start.rated", "but the record has"),
        (["rated"], 1, "start.rated", "but the record has"),
        (["first"], 1, "first", "it is seat 0 that began"),
        (["first"], False, "first", "it is seat 0 that began"),
        (["start", "begins"], 1, "seed", "but secret and start give"),
        (["start", "begins"], "youngest", "start.begins", 'must be "table", "lot" or a seat from 0 to 2'),
        (["start", "begins"], 3, "start.begins", "must be"),
        (["start", "begins"], True, "start.begins", "must be"),
        (["start", "begins"], None, "start.begins", "must be"),
        (["schema"], 3, "", "no key"),
        (["result"], None, "result", "exactly"),
        (["schema"], 1, "seed_sha256", "is missing"),
        (["schema"], 2, "", "no key"),
    ],
    ids=str,
)
def test_every_change_is_named(path: list[Any], value: Any, where: str, what: str) -> None:
    with pytest.raises(RecordError) as error:
        verify_line(to_line(changed(path, value)))
    assert (error.value.where, what in error.value.what) == (where, True), str(error.value)
    assert str(error.value).isascii()


@pytest.mark.parametrize("rated", [1, None, "yes"])
def test_rated_is_a_word_for_yes_or_no(rated: Any) -> None:
    record = changed(["rated"], rated)
    record["start"]["rated"] = rated
    with pytest.raises(RecordError) as error:
        verify_line(to_line(record))
    assert (error.value.where, "must be true or false" in error.value.what) == ("rated", True)


@pytest.mark.parametrize("schema", [3, 4])
@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"rated": False}, "start.rated"),
        ({"rated": False, "start": {"rated": 0}}, "start.rated"),
        ({"start": {"seats": ["human", "ai:casual", "ai:casual"]}}, "rated"),
        ({"replaced": {}}, "replaced"),
    ],
    ids=str,
)
def test_whether_a_game_was_rated_is_checked_since_it_is_said(
    schema: int, changes: dict[str, Any], where: str
) -> None:
    record = json.loads((SAMPLES / f"schema-{schema}.jsonl").read_text(encoding="ascii").splitlines()[0])
    record |= changes | {"start": record["start"] | changes.get("start", {})}
    with pytest.raises(RecordError) as error:
        verify_line(to_line(record))
    assert error.value.where == where


@pytest.mark.parametrize("first", ["none", "deleted"])
def test_words_after_one_that_is_not_there_are_checked(first: str) -> None:
    words = WORDS if first == "deleted" else {1: WORDS[1]}
    before = None if first == "deleted" else ""
    verify_line(to_line(record_of(words=words, shown=(before, WORDS[1], ""))))
    with pytest.raises(RecordError, match="not the word") as error:
        verify_line(to_line(record_of(words=words, shown=(before, "43", ""))))
    assert error.value.where == "words[1]"


def test_deep_values_are_refused_as_well() -> None:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    for path in (["start"], ["start", "options"], ["options"], ["words"], ["start", "words"]):
        with pytest.raises(RecordError):
            verify_line(to_line(changed(path, deep)))


def test_dice_of_another_seed_are_noticed_though_everything_before_them_is_right() -> None:
    start = with_message(start_of(), MESSAGE + 1)
    record = RECORD | {"start": json.loads(start), "seed": seed_of(SECRET, start).hex()}
    with pytest.raises(RecordError, match="but the seed gives"):
        verify_line(to_line(record))


def test_other_rules_are_said_to_be_other_rules_only_if_the_rest_is_right() -> None:
    start = with_message(start_of(rules_version=9), MESSAGE)
    record = RECORD | {"rules_version": 9, "start": json.loads(start), "seed": seed_of(SECRET, start).hex()}
    with pytest.raises(OtherVersion, match="program of that version"):
        verify_line(to_line(record))
    with pytest.raises(RecordError, match="secret's seal") as error:
        verify_line(to_line(record | {"seal": "0" * 64}))
    assert not isinstance(error.value, OtherVersion)


@pytest.mark.parametrize(
    ("lacking", "schema", "keys"),
    [((), 4, {"rated", "first"}), (("begins",), 3, {"rated"}), (("begins", "rated"), 2, set[str]())],
)
def test_starts_of_earlier_versions_lead_to_records_that_say_less(
    lacking: Sequence[str], schema: int, keys: set[str]
) -> None:
    start = {name: value for name, value in json.loads(start_of()).items() if name not in lacking}
    sealed = SealedSeed(seal_of(SECRET, 7), SECRET, with_message(json.dumps(start), MESSAGE), ("", "", ""))
    assert sealed.schema == schema
    assert sealed.to_json().keys() == {"seal", "secret", "start", "words", *keys}
    rules = find("tutto").rules
    record = build(rules, rules.options({}), (ANN, BEN, AI), sealed, (), aborted=True)
    assert ("replaced" in record) == (schema >= 3)


@pytest.mark.parametrize("schema", [1, 2, 3, 4])
def test_stored_records_of_every_schema_verify(schema: int) -> None:
    """They were written by the versions of their time."""
    lines = (SAMPLES / f"schema-{schema}.jsonl").read_text(encoding="ascii").splitlines()
    found = [verify_line(line) for line in lines]
    assert {one.game for one in found} == set(GAMES)
    assert all(json.loads(line)["schema"] == schema for line in lines)


def replaced(*entries: tuple[int, int, Any, Any], **last: Any) -> dict[str, Any]:
    """A record of five moves in which these seats went to others, and with these last holders of seats."""
    record = record_of(moves=5)
    for seat, who in last.items():
        record["seats"][int(seat.removeprefix("seat"))] = who.to_json()
    record["replaced"] = [Replaced(*entry).to_json() for entry in entries]
    found: dict[str, Any] = json.loads(to_line(record))
    return found


ANN, BEN, CLEO, AI = Human("Ann"), Human("Bén"), Human("Cleo"), Ai("casual")


@pytest.mark.parametrize(
    "record",
    [
        replaced(),
        replaced((0, 0, ANN, CLEO), seat0=CLEO),
        replaced((3, 1, BEN, CLEO), (3, 0, ANN, AI), (5, 1, CLEO, AI), seat0=AI, seat1=AI),
    ],
)
def test_a_record_tells_who_was_replaced_and_by_whom(record: dict[str, Any]) -> None:
    assert verify_line(to_line(record)).moves == 5


@pytest.mark.parametrize(
    ("record", "where", "what"),
    [
        # Somebody is left out, or is somebody else, on either side.
        (replaced(seat0=AI), "seats[0]", 'but the game began with "human"'),
        (replaced(seat2=BEN), "seats[2]", 'but the game began with "ai:casual"'),
        (replaced(seat2=Ai("expert")), "seats[2]", 'but the game began with "ai:casual"'),
        (replaced((0, 0, ANN, CLEO)), "seats[0]", "Cleo"),
        (replaced((0, 0, ANN, CLEO), (1, 0, BEN, AI), seat0=AI), "replaced[1].from", "but seat 0 had"),
        (replaced((0, 0, AI, CLEO), seat0=CLEO), "replaced[0].from", "must be a person"),
        (replaced((0, 2, ANN, CLEO), seat2=CLEO), "replaced[0].from", 'but the game began with "ai:casual"'),
        (replaced((6, 0, ANN, CLEO), seat0=CLEO), "replaced[0].moves", "from 0 to 5"),
        (replaced((-1, 0, ANN, CLEO), seat0=CLEO), "replaced[0].moves", "from 0 to 5"),
        (
            replaced((3, 0, ANN, CLEO), (2, 1, BEN, AI), seat0=CLEO, seat1=AI),
            "replaced[1].moves",
            "from 3 to 5",
        ),
        (replaced((0, 3, ANN, CLEO)), "replaced[0].seat", "from 0 to 2"),
        (replaced() | {"replaced": {}}, "replaced", "must be a list"),
        (replaced() | {"replaced": [{}]}, "replaced[0]", "exactly moves, seat, from, to"),
        (replaced((0, 0, Human(""), CLEO), seat0=CLEO), "replaced[0].from.name", "1 to 100 characters"),
        (
            replaced((0, 0, ANN, Human("")), (1, 0, Human(""), CLEO), seat0=CLEO),
            "replaced[0].to.name",
            "1 to 100 characters",
        ),
    ],
    ids=str,
)
def test_every_change_of_the_replaced_is_named(record: dict[str, Any], where: str, what: str) -> None:
    with pytest.raises(RecordError) as error:
        verify_line(to_line(record))
    assert (error.value.where, what in error.value.what) == (where, True), str(error.value)


def test_the_replaced_are_checked_without_the_rules_as_well() -> None:
    start = with_message(start_of(rules_version=9), MESSAGE)
    other = {"rules_version": 9, "start": json.loads(start), "seed": seed_of(SECRET, start).hex()}
    with pytest.raises(OtherVersion):
        verify_line(to_line(replaced() | other))
    with pytest.raises(RecordError, match="the game began with"):
        verify_line(to_line(replaced(seat0=AI) | other))


@pytest.mark.parametrize(("left", "made", "before"), [(4, 5, True), (0, 5, True), (4, 4, False)])
def test_a_seat_that_left_is_not_replaced_afterwards(left: int, made: int, before: bool) -> None:
    record = replaced((made, 0, ANN, CLEO), seat0=CLEO)
    record["moves"][left] = {"seat": 0, "action": {"type": "leave"}, "chance": []}
    with pytest.raises(RecordError, match="seat 0 has left before") if before else nullcontext():
        verify_line(to_line(record))


def test_many_moves_and_many_who_were_replaced_are_checked_in_a_moment() -> None:
    record, seat = replaced(), ANN.to_json()
    entry = {"moves": 8000, "seat": 0, "from": seat, "to": seat}
    wrong = {"moves": [{"seat": 9, "action": {}, "chance": []}] * 8000, "replaced": [entry] * 8000}
    began = time.process_time()
    with pytest.raises(RecordError, match="must be a seat from 0 to 2"):
        verify_line(to_line(record | wrong))
    assert time.process_time() - began < 2.0


def test_how_boards_come_up_is_checked() -> None:
    record = record_of("gambler", raw={"beginners": True, "choose": True})
    assert record["options"] == {
        "stars": "independent",
        "target": 500,
        "beginners": True,
        "choose": True,
    }
    assert record["chance"] == [{"board": "vineyard"}]
    assert {"type": "board"}.items() <= next(
        move["action"].items() for move in record["moves"] if move["action"]["type"] == "board"
    )
    assert verify_line(json.dumps(record)).result is not None
    # The record can't claim that boards were drawn, nor write out a default.
    for options in ({"stars": "independent", "target": 500}, record["options"] | {"choose": False}):
        with pytest.raises(RecordError):
            verify_line(json.dumps(record | {"options": options}))
    assert "choose" not in record_of("gambler")["options"]
