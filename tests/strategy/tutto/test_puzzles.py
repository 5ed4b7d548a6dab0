"""The shipped puzzles: their file is sound, and their answers agree with the tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bot.cli.simulation import play_game
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Edition, Keep, Options, Phase, State
from bot.registry import find
from bot.strategy.shipped import TableProblem
from bot.strategy.tutto.appraiser import account
from bot.strategy.tutto.odds import next_null
from bot.strategy.tutto.puzzles import (
    FILE,
    MAX_CHOICES,
    MIN_COST,
    Puzzle,
    load,
    next_key,
    puzzle_among,
    puzzle_of,
    text,
)
from bot.strategy.tutto.reasons import Habit, reason
from bot.strategy.tutto.skill import measure
from bot.strategy.tutto.tables import DIRECTORY
from bot.strategy.tutto.values import RULES

SHIPPED = load().puzzles
CHOOSING = State(Options(), (5950, 4400), phase=Phase.CHOOSE, card=Card.BONUS_300, roll=(2, 2, 2, 2, 3, 3))


def check_answer(puzzle: Puzzle) -> None:
    """Check that the tables make the same puzzle of its position, with the same chances."""
    found = puzzle_of(puzzle.state)
    assert found is not None
    assert replace(found, wins=puzzle.wins) == puzzle
    assert found.wins == pytest.approx(puzzle.wins, abs=1e-5)
    assert found.best == puzzle.best


def test_the_positions_are_of_the_usual_game_for_two_and_have_a_choice() -> None:
    assert len(SHIPPED) == 200
    assert len({puzzle.state for puzzle in SHIPPED}) == 200
    for puzzle in SHIPPED:
        state = puzzle.state
        assert (state.options, len(state.scores)) == (Options(), 2)
        assert 2 <= len(puzzle.choices) == len(set(puzzle.choices)) <= MAX_CHOICES
        assert set(puzzle.choices) <= set(RULES.legal(state))
        assert puzzle.wins[puzzle.best] - puzzle.wins[puzzle.usual] >= MIN_COST - 1e-5


def test_puzzles_are_of_many_kinds() -> None:
    assert len({puzzle.state.card for puzzle in SHIPPED}) >= 8
    assert len({reason(puzzle.decision(puzzle.usual)).habit for puzzle in SHIPPED}) >= 3
    # Neither the first button nor the last is the one to press.
    for place in (0, -1):
        right = sum(puzzle.wins[place] == max(puzzle.wins) for puzzle in SHIPPED)
        assert right < 0.6 * len(SHIPPED)


def test_answers_agree_with_the_tables() -> None:
    for puzzle in SHIPPED[::20]:
        check_answer(puzzle)


@pytest.mark.slow
def test_all_answers_agree_with_the_tables() -> None:
    for puzzle in SHIPPED:
        check_answer(puzzle)


def test_a_position_whose_usual_choice_is_clearly_worse_makes_a_puzzle() -> None:
    found = puzzle_of(CHOOSING)
    assert found is not None
    assert found.choices == (Keep((2, 2, 2)), STOP)
    assert (found.best, found.usual, found.by_rule) == (1, 0, True)


@pytest.mark.parametrize("target", [1000, 3000])
def test_a_game_makes_a_puzzle_whose_answer_is_that_of_its_account(target: int) -> None:
    """It is the costliest suitable choice, and odds and account give it the same cost."""
    options, found = Options(target=target), 0
    for number in range(4):
        secret, chances = number.to_bytes(32, "big"), [Random(number), Random(-number)]
        _, log = play_game(RULES, options, [find("tutto").policies["beginner"]] * 2, secret, chances)
        decisions = account(options, 2, log.opening, log.moves).decisions
        spot = puzzle_among(decisions)
        moves = [one.puzzle for one in measure(options, 2, log.opening, log.moves) if one.puzzle is not None]
        assert moves == ([] if spot is None else [spot.move])
        if spot is None:
            continue
        found += 1
        puzzle = puzzle_of(spot.position, spot.played)
        assert puzzle is not None
        assert puzzle.choices[puzzle.usual] == spot.played == log.moves[spot.move].action
        assert puzzle.wins[puzzle.usual] == pytest.approx(spot.played_win, abs=1e-9)
        assert puzzle.wins[puzzle.best] == pytest.approx(spot.best_win, abs=1e-9)
        assert spot.cost >= MIN_COST
        better = [one for one in decisions if one.cost > spot.cost]
        assert all(puzzle_of(one.position, one.played) is None for one in better)
    assert found >= 2


def test_the_played_choice_is_the_wrong_answer_only_if_it_is_clearly_worse() -> None:
    assert puzzle_of(CHOOSING, STOP) is None
    found = puzzle_of(CHOOSING, Keep((2, 2, 2)))
    assert found is not None
    assert (found.best, found.usual) == (1, 0)


NONE = {
    "three players": replace(CHOOSING, scores=(1000, 1000, 1000)),
    "another edition": replace(CHOOSING, options=Options(edition=Edition.MODERN)),
    "another target": replace(CHOOSING, options=Options(target=4000)),
    "the same question once more after the Tutto": replace(CHOOSING, aside=(1, 1, 1, 5, 5), roll=(5,)),
    "one choice": replace(CHOOSING, phase=Phase.START, card=None, roll=(), points=0),
    "won whatever is chosen": replace(CHOOSING, scores=(0, 5950), seat=1, last_round=False, points=5000),
    "a best choice that is obvious": replace(CHOOSING, scores=(6000, 5950), seat=1, last_round=True),
}


@pytest.mark.parametrize("state", NONE.values(), ids=list(NONE))
def test_a_position_without_a_clear_answer_makes_no_puzzle(state: State) -> None:
    assert puzzle_of(state) is None


def test_a_file_that_is_missing_or_damaged_is_refused(tmp_path: Path) -> None:
    whole = (DIRECTORY / FILE).read_text("utf-8")
    assert text(SHIPPED) == whole
    for number, damaged in enumerate((None, "", "{}", whole[:-9], whole.replace("5", "1", 1), "[1]")):
        path = tmp_path / f"{number}.json"
        if damaged is not None:
            path.write_text(damaged, "utf-8")
        with pytest.raises(TableProblem, match="make_puzzles"):
            load(path)


def test_going_on_with_a_tutto_risks_the_next_card() -> None:
    """Making the Tutto can’t fail, but the sentence tells how risky it is to go on instead of banking."""
    position = State(
        Options(), (4350, 5900), phase=Phase.CHOOSE, card=Card.BONUS_300, aside=(1, 1, 5), roll=(1, 1, 5)
    )
    choices = (Keep((1, 1, 5)), STOP)
    puzzle = Puzzle(position, choices, wins=(0.3, 0.2), usual=1)
    assert reason(puzzle.decision(1)).best_null == next_null(position, TURN_CARD) > 0.1


@pytest.mark.parametrize(
    ("scores", "seat", "edition", "last_round", "left", "habit"),
    [
        ((5700, 5950), 1, Edition.CURRENT, False, (), Habit.WON),
        ((5700, 5950, 0), 1, Edition.CURRENT, False, (2,), Habit.WON),
        ((5950, 5700), 0, Edition.CLASSIC, False, (), Habit.WON),
        ((5950, 5700), 0, Edition.CURRENT, False, (), Habit.TOO_RISKY),
        ((5700, 5700), 1, Edition.CURRENT, False, (), Habit.TOO_RISKY),
        ((6050, 5950), 1, Edition.CURRENT, True, (), Habit.TOO_RISKY),
        ((6000, 5950, 0), 1, Edition.CURRENT, True, (), Habit.AHEAD),
    ],
    ids=["last", "last there", "at once", "first", "not enough", "shared", "not last"],
)
def test_going_on_instead_of_winning_has_its_own_reason(
    scores: tuple[int, ...],
    seat: int,
    edition: Edition,
    last_round: bool,
    left: tuple[int, ...],
    habit: Habit,
) -> None:
    position = State(
        Options(edition),
        scores,
        seat=seat,
        phase=Phase.CHOOSE,
        card=Card.BONUS_300,
        roll=(1, 2, 3, 3, 4, 6),
        left=left,
        last_round=last_round,
    )
    puzzle = Puzzle(position, (STOP, Keep((1,))), wins=(1.0, 0.8), usual=0)
    assert reason(puzzle.decision(1)).habit is habit


def test_none_comes_twice_until_all_have_come() -> None:
    games, shipped, seen = ["g.9", "g.4"], ["e.0", "e.1", "e.2"], set[str]()
    shown = []
    for _ in range(5):
        key, forget = next_key(games, shipped, seen, lambda number: number - 1)
        assert not forget
        seen.add(key)
        shown.append(key)
    assert shown == ["g.9", "g.4", "e.2", "e.1", "e.0"]
    key, forget = next_key(games, shipped, seen | {"g.1"}, lambda number: 0)
    assert (key, forget) == ("g.9", frozenset(seen))
    # What another server's games have brought stays seen.
    assert next_key([], shipped, {"g.9", "e.0"}, lambda number: 0) == ("e.1", frozenset())
