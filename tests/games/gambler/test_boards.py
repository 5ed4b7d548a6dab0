"""The twenty boards follow the grammar, and none of them has a dead end."""

from __future__ import annotations

from hashlib import sha256
from itertools import combinations, product

import pytest

from bot.games.dice import FACES
from bot.games.gambler import Gambler
from bot.games.gambler.board_data import BOARD_DATA, RawBoard
from bot.games.gambler.boards import (
    BOARD_IDS,
    BOARDS,
    MAX_BOXES,
    NUMBER_OF_BOARDS,
    ROWS,
    BadBoard,
    Board,
    Kind,
    Row,
    board_from_raw,
    boards_from_raw,
    row_from_raw,
)
from bot.games.gambler.fitting import accepts, fits_board
from bot.games.gambler.state import MAX_SEATS, Stars, dice_in_play

Placed = tuple[int, ...]

every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))


# The grammar.


@pytest.mark.parametrize(
    ("pattern", "points", "row"),
    [
        ("4 4 4", 40, Row(Kind.NUMBERS, (4, 4, 4), 40)),
        ("6 5 4 3 2", 100, Row(Kind.NUMBERS, (6, 5, 4, 3, 2), 100)),
        ("2", -20, Row(Kind.NUMBERS, (2,), 20, black=True)),
        ("* * *", 50, Row(Kind.STARS, (0, 0, 0), 50)),
        ("* *", -30, Row(Kind.STARS, (0, 0), 30, black=True)),
        ("A A A B B", 90, Row(Kind.FULL_HOUSE, (0,) * 5, 90)),
    ],
)
def test_a_row_is_read(pattern: str, points: int, row: Row) -> None:
    assert row_from_raw(pattern, points) == row
    assert row.points == points


@pytest.mark.parametrize(
    ("pattern", "points"),
    [
        ("", 40),
        ("7", 40),
        ("0 1", 40),
        ("1  2", 40),
        ("12", 40),
        ("* 1", 40),
        ("A A B B", 40),
        ("B B A A A", 40),
        ("A A A B B B", 40),
        ("1 2", 0),
        ("1 2", 10),
        ("1 2", 25),
        ("1 2", 110),
        ("1 2", -110),
        ("1 2", -10),
    ],
)
def test_an_invalid_row_is_refused(pattern: str, points: int) -> None:
    with pytest.raises(BadBoard):
        row_from_raw(pattern, points)


GOOD = (("1 2 3", 40), ("4 4 4", 50), ("* * *", 50), ("A A A B B", 90), ("6 6", 30), ("2", -20))


@pytest.mark.parametrize(
    "raw",
    [
        ("Upper", GOOD),
        ("", GOOD),
        ("two words", GOOD),
        ("five-rows", GOOD[1:]),
        ("seven-rows", (*GOOD, ("1", 20))),
        ("no-black", (*GOOD[:5], ("2", 20))),
        ("three-black", (*GOOD[:3], ("3", -20), ("1", -20), ("2", -20))),
        ("too-many", (*(("1 2 3 4 5 6", 90),) * 4, ("* * * *", 60), ("2", -20))),
        ("three-free", (*GOOD[1:4], ("* *", 40), *GOOD[4:])),
    ],
    ids=lambda raw: str(raw[0]),
)
def test_an_invalid_board_is_refused(raw: RawBoard) -> None:
    with pytest.raises(BadBoard):
        board_from_raw(raw)


def test_a_board_may_have_twenty_eight_boxes() -> None:
    raw = ("full", (*(("1 2 3 4 5 6", 90),) * 4, ("* * *", 60), ("2", -20)))
    assert board_from_raw(raw).boxes == MAX_BOXES


def test_a_set_is_twenty_different_boards_of_all_kinds() -> None:
    assert boards_from_raw(BOARD_DATA) == BOARDS
    one, two, *rest = BOARD_DATA
    without_full_houses = tuple(
        (name, tuple(("1 2 3", points) if "A" in pattern else (pattern, points) for pattern, points in rows))
        for name, rows in BOARD_DATA
    )
    for wrong in (
        BOARD_DATA[:-1],
        (*BOARD_DATA, ("one-more", GOOD)),
        (one, one, *rest),
        (one, (two[0], one[1]), *rest),
        without_full_houses,
    ):
        with pytest.raises(BadBoard):
            boards_from_raw(wrong)


@every_board
def test_every_board_is_as_the_sheet_has_them(board: Board) -> None:
    assert len(board.rows) == ROWS == 6
    assert board.boxes <= MAX_BOXES == 28
    assert 1 <= sum(row.black for row in board.rows) <= 2
    assert all(row.value in range(20, 101, 10) for row in board.rows)
    assert board.name_key == f"gambler-board-{board.id}"


def test_the_set_uses_what_there_is() -> None:
    assert len(BOARD_IDS) == NUMBER_OF_BOARDS == 20
    rows = [row for board in BOARDS.values() for row in board.rows]
    for kind in Kind:
        assert any(row.kind is kind and not row.black for row in rows)
    assert {row.kind for row in rows if row.black} == {Kind.NUMBERS, Kind.STARS}
    assert {sum(row.black for row in board.rows) for board in BOARDS.values()} == {1, 2}


def test_there_are_dice_enough_for_every_box() -> None:
    """So there is always a die left while a box is open, and a round can be finished."""
    assert min(dice_in_play(MAX_SEATS)) == MAX_BOXES


# Dead ends. A row asks for nothing but its own dice and, with distinct stars, the values of the other star
# rows. So it is enough to look at every row by itself, in every state, with every set of values that other
# star rows can show: if some face fits wherever a box is open, then there is no position from which some box
# can never be filled, for filling goes on from each to the next.


def states(row: Row) -> list[Placed]:
    """Everything that may lie in a row."""
    found: list[Placed] = [()]
    for placed in found:
        found += [(*placed, face) for face in accepts(row, placed)]
    return found


@every_board
def test_no_row_ever_stands_still(board: Board) -> None:
    star_rows = sum(row.kind is Kind.STARS for row in board.rows)
    # There would have to be seven star rows for the values to run out.
    assert star_rows <= len(FACES)
    for row in board.rows:
        others = star_rows - 1 if row.kind is Kind.STARS else 0
        taken_sets = [taken for size in range(others + 1) for taken in combinations(FACES, size)]
        for placed, taken in product(states(row), taken_sets):
            if placed and row.kind is Kind.STARS and placed[0] in taken:
                continue
            assert bool(accepts(row, placed, taken)) == (len(placed) < len(row.boxes))


@every_board
@pytest.mark.parametrize("stars", Stars)
def test_every_position_of_the_free_rows_leads_on(board: Board, stars: Stars) -> None:
    """The same without the argument: all positions of star and full-house rows as they come about."""
    free = [number for number, row in enumerate(board.rows) if row.kind is not Kind.NUMBERS]
    # One full house at a time: nothing links it to other rows, and two have more positions than are worth it.
    houses = [number for number in free if board.rows[number].kind is Kind.FULL_HOUSE]
    for left_out in houses or [-1]:
        walked = [number for number in free if number not in houses or number == left_out]
        start = ((),) * ROWS
        seen: set[tuple[Placed, ...]] = {start}
        todo: list[tuple[Placed, ...]] = [start]
        while todo:
            rows = todo.pop()
            for number, faces in enumerate(fits_board(board, rows, stars)):
                assert bool(faces) == (len(rows[number]) < len(board.rows[number].boxes))
                for face in faces if number in walked else ():
                    after = (*rows[:number], (*rows[number], face), *rows[number + 1 :])
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
            if stars is Stars.DISTINCT:
                shown = [
                    placed[0]
                    for row, placed in zip(board.rows, rows, strict=True)
                    if row.kind is Kind.STARS and placed
                ]
                assert len(set(shown)) == len(shown)


def test_a_changed_board_is_a_new_version_of_the_rules() -> None:
    """Records name boards by their ids, so what an id means belongs to ``rules_version``."""
    digest = sha256(repr(BOARD_DATA).encode()).hexdigest()[:16]
    assert (Gambler.rules_version, digest) == (1, "53f49c0c9614c583")
