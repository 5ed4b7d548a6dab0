"""The shipped tables of the round for two seats: reading, checking and look-up.

For every position between two turns, a table has the chance that the seat to move ends the round ahead of the
other, for every lead that it can have. The *lead* is its score less the other's, in steps of ten points.

A position is a *fill*, which is one state of each row, and the dice of both seats. Fills are numbered by the
states of their rows, the first row counting most. Fills with the same open rows have their chances at the
same leads. Those with about as many dice on the board as well are a *group*, whose chances are written as a
mean and up to eight principal components. Each fill then has one small number for each component.
docs/decisions/gambler-tables.md says how exact this is.

A file is compressed with LZMA. For each group, in the order of their numbers: the number of components (a
byte), the size of each (32-bit floats), the mean (bytes, in 250ths), and the components (signed bytes). Then,
for each of eight components, a signed byte for each fill. ``tables.json`` names each file's SHA-256.
"""

from __future__ import annotations

import lzma
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from operator import mul, or_
from pathlib import Path
from struct import unpack_from

from bot.games.core import Json
from bot.games.gambler.boards import BOARDS, ROWS, Board
from bot.games.gambler.state import NUMBER_OF_DICE, dice_each
from bot.strategy.gambler.automata import Automaton, automaton
from bot.strategy.shipped import TableProblem, checked, problems_of, read_index, write_table

DIRECTORY = Path(__file__).with_name("solved")
COMMAND = "python -m tools.solve_gambler"
"""The command that recomputes the tables."""

STEP = 10
"""Points in a step."""
COMPONENTS = 8
UNIT = 250
"""The unit of the means."""
OFFSETS = 9
"""How many distributions of the dice are told apart."""
MIDDLE = 4
"""The index among these at which both seats have as many dice, or the seat to move has one more."""
BANDS = (7, 11, 14)
"""With so many dice on the board, another group of fills begins."""
SETS = 1 << ROWS
"""The number of sets of open rows. A group is numbered by its set as bits, the first row lowest, and by its
band."""

Weights = Sequence[float]
"""A number for each lead of a set of open rows."""
Projection = tuple[float, float, float, float, float, float, float, float, float]
"""A constant, and a factor for each component."""


def offset(own: int, other: int) -> int:
    """Return which distribution stands for ``own`` dice of the seat to move and ``other`` of its rival.

    >>> offset(15, 15), offset(9, 8), offset(8, 9), offset(2, 13)
    (4, 4, 3, 0)
    """
    return min(max(own - (own + other + 1) // 2 + MIDDLE, 0), OFFSETS - 1)


def band(dice: int) -> int:
    """Return the band of the fills with so many dice.

    >>> band(0), band(7), band(20)
    (0, 1, 3)
    """
    return bisect_right(BANDS, dice)


def table_rows(board: Board) -> tuple[Automaton, ...]:
    """Return the automata by whose states fills are numbered: which dice lie in a full row is left out."""
    return tuple(automaton(row, True) for row in board.rows)


@dataclass(frozen=True, slots=True)
class OpenRows:
    """What the tables say about the fills of a group.

    ``pays`` is what each open row pays, negative for a black one, and ``spread`` the most that the lead can
    change, all in steps. The leads are ``1 - spread``, ``3 - spread`` and so on to ``spread - 1``: at these
    no lead can end in a tie. ``mean`` and each of ``components`` have :data:`OFFSETS` rows of a number for
    each lead.
    """

    pays: tuple[int, ...]
    spread: int
    mean: Sequence[int]
    sizes: tuple[float, ...]
    components: tuple[Sequence[int], ...]

    def project(self, place: int, weights: Weights) -> Projection:
        """Return how the sum of the chances at all leads, each times its weight, follows from a fill's
        numbers. ``place`` is that of :func:`offset`."""
        at = slice(place * self.spread, (place + 1) * self.spread)
        factors = [0.0] * COMPONENTS
        for number, (scale, component) in enumerate(zip(self.sizes, self.components, strict=True)):
            factors[number] = scale * sum(map(mul, component[at], weights))
        one, two, three, four, five, six, seven, eight = factors
        return sum(map(mul, self.mean[at], weights)) / UNIT, one, two, three, four, five, six, seven, eight


class Table:
    """The table of one board."""

    def __init__(self, board: Board, data: bytes) -> None:
        """``data`` is what a file contains, after decompression."""
        self.rows = table_rows(board)
        sizes = [len(row.states) for row in self.rows]
        self.strides = tuple(accumulate(reversed(sizes[1:]), mul, initial=1))[::-1]
        self.groups = _groups(self.rows)
        """The group of every fill."""
        values = [row.points // STEP for row in board.rows]
        self._groups: dict[int, OpenRows] = {}
        at = 0
        view = memoryview(data)
        for group in sorted(set(self.groups)):
            pays = tuple(value for row, value in enumerate(values) if group >> row & 1)
            if not pays:
                continue
            spread = sum(map(abs, pays))
            number, length = data[at], OFFSETS * spread
            scales = unpack_from(f"<{number}f", data, at + 1)
            at += 1 + 4 * number
            mean = view[at : at + length]
            at += length
            components = tuple(view[at + k * length : at + (k + 1) * length].cast("b") for k in range(number))
            at += number * length
            self._groups[group] = OpenRows(pays, spread, mean, scales, components)
        fills = len(self.groups)
        self._numbers = tuple(
            array("b", view[at + k * fills : at + (k + 1) * fills].tobytes()) for k in range(COMPONENTS)
        )

    def group(self, number: int) -> OpenRows:
        """Return what is known about a group of fills with at least one open row."""
        return self._groups[number]

    @property
    def everything(self) -> OpenRows:
        """What is known about the empty board."""
        return self.group(self.groups[0])

    def values(self, fills: Iterable[int], projection: Projection) -> list[float]:
        """Return the sum of each fill's chances that ``projection`` stands for."""
        constant, one, two, three, four, five, six, seven, eight = projection
        first, second, third, fourth, fifth, sixth, seventh, eighth = self._numbers
        # The look-up takes much of a decision's time, and a loop would double it.
        return [
            constant
            + one * first[fill]
            + two * second[fill]
            + three * third[fill]
            + four * fourth[fill]
            + five * fifth[fill]
            + six * sixth[fill]
            + seven * seventh[fill]
            + eight * eighth[fill]
            for fill in fills
        ]


def _groups(rows: Sequence[Automaton]) -> bytes:
    """Return the group of every fill, by its number."""
    is_open, dice = bytes(1), bytes(1)
    for number, row in reversed(list(enumerate(rows))):
        with_row = is_open.translate(bytes((one | 1 << number) & 255 for one in range(256)))
        is_open = b"".join(is_open if full else with_row for full in row.full)
        more = [
            dice.translate(bytes((one + k) & 255 for one in range(256)))
            for k in range(len(row.row.boxes) + 1)
        ]
        dice = b"".join(more[len(placed)] for placed in row.states)
    bands = dice.translate(bytes(band(one) * SETS for one in range(256)))
    return bytes(map(or_, is_open, bands))


@cache
def load(board: str) -> Table | None:
    """Return the shipped table of a board, or None if it is missing or damaged."""
    try:
        packed = _checked(DIRECTORY, board, read_index(DIRECTORY, COMMAND))
        return Table(BOARDS[board], lzma.decompress(packed))
    except TableProblem:
        return None


def opening(board: str) -> tuple[float, ...] | None:
    """Return the chances of the seat that starts a board, at each lead, or None without a table."""
    table = load(board)
    if table is None:
        return None
    group, place = table.everything, offset(dice_each(2), NUMBER_OF_DICE - dice_each(2))
    chances = []
    for lead in range(group.spread):
        weights = [float(lead == other) for other in range(group.spread)]
        chances.extend(table.values([0], group.project(place, weights)))
    return tuple(chances)


def write(directory: Path, board: str, data: bytes, facts: Mapping[str, object]) -> None:
    """Write a table and its entry in the index."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
    packed = lzma.compress(data, format=lzma.FORMAT_XZ, filters=filters)
    write_table(directory, _file(board), packed, {"board": board}, facts)


def problems(directory: Path | None = None) -> tuple[TableProblem, ...]:
    """Return everything that is wrong with the tables, for the report at the start; empty if all is well."""
    directory = directory or DIRECTORY
    try:
        entries = read_index(directory, COMMAND)
    except TableProblem as problem:
        return (problem,)
    return problems_of(partial(_checked, directory, board, entries) for board in BOARDS)


def _file(board: str) -> str:
    return f"{board}.xz"


def _checked(directory: Path, board: str, entries: Mapping[str, Json]) -> bytes:
    file = _file(board)
    sha256 = entries.get(file, {}).get("sha256")
    return checked(directory / file, sha256, f"{COMMAND} --board {board}")
