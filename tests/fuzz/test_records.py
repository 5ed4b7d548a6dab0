"""Records of every game, damaged in every way: each verifies as the same course of the game, or is refused in
one line that says where; the same damage in the database is told by the check of the dice in Discord."""

from __future__ import annotations

import argparse
import codecs
import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli.verify import run
from bot.games import codec
from bot.games.core import Unreadable
from bot.games.seats import person
from bot.records import fairness
from bot.records.record import Human, RecordError, build, to_line
from bot.records.verification import verify_line
from bot.registry import GAMES
from bot.settings import Settings
from bot.store import encoding as stored_values
from bot.store.base import FINISHED, GameRow, MoveRow, ResultRow
from tests.support.examples import examples, json_values, paths, removed, replaced, shortest
from tests.support.records import PlayedGame, played
from tests.support.rows import a_game, a_move, stored_as, stored_move
from tests.support.values import not_none

SEATS = (Human("Ann"), Human("B\u00e9a \u202e*"), Human("\U0001f3b2"))
SEED = bytes([7]) * 32

CASES = [(game, leaves) for game in GAMES for leaves in (False, True)]


@cache
def whole_game(game: str, leaves: bool) -> PlayedGame:
    """A whole game; with ``leaves`` between three, of whom one leaves out of turn."""
    seats = SEATS if leaves else SEATS[:2]
    leaving: dict[int, int] = {3: 2} if leaves else {}
    return played(GAMES[game].rules, SEED, leaving.get, seats, **shortest(GAMES[game].rules))


@cache
def record(game: str, leaves: bool) -> dict[str, Any]:
    return whole_game(game, leaves).record(SEATS if leaves else SEATS[:2], SEED)


def refused(text: str) -> str:
    """The error of a record, "" if it verifies. Anything but an error of one line is a failure."""
    try:
        verify_line(text)
    except RecordError as error:
        told = str(error)
        assert told.isascii()
        assert told.isprintable()
        assert len(told) < 700
        return told
    return ""


def course(raw: dict[str, Any], *without: str) -> str:
    """What a record says about its game, ``without`` some of it; who sat there nobody can check."""
    left_out = ("seats", *without)
    return json.dumps({key: value for key, value in raw.items() if key not in left_out}, sort_keys=True)


def played_again(
    game: str, leaves: bool, options: Any, others: Mapping[int, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """The record of the same game from its seed by these options, with other actions at these places."""
    log, rules = whole_game(game, leaves).log, GAMES[game].rules
    moves = [replace(move, action=others.get(place, move.action)) for place, move in enumerate(log.moves)]
    seats = SEATS if leaves else SEATS[:2]
    return build(rules, rules.options(options), seats, SEED, moves, opening=log.opening)


def comes_to_the_same(game: str, leaves: bool, index: int, action: Any, *without: str) -> bool:
    """Whether the game, played from its seed with this action instead, rolls and scores as it did.

    For example, keeping another die in a turn without points changes nothing. ``without`` is as for
    :func:`course`.
    """
    whole = record(game, leaves)
    again = played_again(game, leaves, whole["options"], {index: GAMES[game].rules.action_from_json(action)})
    return course(again, *without) == course(replaced(whole, ("moves", index, "action"), action), *without)


# Damage.

nasty = json_values | st.sampled_from(
    [
        float("nan"),
        float("inf"),
        -0.0,
        1e308,
        10**400,
        -(10**30),
        "",
        "\0",
        "\ud800",
        "\uff11",
        "leave",
        [[]],
        {"type": "leave"},
        {"type": "leave", "seat": 0},
        {"type": []},
        {"type": {}},
        {"dice": [[]]},
        {"dice": [True]},
        {"dice": [1.0]},
        {"card": []},
        {"board": {}},
        {"type": "place", "row": True, "die": 1},
        {"type": "place", "row": 0.0, "die": 1},
        {"type": "keep", "dice": {}},
        {"type": "keep", "dice": [1] * 100},
    ]
)


def at(value: Any, path: Sequence[Any]) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def damaged(draw: st.DrawFn, whole: Any) -> tuple[tuple[Any, ...], Any]:
    """A JSON value with one thing in it changed, and where."""
    path = draw(st.sampled_from([path for path in paths(whole) if path]))
    old = at(whole, path)
    ways = ["put", "remove", "copy"]
    if isinstance(old, list):
        ways += ["insert", "twice", "backwards"]
    elif isinstance(old, dict):
        ways += ["key"]
    elif type(old) is int:
        ways += ["near", "near", "float", "text"]
    elif isinstance(old, str):
        ways += ["upper", "space", "cut"]
    match draw(st.sampled_from(ways)):
        case "remove":
            return path, removed(whole, path)
        case "put":
            new = draw(nasty)
        case "copy":
            new = at(whole, draw(st.sampled_from([other for other in paths(whole) if other])))
        case "insert":
            position = draw(st.integers(0, len(old)))
            new = [*old[:position], draw(nasty), *old[position:]]
        case "twice":
            position = draw(st.integers(0, len(old)))
            new = [*old[:position], *old[-1:], *old[position:]]
        case "backwards":
            new = old[::-1]
        case "key":
            new = {**old, draw(st.sampled_from(["x", "", "type", "dice", "\ud800"]) | st.text(max_size=5)): 1}
        case "near":
            new = old + draw(st.sampled_from([-1, 1, 500, 2**64]))
        case "float":
            new = float(old)
        case "text":
            new = str(old)
        case "upper":
            new = old.upper()
        case "space":
            new = old + " "
        case _:
            new = old[:-1]
    return path, replaced(whole, path, new)


@pytest.mark.parametrize(("game", "leaves"), CASES)
@settings(max_examples=examples(150))
@given(data=st.data(), spelled=st.booleans())
def test_a_damaged_record_is_refused_with_the_place_or_is_the_same(
    game: str, leaves: bool, data: st.DataObject, spelled: bool
) -> None:
    whole = record(game, leaves)
    path, now = data.draw(damaged(whole))
    told = refused(json.dumps(now, ensure_ascii=spelled))
    if not told:
        same = course(now) == course(whole) or path[0] == "options"
        if not same and path[2:3] == ("action",):
            same = comes_to_the_same(game, leaves, path[1], now["moves"][path[1]]["action"])
        assert same
    elif path[0] == "moves" and len(path) > 1:
        # Another legal move is noticed at the end of its turn at the latest.
        assert re.match(r"(moves|scores|result)\b", told), told
        if told.startswith("scores"):
            assert "moves[" in told


@pytest.mark.parametrize(("game", "leaves"), CASES)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_other_options_verify_only_where_they_lead_to_the_same_end(
    game: str, leaves: bool, data: st.DataObject
) -> None:
    whole = record(game, leaves)
    _, options = data.draw(damaged(whole["options"]))
    now = {**whole, "options": options}
    if refused(json.dumps(now)):
        return
    # Played by them, the same moves and the same dice must lead to the same scores and the same end.
    assert GAMES[game].rules.options(options).to_json() == options
    again = played_again(game, leaves, options)
    assert (again["scores"], again["result"]) == (whole["scores"], whole["result"])


@pytest.mark.parametrize(("game", "leaves"), CASES)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_key_that_stands_twice_is_refused(game: str, leaves: bool, data: st.DataObject) -> None:
    """Wherever it is: readers differ in which of the two values they take."""
    line = to_line(record(game, leaves))
    keys = list(re.finditer(r'"[a-z_0-9]+":', line))
    key = data.draw(st.sampled_from(keys))
    other = data.draw(st.sampled_from(["0", "[]", "null"]))
    twice = f"{line[: key.start()]}{key[0]}{other},{line[key.start() :]}"
    assert "stands twice" in refused(twice)


@pytest.mark.parametrize("game", GAMES)
def test_deep_nesting_wherever_something_stands(game: str) -> None:
    whole = record(game, False)
    rng = Random(game)
    closed = "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000
    for deep in (*closed, "[" * 100_000, "9" * 5000):
        for path in rng.sample([path for path in paths(whole) if path], 25):
            marked = json.dumps(replaced(whole, path, "HERE"))
            assert refused(marked.replace('"HERE"', deep))


# Files.


def verify(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = run(argparse.Namespace(file=str(path)), Settings())
    return code, *capsys.readouterr()


def files(line: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Names, contents, and what must be said; "" if it must verify."""
    yield "as it is", line, ""
    yield "other line ends", line + b"\r\n", ""
    yield "gzip", gzip.compress(line), "unpack"
    yield "gzip, cut off", gzip.compress(line)[:100], "unpack"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "cp037"):
        told = "" if encoding == "utf-7" else "line 1: "
        yield encoding, line.decode().encode(encoding), told
    yield "latin-1", json.dumps(json.loads(line), ensure_ascii=False).encode("cp1252", "replace"), "not UTF-8"
    yield "mark inside", line.replace(b'"moves"', codecs.BOM_UTF8 + b'"moves"'), "line 1: not JSON"
    yield "zeros", bytes(5000), "line 1: not JSON"
    yield "on two lines", line.replace(b",", b",\n", 1), "line 1: not JSON"
    yield "two on one line", line + line, "line 1: not JSON"
    yield "in a list", b"[" + line + b"]", "line 1: must be a JSON object"
    yield "as a text", json.dumps(line.decode()).encode(), "line 1: must be a JSON object"


@pytest.mark.parametrize("game", GAMES)
def test_files_in_any_form(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data, told in files(to_line(record(game, True)).encode()):
        path = tmp_path / "game.jsonl"
        path.write_bytes(data)
        code, out, err = verify(path, capsys)
        assert (code, bool(out)) == ((1, False) if told else (0, True)), name
        assert told in err, name
        assert len(err.splitlines()) == bool(told), name
        assert len(err) < 400, name


@pytest.mark.parametrize("game", GAMES)
def test_a_record_that_is_cut_off_anywhere(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = to_line(record(game, False)).encode()
    rng = Random(game)
    for end in [*range(1, 40), *rng.sample(range(40, len(line)), 60), len(line) - 1]:
        path = tmp_path / "game.jsonl"
        path.write_bytes(line + b"\n" + line[:end])
        code, out, err = verify(path, capsys)
        assert (code, out) == (1, "")
        first, second = err.splitlines()
        assert ", line 2: not JSON" in first
        assert second == "verify: 1 game before it is in order"


# The check of the dice in Discord.


@cache
def stored(game: str, leaves: bool) -> tuple[GameRow, tuple[MoveRow, ...], tuple[ResultRow, ...]]:
    """The same game as the database has it."""
    raw = record(game, leaves)
    row = a_game(
        game=game,
        status=FINISHED,
        options=codec.dumps(raw["options"]),
        first_chance=codec.dumps(raw.get("chance", [])),
        secret=SEED,
        seats=tuple(person(number, f"P{number}") for number in range(len(raw["seats"]))),
    )
    moves = tuple(
        a_move(
            number + 2,
            move["seat"],
            game=game,
            action=codec.dumps(move["action"]),
            chance=codec.dumps(move["chance"]),
            at=0.0,
        )
        for number, move in enumerate(raw["moves"])
    )
    scores = raw["result"]["scores"]
    results = tuple(ResultRow(seat, seat, 1, score, 1, 0, {}) for seat, score in enumerate(scores))
    return row, moves, results


def meaning(game: str, column: str, raw: Any) -> Any:
    """The values of a row; dice, for example, mean the same in any order."""
    rules = GAMES[game].rules
    if column == "action":
        return raw if raw == {"type": "leave"} else rules.action_from_json(raw)
    return [rules.outcome_from_json(one) for one in raw]


texts = st.text(max_size=20) | st.sampled_from(["", "null", "[", "5", "{}", "[5]", "[[]]", "[" * 5000])


@pytest.mark.parametrize(("game", "leaves"), CASES)
def test_the_check_of_the_dice_finds_a_stored_game_in_order(game: str, leaves: bool) -> None:
    row, moves, results = stored(game, leaves)
    found = not_none(fairness.check(row, moves, [one.score for one in results]))
    assert (found.problem, found.moves) == ("", len(moves))


@pytest.mark.parametrize(("game", "leaves"), CASES)
@settings(max_examples=examples(80))
@given(data=st.data())
def test_the_check_of_the_dice_tells_what_is_wrong_with_a_damaged_game(
    game: str, leaves: bool, data: st.DataObject
) -> None:
    row, moves, results = stored(game, leaves)
    log = list(moves)
    index = data.draw(st.integers(0, len(log) - 1))
    move = log[index]
    same = False
    match data.draw(st.sampled_from(["action", "chance", "seat", "gone", "twice", "seed", "row", "score"])):
        case "action" | "chance" as column:
            old = codec.loads(stored_values.move_columns(game, move)[column])
            new = data.draw(
                texts | damaged([old]).map(lambda pair: json.dumps(pair[1][0]) if pair[1] else "[]")
            )
            with suppress(Unreadable, TypeError, AttributeError):
                same = meaning(game, column, codec.loads(new)) == meaning(game, column, old)
            log[index] = stored_move(move, game=game, **{column: new})
        case "seat":
            seat = data.draw(st.integers(-3, 12))
            same = seat == move.seat
            log[index] = stored_move(move, game=game, seat=seat)
        case "gone":
            del log[index]
        case "twice":
            log.insert(index, move)
        case "seed":
            seed = data.draw(st.binary(min_size=32, max_size=32))
            same = seed == row.secret
            row = replace(row, secret=seed)
        case "row":
            column = data.draw(st.sampled_from(["first_chance", "options", "game"]))
            same = True  # Options may be others, if they lead to the same end.
            row = stored_as(row, **{column: data.draw(texts | json_values.map(json.dumps))})
        case _:
            results = (replace(results[0], score=results[0].score + 50), *results[1:])
    found = not_none(fairness.check(row, log, [one.score for one in results]))
    if not found.problem and not same:
        assert log[index].action != move.action
        # The scores in between are stored nowhere.
        action = GAMES[game].rules.move_to_json(log[index].action)
        assert comes_to_the_same(game, leaves, index, action, "scores")
