"""The tables of the two-player game are correct, and so are the chances derived from them."""

from __future__ import annotations

import json
import random
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from itertools import product as every
from pathlib import Path
from typing import Any

import pytest

from bot.games.core import play
from bot.games.tutto.cards import FULL_DECK, Card
from bot.games.tutto.state import Edition, Options, Phase, State
from bot.strategy.shipped import INDEX, TableProblem
from bot.strategy.tutto import tables, winning
from bot.strategy.tutto.pairs import Basis, Estimate, two_player_chances
from bot.strategy.tutto.policies import Expert, Grandmaster
from bot.strategy.tutto.position import Position, deducted
from bot.strategy.tutto.tables import Shape
from bot.strategy.tutto.values import RULES
from bot.strategy.tutto.winning import chances, odds_ratio, product

SHIPPED = tables.shapes()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let the tables be looked for in an empty directory, with empty caches before and after."""

    def forget() -> None:
        for cached in (tables.load, tables.nearest, winning._stakes, winning._turn):
            cached.cache_clear()

    monkeypatch.setattr(tables, "DIRECTORY", tmp_path)
    forget()
    yield tmp_path
    forget()


def shipped_to(directory: Path) -> Path:
    """Copy one shipped table. Return its path."""
    shape = Shape.of(Edition.CURRENT, 6000)
    for name in (INDEX, shape.file):
        (directory / name).write_bytes((Path(tables.__file__).with_name("solved") / name).read_bytes())
    return directory / shape.file


def test_the_default_game_is_among_the_tables_and_all_are_sound() -> None:
    assert Shape.of(Edition.CURRENT, Options().target) in SHIPPED
    assert tables.problems() == ()


def test_the_index_has_the_accuracy_of_each_table() -> None:
    entries = json.loads((tables.DIRECTORY / INDEX).read_text("utf-8"))
    assert entries
    assert all(entry["residual"] < 1e-7 for entry in entries.values())


@pytest.mark.parametrize("shape", SHIPPED, ids=lambda shape: shape.file)
def test_more_points_are_never_worse(shape: Shape) -> None:
    table = tables.load(shape.edition, shape.target)
    assert table is not None
    scores = range(0, shape.target, 50)
    for second in (False, True):
        for other in range(0, shape.target, 450):
            line = [table.win(second, own, other) for own in scores]
            assert all(0.0 < chance < 1.0 for chance in line)
            # In classic the leader's Plus/Minus cards are lost to him, so a step ahead may cost a little.
            slack = 0.02 if shape.edition is Edition.CLASSIC else 1e-7
            assert all(less <= more + slack for less, more in pairwise(line))


@pytest.mark.parametrize("shape", SHIPPED, ids=lambda shape: shape.file)
def test_another_step_of_the_iteration_changes_no_table(shape: Shape) -> None:
    """The step is computed by other code, here from any scores; 4e-8 is the rounding of the stored floats."""
    table = tables.load(shape.edition, shape.target)
    assert table is not None
    rng = random.Random(shape.file)
    for _ in range(6):
        scores = rng.randrange(0, shape.target, 50), rng.randrange(0, shape.target, 50)
        seat = rng.randrange(2)
        state = State(Options(shape.edition, shape.target), scores, seat=seat)
        solved, basis = winning.turn(state, low=0)
        value = solved.turn_card(0, FULL_DECK)
        assert basis is Basis.TABLE
        assert value == pytest.approx(table.win(seat == 1, scores[seat], scores[1 - seat]), abs=1e-7)


@pytest.mark.parametrize("behind", [0, 50, 600, 2000, 5950])
def test_the_last_turn_agrees_with_the_table(behind: int) -> None:
    table = tables.load(Edition.CURRENT, 6000)
    assert table is not None
    best = max(6000, behind)
    state = State(Options(), (best, best - behind), seat=1, last_round=True)
    solved, _ = winning.turn(state, low=0, high=1)
    expected = table.beat(best - behind, best) if behind else None
    value = solved.turn_card(0, FULL_DECK)
    if expected is not None:
        assert value == pytest.approx(expected, abs=1e-7)
    else:
        # Not in the table: nobody has reached the target without being the first. Any points win.
        assert value == pytest.approx(0.82, abs=0.02)


@pytest.mark.parametrize("shape", [shape for shape in SHIPPED if shape.last], ids=lambda shape: shape.file)
def test_the_seat_ahead_has_won_in_the_last_turn(shape: Shape) -> None:
    table = tables.load(shape.edition, shape.target)
    assert table is not None
    assert table.beat(950, 900) == table.beat(shape.target - 50, 0) == 1.0
    assert 0.8 < table.beat(950, 950) < 1.0


def test_a_missing_table_is_a_problem_that_names_the_remedy(elsewhere: Path) -> None:
    (problem,) = tables.problems()
    assert problem.code == "problem-table-missing"
    assert "python -m tools.solve_tutto" in str(problem)
    shipped_to(elsewhere).unlink()
    assert {problem.facts["file"] for problem in tables.problems()} == {shape.file for shape in SHIPPED}


@pytest.mark.parametrize("how", ["cut", "bit", "index", "bytes", "entry"])
def test_a_damaged_table_is_noticed_and_the_grandmaster_plays_as_expert(elsewhere: Path, how: str) -> None:
    path = shipped_to(elsewhere)
    data = path.read_bytes()
    index = elsewhere / INDEX
    match how:
        case "cut":
            path.write_bytes(data[:-4])
        case "bit":
            path.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
        case "index":
            index.write_text("{", "utf-8")
        case "bytes":
            index.write_bytes(b"\xff{}")
        case "entry":
            index.write_text(json.dumps({path.name: {"edition": "current"}}), "utf-8")
    assert "problem-table-damaged" in {problem.code for problem in tables.problems()}
    with pytest.raises(TableProblem) as raised:
        tables.read(elsewhere, Shape.of(Edition.CURRENT, 6000))
    assert "python -m tools.solve_tutto" in str(raised.value)

    state = State(
        Options(), (0, 5900), phase=Phase.CHOOSE, card=Card.BONUS_200, roll=(1, 2, 3, 4, 5, 6), points=0
    )
    grandmaster = Grandmaster()
    assert grandmaster.basis(state) is Basis.POINTS
    rng = random.Random(1)
    assert grandmaster.choose(state, rng) == Expert().choose(state, rng)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    shape = Shape.of(Edition.MODERN, 1000)
    parts = [array("f", (number / length for number in range(length))) for length in shape.parts]
    tables.write(tmp_path, shape, parts, {"residual": 0.0})
    assert tables.shapes(tmp_path) == (shape,)
    assert shape.file not in {problem.facts["file"] for problem in tables.problems(tmp_path)}
    table = tables.read(tmp_path, shape)
    place = (shape.floor + 2) * shape.own + shape.floor - 1
    assert table.win(False, 100, -50) == pytest.approx(place / shape.parts[0])
    # Scores outside the table count as those at its edge.
    assert table.win(True, 5000, -9000) == table.win(True, 950, -2000)
    assert table.beat(0, 10**6) == table.beat(0, shape.cap)


BASES = [
    (Options(), (100, 200), (), Basis.TABLE),
    (Options(Edition.CURRENT, 3000), (100, 200), (), Basis.TABLE),
    (Options(Edition.CURRENT, 4000), (100, 200), (), Basis.SHIFTED),
    (Options(Edition.CURRENT, 50_000), (100, 200), (), Basis.SHIFTED),
    (Options(Edition.CURRENT, 50_000), (45_000, 48_000), (), Basis.SHIFTED),
    (Options(Edition.MODERN, 10_000), (9500, 100, 2500), (), Basis.LEARNED),
    (Options(), (100, 200, 300), (), Basis.LEARNED),
    (Options(Edition.CLASSIC), (100, 200, 300), (), Basis.LEARNED),
    (Options(), (100, 200, 300), (1,), Basis.TABLE),
    (Options(Edition.MODERN), (100, -900), (), Basis.TABLE),
]


@pytest.mark.parametrize(("options", "scores", "left", "basis"), BASES)
def test_the_basis_is_named(
    options: Options, scores: tuple[int, ...], left: tuple[int, ...], basis: Basis
) -> None:
    state = State(options, scores, left)
    assert chances(state)[1] is basis
    # The grandmaster uses pairs, which take less time.
    assert Grandmaster().basis(state) is (Basis.PAIRS if basis is Basis.LEARNED else basis)


@pytest.mark.usefixtures("elsewhere")
def test_without_any_table_chances_are_estimated_and_choices_made_for_points() -> None:
    state = State(Options(target=9000), (100, 200))
    assert chances(state)[1] is Basis.ESTIMATE
    assert Grandmaster().basis(state) is Basis.POINTS


@pytest.mark.parametrize("seats", [2, 3, 4, 10])
@pytest.mark.parametrize("edition", list(Edition))
def test_equal_scores_give_equal_chances_except_for_the_order(seats: int, edition: Edition) -> None:
    found, _ = chances(State(Options(edition), (1000,) * seats, seat=1))
    assert sum(found) == pytest.approx(1.0)
    assert all(chance == pytest.approx(1 / seats, abs=0.08 if seats < 10 else 0.06) for chance in found)


def test_chances_in_the_last_round() -> None:
    state = State(Options(), (6200, 0, 5900), seat=1, last_round=True)
    first, behind, near = chances(state)[0]
    assert first + behind + near == pytest.approx(1.0)
    assert near > first > behind
    over = replace(state, phase=Phase.OVER, winners=(0, 2))
    assert chances(over)[0] == (0.5, 0.0, 0.5)
    gone = replace(state, left=(0, 2))
    assert chances(gone)[0] == (0.0, 1.0, 0.0)


def test_a_deduction_in_the_last_round_can_hand_the_win_to_another_score() -> None:
    """A turn has a Plus/Minus Tutto in 2.4 to 2.9% of cases; the last seat is too far behind for more."""

    def shown(*scores: int) -> tuple[float, ...]:
        return chances(State(Options(), scores, seat=len(scores) - 1, last_round=True))[0]

    assert shown(6200, 5500, 0)[1] == pytest.approx(0.027, abs=0.005)
    _, third, second, _ = shown(6200, 5300, 5500, 0)
    assert third < 0.003 < 0.02 < second
    # Out of reach of one deduction.
    assert shown(6700, 5500, 0)[1] < 0.003
    # The 1000 points of that Tutto put the last seat ahead.
    assert shown(6200, 5300, 4500)[1] < 0.003
    # They put it level, and the win is shared.
    assert 0.004 < shown(6200, 5300, 4300)[1] < 0.013


def test_the_table_of_another_target_is_close() -> None:
    table, other = tables.load(Edition.CURRENT, 6000), tables.load(Edition.CURRENT, 10_000)
    assert table is not None
    assert other is not None
    # Far from zero the two differ only by what a deduction can't take below it.
    for own, rival in ((2500, 3000), (4000, 2500), (5900, 5500)):
        shifted = other.win(False, own + 4000, rival + 4000)
        assert shifted == pytest.approx(table.win(False, own, rival), abs=0.002)


def test_a_table_says_what_is_further_away_than_it_reaches() -> None:
    table = tables.load(Edition.CURRENT, 10_000)
    assert table is not None
    options = Options(Edition.MODERN, 10_000)
    pairs, _ = two_player_chances(Position(options, (0, 0), (), 0, False))
    # The editions differ only in deductions near zero.
    scores = range(0, 10_000, 250)
    for own, second in every(scores, (False, True)):
        line = pairs.wins(second, own, range(0, 10_000, 50))
        for other in scores:
            chance = pairs.win(second, own, other)
            assert chance == pytest.approx(table.win(second, own, other), abs=0.008)
            assert chance == pytest.approx(line[other // 50], abs=0.002)


def test_the_estimate_is_near_the_table() -> None:
    table = tables.load(Edition.CURRENT, 6000)
    assert table is not None
    estimate = Estimate(6000)
    for own in range(0, 4500, 300):
        for other in range(0, 4500, 300):
            for second in (False, True):
                assert estimate.win(second, own, other) == pytest.approx(
                    table.win(second, own, other), abs=0.02
                )
    for behind in range(0, 6000, 250):
        assert estimate.beat(5950 - behind, 5950) == pytest.approx(table.beat(5950 - behind, 5950), abs=0.05)
    assert estimate.beat(6000, 5950) == 1.0


def test_chances_against_each_other_seat_are_combined() -> None:
    assert odds_ratio([0.5] * 3) == pytest.approx(0.25)
    assert odds_ratio([0.8]) == pytest.approx(0.8)
    assert odds_ratio([0.8, 0.0]) == 0.0
    assert product([0.5, 0.5]) == 0.25


def test_deductions_follow_the_rules() -> None:
    """The stakes after a Plus/Minus Tutto are those of the scores the rules lead to."""
    rng = random.Random(5)
    for _ in range(200):
        edition = rng.choice(list(Edition))
        scores = tuple(rng.choice((-500, 0, 300, 950, 1000, 1500)) for _ in range(rng.choice((2, 3, 4))))
        if edition is Edition.CURRENT:
            scores = tuple(max(0, score) for score in scores)
        state = State(
            Options(edition),
            scores,
            seat=rng.randrange(len(scores)),
            phase=Phase.CHOOSE,
            card=Card.PLUS_MINUS,
            aside=(1, 1, 1, 1, 1),
            roll=(1,),
        )
        after = RULES.apply(state, RULES.legal(state)[0]).state
        assert deducted(Position.of(state)) == after.scores


class _FreshDeck:
    """Draws as if every card came from a full pile: the model of the tables."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def draw(self, outcomes: Sequence[tuple[Any, int]]) -> Any:
        return self._rng.choices(*zip(*outcomes, strict=True))[0]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("scores", "seat", "games"),
    [((0, 0), 0, 1500), ((3000, 4000), 1, 2000), ((4500, 5500), 0, 4000), ((5700, 5000), 1, 4000)],
)
def test_games_are_won_as_often_as_the_table_says(scores: tuple[int, int], seat: int, games: int) -> None:
    """Two grandmasters play on by the rules; the table must lie within the 99.9% interval."""
    winning.cache_turns(5000)
    rng = random.Random(f"{scores} {seat}")
    player, chance = Grandmaster(), _FreshDeck(rng)
    start = State(Options(), scores, seat=seat)
    wins = 0.0
    for _ in range(games):
        state = start
        while state.phase is not Phase.OVER:
            # The state at hand is always that of a decision, so the pile may be made whole.
            state = replace(state, deck=FULL_DECK)
            state = play(RULES, state, player.choose(state, rng), chance).state
        wins += (seat in state.winners) / len(state.winners)
    expected = chances(start)[0][seat]
    deviation = (expected * (1 - expected) / games) ** 0.5
    assert abs(wins / games - expected) < 3.3 * deviation


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_solver_agrees_with_the_turn(elsewhere: Path) -> None:
    pytest.importorskip("numba", reason="the solver needs the extra 'solver'")
    from tools.solve_tutto import main

    for edition in Edition:
        assert main(["--edition", edition.value, "--target", "1000", "--out", str(elsewhere)]) == 0
        table = tables.load(edition, 1000)
        assert table is not None
        for own, other, seat in ((0, 0, 0), (500, 950, 1), (950, 950, 0), (300, 0, 1)):
            scores = (own, other) if seat == 0 else (other, own)
            solved, _ = winning.turn(State(Options(edition, 1000), scores, seat=seat), low=0)
            assert solved.turn_card(0, FULL_DECK) == pytest.approx(table.win(seat == 1, own, other), abs=1e-7)
