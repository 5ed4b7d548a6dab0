"""What JSON texts and values are read and written, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import pytest

from bot.games.codec import LARGEST, at_schema, dumps, integer, loads, member
from bot.games.core import Json, Unreadable


class Colour(StrEnum):
    RED = "red"


def _next_form(number: int) -> Callable[[dict[str, Json]], dict[str, Json]]:
    return lambda form: {**form, "schema": number, f"since {number}": True}


UPCASTERS = {1: _next_form(2), 2: _next_form(3)}


def test_keys_are_sorted_and_nothing_is_between() -> None:
    assert dumps({"b": [1, None], "a": "é"}) == '{"a":"é","b":[1,null]}'
    assert loads('{"a": 1}') == loads(b'{"a":1}') == {"a": 1}


@pytest.mark.parametrize("value", [1 << 64, {1: 2}, object()])
def test_what_json_can_not_hold_is_not_written(value: object) -> None:
    with pytest.raises(Unreadable):
        dumps(value)


@pytest.mark.parametrize("text", ["", "{", "[1,]", b"\xff"])
def test_invalid_json_is_not_read(text: str | bytes) -> None:
    with pytest.raises(Unreadable):
        loads(text)


@pytest.mark.parametrize("number", [0, LARGEST, -LARGEST])
def test_whole_numbers_are_read(number: int) -> None:
    assert integer(number) == number


@pytest.mark.parametrize("raw", [LARGEST + 1, -LARGEST - 1, True, 1.0, "1", None])
def test_other_values_are_no_whole_numbers(raw: Json) -> None:
    with pytest.raises(Unreadable):
        integer(raw)


@pytest.mark.parametrize(
    ("schema", "added"),
    [(1, {"since 2": True, "since 3": True}), (2, {"since 3": True}), (3, {})],
)
def test_older_forms_are_brought_up_to_the_newest(schema: int, added: dict[str, Json]) -> None:
    assert at_schema({"schema": schema}, 3, UPCASTERS) == {"schema": 3, **added}


@pytest.mark.parametrize("raw", [None, [], "schema", {}, {"schema": 0}, {"schema": 4}, {"schema": "3"}])
def test_forms_of_unknown_schemas_are_not_read(raw: Json) -> None:
    with pytest.raises(Unreadable):
        at_schema(raw, 3, UPCASTERS)


def test_members_are_read_by_their_value() -> None:
    assert member(Colour, "red") is Colour.RED


@pytest.mark.parametrize("raw", ["green", "RED", None, 1, []])
def test_other_values_are_no_members(raw: Json) -> None:
    with pytest.raises(Unreadable):
        member(Colour, raw)
