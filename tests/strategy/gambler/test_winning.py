"""The winning chances of two seats: the tables, the race to the target, and the tree of a turn."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import cast

import pytest

from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS, Board, row_from_raw
from bot.games.gambler.state import Phase, State
from bot.strategy.gambler import Grandmaster, tables
from bot.strategy.gambler.filling import filling
from bot.strategy.gambler.race import race
from bot.strategy.gambler.winning import Basis, basis, standing, values
from tests.strategy.gambler.test_turn import by_the_rules

GAME = Gambler()
PLACED = tuple[int, ...]

MARKET: tuple[PLACED, ...] = ((2, 2), (4, 4, 4), (1, 3), (5, 5, 5, 6, 6), (6,), (1, 1, 1))
"""A 2 for 60 points, and a 5 for 40."""
WATERFALL: tuple[PLACED, ...] = ((6, 5, 4, 3), (5, 4), (4, 3, 2, 1), (1, 1), (), (2, 2, 2, 2))


def position(
    board: str,
    rows: tuple[PLACED, ...],
    scores: tuple[int, ...] = (400, 420),
    *,
    own: int | None = None,
    roll: PLACED = (),
    placed: int = 0,
    stars: str = "independent",
    left: tuple[int, ...] = (),
) -> State:
    """Return a position with the first seat to move; it has half of the dice, or ``own``."""
    dice = 30 - sum(map(len, rows))
    own = dice // 2 if own is None else own
    return replace(
        GAME.initial(GAME.options({"stars": stars}), len(scores)),
        board=board,
        rows=rows,
        scores=scores,
        dice=(own, dice - own) if len(scores) == 2 else (own, dice - own, 0),
        phase=Phase.PLACE if roll else Phase.START,
        hand=len(roll),
        roll=roll,
        placed=placed,
        rolls=1 if roll else 0,
        number=1,
        left=left,
    )


POSITIONS = {
    "the last round": position("market", MARKET, (450, 460), roll=(2, 5, 6)),
    "a tie may come": position("market", MARKET, (440, 440), roll=(1, 1, 2, 5), placed=1),
    "the game may go on": position("waterfall", WATERFALL, (200, 310), roll=(1, 2, 2, 6)),
    "a turn begins": position("market", MARKET, (400, 480)),
    "the other seat is out": replace(position("market", MARKET, (450, 460), roll=(2, 3, 5)), dice=(8, 0)),
}


@pytest.mark.parametrize("state", POSITIONS.values(), ids=list(POSITIONS))
def test_every_action_has_the_value_that_the_rules_give(state: State) -> None:
    """The end of a turn has the value of the position between turns."""
    best = by_the_rules(state, lambda after: standing(after)[state.seat])
    for action, value in values(state):
        assert value == pytest.approx(best(GAME.apply(state, action).state), abs=1e-9)


def played_out(state: State, rounds: int = 7) -> float:
    """Return the winning chance of the seat to move in the last round, by iteration over all turns."""
    known: dict[tuple[object, ...], float] = {}
    seen: dict[tuple[object, ...], State] = {}

    def key(after: State) -> tuple[object, ...]:
        return after.rows, after.dice, after.scores, after.seat

    def end(after: State) -> float:
        if after.phase is Phase.OVER:
            return float(0 in after.winners) / len(after.winners)
        seen.setdefault(key(after), after)
        return known.get(key(after), 0.5)

    seen[key(state)] = state
    for _ in range(rounds):
        for one in reversed(list(seen.values())):  # the latest positions first
            mine = one.seat == 0
            found = by_the_rules(one, (end if mine else lambda after: 1.0 - end(after)))(one)
            known[key(one)] = found if mine else 1.0 - found
    return known[key(state)]


def test_late_chances_agree_with_playing_out_the_game() -> None:
    """The shipped table is compared with a solution by the rules alone, in which both seats play to win."""
    state = position("market", MARKET, (440, 440))
    assert standing(state)[0] == pytest.approx(played_out(state), abs=0.01)


def test_all_tables_are_sound_and_small() -> None:
    assert tables.problems() == ()
    assert sum(file.stat().st_size for file in tables.DIRECTORY.iterdir()) < 5_500_000


@pytest.mark.parametrize("damage", [None, b"", b"xz"])
def test_a_table_that_is_missing_or_damaged_is_named(damage: bytes | None, tmp_path: Path) -> None:
    for file in tables.DIRECTORY.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    if damage is None:
        (tmp_path / "market.xz").unlink()
    else:
        (tmp_path / "market.xz").write_bytes(damage)
    (problem,) = tables.problems(tmp_path)
    assert problem.code == ("problem-table-missing" if damage is None else "problem-table-damaged")
    assert problem.facts["command"] == "python -m tools.solve_gambler --board market"


def test_the_race_is_even_except_for_the_start() -> None:
    found = race(500)
    assert found is not None
    assert 0.51 < found.starts[8][8] < 0.56
    assert found.after(50, 49, 1.0) == 1.0
    assert found.after(50, 50, 0.0) == 0.5
    assert found.after(-3, 8, 0.0) == found.starts[0][8]
    for own in range(0, 49, 6):
        assert all(more >= less for more, less in pairwise(found.starts[own]))


BLACK_LAST = {
    "lantern": (((1, 1, 1), (2, 3, 2), (4, 5, 4), (5, 5, 5), (6, 6), (6, 6)), (240, 270), 7),
    "lighthouse": (((1, 2, 3), (6, 6, 6), (1, 1, 1, 1), (4, 5, 4), (2, 2, 2, 1), (2,)), (300, 320), 6),
    "observatory": (((6, 6, 6), (4, 4, 4, 4), (1, 5, 1), (2, 3, 4), (4,), (3, 3)), (270, 310), 5),
}


@pytest.mark.parametrize("board", BLACK_LAST)
def test_chances_account_for_who_must_fill_the_board(board: str) -> None:
    """A black and a yellow row are open, and it matters who starts the next round."""
    rows, scores, own = BLACK_LAST[board]
    begun = position(board, rows, scores, own=own)
    counted_out = max(value for _, value in values(begun))
    assert standing(begun)[0] == pytest.approx(counted_out, abs=0.015)


def test_a_seat_that_gets_all_rows_fills_the_board() -> None:
    assert filling((5,)) == (0.0,) * 5 + (1.0,)
    assert filling((-2,)) == (1.0, 1.0, 0.0)
    none, black, yellow, both = (filling((6, -2))[(8 + change) // 2] for change in (-4, -8, 8, 4))
    assert none == 0.0 < yellow < black < both == 1.0


def test_chances_before_a_board_are_the_mean_over_the_pile() -> None:
    state = replace(GAME.initial(GAME.options({}), 2), scores=(200, 300), pile=("market", "bridge"))
    each = [standing(GAME.apply(state, outcome).state)[0] for outcome, _ in GAME.chance(state)]
    assert standing(state)[0] == pytest.approx(sum(each) / 2, abs=1e-9)


def test_the_basis_of_chances_is_named() -> None:
    assert basis(position("market", MARKET)) is Basis.TABLE
    assert basis(position("market", MARKET, stars="distinct")) is Basis.TABLE
    bridge = position("bridge", ((),) * 6, stars="distinct")
    assert basis(bridge) is Basis.DISTINCT
    assert basis(replace(bridge, phase=Phase.BOARD)) is Basis.DISTINCT
    three = position("market", MARKET, (80, 90, 100))
    assert basis(three) is Basis.POINTS
    assert basis(replace(three, left=(1,))) is Basis.TABLE


def test_a_grandmaster_takes_the_best_chance() -> None:
    state = POSITIONS["the game may go on"]
    chances = dict(values(state))
    chosen = Grandmaster().choose(state, Random(1))
    assert chances[chosen] == max(chances.values()) > min(chances.values())


SMALL = (("2 2", 60), ("1 3", 40), ("6", -20), ("* *", 50), ("5", 30), ("4", 20))


def test_the_solver_agrees_with_playing_by_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="the solver needs the extra 'solver'")
    from tools import gambler_solver as solver

    board = Board("small", tuple(row_from_raw(*raw) for raw in SMALL))
    monkeypatch.setitem(cast(dict[str, Board], BOARDS), "small", board)
    rows = tables.table_rows(board)
    solved = solver.solve(solver.Leads(rows))
    for on_board in (((2,), (1, 3), (6,), (3,), (5,), (4,)), ((2, 2), (1, 3), (6,), (), (5,), (4,))):
        for scores in ((480, 480), (460, 480)):
            state = position("small", on_board, scores)
            dice = sum(map(len, on_board))
            states = [row.index[placed] for row, placed in zip(rows, on_board, strict=True)]
            fill = solved.graph.states[dice].tolist().index(states)
            first, after = solved.graph.first[dice][fill : fill + 2]
            lead = first + (scores[0] - scores[1] + 10 * (after - first - 1)) // 20
            found = float(solved.values[dice][lead, state.dice[0]])
            assert found == pytest.approx(played_out(state, 14), abs=1e-4)
