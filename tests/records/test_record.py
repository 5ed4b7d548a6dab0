"""Game records: written ones verify, changes are found and named, and no input crashes the check."""

from __future__ import annotations

import doctest
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.codec import dumps
from bot.games.core import IllegalMove, Leave, Move
from bot.games.tutto import Tutto
from bot.games.tutto.state import STOP, TURN_CARD
from bot.records.reading import MAX_BYTES, shown
from bot.records.record import Ai, Human, RecordError, build, to_line
from bot.records.seeds import seed_hash
from bot.records.verification import verify_line, verify_stream
from tests.support.coin import Coin, register
from tests.support.examples import examples, json_values, paths, removed, replaced
from tests.support.records import SEATS, played, result_of, tutto_record

DOCUMENT = Path(__file__).parents[2] / "docs" / "game-record.md"
SEED = bytes(range(32))
RECORD = tutto_record(3)


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> Coin:
    """A registered game that begins with chance."""
    register(monkeypatch)
    return Coin()


def wrong(record: Any) -> RecordError:
    with pytest.raises(RecordError) as caught:
        verify_line(record if isinstance(record, str) else json.dumps(record))
    return caught.value


def test_the_form_is_the_documented_one() -> None:
    assert list(RECORD) == [
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
    ]
    assert RECORD["schema"] == 1
    assert RECORD["options"] == {"edition": "current", "target": 1000}
    assert RECORD["seats"] == [
        {"kind": "ai", "policy": "casual"},
        {"kind": "human", "name": "Ann **é** \ud83c"},
    ]
    assert RECORD["moves"][0] == {
        "seat": 0,
        "action": {"type": "turn_card"},
        "chance": [{"card": "bonus_600"}, {"dice": [1, 3, 4, 5, 5, 5]}],
    }
    assert {tuple(move) for move in RECORD["moves"]} == {("seat", "action", "chance")}
    assert list(RECORD["result"]) == ["scores", "winners", "reason"]
    line = to_line(RECORD)
    assert line.isascii()
    assert " " not in line.replace("Ann **\\u00e9** ", "")
    assert json.loads(line) == RECORD


@pytest.mark.parametrize("edition", ["classic", "modern", "current"])
@pytest.mark.parametrize("seats", [2, 3, 10])
def test_a_random_game_verifies(edition: str, seats: int) -> None:
    names = tuple(Human(f"Player {seat}") for seat in range(seats))
    game = played(Tutto(), SEED, seats=names, edition=edition, target=1000)
    record = game.record(names, SEED)
    verified = verify_line(to_line(record))
    assert verified.game == "tutto"
    assert verified.moves == len(game.log.moves)
    assert verified.turns == len(record["scores"]) == Tutto().turns(game.state)
    assert verified.result == Tutto().result(game.state)


def test_a_record_is_built_from_a_log() -> None:
    first, *rest = log = played(Tutto(), SEED, target=1000).log.moves
    options = Tutto().options({"target": 1000})
    verify_line(to_line(build(Tutto(), options, SEATS[:2], SEED, log)))
    with pytest.raises(RecordError, match="not over"):
        build(Tutto(), options, SEATS[:2], SEED, log[:-1])
    with pytest.raises(IllegalMove):
        build(Tutto(), options, SEATS[:2], SEED, [*log, Move(0, TURN_CARD, [])])
    with pytest.raises(IllegalMove):
        build(Tutto(), options, SEATS[:2], SEED, [replace(first, action=STOP, outcomes=[])])
    outcomes = first.outcomes
    for changed in (outcomes[:-1], [*outcomes, outcomes[-1]], outcomes[::-1]):
        with pytest.raises(IllegalMove):
            build(Tutto(), options, SEATS[:2], SEED, [replace(first, outcomes=changed), *rest])


@pytest.mark.parametrize(("length", "end"), [(98, 'x"'), (99, "x...")])
def test_a_long_value_is_shown_in_part(length: int, end: str) -> None:
    text = shown("x" * length)
    assert (len(text), text[-len(end) :]) == (100, end)


def test_order_of_keys_and_spaces_do_not_matter() -> None:
    verify_line(json.dumps(RECORD, indent=1, sort_keys=True))
    verify_line(json.dumps(RECORD, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(("length", "right"), [(0, False), (1, True), (100, True), (101, False)])
def test_a_name_has_at_most_a_hundred_characters(length: int, right: bool) -> None:
    record = put(RECORD, ["seats", 0], {"kind": "human", "name": "é" * length})
    if right:
        verify_line(json.dumps(record))
    else:
        assert wrong(record).where == "seats[0].name"


# Leaving.


def test_leaving_in_and_out_of_turn() -> None:
    # Seat 1 leaves while seat 0 has a turn; then seat 0 or seat 2 is the last one.
    game = played(Tutto(), SEED, lambda number: {1: 1, 5: 0}.get(number), SEATS, target=1000)
    record = game.record(SEATS, SEED)
    assert record["moves"][1] == {"seat": 1, "action": {"type": "leave"}, "chance": []}
    assert record["result"]["winners"] == [2]
    assert record["result"]["reason"] == "left"
    assert result_of(to_line(record)).left == (0, 1)


def test_leaving_twice_is_wrong() -> None:
    record = played(Tutto(), SEED, lambda number: {1: 1}.get(number), SEATS, target=1000).record(SEATS, SEED)
    record["moves"].insert(2, record["moves"][1])
    error = wrong(record)
    assert (error.where, error.move) == ("moves[2].action", 2)
    assert error.what == "seat 1 has left before"


def test_a_turn_that_is_broken_off_has_its_row() -> None:
    game = played(Tutto(), SEED, lambda number: {1: 0}.get(number), SEATS, target=1000)
    record = game.record(SEATS, SEED)
    assert game.log.moves[1].action == Leave(0)
    assert record["scores"][0] == [0, 0, 0]
    verify_line(to_line(record))


# Chance before the first move.


def test_outcomes_before_the_first_move(coin: Coin) -> None:
    game = played(coin, SEED, bonus=2)
    record = game.record(SEATS[:2], SEED)
    assert list(record).index("chance") == list(record).index("moves") - 1
    assert len(record["chance"]) == 1
    assert verify_line(to_line(record)).outcomes == 3
    log = game.log
    with pytest.raises(IllegalMove):
        build(coin, log.options, SEATS[:2], SEED, log.moves, opening=log.opening * 2)

    assert wrong({key: value for key, value in record.items() if key != "chance"}).where == "chance"
    assert wrong({**record, "chance": [*record["chance"], {"side": 1}]}).where == "chance[1]"
    other = {"board": 6 - record["chance"][0]["board"]}
    assert "but the seed gives" in wrong({**record, "chance": [other]}).what


def test_an_empty_opening_is_left_out() -> None:
    assert str(wrong({**RECORD, "chance": []})).startswith("chance: is left out")
    assert wrong({**RECORD, "chance": [{"card": "stop"}]}).where == "chance[0]"


# Damage.

OTHER_SEED = bytes(31) + b"\x04"
LAST = len(RECORD["moves"]) - 1

TAMPERED: list[tuple[list[Any], Any, str, str]] = [
    # the path, its new value, where the error is found, and its text
    (["schema"], 2, "seal", "is missing"),
    (["schema"], 5, "schema", "this program reads 1, 2, 3, 4"),
    (["schema"], True, "schema", "this program reads 1, 2, 3, 4"),
    (["game"], "ludo", "game", "known: tutto"),
    (["game"], ["tutto"], "game", "known: tutto"),
    (["rules_version"], 2, "rules_version", "by version 1"),
    (["rules_version"], 1.0, "rules_version", "must be a number from 1"),
    (["rules_version"], 0, "rules_version", "must be a number from 1"),
    (["options"], [], "options", "must be an object"),
    (["options"], {}, "options", "written out in full"),
    (["options", "target"], 1100, "options", "step 500"),
    (["options", "target"], 3000, "moves", "not over"),
    (["options", "edition"], "classic", "scores[2]", "but the turn ended with [600,0]"),
    (["options", "edition"], "old", "options", "error-edition"),
    (["options", "colour"], "red", "options", "can't be played"),
    (["seats"], {}, "seats", "must be a list"),
    (["seats"], [{"kind": "human", "name": "Ann"}], "seats", "2 to 10"),
    (["seats", 0], "ai", "seats[0]", "must be"),
    (["seats", 0, "kind"], "robot", "seats[0]", "must be"),
    (["seats", 0, "kind"], "human", "seats[0]", "exactly kind, name"),
    (["seats", 0, "policy"], "", "seats[0].policy", "1 to 100 characters"),
    (["seats", 1, "name"], 7, "seats[1].name", "1 to 100 characters"),
    (["seats", 1, "name"], "x" * 101, "seats[1].name", "1 to 100 characters"),
    (["seats", 1, "id"], 7, "seats[1]", "exactly kind, name"),
    (["seed"], SEED.hex(), "seed_sha256", "but the seed's SHA-256 is"),
    (["seed"], SEED.hex().upper(), "seed", "64 digits"),
    (["seed"], "00", "seed", "64 digits"),
    (["seed"], 0, "seed", "64 digits"),
    (["seed_sha256"], "0" * 64, "seed_sha256", "but the seed's SHA-256 is"),
    (["seed_sha256"], None, "seed_sha256", "64 digits"),
    (["moves"], {}, "moves", "must be a list"),
    (["moves"], [], "moves", "not over"),
    (["moves", 0], None, "moves[0]", "exactly seat, action, chance"),
    (["moves", 0, "note"], "", "moves[0]", "exactly seat, action, chance"),
    (["moves", 0, "seat"], 1, "moves[0].seat", "it is seat 0 that is to move, not seat 1"),
    (["moves", 0, "seat"], 2, "moves[0].seat", "from 0 to 1"),
    (["moves", 0, "seat"], -1, "moves[0].seat", "from 0 to 1"),
    (["moves", 0, "seat"], False, "moves[0].seat", "from 0 to 1"),
    (["moves", 0, "action"], "stop", "moves[0].action", "not an action of tutto"),
    (["moves", 0, "action", "type"], "steal", "moves[0].action", "not an action of tutto"),
    (["moves", 0, "action"], {"type": "stop"}, "moves[0].action", 'open to seat 0: {"type":"turn_card"}'),
    (["moves", 1, "action", "dice"], [3], "moves[1].action", "the rules forbid"),
    (["moves", 1, "action", "dice"], [1, 5], "moves[1].chance[0]", "but the seed gives"),
    (["moves", 1, "action", "dice"], [9], "moves[1].action", "not an action of tutto"),
    (["moves", 15, "action", "dice"], [5, 1], "moves[15].action", "it is written"),
    (["moves", 2, "action"], {"type": "leave"}, "scores[0]", "but the turn ended with [0,0]"),
    (["moves", 2, "action"], {"type": "leave", "seat": 0}, "moves[2].action", "exactly type"),
    (["moves", 0, "chance"], [], "moves[0].chance", 'the seed gives {"card":"bonus_600"}'),
    (["moves", 0, "chance"], {}, "moves[0].chance", "must be a list"),
    (["moves", 0, "chance", 0, "card"], "bonus_500", "moves[0].chance[0]", "but the seed gives"),
    (["moves", 0, "chance", 0, "card"], "joker", "moves[0].chance[0]", "not an outcome of tutto"),
    (["moves", 0, "chance", 1, "dice", 0], 2, "moves[0].chance[1]", "but the seed gives"),
    (["moves", 0, "chance", 1, "dice"], [5, 5, 5, 4, 3, 1], "moves[0].chance[1]", "it is written"),
    (["moves", 2, "chance"], [{"dice": [1]}], "moves[2].chance[0]", "nothing was left to chance"),
    (["scores"], None, "scores", "must be a list"),
    (["scores"], [], "scores[0]", "ended with the scores [600,0] at moves[2]"),
    (["scores", 0, 0], 650, "scores[0]", "but the turn ended with [600,0] at moves[2]"),
    (["scores", 0, 1], False, "scores[0]", "but the turn ended with [600,0]"),
    (["scores", 3], [2700], "scores[3]", "but the turn ended with [2700,300]"),
    (["result"], None, "result", "exactly scores, winners, reason"),
    (["result", "scores"], [2700, 350], "result.scores", "should be [2700,300]"),
    (["result", "winners"], [1], "result.winners", "should be [0]"),
    (["result", "winners"], [0, 1], "result.winners", "should be [0]"),
    (["result", "reason"], "left", "result.reason", 'should be "target"'),
    (["result", "left"], [], "result", "exactly scores, winners, reason"),
    (["comment"], "mine", "", 'no key "comment"'),
]


def put(record: Any, path: list[Any], value: Any) -> Any:
    *outer, last = path
    copy = json.loads(json.dumps(record))
    inner = copy
    for step in outer:
        inner = inner[step]
    inner[last] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value", "where", "what"),
    TAMPERED,
    ids=[f"{path}={value!r:.20}" for path, value, *_ in TAMPERED],
)
def test_what_is_wrong_is_named(path: list[Any], value: Any, where: str, what: str) -> None:
    record = put(RECORD, path, value)
    error = wrong(record)
    assert (error.where, what in error.what) == (where, True), str(error)
    move = re.match(r"moves\[(\d+)\]", where)
    if move:
        assert error.move == int(move[1])
    assert str(error).isascii()


@pytest.mark.parametrize("key", list(RECORD))
def test_a_missing_key_is_named(key: str) -> None:
    error = wrong({name: value for name, value in RECORD.items() if name != key})
    assert (error.where, error.what) == (key, "is missing")


def test_dice_of_another_seed_are_noticed_though_its_hash_is_right() -> None:
    record = {**RECORD, "seed": OTHER_SEED.hex(), "seed_sha256": seed_hash(OTHER_SEED)}
    assert wrong(record).where.startswith("moves[0].chance")


def test_a_record_that_stops_early_or_goes_on_too_long() -> None:
    for number in range(LAST + 1):
        for result, known in (
            (RECORD["result"], "the record has"),
            (None, "all records of this schema have"),
        ):
            error = wrong({**RECORD, "moves": RECORD["moves"][:number], "result": result})
            assert (error.where, error.move) == ("moves", None)
            assert error.what == f"the game is not over after the last move, but {known} a result"
    more = {"seat": 0, "action": {"type": "turn_card"}, "chance": []}
    error = wrong({**RECORD, "moves": [*RECORD["moves"], more]})
    assert (error.where, error.what) == (f"moves[{LAST + 1}]", "comes after the end of the game")
    error = wrong({**RECORD, "scores": [*RECORD["scores"], [2700, 300]]})
    assert (error.where, error.what) == ("scores[4]", "is one row too many: 4 turns were finished")


def test_two_moves_can_not_change_places() -> None:
    moves = RECORD["moves"]
    for number in range(LAST):
        if moves[number] != moves[number + 1]:
            swapped = [*moves[:number], moves[number + 1], moves[number], *moves[number + 2 :]]
            assert wrong({**RECORD, "moves": swapped}).move in (number, number + 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("null", "must be a JSON object, not null"),
        ("[]", "must be a JSON object"),
        ("nan", "not JSON"),
        ("\ufeff{}", "not JSON"),
        ('{"schema":1,"schema":1}', 'the key "schema" stands twice'),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"schema":' + "9" * 5000 + "}", "number too long"),
        ('{"schema":1e999}', "this program reads"),
        ("{}", "is missing"),
        ("x" * (MAX_BYTES + 1), "is longer than"),
        (to_line(RECORD)[:-2], "not JSON"),
    ],
    ids=lambda value: value[:20],
)
def test_lines_that_are_no_records(text: str, what: str) -> None:
    assert what in wrong(text).what


def test_deep_and_large_values_where_small_ones_belong() -> None:
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    large = ["x" * 1000] * 1000
    for path in (["moves", 0, "action"], ["moves", 0, "chance", 0], ["scores", 0], ["options"], ["seats", 0]):
        for value in (deep, large, {"type": deep}, {"dice": large}, {"dice": deep}):
            error = wrong(put(RECORD, path, value))
            assert len(str(error)) < 600


@settings(max_examples=examples(200))
@given(st.text() | json_values.map(json.dumps) | st.binary().map(lambda data: data.decode("latin-1")))
def test_anything_at_all_is_refused_politely(text: str) -> None:
    error = wrong(text)
    assert str(error).isascii()


@settings(max_examples=examples(250))
@given(st.data())
def test_a_damaged_record_is_refused_or_the_same(data: st.DataObject) -> None:
    """A record with one value replaced is refused, or is the same course of the same game.

    Names can't be checked, and options only if the course depends on them.
    """
    path = data.draw(st.sampled_from([path for path in paths(RECORD) if path]))
    if data.draw(st.booleans()):
        damaged = removed(RECORD, path)
    else:
        damaged = replaced(RECORD, path, data.draw(json_values))
    try:
        verify_line(json.dumps(damaged))
    except RecordError:
        return
    free = {"seats": 0, "options": 0}
    assert dumps({**damaged, **free}) == dumps({**RECORD, **free})


@settings(max_examples=examples(200))
@given(st.data())
def test_flipped_bytes_are_refused_or_harmless(data: st.DataObject) -> None:
    line = bytearray(to_line(RECORD).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    try:
        list(verify_stream(io.BytesIO(bytes(line))))
    except RecordError:
        return
    free = {"seats": 0, "options": 0}
    assert dumps({**json.loads(line.decode()), **free}) == dumps({**RECORD, **free})


# Files.


def stream_of(*lines: bytes) -> io.BytesIO:
    return io.BytesIO(b"".join(lines))


def test_a_file_is_checked_line_by_line() -> None:
    lines = [to_line(tutto_record(number)).encode() + b"\n" for number in (1, 2, 3)]
    told: list[int] = []
    verified = list(verify_stream(stream_of(lines[0], b"\n", b"  \r\n", *lines[1:]), told.append))
    assert [one.game for one in verified] == ["tutto"] * 3
    assert sum(told) == sum(map(len, lines)) + 5
    # The last line may lack its line feed.
    assert len(list(verify_stream(stream_of(*lines[:2], lines[2].rstrip())))) == 3


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (b"{}\n", "line 3, schema: is missing"),
        (b"\xff\n", "line 3: is not UTF-8 text (byte 1)"),
        (b"x" * (MAX_BYTES + 10), f"line 3: is longer than {MAX_BYTES} bytes, which no record needs"),
        (to_line(RECORD).encode()[:500], "line 3: not JSON (Expecting value at character 501)"),
    ],
    ids=["empty", "bytes", "long", "cut off"],
)
def test_the_line_is_named(bad: bytes, what: str) -> None:
    good = to_line(RECORD).encode() + b"\n"
    verified = verify_stream(stream_of(good, good, bad))
    assert next(verified) == next(verified)
    with pytest.raises(RecordError) as caught:
        next(verified)
    assert caught.value.line == 3
    assert re.sub("Expecting .* at", "Expecting value at", str(caught.value)) == what


# The document.


def test_the_recipe_in_the_document_runs() -> None:
    results = doctest.testfile(str(DOCUMENT), module_relative=False)
    assert (results.failed, results.attempted > 10) == (0, True)


def test_the_record_in_the_document_verifies() -> None:
    blocks = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    assert result_of(blocks[0]).scores == (400, 1000)
    # A change of the format must not go unnoticed: written again, the record is the same.
    again = json.loads(blocks[0])
    assert to_line(again) == blocks[0].replace("\n", "")


def test_seats_are_written_as_documented() -> None:
    assert Ai("casual").to_json() == {"kind": "ai", "policy": "casual"}
    assert Human("Ann").to_json() == {"kind": "human", "name": "Ann"}
