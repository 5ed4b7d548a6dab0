"""What players give away in a round of Gambler, compared with the rules and the players themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from random import Random
from typing import cast

import pytest

from bot.games.core import CHANCE
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS, Board, row_from_raw
from bot.games.gambler.state import Phase, Stars, State
from bot.strategy.gambler import Expert, tables
from bot.strategy.gambler.expert import automata
from bot.strategy.gambler.tables import offset
from tests.strategy.gambler.test_winning import SMALL, played_out, position

GAME = Gambler()
PLACED = tuple[int, ...]
Scores = list[tuple[int, int]]
SCORES = (480, 490)
EARLY: tuple[PLACED, ...] = ((), (1, 3), (6,), (3,), (), (4,))
LATE: tuple[PLACED, ...] = ((2,), (1, 3), (6,), (3,), (), (4,))


def after_turn(state: State, end: Callable[[State], float]) -> float:
    """Return the mean of ``end`` over the positions to which an expert's turn leads."""

    @cache
    def mean(one: State) -> float:
        if one.finished > state.finished:
            return end(one)
        if GAME.to_move(one) == CHANCE:
            outcomes = GAME.chance(one)
            total = sum(weight * mean(GAME.apply(one, outcome).state) for outcome, weight in outcomes)
            return total / sum(weight for _, weight in outcomes)
        return mean(GAME.apply(one, Expert().choose(one, Random(0))).state)

    return mean(state)


def test_packed_chances_are_nearly_those_that_were_solved() -> None:
    pytest.importorskip("numba", reason="the solver needs the extra 'solver'")
    from tools.gambler_packing import groups, packed
    from tools.gambler_solver import Leads, solve

    board = Board("small", tuple(row_from_raw(*raw) for raw in SMALL))
    rows = tables.table_rows(board)
    solved = solve(Leads(rows))
    every = list(groups(solved))
    data, _, _ = packed(prod(len(row.states) for row in rows), every)
    table = tables.Table(board, data)
    assert sum(len(group.fills) for group in every) == len(table.groups) - 1
    for dice in (0, 5, 8):
        fill, first = int(solved.graph.fills[dice][0]), solved.graph.first[dice]
        own = (30 - dice) // 2
        for lead, chance in enumerate(solved.values[dice][: first[1], own].tolist()):
            weights = [float(lead == other) for other in range(first[1])]
            projection = table.group(table.groups[fill]).project(offset(own, 30 - dice - own), weights)
            assert table.values([fill], projection) == [pytest.approx(chance, abs=0.02)]


def test_a_round_is_worth_and_costs_what_playing_by_the_rules_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="the solver needs the extra 'solver'")
    from benchmarks.gambler_rounds import Begun, Experts
    from tools.gambler_solver import Shares, solve

    board = Board("small", tuple(row_from_raw(*raw) for raw in SMALL))
    monkeypatch.setitem(cast(dict[str, Board], BOARDS), "small", board)
    graph = Shares(automata("small", Stars.INDEPENDENT))
    full = [float(own > other) + float(own == other) / 2 for own, other in graph.scores(63, *SCORES)]
    solved = solve(graph, full, [Experts(graph, Begun("small", *SCORES), Stars.INDEPENDENT)])

    def place(rows: Sequence[PLACED]) -> tuple[int, int, Scores]:
        """Return the number of dice on the board, the first share of the fill, and the scores of all."""
        states = [row.index[placed] for row, placed in zip(graph.rows, rows, strict=True)]
        dice = sum(map(len, rows))
        at = graph.states[dice].tolist().index(states)
        return dice, graph.first[dice][at], graph.scores(int(graph.full[dice][at]), *SCORES)

    def found(state: State, seat: int) -> tuple[float, float]:
        """Return the value of a position between turns to a seat, and what both experts will give away."""
        if state.phase is Phase.OVER:
            return float(seat in state.winners) / len(state.winners), 0.0
        dice, first, shares = place(state.rows)
        share = first + shares.index((state.scores[state.seat], state.scores[1 - state.seat]))
        value, cost = (one[dice][share, state.dice[state.seat]] for one in (solved.values, solved.costs[0]))
        return float(value if state.seat == seat else 1 - value), float(cost)

    def kept(after: State) -> float:
        value, cost = found(after, 0)
        return value - cost

    for rows, own, share in ((LATE, 9, 3), (EARLY, 11, 9)):
        state = position("small", rows, place(rows)[2][share], own=own)
        value, cost = found(state, 0)
        assert value == pytest.approx(played_out(state, 14), abs=1e-4)
        assert cost == pytest.approx(value - after_turn(state, kept), abs=1e-5)
        assert cost > 0.001
