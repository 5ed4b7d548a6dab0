"""Stored positions that the rules can't have led to are refused, and those that they can are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.games.base import BaseGame, best_seats
from bot.games.core import Result, Unreadable
from bot.games.gambler import Gambler
from bot.games.gambler import soundness as gambler
from bot.games.gambler.boards import BOARDS
from bot.games.gambler.state import Phase, State
from bot.games.tutto import soundness as tutto
from bot.games.tutto.cards import FULL_DECK, Card
from bot.games.tutto.state import NUMBER_OF_DICE
from bot.games.tutto.state import Phase as TuttoPhase
from tests.support.pig import PIG, Fallen
from tests.support.tutto_table import Table, dice

RULES: Any = PIG.rules
PLAYED = RULES.initial(RULES.options({}), 3)
WON = replace(PLAYED, scores=(100, 0, 0), reason="target", winners=(0,))


@pytest.mark.parametrize(
    ("state", "changes", "sound"),
    [
        (PLAYED, {}, True),
        (RULES.initial(RULES.options({}), 2), {}, True),
        (RULES.initial(RULES.options({}), 10), {}, True),
        (WON, {}, True),
        (WON, {"left": (1, 2)}, True),
        (PLAYED, {"left": (1,)}, True),
        (PLAYED, {"seat": 2, "finished": 8}, True),
        (PLAYED, {"left": (1, 2)}, False),  # with one seat left it is over
        (PLAYED, {"left": (0,)}, False),  # it is the turn of a seat that has left
        (PLAYED, {"left": (2, 1)}, False),
        (PLAYED, {"left": (1, 1)}, False),
        (PLAYED, {"left": (3,)}, False),
        (PLAYED, {"seat": 3}, False),
        (PLAYED, {"finished": -1}, False),
        (PLAYED, {"scores": (0,)}, False),
        (PLAYED, {"scores": (0,) * 11}, False),
        (PLAYED, {"winners": (0,)}, False),
        (WON, {"winners": ()}, False),
        (WON, {"winners": (1, 0)}, False),
        (WON, {"winners": (3,)}, False),
        (WON, {"reason": ""}, False),
    ],
)
def test_the_fields_that_all_games_have(state: Any, changes: dict[str, Any], sound: bool) -> None:
    raw = RULES.state_to_json(replace(state, **changes))
    if sound:
        assert RULES.state_from_json(raw) == replace(state, **changes)
    else:
        with pytest.raises(Unreadable):
            RULES.state_from_json(raw)


@pytest.mark.parametrize("damage", ["missing", "more", "options", "schema"])
def test_a_form_with_other_fields_is_unreadable(damage: str) -> None:
    raw = RULES.state_to_json(PLAYED)
    if damage == "missing":
        del raw["points"]
    else:
        raw[damage] = 99
    with pytest.raises(Unreadable):
        RULES.state_from_json(raw)


@pytest.mark.parametrize(
    "raw", [None, [], {}, {"type": 1}, {"type": "nonsense"}, {"type": "roll", "more": 1}]
)
def test_unreadable_actions_and_outcomes(raw: Any) -> None:
    with pytest.raises(Unreadable):
        RULES.action_from_json(raw)
    with pytest.raises(Unreadable):
        RULES.outcome_from_json(raw)


def test_an_outcome_is_written_and_read_as_its_fields() -> None:
    assert RULES.outcome_to_json(Fallen(3)) == {"face": 3}
    assert RULES.outcome_from_json({"face": 3}) == Fallen(3)


def test_the_best_seats_are_all_that_have_the_most_points_and_are_still_there() -> None:
    found = [best_seats(replace(PLAYED, scores=(1, 5, 5), left=left)) for left in ((), (1,), (1, 2))]
    assert found == [(1, 2), (2,), (0,)]


def test_what_the_rules_tell_of_those_fields() -> None:
    state = replace(PLAYED, seat=2, finished=8, left=(0,), scores=(1, 2, 3))
    assert (RULES.turn_seat(state), RULES.turns(state)) == (2, 8)
    assert (RULES.scores(state), RULES.left(state), RULES.result(state)) == ((1, 2, 3), (0,), None)
    assert RULES.result(WON) == Result((100, 0, 0), (0,), "target", ())


def test_a_game_without_checks_of_its_own_takes_any_position() -> None:
    assert BaseGame.sound(RULES, PLAYED)


TUTTO_START = Table((0, 0)).state
ROLLED = dice("112346")
TUTTO = [
    (TuttoPhase.START, {}, True),
    (TuttoPhase.START, {"card": Card.X2}, False),
    (TuttoPhase.START, {"aside": (1,)}, False),
    (TuttoPhase.OVER, {"roll": ROLLED}, False),
    (TuttoPhase.DRAW, {}, True),
    (TuttoPhase.DRAW, {"card": Card.X2, "aside": (1, 1, 1, 5, 5, 5)}, True),
    (TuttoPhase.DRAW, {"roll": (1,)}, False),
    (TuttoPhase.ROLL, {"card": Card.X2, "aside": (1,)}, True),
    (TuttoPhase.ROLL, {"aside": (1,)}, False),
    (TuttoPhase.ROLL, {"card": Card.X2, "roll": (1,)}, False),
    (TuttoPhase.ROLL, {"card": Card.X2, "aside": (1, 1, 1, 5, 5)}, True),
    (TuttoPhase.ROLL, {"card": Card.X2, "aside": (1, 1, 1, 5, 5, 5)}, False),
    (TuttoPhase.CHOOSE, {"card": Card.X2, "roll": ROLLED}, True),
    (TuttoPhase.CHOOSE, {"card": Card.X2, "roll": ROLLED[1:]}, False),
    (TuttoPhase.CHOOSE, {"card": Card.X2, "roll": dice("223344")}, False),
    (TuttoPhase.TUTTO, {"card": Card.X2, "aside": (1, 1, 1, 5, 5, 5)}, True),
    (TuttoPhase.TUTTO, {"aside": (1, 1, 1, 5, 5, 5)}, False),
    (TuttoPhase.TUTTO, {"card": Card.X2, "aside": (1, 1, 1, 5, 5)}, False),
    (TuttoPhase.TUTTO, {"card": Card.X2, "aside": (1, 1, 1, 5, 5, 5), "roll": (1,)}, False),
    (TuttoPhase.START, {"deck": FULL_DECK}, True),
    (TuttoPhase.START, {"deck": (0,) * len(FULL_DECK)}, True),
    (TuttoPhase.START, {"deck": FULL_DECK[1:]}, False),
    (TuttoPhase.START, {"deck": (FULL_DECK[0] + 1, *FULL_DECK[1:])}, False),
    (TuttoPhase.START, {"deck": (-1, *FULL_DECK[1:])}, False),
]


@pytest.mark.parametrize(("phase", "changes", "sound"), TUTTO)
def test_positions_of_tutto(phase: TuttoPhase, changes: dict[str, Any], sound: bool) -> None:
    assert tutto.sound(replace(TUTTO_START, phase=phase, **changes)) is sound
    assert len(ROLLED) == NUMBER_OF_DICE


CLOSED = Gambler().initial(Gambler().options({}), 2)
OPEN = replace(CLOSED, board="lighthouse", pile=CLOSED.pile[1:], dice=(15, 15), phase=Phase.START)
ROLLING = replace(OPEN, phase=Phase.ROLL, hand=5)
PLACING = replace(OPEN, phase=Phase.PLACE, hand=5, roll=(1, 2, 3, 4, 5), rolls=1)
STARS, FULL_NUMBERS = ((), (), (2,)), ((1, 2, 3), (), ())
FULL = ((1, 2, 3), (6, 6, 6), (2, 2, 2, 2), (4, 5, 4), (1, 1, 1, 2, 2), (2, 2))
NO_ROWS = ((),) * 3
GAMBLER = [
    (CLOSED, {}, True),
    (CLOSED, {"dice": (1, 0)}, False),
    (CLOSED, {"rows": (*STARS, *NO_ROWS)}, False),
    (CLOSED, {"rows": NO_ROWS}, False),
    (CLOSED, {"phase": Phase.START}, False),
    (CLOSED, {"hand": 1}, False),
    (CLOSED, {"scores": (-10, 80)}, False),
    (CLOSED, {"scores": (0, 80)}, True),
    (CLOSED, {"pile": CLOSED.pile[::-1]}, False),
    (CLOSED, {"pile": (*CLOSED.pile, CLOSED.pile[-1])}, False),
    (CLOSED, {"dice": (0,)}, False),
    (CLOSED, {"phase": Phase.ROLL, "hand": 1}, False),
    (CLOSED, {"phase": Phase.PLACE, "hand": 1, "roll": (1,), "rolls": 1}, False),
    (OPEN, {}, True),
    (OPEN, {"dice": (14, 15)}, False),
    (OPEN, {"dice": (-1, 31)}, False),
    (OPEN, {"left": (1,)}, False),
    (OPEN, {"dice": (14, 15), "rows": (*STARS, *NO_ROWS)}, True),
    (OPEN, {"dice": (14, 15), "rows": ((2,), *((),) * 5)}, False),
    (OPEN, {"dice": (11, 15), "rows": ((1, 2, 3, 1), *((),) * 5)}, False),
    (OPEN, {"dice": (12, 15), "rows": (*FULL_NUMBERS, *NO_ROWS)}, True),
    (OPEN, {"dice": (0, 30)}, False),
    (OPEN, {"dice": (0, 10), "rows": FULL, "phase": Phase.BOARD}, True),
    (OPEN, {"dice": (5, 5), "rows": FULL}, False),
    (OPEN, {"dice": (1, 29)}, True),
    (OPEN, {"rolls": 1}, False),
    (OPEN, {"placed": 1}, False),
    (OPEN, {"gained": 1}, False),
    (OPEN, {"roll": (1,)}, False),
    (ROLLING, {}, True),
    (ROLLING, {"hand": 0}, False),
    (ROLLING, {"hand": 6}, False),
    (ROLLING, {"hand": 4, "rolls": 1}, True),
    (ROLLING, {"hand": 5, "rolls": 1}, False),
    (ROLLING, {"hand": 1, "rolls": 4}, True),
    (ROLLING, {"rolls": -1}, False),
    (ROLLING, {"roll": (1,)}, False),
    (ROLLING, {"placed": 1}, False),
    (ROLLING, {"dice": (4, 26)}, False),
    (PLACING, {}, True),
    (PLACING, {"hand": 0, "roll": ()}, False),
    (PLACING, {"hand": 0, "roll": (), "placed": 1}, False),
    (PLACING, {"hand": 1, "roll": (1,), "rolls": 5}, True),
    (PLACING, {"hand": 4}, False),
    (PLACING, {"rolls": 0}, False),
    (PLACING, {"rolls": 2}, False),
    (PLACING, {"placed": -1}, False),
    (PLACING, {"placed": 1}, False),
    (PLACING, {"hand": 4, "roll": (1, 2, 3, 4), "placed": 1}, True),
    (PLACING, {"hand": 4, "roll": (1, 2, 3, 4), "rolls": 2}, True),
]


@pytest.mark.parametrize(("state", "changes", "sound"), GAMBLER)
def test_positions_of_gambler(state: State, changes: dict[str, Any], sound: bool) -> None:
    assert gambler.sound(replace(state, **changes)) is sound
    assert BOARDS["lighthouse"].boxes == sum(map(len, FULL))
