"""Boards and their rows, and the check that every board follows the grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.games.dice import FACES
from bot.games.gambler.board_data import BOARD_DATA, RawBoard

FREE = 0
"""A box with a star instead of a number."""

ROWS = 6
MAX_BOXES = 28
"""The number of dice of four seats, so that a round can always be finished."""
MIN_VALUE, MAX_VALUE, VALUE_STEP = 20, 100, 10
MAX_BLACK_ROWS = 2
MAX_FREE_ROWS = 2
"""The limit of rows with stars or a full house, whose next box may take any face. With more of them, there
could be more ways to place a die than a message has room for buttons."""
NUMBER_OF_BOARDS = 20
TRIPLE = 3
"""How many boxes of a full house hold its first value."""

_FULL_HOUSE = ("A", "A", "A", "B", "B")
_ID = re.compile(r"[a-z]+(-[a-z]+)*")


class Kind(StrEnum):
    """The kind of a row, which decides which dice fit."""

    NUMBERS = "numbers"  # every box names its die
    STARS = "stars"  # the first die is free, the others equal it
    FULL_HOUSE = "full_house"  # three alike, then two alike of another value


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a board. ``boxes`` names the die for each box, or :data:`FREE` for a star.

    ``value`` is what completing the row pays (yellow) or costs (``black``); it is always positive.
    """

    kind: Kind
    boxes: tuple[int, ...]
    value: int
    black: bool = False

    @property
    def points(self) -> int:
        """The points for completing the row: negative for a black one."""
        return -self.value if self.black else self.value


@dataclass(frozen=True, slots=True)
class Board:
    """Six rows with a name, the text ``gambler-board-<id>``."""

    id: str
    rows: tuple[Row, ...]

    @property
    def name_key(self) -> str:
        return f"gambler-board-{self.id}"

    @property
    def boxes(self) -> int:
        """The number of boxes in all rows."""
        return sum(len(row.boxes) for row in self.rows)


class BadBoard(ValueError):
    """A board does not follow the grammar; the text says where and how."""


def row_from_raw(pattern: str, points: int) -> Row:
    """Parse a row: the boxes as in :mod:`~bot.games.gambler.board_data`, ``points`` negative for a black one.

    >>> row_from_raw("6 5 4", -30)
    Row(kind=<Kind.NUMBERS: 'numbers'>, boxes=(6, 5, 4), value=30, black=True)

    Raises :class:`BadBoard`.
    """
    signs = tuple(pattern.split(" "))
    value = abs(points)
    if not MIN_VALUE <= value <= MAX_VALUE or value % VALUE_STEP:
        raise BadBoard(f"{pattern!r}: {points} is no value of a row")
    if signs == _FULL_HOUSE:
        return Row(Kind.FULL_HOUSE, (FREE,) * len(signs), value, points < 0)
    if set(signs) == {"*"}:
        return Row(Kind.STARS, (FREE,) * len(signs), value, points < 0)
    if all(sign in map(str, FACES) for sign in signs):
        return Row(Kind.NUMBERS, tuple(map(int, signs)), value, points < 0)
    raise BadBoard(f"{pattern!r} is no row")


def board_from_raw(raw: RawBoard) -> Board:
    """Parse and check a board. Raises :class:`BadBoard`."""
    name, rows = raw
    if not _ID.fullmatch(name):
        raise BadBoard(f"{name!r} is no id")
    board = Board(name, tuple(row_from_raw(pattern, points) for pattern, points in rows))
    if len(board.rows) != ROWS:
        raise BadBoard(f"{name} has {len(board.rows)} rows")
    if board.boxes > MAX_BOXES:
        raise BadBoard(f"{name} has {board.boxes} boxes")
    if not 1 <= sum(row.black for row in board.rows) <= MAX_BLACK_ROWS:
        raise BadBoard(f"{name} needs one or two black rows")
    if sum(row.kind is not Kind.NUMBERS for row in board.rows) > MAX_FREE_ROWS:
        raise BadBoard(f"{name} has too many rows of stars")
    return board


def boards_from_raw(raw: Iterable[RawBoard]) -> Mapping[str, Board]:
    """Parse and check a whole set, and return it by id. Raises :class:`BadBoard`."""
    boards = list(map(board_from_raw, raw))
    if len(boards) != NUMBER_OF_BOARDS:
        raise BadBoard(f"{len(boards)} boards")
    for what in (Counter(board.id for board in boards), Counter(board.rows for board in boards)):
        if max(what.values()) > 1:
            raise BadBoard(f"twice in the set: {what.most_common(1)[0][0]}")
    if {row.kind for board in boards for row in board.rows} != set(Kind):
        raise BadBoard("a kind of row is not used")
    return {board.id: board for board in boards}


BOARDS: Mapping[str, Board] = boards_from_raw(BOARD_DATA)
"""The twenty boards by id."""

MARKED = "vineyard"
"""The board for beginners, which has a mark as in the box (sheet): every kind of row, one black one, and a
short round (docs/decisions/gambler-boards.md)."""

BOARD_IDS: tuple[str, ...] = tuple(BOARDS)
"""All ids in the order of the set, which is also the order of the chance outcomes."""
