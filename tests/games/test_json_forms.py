"""JSON forms of values: each type is written and read back, and nothing else is read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import pytest

from bot.games.core import Json, Unreadable
from bot.games.json_forms import ReadBy, one_of, reader, writer


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    row: Annotated[int, ReadBy(one_of(range(6)))]


@dataclass(frozen=True)
class Mixed:
    points: tuple[Point, ...]
    numbers: tuple[int, ...]
    colour: Colour
    favourite: Point | None
    flag: bool
    name: str


VALUE = Mixed((Point(9, 0), Point(-9, 5)), (1, 2), Colour.BLUE, None, True, "Ann")
FORM: dict[str, Any] = {
    "points": [{"x": 9, "row": 0}, {"x": -9, "row": 5}],
    "numbers": [1, 2],
    "colour": "blue",
    "favourite": None,
    "flag": True,
    "name": "Ann",
}


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (VALUE, FORM),
        (Mixed((), (), Colour.RED, Point(1, 1), False, ""), None),
    ],
)
def test_what_is_written_is_read_back(value: Mixed, form: Json) -> None:
    written = writer(Mixed)(value)
    assert form is None or written == form
    assert reader(Mixed)(written) == value
    assert type(written["colour"]) is str


@pytest.mark.parametrize(
    "change",
    [
        {"points": None},
        {"points": [{"x": 9}]},
        {"points": [{"x": 9, "row": 6}]},
        {"points": [{"x": 9, "row": True}]},
        {"points": [[9, 0]]},
        {"numbers": {"1": 2}},
        {"numbers": [True]},
        {"numbers": ["1"]},
        {"colour": "green"},
        {"colour": None},
        {"favourite": False},
        {"flag": 1},
        {"flag": None},
        {"name": 1},
        {"more": 1},
    ],
)
def test_anything_else_is_not_read(change: dict[str, Json]) -> None:
    with pytest.raises(Unreadable):
        reader(Mixed)({**FORM, **change})


@pytest.mark.parametrize("missing", list(FORM))
def test_every_field_is_needed(missing: str) -> None:
    with pytest.raises(Unreadable):
        reader(Mixed)({name: raw for name, raw in FORM.items() if name != missing})


def test_a_type_without_a_form_is_a_mistake() -> None:
    with pytest.raises(AssertionError):
        reader(bytes)


def test_a_value_with_a_form_of_its_own_keeps_it() -> None:
    class Own:
        def to_json(self) -> Json:
            return {"own": 1}

    assert writer(Own)(Own()) == {"own": 1}
