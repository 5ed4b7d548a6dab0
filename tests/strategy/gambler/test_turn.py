"""The tree of a turn is exact: playing out the rules move by move gives the same values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.core import CHANCE, OVER, IllegalMove
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS, Board, Row, row_from_raw
from bot.games.gambler.fitting import accepts, fits
from bot.games.gambler.state import ROLL_DICE, STOP, Phase, Place, Stars, State
from bot.strategy.gambler import Beginner, Casual, Expert
from bot.strategy.gambler.automata import automaton
from bot.strategy.gambler.chances import chance_alone
from bot.strategy.gambler.expert import BoardValues, automata, lookahead, situation, values
from bot.strategy.gambler.odds import _OneRow, odds, row_chance
from bot.strategy.gambler.outlook import shares
from bot.strategy.gambler.turn import Level, RowsLookahead
from tests.support.examples import random_move, walk

GAME = Gambler()
PLACED = tuple[int, ...]
POLICIES: dict[str, Beginner | Casual | Expert] = {
    "beginner": Beginner(),
    "casual": Casual(),
    "expert": Expert(),
}

ROWS = (("1 2", 30), ("* * *", 50), ("A A A B B", 90), ("4", -40), ("* *", -30), ("6 6 5", 60))
"""A board with one row of every kind."""


@pytest.fixture(autouse=True)
def _boards() -> Iterator[None]:
    BOARDS["test"] = Board("test", tuple(row_from_raw(*raw) for raw in ROWS))  # type: ignore[index]
    yield
    del BOARDS["test"]  # type: ignore[attr-defined]
    lookahead.cache_clear()


def position(
    rows: Sequence[PLACED],
    hand: int = 0,
    roll: PLACED = (),
    *,
    placed: int = 0,
    scores: Sequence[int] = (80, 80),
    held: Sequence[int] = (9, 9),
    stars: str = "independent",
) -> State:
    return replace(
        GAME.initial(GAME.options({"stars": stars}), len(scores)),
        board="test",
        rows=tuple(rows),
        scores=tuple(scores),
        dice=tuple(held),
        phase=Phase.PLACE if hand else Phase.START,
        hand=hand,
        roll=roll,
        placed=placed,
        rolls=1 if hand else 0,
        number=1,
    )


def by_the_rules(start: State, end: Callable[[State], float]) -> Callable[[State], float]:
    """Return the best mean of ``end(state)``, the position right after the turn, by the rules alone."""

    @cache
    def best(state: State) -> float:
        if state.finished > start.finished:
            return end(state)
        weights, after = branches(state)
        if not weights:
            return max(map(best, after))
        return sum(weight * best(one) for weight, one in zip(weights, after, strict=True)) / sum(weights)

    return best


@lru_cache(100_000)
def branches(state: State) -> tuple[tuple[int, ...], tuple[State, ...]]:
    """Return the positions after each action, or after each outcome with its weight."""
    moves: Sequence[tuple[Any, int]] = GAME.chance(state) or [(action, 0) for action in GAME.legal(state)]
    weights = tuple(weight for _, weight in moves if weight)
    return weights, tuple(GAME.apply(state, move).state for move, _ in moves)


EMPTY: tuple[PLACED, ...] = ((),) * 6
HALF: tuple[PLACED, ...] = ((1,), (2,), (3, 3, 3), (), (5,), (6, 6))
LATE: tuple[PLACED, ...] = ((1, 2), (2, 2), (3, 3, 3, 4), (4,), (5, 5), (6,))
POSITIONS = {
    "nothing lies": position(EMPTY, held=(2, 9)),
    "nothing lies, distinct": position(EMPTY, held=(2, 9), stars="distinct"),
    "half full": position(HALF, held=(3, 9)),
    "half full, distinct": position(HALF, held=(3, 9), stars="distinct"),
    "late, four dice": position(LATE, held=(4, 2)),
    "late, three at the table": position(LATE, held=(3, 0, 5), scores=(470, 480, 90)),
    "a roll lies open": position(HALF, 3, (2, 4, 5)),
    "a die of the roll is placed": position(HALF, 3, (2, 5, 5), placed=1),
    "after placing, nothing fits": position(LATE, 2, (1, 2), placed=1),
    "distinct, a roll lies open": position(((), (), (), (), (5,), ()), 3, (4, 5, 6), stars="distinct"),
    "the game is at stake": position(LATE, 3, (2, 4, 6), scores=(460, 520)),
}
every_position = pytest.mark.parametrize("state", POSITIONS.values(), ids=list(POSITIONS))


@every_position
def test_the_expert_values_a_turn_as_the_rules_do(state: State) -> None:
    here, rows = situation(state), automata("test", state.options.stars)
    worth, seat = BoardValues(here, rows), state.seat

    def end(after: State) -> float:
        hand = after.dice[seat] - here.reserve
        table = worth.rows(hand)
        value = sum(values[len(placed)] for values, placed in zip(table, after.rows, strict=True))
        return value + (worth.ending(value) if after.phase in (Phase.BOARD, Phase.OVER) else 0.0)

    if state.phase is Phase.START:
        state_ = GAME.apply(state, ROLL_DICE).state
        look = lookahead(here)
        fill = tuple(machine.index[placed] for machine, placed in zip(rows, state.rows, strict=True))
        assert look.roll(fill, state_.hand) == pytest.approx(by_the_rules(state, end)(state_))
        return
    best = by_the_rules(state, end)
    found = values(state)
    assert [action for action, _ in found] == list(GAME.legal(state))
    for action, value in found:
        assert value == pytest.approx(best(GAME.apply(state, action).state))


@every_position
def test_the_odds_are_those_of_the_rules(state: State) -> None:
    found = odds(state)
    for row, chance in enumerate(found.rows):
        size = len(BOARDS["test"].rows[row].boxes)

        def filled(after: State, row: int = row, size: int = size) -> float:
            return float(len(after.rows[row]) == size)

        if chance is None:
            assert len(state.rows[row]) == size
        else:
            assert chance == pytest.approx(by_the_rules(state, filled)(state))


@every_position
def test_the_chance_that_no_die_fits_is_that_of_all_rolls(state: State) -> None:
    dice = state.hand if state.phase is Phase.PLACE else min(5, state.dice[state.seat])
    fitting = {face for faces in fits(state) for face in faces}
    misses = sum(not fitting & set(roll) for roll in product(range(1, 7), repeat=dice))
    expected = misses / 6**dice if state.phase is Phase.START or state.placed else None
    assert odds(state).no_fit == (None if expected is None else pytest.approx(expected))


def test_there_are_no_odds_while_nobody_is_to_move() -> None:
    start = GAME.initial(GAME.options({}), 2)
    rolling = GAME.apply(position(EMPTY), ROLL_DICE).state
    for state in (start, rolling, replace(rolling, phase=Phase.OVER)):
        with pytest.raises(IllegalMove):
            odds(state)


def test_the_odds_of_one_open_box() -> None:
    """The box is for a 4; no other die fits, and five dice are rolled."""
    state = position(((1, 2), (2, 2, 2), (3, 3, 3, 4, 4), (), (5, 5), (6, 6, 5)))
    found = odds(state)
    assert found.no_fit == (5 / 6) ** 5
    assert list(found.rows) == [None, None, None, pytest.approx(1 - (5 / 6) ** 5), None, None]


class Unshared(_OneRow):
    """The same turn with each block expanded, even if several blocks are alike."""

    def expand(self, number: int, level: Level, hand: int) -> Sequence[float]:
        self._alike.clear()
        return super().expand(number, level, hand)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.sampled_from(list(Stars)), st.integers(0, 2**32 - 1))
def test_blocks_that_share_values_have_the_same_odds(seats: int, stars: Stars, seed: int) -> None:
    """Exactly, in positions of random games on the real boards."""
    options = GAME.options({"stars": stars.value, "target": 300})
    state = GAME.initial(options, seats)
    for number, (_, _, step) in enumerate(walk(GAME, options, seats, seed)):
        if step.state.phase is Phase.START:
            state = step.state
            if number >= seed % 60:
                break
    assert state.phase is Phase.START
    for row, faces in enumerate(fits(state)):
        if faces:
            apart = Unshared(state, row)
            fill = tuple(m.index[placed] for m, placed in zip(apart.rows, state.rows, strict=True))
            assert row_chance(state, row) == apart.roll(fill, min(5, state.dice[state.seat]))


# The parts.


@pytest.mark.parametrize(
    ("pattern", "most"), [("4", 3), ("4 4", 3), ("1 2", 3), ("4 4 2", 3), ("* * *", 3), ("A A A B B", 2)]
)
def test_the_chance_of_a_single_row_is_that_of_all_rolls(pattern: str, most: int) -> None:
    row = row_from_raw(pattern, 50)
    for placed, dice in product(automaton(row, False).states, range(most + 1)):
        assert chance_alone(row, placed, dice) == pytest.approx(_alone(row, placed, dice))


def _alone(row: Row, placed: PLACED, dice: int) -> float:
    """Try all rolls, and all ways to place each."""
    if len(placed) == len(row.boxes):
        return 1.0
    ways = list(product(range(1, 7), repeat=dice))
    return sum(max(_placings(row, placed, roll), default=0.0) for roll in ways) / len(ways) if dice else 0.0


def _placings(row: Row, placed: PLACED, roll: PLACED) -> Iterator[float]:
    for number, face in enumerate(roll):
        if face in accepts(row, placed):
            after, rest = (*placed, face), (*roll[:number], *roll[number + 1 :])
            yield _alone(row, after, len(rest))
            yield from _placings(row, after, rest)


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("pattern", ["3 1 3", "* * *", "A A A B B", "6"])
def test_the_automaton_of_a_row_accepts_the_dice_of_the_row(pattern: str, merged: bool) -> None:
    row = row_from_raw(pattern, 50)
    machine = automaton(row, merged)
    for placed, number in machine.index.items():
        fitting = accepts(row, placed)
        assert machine.full[number] == (len(placed) == len(row.boxes))
        assert machine.steps[number] == tuple((face - 1, machine.index[(*placed, face)]) for face in fitting)
    assert sum(machine.full) == (1 if merged else len({*_full(row)}))


def _full(row: Row) -> Iterator[PLACED]:
    return (placed for placed in automaton(row, False).index if len(placed) == len(row.boxes))


@settings(max_examples=60)
@given(
    st.sampled_from([row for board in BOARDS.values() for row in board.rows]),
    st.lists(st.integers(0, 15), min_size=2, max_size=6).filter(any),
    st.integers(0, 2**32),
)
def test_the_chances_of_all_seats_to_fill_a_row_add_up_to_one(row: Row, dice: list[int], seed: int) -> None:
    placed = Random(seed).choice([one for one in automaton(row, False).states if len(one) < len(row.boxes)])
    found = shares(row, placed, dice)
    assert sum(found) == pytest.approx(1)
    assert all(-1e-9 <= share <= 1 + 1e-9 for share in found)
    assert all(share == 0 for share, number in zip(found, dice, strict=True) if number == 0)


# The levels.


@settings(max_examples=40)
@given(
    st.integers(2, 6),
    st.sampled_from(list(Stars)),
    st.integers(0, 2**32 - 1),
    st.sampled_from(list(POLICIES)),
)
def test_every_level_plays_legally_from_any_position(seats: int, stars: Stars, seed: int, level: str) -> None:
    """From positions of random games in which seats leave."""
    options, rng = GAME.options({"stars": stars.value, "target": 300}), Random(seed)
    state = GAME.initial(options, seats)
    for number, (_, _, step) in enumerate(walk(GAME, options, seats, seed, leaving=0.004)):
        if number == seed % 150:
            break
        state = step.state
    for _ in range(25):
        if GAME.to_move(state) == OVER:
            break
        if GAME.to_move(state) == CHANCE:
            state = GAME.apply(state, random_move(GAME, state, rng)).state
            continue
        action = POLICIES[level].choose(state, rng)
        assert action in GAME.legal(state)
        state = GAME.apply(state, action).state


ALL_BUT: tuple[PLACED, ...] = ((1, 2), (2, 2, 2), (3, 3, 3, 4, 4), (4,), (5, 5), (6, 6, 5))


def with_row(number: int, placed: PLACED) -> tuple[PLACED, ...]:
    return (*ALL_BUT[:number], placed, *ALL_BUT[number + 1 :])


def test_the_expert_fills_a_row_that_the_roll_completes() -> None:
    state = position(((1,), (2,), (), (), (), ()), 5, (1, 2, 2, 4, 5))
    assert Expert().choose(state, Random(1)) in (Place(0, 2), Place(1, 2))
    mine = position(with_row(5, (6, 6)), 3, (4, 5, 5))
    assert Expert().choose(mine, Random(1)) == Place(5, 5)


def test_the_expert_takes_the_game_and_does_not_give_it_away() -> None:
    rows = (*ALL_BUT[:3], (), (5, 5), (6, 6))
    # With the last two boxes open, a 4 that costs 40 and a 5 that pays 60.
    ahead = position(rows, 3, (1, 4, 5), scores=(500, 480))
    assert Expert().choose(ahead, Random(1)) in (Place(3, 4), Place(5, 5))
    after = GAME.apply(ahead, Place(5, 5)).state
    assert Expert().choose(after, Random(1)) == Place(3, 4)
    # It does not end a round that the other would win.
    behind = replace(after, scores=(380, 520))
    assert Expert().choose(behind, Random(1)) == STOP


def test_the_expert_does_not_prepare_rows_for_others() -> None:
    """One of three dice lies there, and one die is left: stopping is better than placing a second."""
    state = position(((), (), (), (), (), (6,)), 2, (1, 6), placed=1, held=(9, 9))
    assert Place(5, 6) in GAME.legal(state)
    assert Expert().choose(state, Random(1)) != Place(5, 6)


def test_the_same_position_always_gets_the_same_answer() -> None:
    state = position(HALF, 4, (1, 2, 5, 6))
    first = Expert().choose(state, Random(1))
    lookahead.cache_clear()
    assert all(Expert().choose(state, Random(seed)) == first for seed in range(5))


@pytest.mark.parametrize("stars", list(Stars))
def test_a_turn_answers_for_any_position_in_any_order(stars: Stars) -> None:
    """Even for positions that do not follow the first one: values are the same as those of a new object."""
    rows = automata("test", stars)
    here = situation(position(EMPTY, held=(3, 9), stars=stars.value))
    kept = RowsLookahead(rows, BoardValues(here, rows), distinct=stars is Stars.DISTINCT)
    for placed in (HALF, EMPTY, ((1,), (6,), (6,), (), (), ()), LATE, HALF, ((), (5, 5), (6,), (), (), ())):
        fill = tuple(machine.index[dice] for machine, dice in zip(rows, placed, strict=True))
        new = RowsLookahead(rows, BoardValues(here, rows), distinct=stars is Stars.DISTINCT)
        assert kept.roll(fill, 3) == new.roll(fill, 3)
        assert kept.end(fill, 3) == new.end(fill, 3)


def test_simple_levels_fill_rows_that_pay_and_leave_rows_that_cost() -> None:
    state = position(((1,), (), (), (), (), (6, 6)), 4, (2, 4, 5, 6))
    for level in ("beginner", "casual"):
        assert POLICIES[level].choose(state, Random(1)) == Place(5, 5)
    # Only the casual player sees a row that the roll completes in two steps.
    two = position(((), (2, 2, 2), (3, 3, 3, 4, 4), (), (5, 5), ()), 4, (1, 2, 4, 6))
    assert POLICIES["casual"].choose(two, Random(1)) == Place(0, 1)
    # Both prefer to help others a little to paying.
    costs = position(((1, 2), (2, 2, 2), (3, 3, 3, 4, 4), (), (5, 5), ()), 3, (1, 4, 6))
    for level in ("beginner", "casual"):
        assert POLICIES[level].choose(costs, Random(1)) == Place(5, 6)


@pytest.mark.slow
def test_the_levels_are_in_order() -> None:
    """benchmarks/gambler_strength.md has the figures; this test only finds a level that plays much worse."""
    for one, other in (("expert", "casual"), ("casual", "beginner")):
        won = 0.0
        for number in range(300):
            names = (one, other) if number % 2 == 0 else (other, one)
            state, rng = GAME.initial(GAME.options({}), 2), Random(number // 2)
            while (seat := GAME.to_move(state)) != OVER:
                move = (
                    random_move(GAME, state, rng)
                    if seat == CHANCE
                    else POLICIES[names[seat]].choose(state, rng)
                )
                state = GAME.apply(state, move).state
            result = GAME.result(state)
            assert result is not None
            won += (names.index(one) in result.winners) / len(result.winners)
        assert won / 300 > 0.55
