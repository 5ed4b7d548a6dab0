"""The lines of a game's scores, from made-up steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.games.core import Played
from bot.records.score_history import ScoreHistory, score_history_of
from bot.screens.model import Mark


@dataclass(frozen=True)
class Now:
    """Whose turn it is, and the scores after a step."""

    seat: int
    finished: int
    scores: tuple[int, ...]
    left: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()


def history(*steps: Now) -> ScoreHistory:
    """The lines after these steps; the first step is the beginning."""
    rules = SimpleNamespace(
        scores=lambda state: state.scores,
        turns=lambda state: state.finished,
        left=lambda state: state.left,
        turn_seat=lambda state: state.seat,
    )
    entry: Any = SimpleNamespace(rules=rules, screen=SimpleNamespace(marks=lambda events: events))
    log: Any = SimpleNamespace(replay=lambda: iter([Played(step, step.marks, (), ()) for step in steps]))
    return score_history_of(entry, log)


START = Now(0, 0, (0, 0))


@pytest.mark.parametrize(
    ("steps", "turns", "first", "second"),
    [
        pytest.param((), 1, [(0, 0), (1, 0)], [(0, 0), (1, 0)], id="nothing happened"),
        pytest.param(
            (Now(1, 1, (500, 0)), Now(0, 2, (500, 300)), Now(1, 3, (500, 300))),
            3,
            [(0, 0), (1, 500), (3, 500)],
            [(0, 0), (2, 300), (3, 300)],
            id="a corner at each own turn",
        ),
        pytest.param(
            (Now(0, 0, (0, 0)), Now(0, 0, (0, 0)), Now(1, 1, (500, 0)), Now(1, 1, (500, 0))),
            1,
            [(0, 0), (1, 500)],
            [(0, 0), (1, 0)],
            id="no corner within a turn",
        ),
        pytest.param(
            (Now(1, 1, (500, 0)), Now(0, 2, (500, 0)), Now(1, 3, (600, 0)), Now(0, 4, (100, 1000))),
            4,
            [(0, 0), (1, 500), (3, 600), (4, 100)],
            [(0, 0), (2, 0), (4, 1000)],
            id="level until the turn in which another one takes points",
        ),
        pytest.param(
            (Now(1, 1, (500, 0)), Now(0, 2, (500, 0)), Now(1, 3, (500, 900)), Now(0, 4, (500, 900))),
            4,
            [(0, 0), (1, 500), (3, 500), (4, 500)],
            [(0, 0), (2, 0), (3, 900), (4, 900)],
            id="level from a turn of one's own as well",
        ),
        pytest.param(
            (
                Now(1, 1, (500, 0)),
                Now(1, 1, (400, 0)),
                Now(1, 1, (300, 0)),
                Now(0, 2, (200, 1000)),
                Now(1, 3, (200, 1000)),
            ),
            3,
            [(0, 0), (1, 500), (2, 200), (3, 200)],
            [(0, 0), (2, 1000), (3, 1000)],
            id="several times in one turn",
        ),
        pytest.param(
            (Now(1, 1, (500, 0)), Now(1, 2, (500, 0)), Now(1, 3, (500, 0)), Now(0, 4, (400, 900))),
            4,
            [(0, 0), (1, 500), (3, 500), (4, 400)],
            [(0, 0), (2, 0), (3, 0), (4, 900)],
            id="level up to the turn before",
        ),
        pytest.param(
            (Now(0, 0, (50, -50)), Now(1, 1, (50, -50))),
            1,
            [(0, 0), (1, 50)],
            [(0, 0), (1, -50)],
            id="within the first turn",
        ),
    ],
)
def test_lines(
    steps: tuple[Now, ...], turns: int, first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    found = history(START, *steps)
    assert found.turns == turns
    assert [list(lane.points) for lane in found.seats] == [first, second]


def test_marks_lie_on_the_line_of_their_seat_at_the_end_of_their_turn() -> None:
    hit, tutto = Mark(0, "hit"), Mark(1, "tutto")
    found = history(
        START,
        Now(1, 1, (500, 0)),
        Now(1, 1, (500, 0), marks=(tutto,)),
        Now(0, 2, (400, 1000), marks=(tutto, hit)),
        Now(0, 2, (400, 1000), marks=(Mark(0, "tutto"),)),
    )
    assert found.turns == 3
    assert found.seats[0].marks == (((2, 400), "hit"), ((3, 400), "tutto"))
    assert found.seats[1].marks == (((2, 1000), "tutto"),) * 2
    assert found.seats[1].points[-1] == (3, 1000)


def test_a_seat_that_left_has_the_turn_in_which_it_did() -> None:
    gone = Now(0, 2, (500, 300), left=(1,))
    found = history(START, Now(1, 1, (500, 0)), replace(gone, finished=1), gone, replace(gone, finished=3))
    assert [lane.left for lane in found.seats] == [None, 2]
    assert found.turns == 3
    # The last ones leave within a turn, which is never finished.
    found = history(START, Now(1, 1, (500, 0)), Now(1, 1, (500, 0), left=(0, 1)))
    assert [lane.left for lane in found.seats] == [2, 2]
    assert found.turns == 2
