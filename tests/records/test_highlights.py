"""The turn of the game, and the best decision of a person."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from bot.cli.simulation import play_game
from bot.games.core import Leave, Move, Result, SeatStats
from bot.games.seats import person
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.records.game_log import GameLog
from bot.records.highlights import highlights_of, seats_played_by_one_person, turn_of_game
from bot.registry import TEXT_ICONS, find
from bot.screens.highlights import BestDecision, Highlights, TurnOfGame
from bot.screens.model import Picture, Text
from bot.screens.result import ResultLine, finished
from bot.store.base import Damaged, FormerSeat
from tests.support.rows import a_game
from tests.support.screen import read
from tests.support.values import not_none

ENGLISH = Catalogue(TEXT_ICONS)


def played(game: str, level: str) -> GameLog:
    entry = find(game)
    options, player = entry.rules.options({}), entry.policies[level]
    _, found = play_game(entry.rules, options, [player] * 2, bytes([3] * 32), [Random(1), Random(2)])
    return GameLog(game, options, 2, tuple(found.opening), tuple(found.moves))


def scores_by_turn(log: GameLog) -> list[tuple[int, ...]]:
    rules, found = find(log.game).rules, list[tuple[int, ...]]()
    for step in log.replay():
        while len(found) <= rules.turns(step.state):
            found.append(tuple(rules.scores(step.state)))
    return found


@pytest.mark.parametrize("game", ["tutto", "gambler"])
def test_without_chances_it_is_the_turn_with_the_most_points(game: str) -> None:
    log = played(game, "casual")
    found = not_none(turn_of_game(find(game), log))
    assert found.chances is None
    scores = scores_by_turn(log)
    gains = [max(a - b for a, b in zip(new, old, strict=True)) for old, new in pairwise(scores)]
    assert gains[found.number - 1] == max(gains)
    assert found.told


def test_with_chances_it_is_the_turn_that_changed_them_most() -> None:
    log = played("tutto", "casual")
    coach = not_none(find("tutto").coach)
    report = coach.review(log.options, log.seats, log.opening, log.moves)
    found = not_none(highlights_of(find("tutto"), log, (0, 1), report).turn)
    assert found.chances is not None
    before, after = found.chances
    swings = [abs(new[0] - old[0]) for old, new in pairwise(report.chances)]
    assert abs(after - before) == pytest.approx(max(swings))
    assert report.chances[found.number][found.seat] == after


@pytest.mark.parametrize("game", ["tutto", "gambler"])
def test_of_equal_turns_it_is_the_last_unless_none_changes_anything(game: str) -> None:
    log, entry = played(game, "casual"), find(game)
    *_, end = log.replay()
    turns = entry.rules.turns(end.state)
    chances = [(0.25, 0.75) if number % 2 else (0.5, 0.5) for number in range(turns + 1)]
    assert not_none(turn_of_game(entry, log, chances)).number == turns
    assert turn_of_game(entry, log, [(0.5, 0.5)] * (turns + 1)) is None


@pytest.mark.parametrize("game", ["tutto", "gambler"])
@pytest.mark.parametrize("leaver", [0, 1])
def test_leaving_is_no_turn_of_the_game(game: str, leaver: int) -> None:
    log, entry = played(game, "casual"), find(game)
    states = [step.state for step in log.replay()]
    # Seat 0 has just ended its second turn, so seat 0 leaves out of turn and seat 1 in its own.
    cut = next(at for at, state in enumerate(states) if entry.rules.turns(state) == 3)
    log = replace(log, moves=(*log.moves[:cut], Move(leaver, Leave(leaver), ())))
    report = not_none(entry.coach).review(log.options, log.seats, log.opening, log.moves)
    assert report.chances[-1][leaver] == 0.0
    found = not_none(highlights_of(entry, log, (), report).turn)
    assert 0.0 not in not_none(found.chances)
    assert 1.0 not in not_none(found.chances)


def test_only_seats_that_one_person_has_played_are_praised() -> None:
    log = played("tutto", "expert")
    coach = not_none(find("tutto").coach)
    report = coach.review(log.options, log.seats, log.opening, log.moves)
    assert {one.seat for one in report.best_decisions} == {0, 1}
    assert all(one.gain >= 0.01 and one.played != one.usual for one in report.best_decisions)
    praised = highlights_of(find("tutto"), log, {1}, report).decision
    assert praised in report.best_decisions
    assert praised.seat == 1
    assert highlights_of(find("tutto"), log, (), report).decision is None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {0, 1}),
        ({"own_turns": (4, 3, 0)}, {0}),  # one turn of seat 1 was played for its person
        ({"own_turns": ()}, {0, 1}),  # a game of an earlier version
        ({"stats": ()}, {0, 1}),
        ({"stats": Damaged("{")}, {0, 1}),
        ({"former": (FormerSeat(0, 3, "Chiara", 5, True, 2, 2),)}, {1}),
        ({"former": (FormerSeat(0, 1, "Anna", 5, False, 2, 2),)}, {0, 1}),
    ],
)
def test_a_seat_that_others_have_played_as_well_is_not_praised(
    changed: dict[str, Any], expected: set[int]
) -> None:
    row = a_game(100, 1, 2, ais=1, own_turns=(4, 4, 0), stats=(SeatStats(4, 500, {}),) * 3)
    assert seats_played_by_one_person(replace(row, **changed)) == expected


def end_with(found: Highlights) -> str:
    """Return what a finished game shows below its chart, above its buttons."""
    shown = finished(
        "tutto",
        find("tutto").screen,
        say("x"),
        (person(1, "Anna"), person(2, "B*n")),
        Result((6050, 4900), (0,), "target"),
        [ResultLine(0, 1, 6050, 1200, {}), ResultLine(1, 2, 4900, 2650, {})],
        rematch=False,
        highlights=found,
        pictured=True,
    )
    (chart,) = (number for number, block in enumerate(shown.blocks) if isinstance(block, Picture))
    lines = [line for block in shown.blocks[chart:] if isinstance(block, Text) for line in block.lines]
    return read("\n".join(ENGLISH.text("en", line) for line in lines))


TURN = TurnOfGame(1, 12, (say("points-won", points=2650),))
BEST_TURN = "-# Best turn: B\\*n · 2,650"
BEST = BestDecision(0, 9, say("tutto-do-turn"), say("tutto-do-stop", points=400), 0.042)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Highlights(), BEST_TURN),
        (Highlights(TURN), "Turn of the game · B\\*n, turn\u00a012: +2,650"),
        (
            Highlights(replace(TURN, chances=(0.31, 0.784))),
            "Turn of the game · B\\*n, turn\u00a012: +2,650 · winning chance 31% →\u00a078%",
        ),
        (
            Highlights(None, BEST),
            "Best decision · Anna, turn\u00a09: “Turn a card” instead of “Bank 400” · winning chance +4.2%\n"
            + BEST_TURN,
        ),
    ],
)
def test_they_are_told_in_a_line_each(found: Highlights, text: str) -> None:
    assert end_with(found).replace("**", "") == text
