"""Functions that all games share, tested with a tiny game: chance, replay, the order of seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from bot.games.core import (
    CHANCE,
    OVER,
    GameError,
    IllegalMove,
    Leave,
    Move,
    Result,
    ScriptedChance,
    SeatStats,
    add_stats,
    check_seats,
    leave_or_raise,
    legal_or_raise,
    next_seat,
    perft,
    play,
    replay,
    settle,
)
from tests.support.coin import TOSS, Coin, Fallen, Laid, Toss

GAME = Coin()
OPTIONS = GAME.options({})
HEADS, TAILS = Fallen(1), Fallen(0)


def folded(opening: Sequence[Any], *moves: Move[Any, Any], seats: int = 2) -> list[Any]:
    return list(replay(GAME, OPTIONS, seats, opening, moves))


def test_a_log_is_folded_move_by_move() -> None:
    opening, first, second = folded([Laid(5)], Move(0, TOSS, (HEADS,)), Move(1, TOSS, (TAILS,)))
    assert (opening.outcomes, opening.state.board, GAME.to_move(opening.state)) == ((Laid(5),), 5, 0)
    assert (first.outcomes, first.events, first.state.scores) == ((HEADS,), (HEADS,), (5, 0))
    assert (second.state.scores, GAME.to_move(second.state)) == ((5, 0), OVER)


@pytest.mark.parametrize(
    ("code", "opening", "moves"),
    [
        ("error-record-chance-extra", [Laid(5), HEADS], []),
        ("error-record-chance-extra", [Laid(5)], [Move(0, TOSS, (HEADS, TAILS))]),
        ("error-record-chance-extra", [Laid(5)], [Move(0, Leave(0), (HEADS,))]),
        ("error-record-chance-missing", [], []),
        ("error-record-chance-missing", [Laid(5)], [Move(0, TOSS, ())]),
        ("error-record-chance-impossible", [HEADS], []),
        ("error-record-chance-impossible", [Laid(5)], [Move(0, TOSS, (Laid(1),))]),
        ("error-illegal-move", [Laid(5)], [Move(1, TOSS, (HEADS,))]),
        ("error-illegal-move", [Laid(5)], [Move(0, HEADS, ())]),
    ],
)
def test_a_log_that_can_not_have_happened_is_refused(
    code: str, opening: Sequence[Any], moves: Sequence[Move[Any, Any]]
) -> None:
    """Outcomes that are left over are refused as missing ones are."""
    with pytest.raises(IllegalMove) as caught:
        folded(opening, *moves)
    assert caught.value.code == code


def test_a_seat_may_leave_out_of_turn() -> None:
    _, left = folded([Laid(1)], Move(2, Leave(2), ()), seats=3)
    assert (GAME.left(left.state), GAME.to_move(left.state)) == ((2,), 0)


def test_chance_answers_until_a_seat_must_decide() -> None:
    begun = GAME.initial(OPTIONS, 2)
    assert GAME.to_move(begun) == CHANCE
    opened = settle(GAME, begun, ScriptedChance([Laid(1)]))
    assert (opened.outcomes, opened.events, GAME.to_move(opened.state)) == ((Laid(1),), (), 0)
    nothing = settle(GAME, opened.state, ScriptedChance([]))
    assert (nothing.state, nothing.outcomes) == (opened.state, ())
    tossed = play(GAME, opened.state, TOSS, ScriptedChance([HEADS]))
    assert (tossed.outcomes, tossed.events, tossed.state.scores) == ((HEADS,), (HEADS,), (1, 0))


def test_actions_and_leaving_are_checked() -> None:
    state = settle(GAME, GAME.initial(OPTIONS, 3), ScriptedChance([Laid(1)])).state
    legal_or_raise(GAME, state, TOSS)
    with pytest.raises(IllegalMove, match="error-illegal-move"):
        legal_or_raise(GAME, state, cast(Toss, HEADS))
    for seat in range(3):
        leave_or_raise(GAME, state, Leave(seat))
    gone = GAME.apply(state, Leave(1)).state
    for seat in (-1, 1, 3):
        with pytest.raises(IllegalMove, match="error-not-seated"):
            leave_or_raise(GAME, gone, Leave(seat))
    over = GAME.apply(gone, Leave(0)).state
    with pytest.raises(IllegalMove, match="error-game-over"):
        leave_or_raise(GAME, over, Leave(2))


@pytest.mark.parametrize(("seats", "fits"), [(1, False), (2, True), (4, True), (5, False)])
def test_a_game_takes_so_many_seats(seats: int, fits: bool) -> None:
    if fits:
        check_seats(GAME, seats)
        return
    with pytest.raises(IllegalMove) as caught:
        check_seats(GAME, seats)
    assert caught.value.facts == {"n": seats, "least": 2, "most": 4}


@pytest.mark.parametrize(
    ("left", "after", "following"),
    [((), 0, 1), ((), 3, 0), ((1,), 0, 2), ((0, 3), 2, 1), ((0, 1, 3), 2, 2), ((1, 2, 3), 0, 0)],
)
def test_the_next_seat_is_the_next_that_is_still_in_the_game(
    left: Sequence[int], after: int, following: int
) -> None:
    assert next_seat(4, left, after) == following


def test_an_error_says_what_it_is_about() -> None:
    assert str(GameError("error-target")) == "error-target"
    assert str(GameError("error-target", least=3)) == "error-target {'least': 3}"


@pytest.mark.parametrize(
    ("scores", "winners", "left", "places"),
    [
        ((5, 9, 7), (1,), (), (3, 1, 2)),
        ((9, 9, 7), (0, 1), (), (1, 1, 3)),
        ((5, 9, 7), (0,), (), (1, 2, 3)),  # who wins need not have the most points
        ((5, 9, 7, 2), (2,), (1,), (2, 4, 1, 3)),
        ((5, 8, 8, 2), (0,), (1, 2), (1, 3, 3, 2)),
    ],
)
def test_winners_come_first_and_those_who_left_last(
    scores: tuple[int, ...], winners: tuple[int, ...], left: tuple[int, ...], places: tuple[int, ...]
) -> None:
    assert Result(scores, winners, "target", left).places() == places


def test_statistics_of_two_stretches_add_up() -> None:
    first = (SeatStats(2, 300, {"tuttos": 1, "nulls": 4}), SeatStats(1, 50, {"tuttos": 0, "nulls": 0}))
    second = (SeatStats(3, 200, {"tuttos": 2, "nulls": 0}), SeatStats(1, 70, {"tuttos": 0, "nulls": 5}))
    assert add_stats((), second) == second
    assert add_stats(first, second) == (
        SeatStats(5, 300, {"tuttos": 3, "nulls": 4}),
        SeatStats(2, 70, {"tuttos": 0, "nulls": 5}),
    )
    assert add_stats((SeatStats(1, 0, {}),), (SeatStats(1, 0, {"new": 2}),)) == (SeatStats(2, 0, {"new": 2}),)


@pytest.mark.parametrize("depth", range(4))
def test_paths_are_counted_by_moves_and_outcomes(depth: int) -> None:
    """The game begins with chance, so actions and outcomes take turns."""
    state = GAME.initial(OPTIONS, 2)

    def paths(state: Any, left: int) -> int:
        if left == 0 or GAME.to_move(state) == OVER:
            return 1
        following = GAME.legal(state) or [outcome for outcome, _ in GAME.chance(state)]
        return sum(paths(GAME.apply(state, move).state, left - 1) for move in following)

    assert perft(GAME, state, depth) == paths(state, depth)


def test_leaving_is_written_the_same_way_in_every_game() -> None:
    assert GAME.move_to_json(Leave(1)) == {"type": "leave"}
    assert GAME.move_to_json(TOSS) == GAME.action_to_json(TOSS) != {"type": "leave"}
    assert GAME.move_from_json(1, {"type": "leave"}) == Leave(1)
    assert GAME.move_from_json(1, GAME.move_to_json(TOSS)) == TOSS


def test_when_all_have_left_the_seat_stays() -> None:
    assert next_seat(3, (0, 1, 2), 1) == 1
