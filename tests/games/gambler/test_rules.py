"""Gambler's rules, one by one: filling rows, the turn, the round, the end, the settled questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.codec import dumps, loads
from bot.games.core import CHANCE, OVER, IllegalMove, Leave, Result, ScriptedChance, Unreadable, play
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARD_IDS, BOARDS, MARKED, Board, Kind, row_from_raw
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.state import (
    MAX_ROLLS,
    ROLL_DICE,
    STOP,
    BoardTurned,
    Choose,
    End,
    Options,
    Phase,
    Place,
    Placed,
    RanOut,
    Roll,
    Rolled,
    RoundEnded,
    RowCompleted,
    SeatLeft,
    Stars,
    State,
    Turn,
    TurnEnded,
    dice_each,
    dice_in_play,
)
from bot.screens.gambler.entry import GAMBLER
from bot.strategy.gambler import Grandmaster
from bot.strategy.policy import Policy
from tests.support.examples import random_move, walk

GAME = Gambler()
NEXT = BOARD_IDS[0]
"""The board that comes after the one under test."""

LONG = ("6 6 6 6 6 6", 100)
"""A row that keeps the round open and takes nothing but sixes."""


def dice(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(face) for face in text))


class Table:
    """Plays on a board of its own; each move is told what chance answers: dice, or the id of a board."""

    def __init__(
        self,
        rows: Sequence[tuple[str, int]],
        *,
        seats: int = 2,
        scores: Sequence[int] = (),
        held: Sequence[int] = (),
        stars: str = "independent",
        target: int = 500,
        **changes: Any,
    ) -> None:
        # Rows that the test has no use for are full from the beginning.
        full = 6 - len(rows)
        board = Board("test", tuple(row_from_raw(*raw) for raw in (*rows, *(("1", 20),) * full)))
        BOARDS[board.id] = board  # type: ignore[index]
        self.state: State = replace(
            GAME.initial(GAME.options({"stars": stars, "target": target}), seats),
            phase=Phase.START,
            board=board.id,
            number=1,
            rows=((),) * len(rows) + ((1,),) * full,
            dice=tuple(held) or (dice_each(seats),) * seats,
            **changes,
        )
        if scores:
            self.state = replace(self.state, scores=tuple(scores))
        self.events: list[Any] = []
        self.last: tuple[Any, ...] = ()

    def play(self, action: Any, *chance: str) -> Table:
        outcomes = [Roll(dice(text)) if text.isdigit() else Turn(text) for text in chance]
        script = ScriptedChance(outcomes)
        played = play(GAME, self.state, action, script)
        assert script.used == len(chance), f"{chance[script.used :]} did not come up"
        self.state, self.last = played.state, played.events
        self.events += played.events
        return self

    def roll(self, *chance: str) -> Table:
        return self.play(ROLL_DICE, *chance)

    def place(self, row: int, die: int, *chance: str) -> Table:
        return self.play(Place(row, die), *chance)

    def stop(self, *chance: str) -> Table:
        return self.play(STOP, *chance)

    def leave(self, seat: int, *chance: str) -> Table:
        return self.play(Leave(seat), *chance)

    def legal(self) -> tuple[Any, ...]:
        return GAME.legal(self.state)

    def rows(self) -> tuple[tuple[int, ...], ...]:
        return self.state.rows

    @property
    def scores(self) -> tuple[int, ...]:
        return self.state.scores

    @property
    def result(self) -> Result | None:
        return GAME.result(self.state)


@pytest.fixture(autouse=True)
def _boards() -> Iterator[None]:
    yield
    BOARDS.pop("test", None)  # type: ignore[attr-defined]


# The beginning.


@pytest.mark.parametrize(("seats", "each"), [(2, 15), (3, 10), (4, 7), (5, 6), (6, 5)])
def test_a_game_begins_with_a_board_80_points_and_equal_dice(seats: int, each: int) -> None:
    state = GAME.initial(GAME.options({}), seats)
    assert state.scores == (80,) * seats
    assert GAME.to_move(state) == CHANCE
    assert GAME.chance(state) == tuple((Turn(board), 1) for board in BOARD_IDS)
    step = GAME.apply(state, Turn("ferry"))
    assert step.events == (BoardTurned("ferry", 1, 0, (each,) * seats, reshuffled=False),)
    assert step.state.dice == (each,) * seats
    assert sum(step.state.dice) == (28 if seats == 4 else 30)
    assert "ferry" not in step.state.pile
    assert GAME.to_move(step.state) == 0
    assert GAME.legal(step.state) == (ROLL_DICE,)


def test_boards_come_once_each_until_all_are_used_up() -> None:
    state = replace(GAME.initial(GAME.options({}), 2), pile=("ferry",))
    assert GAME.chance(state) == ((Turn("ferry"), 1),)
    state = GAME.apply(state, Turn("ferry")).state
    assert state.pile == ()
    again = replace(state, phase=Phase.BOARD)
    assert len(GAME.chance(again)) == 20
    step = GAME.apply(again, Turn("market"))
    assert step.events[0].reshuffled
    assert len(step.state.pile) == 19


def test_options() -> None:
    assert GAME.options({}) == Options(Stars.INDEPENDENT, 500)
    for target in (300, 350, 1000):
        assert GAME.options({"target": target, "stars": "distinct"}) == Options(Stars.DISTINCT, target)
    for refused in (250, 1050, 325, -500, True, "500", None, 500.0):
        with pytest.raises(IllegalMove) as caught:
            GAME.options({"target": refused})
        assert (caught.value.code, caught.value.facts) == (
            "error-target",
            {"least": 300, "most": 1000, "step": 50},
        )
    with pytest.raises(IllegalMove) as caught:
        GAME.options({"stars": "red"})
    assert caught.value.code == "error-stars"
    with pytest.raises(Unreadable):
        GAME.options({"edition": "classic"})


# Filling rows.


def test_a_number_row_is_filled_strictly_from_left_to_right() -> None:
    table = Table([("2 3 2", 50), LONG]).roll("22335")
    assert table.rows()[0] == (2,)  # the only placement there was
    assert table.legal() == (Place(0, 3), ROLL_DICE, STOP)
    table.place(0, 3)
    assert table.legal() == (Place(0, 2), ROLL_DICE, STOP)
    table.place(0, 2)
    assert table.rows()[0] == (2, 3, 2)
    assert table.last == (Placed(0, 0, 2, 2, False), RowCompleted(0, 0, 50, 50, 130))
    assert table.legal() == (ROLL_DICE, STOP)


def test_a_star_row_begins_with_any_die_and_goes_on_with_the_same() -> None:
    table = Table([("* * *", 50), LONG]).roll("22345")
    assert table.legal() == (Place(0, 2), Place(0, 3), Place(0, 4), Place(0, 5))
    table.place(0, 2)
    assert table.legal() == (Place(0, 2), ROLL_DICE, STOP)
    table.place(0, 2)
    assert table.legal() == (ROLL_DICE, STOP)
    assert fits(table.state)[0] == (2,)


def test_a_full_house_is_three_alike_and_two_alike_of_another_value() -> None:
    table = Table([("A A A B B", 90), LONG]).roll("33344")
    assert table.legal() == (Place(0, 3), Place(0, 4))
    table.place(0, 3).place(0, 3)
    assert fits(table.state)[0] == (3,)
    table.place(0, 3)
    assert fits(table.state)[0] == (1, 2, 4, 5, 6)
    table.place(0, 4)
    assert fits(table.state)[0] == (4,)
    table.place(0, 4)
    assert table.rows()[0] == (3, 3, 3, 4, 4)
    assert table.scores == (170, 80)
    assert fits(table.state)[0] == ()


def test_a_full_house_does_not_take_its_first_value_again() -> None:
    table = Table([("A A A B B", 90), LONG]).roll("33335").place(0, 3).place(0, 3).place(0, 3)
    assert table.legal() == (Place(0, 5), ROLL_DICE, STOP)


def test_star_rows_stand_alone_by_default() -> None:
    table = Table([("* * *", 50), ("* *", -30), LONG]).roll("44445").place(0, 4)
    assert Place(1, 4) in table.legal()
    assert table.place(1, 4).rows()[:2] == ((4,), (4,))


def test_distinct_star_rows_show_different_values_whatever_their_colour() -> None:
    table = Table([("* * *", 50), ("* *", -30), ("* * *", 40)], stars="distinct").roll("44556").place(0, 4)
    assert fits(table.state)[:3] == ((4,), (1, 2, 3, 5, 6), (1, 2, 3, 5, 6))
    table.place(1, 5)
    assert fits(table.state)[:3] == ((4,), (5,), (1, 2, 3, 6))
    # A full row keeps its value.
    table.place(1, 5)
    assert fits(table.state)[:3] == ((4,), (), (1, 2, 3, 6))
    with pytest.raises(IllegalMove):
        table.place(2, 4)


def test_distinct_leaves_full_houses_alone() -> None:
    table = Table([("* * *", 50), ("A A A B B", 90), ("A A A B B", 80)], stars="distinct").roll("44456")
    table.place(0, 4).place(1, 4)
    assert fits(table.state)[:3] == ((4,), (4,), (1, 2, 3, 4, 5, 6))
    held = Table([("A A A B B", 90), ("* * *", 50)], stars="distinct").roll("44456").place(0, 4)
    assert fits(held.state)[1] == (1, 2, 3, 4, 5, 6)


# A turn.


def test_a_turn_begins_with_five_dice_and_the_others_wait() -> None:
    table = Table([("1 2", 30), ("1 3", 30), LONG])
    state = GAME.apply(table.state, ROLL_DICE).state
    assert GAME.to_move(state) == CHANCE
    outcomes = GAME.chance(state)
    assert (len(outcomes), sum(weight for _, weight in outcomes)) == (252, 6**5)
    table.roll("11445")
    assert (table.state.dice, table.state.hand, table.state.roll) == ((15, 15), 5, (1, 1, 4, 4, 5))
    table.place(0, 1)
    assert (table.state.dice, table.state.hand, table.state.roll) == ((14, 15), 4, (1, 4, 4, 5))
    table.stop()
    assert (table.state.dice, table.state.hand, table.state.roll) == ((14, 15), 0, ())


@pytest.mark.parametrize("held", [1, 2, 3, 4, 5, 6])
def test_a_seat_with_fewer_dice_rolls_those(held: int) -> None:
    table = Table([("1 2 3", 30), LONG], held=(held, 10))
    state = GAME.apply(table.state, ROLL_DICE).state
    assert state.hand == min(held, 5)
    assert sum(weight for _, weight in GAME.chance(state)) == 6 ** min(held, 5)


def test_without_a_fitting_die_the_turn_ends_by_itself() -> None:
    table = Table([("1 2", 30), LONG]).roll("23455")
    assert table.last == (Rolled(0, (2, 3, 4, 5, 5), 1), TurnEnded(0, End.NO_FIT, 0, 15))
    assert (table.state.seat, table.state.finished, table.legal()) == (1, 1, (ROLL_DICE,))


def test_a_fitting_die_has_to_be_placed_before_anything_else() -> None:
    table = Table([("1 2", 30), ("1 3", 30), LONG]).roll("12345")
    assert not may_go_on(table.state)
    for action in (STOP, ROLL_DICE, Place(0, 2), Place(1, 3), Place(2, 1), Place(5, 1)):
        with pytest.raises(IllegalMove):
            table.play(action)
    assert table.legal() == placements(table.state) == (Place(0, 1), Place(1, 1))
    table.place(1, 1)
    assert may_go_on(table.state)
    assert table.legal() == (Place(1, 3), ROLL_DICE, STOP)


def test_the_only_placement_is_made_without_asking() -> None:
    table = Table([("1 2", 30), LONG]).roll("11345")
    assert table.last == (Rolled(0, (1, 1, 3, 4, 5), 1), Placed(0, 0, 0, 1, True))
    assert table.legal() == (ROLL_DICE, STOP)
    # Also where it costs points.
    table = Table([("1", -30), LONG]).roll("12345")
    assert table.last[1:] == (Placed(0, 0, 0, 1, True), RowCompleted(0, 0, -30, -30, 50))


def test_rolling_again_takes_the_dice_of_the_turn_that_are_not_on_the_board() -> None:
    table = Table([("1 2", 30), ("1 3", 30), ("4 4", 40), LONG]).roll("11445").place(0, 1).place(1, 1)
    table.roll("235")
    assert table.last[0] == Rolled(0, (2, 3, 5), 2)
    assert table.state.dice == (13, 15)
    # After every roll a die has to be placed.
    assert table.legal() == (Place(0, 2), Place(1, 3))
    table.place(0, 2).roll("12")
    assert table.last == (Rolled(0, (1, 2), 3), TurnEnded(0, End.NO_FIT, 30, 12))
    assert table.state.dice == (12, 15)


def test_five_rolls_are_the_most_by_themselves() -> None:
    """One die placed after each roll leaves one for the fifth, and placing that ends the turn."""
    table = Table([("1 1 1 1 1 1", 90), LONG])
    for number, roll in enumerate(("12345", "1234", "123", "12"), start=1):
        table.roll(roll)
        assert table.state.rolls == number
        assert table.legal() == (ROLL_DICE, STOP)
    table.roll("1")
    assert table.last == (
        Rolled(0, (1,), MAX_ROLLS),
        Placed(0, 0, 4, 1, True),
        TurnEnded(0, End.ALL_PLACED, 0, 10),
    )
    missed = Table([("1 1 1 1 1 1", 90), LONG]).roll("12345").roll("1234").roll("123").roll("12").roll("3")
    assert missed.last[-1] == TurnEnded(0, End.NO_FIT, 0, 11)


def test_placing_the_last_die_of_the_turn_ends_it() -> None:
    table = Table([("1 1 1 1 1", 90), ("* * *", 30), LONG], held=(2, 10)).roll("12").place(0, 1).place(1, 2)
    assert table.last == (Placed(0, 1, 0, 2, False), TurnEnded(0, End.ALL_PLACED, 0, 0), RanOut(0))
    assert table.state.seat == 1


def test_several_rows_in_one_turn_each_pay() -> None:
    table = Table([("1 2", 30), ("3", 20), ("4", -40), LONG]).roll("12345")
    table.place(0, 1).place(0, 2).place(1, 3).place(2, 4)
    assert [event for event in table.events if isinstance(event, RowCompleted)] == [
        RowCompleted(0, 0, 30, 30, 110),
        RowCompleted(0, 1, 20, 20, 130),
        RowCompleted(0, 2, -40, -40, 90),
    ]
    assert table.stop().last == (TurnEnded(0, End.STOPPED, 10, 11),)
    assert table.scores == (90, 80)


def test_the_turn_that_the_rules_tell_of() -> None:
    """The example in docs/rules.md."""
    table = Table([("2 3 2", 50), ("* * *", 40), ("4", -30)]).roll("22345")
    table.place(0, 2).place(0, 3).place(0, 2)
    assert table.scores == (130, 80)
    assert Place(2, 4) in table.legal()
    assert STOP in table.legal()
    table.roll("44")
    assert table.legal() == (Place(1, 4), Place(2, 4))
    table.place(1, 4)
    assert table.legal() == (Place(1, 4), Place(2, 4), ROLL_DICE, STOP)
    table.place(1, 4)
    assert table.last == (Placed(0, 1, 1, 4, False), TurnEnded(0, End.ALL_PLACED, 50, 10))
    assert table.scores == (130, 80)


def test_a_row_pays_the_seat_that_places_its_last_die() -> None:
    table = Table([("1 2 3", 60), LONG]).roll("12455").place(0, 2).stop()
    assert table.scores == (80, 80)
    table.roll("34455").stop()
    assert table.scores == (80, 140)


@pytest.mark.parametrize(
    ("score", "value", "pays"), [(80, 50, 50), (50, 50, 50), (30, 50, 30), (0, 50, 0), (10, 100, 10)]
)
def test_a_seat_that_can_not_pay_all_pays_what_it_has(score: int, value: int, pays: int) -> None:
    table = Table([("1", -value), ("2", 20), LONG], scores=(score, 80)).roll("12345").place(0, 1)
    assert table.last[-1] == RowCompleted(0, 0, -value, -pays, score - pays)
    assert table.scores == (score - pays, 80)
    table.place(1, 2).stop()
    assert table.scores == (score - pays + 20, 80)
    assert table.last == (TurnEnded(0, End.STOPPED, 20 - pays, 13),)


# A round.


def test_a_seat_without_dice_is_skipped_for_the_rest_of_the_round() -> None:
    table = Table([("1 1 1", 90), LONG], seats=3, held=(1, 10, 10)).roll("1")
    assert table.last[-1] == RanOut(0)
    assert table.state.seat == 1
    table.roll("23455")
    assert table.state.seat == 2
    table.roll("23455")
    assert table.state.seat == 1
    # A single seat that has dice goes on alone.
    alone = Table([("1 1 1", 90), LONG], held=(5, 0)).roll("23455").roll("23455")
    assert (alone.state.seat, alone.state.finished) == (0, 2)


def test_the_last_box_ends_turn_and_round_and_the_left_neighbour_starts_the_next() -> None:
    table = Table([("1 2", 50), ("3", 20)], seats=4, seat=1, held=(3, 6, 5, 6))
    table.roll("12345").place(0, 1).place(1, 3)
    table.place(0, 2, NEXT)
    assert table.last == (
        Placed(1, 0, 1, 2, False),
        RowCompleted(1, 0, 50, 50, 150),
        TurnEnded(1, End.BOARD_FULL, 70, 3),
        RoundEnded(1, "test", 1, (80, 150, 80, 80)),
        BoardTurned(NEXT, 2, 2, (7, 7, 7, 7), reshuffled=False),
    )
    assert table.scores == (80, 150, 80, 80)
    assert table.rows() == ((),) * 6
    assert (table.state.seat, table.state.finished, table.state.number) == (2, 1, 2)
    assert table.state.dice == (7, 7, 7, 7)
    assert table.legal() == (ROLL_DICE,)


def test_the_round_also_ends_with_the_last_die_of_a_seat() -> None:
    table = Table([("1", 20)], held=(1, 0)).roll("1", NEXT)
    assert [type(event) for event in table.last[2:]] == [RowCompleted, TurnEnded, RoundEnded, BoardTurned]
    assert table.last[3] == TurnEnded(0, End.BOARD_FULL, 20, 0)
    assert table.state.seat == 1


def test_the_seat_to_start_is_the_next_one_still_there() -> None:
    table = Table([("1", 20)], seats=4, seat=1, left=(2, 3), held=(5, 5, 0, 0)).roll("12345", NEXT)
    assert table.state.seat == 0
    assert table.state.dice == (15, 15, 0, 0)


# The end.


def test_the_target_counts_only_at_the_end_of_a_round() -> None:
    table = Table([("1", 50), ("2", -20), LONG], scores=(460, 80)).roll("12345").place(0, 1)
    assert table.scores == (510, 80)
    assert GAME.to_move(table.state) == 0
    # What is over the target may still be lost before the round ends.
    table = Table([("1", 50), ("2", -20)], scores=(460, 80)).roll("12345").place(0, 1).place(1, 2, NEXT)
    assert table.scores == (490, 80)
    assert table.result is None


@pytest.mark.parametrize("target", [300, 500, 1000])
def test_the_target_itself_is_enough(target: int) -> None:
    table = Table([("1", 20)], scores=(target - 20, 80), target=target).roll("12345")
    assert table.result == Result((target, 80), (0,), "target")
    assert GAME.to_move(table.state) == OVER
    assert (GAME.legal(table.state), GAME.chance(table.state)) == ((), ())
    assert (table.state.finished, table.rows()[0]) == (1, (1,))
    short = Table([("1", 20)], scores=(target - 30, 80), target=target).roll("12345", NEXT)
    assert short.result is None


def test_the_highest_score_wins_regardless_of_who_ended_the_round() -> None:
    table = Table([("1", 20)], seats=3, scores=(500, 540, 400)).roll("12345")
    assert table.result == Result((520, 540, 400), (1,), "target")


def test_equal_highest_scores_share_the_win() -> None:
    table = Table([("1", 20)], seats=3, scores=(520, 540, 540)).roll("12345")
    assert table.result == Result((540, 540, 540), (0, 1, 2), "target")
    assert table.result.places() == (1, 1, 1)


def test_a_seat_that_left_can_not_win() -> None:
    table = Table([("1", 20)], seats=3, scores=(80, 500, 900), left=(2,), held=(5, 5, 0)).roll("12345")
    assert table.result == Result((100, 500, 900), (1,), "target", (2,))


# Leaving.


def test_the_dice_of_a_seat_that_leaves_are_dealt_to_the_others() -> None:
    table = Table([("1 2", 30), LONG], seats=4, held=(7, 5, 7, 0)).leave(2)
    # The first goes to the left neighbour, who had run out and is back in the round.
    assert table.last == (SeatLeft(2, (2, 2, 0, 3)),)
    assert table.state.dice == (9, 7, 0, 3)
    assert (table.state.seat, table.state.finished, table.state.left) == (0, 0, (2,))
    # From the next round on all dice are shared by those who are still there.
    ends = Table([("1", 20)], seats=4, held=(9, 7, 0, 3), left=(2,)).roll("12345", NEXT)
    assert ends.state.dice == (10, 10, 0, 10)


def test_leaving_in_the_own_turn_ends_it() -> None:
    begun = Table([("1 2", 30), LONG], seats=3).roll("12345").leave(0)
    assert begun.last == (SeatLeft(0, (0, 5, 4)),)
    assert (begun.state.seat, begun.state.finished, begun.state.hand, begun.state.roll) == (1, 1, 0, ())
    assert begun.rows()[0] == (1,)
    assert begun.scores == (80, 80, 80)
    # A turn that hasn't begun is not finished.
    assert Table([("1 2", 30), LONG], seats=3).leave(0).state.finished == 0
    # Points already won are kept, but not for winning.
    won = Table([("1", 30), ("2 3", 30), LONG], seats=3).roll("12345").place(0, 1).leave(0)
    assert won.scores == (110, 80, 80)


def test_leaving_while_chance_is_to_move() -> None:
    table = Table([("1 2", 30), LONG], seats=3)
    rolling = GAME.apply(table.state, ROLL_DICE).state
    step = GAME.apply(rolling, Leave(0))
    assert (step.state.seat, step.state.phase, step.state.finished) == (1, Phase.START, 1)
    other = GAME.apply(rolling, Leave(1)).state
    assert (other.seat, other.phase, other.hand) == (0, Phase.ROLL, 5)
    # Before a board is turned nobody has any dice to hand on.
    first = GAME.initial(GAME.options({}), 3)
    step = GAME.apply(first, Leave(0))
    assert step.events == (SeatLeft(0, (0, 0, 0)),)
    assert (step.state.seat, step.state.phase) == (1, Phase.BOARD)
    assert GAME.apply(step.state, Turn(NEXT)).state.dice == (0, 15, 15)


def test_the_last_one_there_wins() -> None:
    table = Table([("1 2", 30), LONG], seats=3, scores=(400, 80, 90)).leave(1).leave(0)
    assert table.result == Result((400, 80, 90), (2,), "left", (0, 1))
    for seat in range(3):
        with pytest.raises(IllegalMove) as caught:
            table.leave(seat)
        assert caught.value.code == "error-game-over"


@settings(max_examples=60)
@given(st.integers(2, 6), st.sampled_from(["independent", "distinct"]), st.integers(0, 2**32))
def test_no_die_is_ever_lost_and_somebody_always_has_one(seats: int, stars: str, seed: int) -> None:
    """So a round can't run out of dice before its board is full, whoever leaves."""
    options = GAME.options({"stars": stars, "target": 300})
    in_play = 0
    for _, move, step in walk(GAME, options, seats, seed, leaving=0.004):
        state = step.state
        if isinstance(move, Turn):
            in_play = sum(state.dice)
            assert in_play in dice_in_play(seats)
        if in_play:
            assert sum(state.dice) + sum(map(len, state.rows)) == in_play
        if state.phase in (Phase.START, Phase.ROLL, Phase.PLACE):
            assert state.dice[state.seat] > 0
            assert state.rolls <= MAX_ROLLS
        if state.phase is Phase.PLACE:
            assert len(GAME.legal(state)) > 1
        assert all(score >= 0 for score in state.scores)


# What is told and counted.


def test_stats() -> None:
    table = Table([("1 2", 50), ("3", -30), ("4", 20)], scores=(80, 80))
    table.roll("11345").place(0, 1).place(1, 3).stop()
    table.roll("24556").place(0, 2).place(2, 4, NEXT)
    first, second = GAME.stats(table.events, 2)
    assert (first.turns, first.best_turn, first.feats) == (1, 0, {"rows": 1, "rounds": 0})
    assert (second.turns, second.best_turn, second.feats) == (1, 70, {"rows": 2, "rounds": 1})


def test_the_json_of_moves() -> None:
    kinds: tuple[tuple[Any, dict[str, Any], Callable[[Any], Any], Callable[[Any], Any]], ...] = (
        (ROLL_DICE, {"type": "roll"}, GAME.action_to_json, GAME.action_from_json),
        (STOP, {"type": "stop"}, GAME.action_to_json, GAME.action_from_json),
        (Place(2, 4), {"type": "place", "row": 2, "die": 4}, GAME.action_to_json, GAME.action_from_json),
        (Turn("ferry"), {"board": "ferry"}, GAME.outcome_to_json, GAME.outcome_from_json),
        (Roll((1, 4, 4)), {"dice": [1, 4, 4]}, GAME.outcome_to_json, GAME.outcome_from_json),
    )
    for value, raw, write, read in kinds:
        assert write(value) == raw
        assert read(loads(dumps(raw))) == value


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "place", "row": 6, "die": 1},
        {"type": "place", "row": -1, "die": 1},
        {"type": "place", "row": True, "die": 1},
        {"type": "place", "row": 0, "die": 0},
        {"type": "place", "row": 0, "die": 7},
        {"type": "place", "row": 0},
        {"type": "roll", "dice": []},
        {"type": "stop", "row": 0},
        {"type": "keep"},
        [],
        None,
    ],
)
def test_an_invalid_action_is_unreadable(raw: Any) -> None:
    with pytest.raises(Unreadable):
        GAME.action_from_json(raw)


@pytest.mark.parametrize(
    "raw",
    [
        {"board": "nowhere"},
        {"board": 1},
        {"board": []},
        {"dice": [7]},
        {"dice": [1] * 6},
        {"board": "ferry", "dice": []},
    ],
)
def test_an_invalid_outcome_is_unreadable(raw: Any) -> None:
    with pytest.raises(Unreadable):
        GAME.outcome_from_json(raw)


Damage = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw.update(board="nowhere"),
        lambda raw: raw.update(board=""),
        lambda raw: raw.update(rows=[[2], *raw["rows"][1:]]),
        lambda raw: raw.update(rows=raw["rows"][1:]),
        lambda raw: raw.update(rows=[[1, 2, 3, 4, 5, 6, 1], *raw["rows"][1:]]),
        lambda raw: raw.update(dice=[15, 13]),
        lambda raw: raw.update(dice=[-1, 30]),
        lambda raw: raw.update(dice=[15]),
        lambda raw: raw.update(hand=4),
        lambda raw: raw.update(rolls=0),
        lambda raw: raw.update(rolls=2),
        lambda raw: raw.update(placed=1),
        lambda raw: raw.update(placed=-1),
        lambda raw: raw.update(roll=[5, 4, 3, 2, 1]),
        lambda raw: raw.update(roll=[]),
        lambda raw: raw.update(seat=2),
        lambda raw: raw.update(left=[0]),
        lambda raw: raw.update(left=[1]),
        lambda raw: raw.update(scores=[-10, 80]),
        lambda raw: raw.update(pile=list(reversed(raw["pile"]))),
        lambda raw: raw.update(pile=[*raw["pile"], raw["pile"][-1]]),
        lambda raw: raw.update(phase="start"),
        lambda raw: raw.update(phase="over"),
        lambda raw: raw.update(winners=[0]),
        lambda raw: raw["options"].update(target=10),
        lambda raw: raw["options"].pop("stars"),
        lambda raw: raw.update(more=1),
        lambda raw: raw.pop("number"),
        lambda raw: raw.update(schema=2),
    ],
)
def test_a_damaged_state_is_unreadable(damage: Damage) -> None:
    state = GAME.apply(GAME.initial(GAME.options({}), 2), Turn("lighthouse")).state
    state = GAME.apply(GAME.apply(state, ROLL_DICE).state, Roll((1, 2, 3, 4, 5))).state
    raw = GAME.state_to_json(state)
    assert GAME.state_from_json(loads(dumps(raw))) == state
    damage(raw)
    with pytest.raises(Unreadable):
        GAME.state_from_json(raw)


def test_every_step_of_a_random_game_can_be_stored() -> None:
    rng = Random(5)
    for stars in Stars:
        state = GAME.initial(GAME.options({"stars": stars.value, "target": 300}), 3)
        while GAME.to_move(state) != OVER:
            state = GAME.apply(state, random_move(GAME, state, rng)).state
            assert GAME.state_from_json(loads(dumps(GAME.state_to_json(state)))) == state


def test_the_beginners_board_lies_on_top_for_the_first_round_only() -> None:
    state = GAME.initial(GAME.options({"beginners": True}), 3)
    assert GAME.chance(state) == ((Turn(MARKED), 1),)
    with pytest.raises(IllegalMove):
        GAME.apply(state, Turn(NEXT))
    assert len(GAME.chance(replace(state, number=1))) == len(BOARD_IDS)
    # It shows each kind of row, and lets players pay as well.
    rows = BOARDS[MARKED].rows
    assert {row.kind for row in rows} == set(Kind)
    assert sum(row.black for row in rows) == 1


def test_the_seat_that_begins_chooses_the_board() -> None:
    state = GAME.initial(GAME.options({"choose": True}), 2)
    assert (GAME.to_move(state), GAME.chance(state)) == (0, ())
    assert GAME.legal(state) == tuple(Choose(board) for board in BOARD_IDS)
    with pytest.raises(IllegalMove):
        GAME.apply(state, Turn(NEXT))
    step = GAME.apply(state, Choose("market"))
    assert (step.state.board, step.state.phase, step.state.dice) == ("market", Phase.START, (15, 15))
    assert [type(event) for event in step.events] == [BoardTurned]
    later = replace(state, pile=("market",), number=19, seat=1)
    assert (GAME.to_move(later), GAME.legal(later)) == (1, (Choose("market"),))
    with pytest.raises(IllegalMove):
        GAME.apply(later, Choose("ferry"))


def test_a_seat_that_leaves_before_choosing_a_board_leaves_that_to_the_next() -> None:
    state = GAME.initial(GAME.options({"choose": True}), 3)
    after = GAME.apply(state, Leave(0)).state
    assert (GAME.to_move(after), after.phase, GAME.turns(after)) == (1, Phase.BOARD, 0)


@pytest.mark.parametrize("policy", GAMBLER.policies.values(), ids=list(GAMBLER.policies))
def test_every_ai_chooses_boards(policy: Policy) -> None:
    state = GAME.initial(GAME.options({"choose": True}), 2)
    found = {policy.choose(state, Random(seed)) for seed in range(20)}
    assert found <= set(GAME.legal(state))
    # Only a grandmaster knows which board is best.
    assert (len(found) > 1) != isinstance(policy, Grandmaster)
