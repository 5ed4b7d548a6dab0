"""The shipped tables of the two-player game: reading, checking and look-up.

A table consists of 32-bit floats, little-endian, row after row:

- ``wins``: the winning chance of the player to move, by own and other score; once for the player who began
  the round, once for the other. In ``classic`` the seats make no difference, so there is only one.
- ``beats``: the same chance if no turn follows; the other score may be up to ``cap``. ``classic`` has no last
  round, and so lacks this part.

Scores are in steps of 50, from ``-50 * floor`` on. ``tables.json`` names each file's SHA-256.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from bot.games.core import Json
from bot.games.tutto.state import Edition
from bot.strategy.shipped import TableProblem, checked, problems_of, read_index, write_table
from bot.strategy.tutto.patterns import STEP

DIRECTORY = Path(__file__).with_name("solved")
COMMAND = "python -m tools.solve_tutto"
"""The command that recomputes the tables."""

SHIPPED = (
    *((edition, target) for target in range(1000, 3001, 500) for edition in Edition),
    *((edition, 6000) for edition in Edition),
    (Edition.CURRENT, 10_000),
)
"""Editions and targets whose tables are shipped; more can be added."""

BEYOND = 6000
"""How far above the target scores are distinguished. One last turn in 200,000 gains more."""
BELOW = 2000
"""How far below zero scores are distinguished in editions that allow them; deductions stop there."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a table is about. ``floor`` is in steps, ``cap`` in points; ``last``: there is a last round."""

    edition: Edition
    target: int
    floor: int
    cap: int
    last: bool

    @classmethod
    def of(cls, edition: Edition, target: int) -> Shape:
        floor = 0 if edition is Edition.CURRENT else BELOW // STEP
        return cls(edition, target, floor, target + BEYOND, edition is not Edition.CLASSIC)

    @property
    def own(self) -> int:
        """The number of scores that the player to move can have."""
        return self.target // STEP + self.floor

    @property
    def other(self) -> int:
        """The number of scores of the other player that are distinguished."""
        return self.cap // STEP + self.floor + 1

    @property
    def file(self) -> str:
        return f"{self.edition.value}-{self.target}.f32"

    @property
    def parts(self) -> tuple[int, ...]:
        """The number of floats in each part of the file."""
        square = self.own * self.own
        return (square, square, self.own * self.other) if self.last else (square,)


class Table:
    """The chances of one edition and target. Scores are in points; those outside count as the edge."""

    def __init__(self, shape: Shape, parts: Sequence[array[float]]) -> None:
        self.shape = shape
        self._wins = (parts[0], parts[1] if shape.last else parts[0])
        self._beats = parts[2] if shape.last else None

    def win(self, second: bool, own: int, other: int) -> float:
        """Return the winning chance of the player to move; ``second``: the other one began the round."""
        shape = self.shape
        row = min(max(own // STEP + shape.floor, 0), shape.own - 1)
        column = min(max(other // STEP + shape.floor, 0), shape.own - 1)
        return self._wins[second][row * shape.own + column]

    def beat(self, own: int, other: int) -> float:
        """Return the winning chance of the player to move if no turn follows. A shared win counts half."""
        shape = self.shape
        assert self._beats is not None, "there is no last round in this edition"
        row = min(max(own // STEP + shape.floor, 0), shape.own - 1)
        column = min(max(other // STEP + shape.floor, 0), shape.other - 1)
        return self._beats[row * shape.other + column]

    def wins(self, second: bool, own: int, others: range) -> Sequence[float]:
        """Return ``win`` for many scores of the other player, in steps of 50."""
        return self._line(self._wins[second], own, others, self.shape.own)

    def beats(self, own: int, others: range) -> Sequence[float]:
        """Return ``beat`` for many scores of the other player, in steps of 50."""
        assert self._beats is not None, "there is no last round in this edition"
        return self._line(self._beats, own, others, self.shape.other)

    def _line(self, part: array[float], own: int, others: range, width: int) -> Sequence[float]:
        shape = self.shape
        start = min(max(own // STEP + shape.floor, 0), shape.own - 1) * width
        first, last = others.start // STEP + shape.floor, start + width - 1
        columns = range(start + first, start + first + len(others))
        return [part[start if column < start else last if column > last else column] for column in columns]


def write(directory: Path, shape: Shape, parts: Sequence[array[float]], facts: Mapping[str, object]) -> None:
    """Write a table and its entry in the index."""
    data = b"".join(_little_endian(part).tobytes() for part in parts)
    names = {"edition": shape.edition.value, "target": shape.target}
    write_table(directory, shape.file, data, names, facts)


def read(directory: Path, shape: Shape) -> Table:
    """Read a table and check it. Raises :class:`TableProblem`."""
    data = _checked(directory, shape, _index(directory))
    parts, start = [], 0
    for length in shape.parts:
        part = array("f")
        part.frombytes(data[4 * start : 4 * (start + length)])
        parts.append(_little_endian(part))
        start += length
    return Table(shape, parts)


def shapes(directory: Path | None = None) -> tuple[Shape, ...]:
    """Return the tables that the index names. Raises :class:`TableProblem` without a valid index."""
    entries = _index(directory or DIRECTORY).values()
    return tuple(Shape.of(Edition(entry["edition"]), entry["target"]) for entry in entries)


def problems(directory: Path | None = None) -> tuple[TableProblem, ...]:
    """Return everything that is wrong with the tables, for the report at the start; empty if all is well."""
    try:
        entries = _index(directory or DIRECTORY)
    except TableProblem as problem:
        return (problem,)
    expected = [Shape.of(edition, target) for edition, target in SHIPPED]
    expected += [Shape.of(Edition(entry["edition"]), entry["target"]) for entry in entries.values()]
    return problems_of(
        partial(_checked, directory or DIRECTORY, shape, entries) for shape in dict.fromkeys(expected)
    )


@cache
def load(edition: Edition, target: int) -> Table | None:
    """Return the shipped table for exactly this game, or None if it is missing or damaged."""
    try:
        return read(DIRECTORY, Shape.of(edition, target))
    except TableProblem:
        return None


@cache
def nearest(edition: Edition, target: int) -> Table | None:
    """Return the table of another target to read at shifted scores instead, or None if there is none.

    It is that of the smallest larger target, which has all scores, or else of the largest target.
    """
    try:
        targets = sorted(shape.target for shape in shapes() if shape.edition is edition)
    except TableProblem:
        return None
    larger = [other for other in targets if other > target]
    smaller = [other for other in reversed(targets) if other < target]
    tables = (load(edition, other) for other in larger + smaller)
    return next((table for table in tables if table is not None), None)


def _checked(directory: Path, shape: Shape, entries: Mapping[str, Json]) -> bytes:
    """Return the bytes of a table's file, if they are those that the index names."""
    command = f"{COMMAND} --edition {shape.edition.value} --target {shape.target}"
    data = checked(directory / shape.file, entries.get(shape.file, {}).get("sha256"), command)
    if len(data) != 4 * sum(shape.parts):
        raise TableProblem("problem-table-damaged", file=shape.file, command=command)
    return data


def _index(directory: Path) -> dict[str, Json]:
    return read_index(
        directory,
        f"{COMMAND} --all",
        fits=lambda entry: Edition(entry["edition"]) and type(entry["target"]) is int,
    )


def _little_endian(part: array[float]) -> array[float]:
    part = part[:]
    if sys.byteorder == "big":
        part.byteswap()
    return part
