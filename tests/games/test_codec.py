"""What JSON texts and numbers are read and written, and what is refused."""

from __future__ import annotations

import pytest

from bot.games.codec import LARGEST, dumps, integer, loads
from bot.games.core import Json, Unreadable


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
