"""A second, plain implementation of Gambler, compared with the rules in random games.

Nothing of the rules is shared: boards are the raw data, dice are lists, moves have the form of the record.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.core import CHANCE, OVER, Leave
from bot.games.gambler import Gambler
from bot.games.gambler.board_data import BOARD_DATA
from tests.support.examples import random_move
from tests.support.values import not_none

GAME = Gambler()
BOARDS = dict(BOARD_DATA)


class Oracle:
    def __init__(self, seats: int, stars: str, target: int, marked: bool, chosen: bool) -> None:
        self.stars, self.target = stars, target
        self.top = ["vineyard"] if marked else []
        self.chosen = chosen
        self.points = [80] * seats
        self.here = [True] * seats
        self.bag = [0] * seats  # dice that are not on the board
        self.stack = sorted(BOARDS)
        self.signs: list[list[str]] = []
        self.worth: list[int] = []
        self.filled: list[list[int]] = []
        self.seat = 0
        self.cup = 0  # dice of the turn that are not on the board
        self.table: list[int] = []  # what they show
        self.waits = "board"
        self.put = 0
        self.turns = 0
        self.winners: list[int] = []

    def players(self) -> list[int]:
        return [seat for seat, here in enumerate(self.here) if here]

    def following(self, seats: list[int]) -> int:
        return min(seats, key=lambda seat: (seat - self.seat - 1) % len(self.here))

    def taken(self, row: int, die: int) -> bool:
        """Whether the next box of the row takes the die."""
        signs, lies = self.signs[row], self.filled[row]
        if len(lies) == len(signs):
            return False
        sign = signs[len(lies)]
        if sign.isdigit():
            return int(sign) == die
        # Boxes with the same sign hold the same number, boxes of a row with other signs another one.
        for other, lying in zip(signs, lies, strict=False):
            if (other == sign) != (lying == die):
                return False
        if sign == "*" and not lies and self.stars == "distinct":
            return all(
                self.filled[other][:1] != [die] for other, signs in enumerate(self.signs) if signs[0] == "*"
            )
        return True

    def ways(self) -> list[dict[str, Any]]:
        return [
            {"type": "place", "row": row, "die": die}
            for row in range(6)
            for die in sorted(set(self.table))
            if self.taken(row, die)
        ]

    def legal(self) -> list[dict[str, Any]]:
        if self.waits == "start":
            return [{"type": "roll"}]
        if self.waits == "board" and self.chosen and not self.top:
            return [{"type": "board", "board": board} for board in BOARDS if board in self.stack]
        if self.waits != "place":
            return []
        return self.ways() + ([{"type": "roll"}, {"type": "stop"}] if self.put else [])

    def play(self, move: dict[str, Any]) -> None:
        match move:
            case {"board": board}:
                self.top = []
                self.stack = [other for other in self.stack if other != board] or sorted(BOARDS)
                self.signs = [row.split() for row, _ in BOARDS[board]]
                self.worth = [points for _, points in BOARDS[board]]
                self.filled = [[] for _ in range(6)]
                each = {2: 15, 3: 10, 4: 7, 5: 6, 6: 5}[len(self.players())]
                self.bag = [each if here else 0 for here in self.here]
                self.waits = "start"
            case {"dice": dice}:
                self.table, self.waits, self.put = list(dice), "place", 0
                if not self.ways():
                    self.end_turn()
                elif len(self.ways()) == 1:
                    self.play(self.ways()[0])
            case {"type": "roll"}:
                if self.waits == "start":
                    self.cup = min(5, self.bag[self.seat])
                self.waits = "roll"
            case {"type": "stop"}:
                self.end_turn()
            case {"type": "place", "row": row, "die": die}:
                self.table.remove(die)
                self.filled[row].append(die)
                self.bag[self.seat] -= 1
                self.cup -= 1
                self.put += 1
                if len(self.filled[row]) == len(self.signs[row]):
                    self.points[self.seat] = max(0, self.points[self.seat] + self.worth[row])
                if all(len(lies) == len(signs) for lies, signs in zip(self.filled, self.signs, strict=True)):
                    self.end_round()
                elif not self.cup:
                    self.end_turn()
            case {"leave": seat}:
                self.leave(seat)

    def end_turn(self) -> None:
        self.turns += 1
        self.cup = 0
        self.seat = self.following([seat for seat in self.players() if self.bag[seat]])
        self.waits = "start"

    def end_round(self) -> None:
        self.turns += 1
        most = max(self.points[seat] for seat in self.players())
        if most >= self.target:
            self.winners = [seat for seat in self.players() if self.points[seat] == most]
            self.waits = "over"
        else:
            self.seat = self.following(self.players())
            self.waits = "board"

    def leave(self, seat: int) -> None:
        self.here[seat] = False
        if len(self.players()) == 1:
            if seat == self.seat and self.waits in ("roll", "place"):
                self.turns += 1
            self.winners, self.waits = self.players(), "over"
            return
        takers = [(seat + step) % len(self.here) for step in range(1, len(self.here))]
        takers = [taker for taker in takers if self.here[taker]]
        for number in range(self.bag[seat]):
            self.bag[takers[number % len(takers)]] += 1
        self.bag[seat] = 0
        if seat != self.seat:
            return
        if self.waits == "board":
            self.seat = self.following(self.players())
        elif self.waits == "start":
            self.seat = self.following([other for other in self.players() if self.bag[other]])
        else:
            self.end_turn()


@settings(max_examples=60)
@given(
    st.integers(2, 6),
    st.sampled_from(["independent", "distinct"]),
    st.sampled_from([300, 500]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_the_rules_told_twice_are_the_same(
    seats: int, stars: str, target: int, marked: bool, chosen: bool, seed: int
) -> None:
    rng, oracle = Random(seed), Oracle(seats, stars, target, marked, chosen)
    raw = {"stars": stars, "target": target, "beginners": marked, "choose": chosen}
    state = GAME.initial(GAME.options(raw), seats)
    leaving = 0.003 if seed % 2 else 0.0
    while GAME.to_move(state) != OVER:
        assert (state.phase.value, state.seat) == (oracle.waits, oracle.seat)
        assert list(state.scores) == oracle.points
        assert [list(row) for row in state.rows] == (oracle.filled or [[]] * 6)
        assert GAME.turns(state) == oracle.turns
        if state.phase.value != "board":
            assert list(state.dice) == oracle.bag
        elif GAME.to_move(state) == CHANCE:
            boards = sorted(GAME.outcome_to_json(one)["board"] for one, _ in GAME.chance(state))
            assert boards == (oracle.top or oracle.stack)
        if state.phase.value == "roll":
            assert {len(GAME.outcome_to_json(one)["dice"]) for one, _ in GAME.chance(state)} == {oracle.cup}
        assert [GAME.action_to_json(action) for action in GAME.legal(state)] == oracle.legal()
        mover = GAME.to_move(state)
        move = random_move(GAME, state, rng, leaving)
        if isinstance(move, Leave):
            oracle.play({"leave": move.seat})
        else:
            oracle.play(GAME.outcome_to_json(move) if mover == CHANCE else GAME.action_to_json(move))
        state = GAME.apply(state, move).state
    result = not_none(GAME.result(state))
    assert (oracle.waits, list(result.winners)) == ("over", oracle.winners)
    assert list(result.scores) == oracle.points
    assert GAME.turns(state) == oracle.turns
