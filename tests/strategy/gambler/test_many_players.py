"""Three to six seats: who completes a row, the formula for the chance to win, and the tree of a turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import exp, prod, tanh
from pathlib import Path
from random import Random

import pytest

from bot.games.core import OVER, play, settle
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS, Row
from bot.games.gambler.state import Phase, State
from bot.records.seeds import SeededChance
from bot.strategy.gambler import Expert, Grandmaster, completion, many_players, outlook, tables
from bot.strategy.gambler.chances import chance_alone
from tests.strategy.gambler.test_turn import by_the_rules
from tests.strategy.gambler.test_winning import MARKET, PLACED, WATERFALL, position

GAME = Gambler()
SEATS = (3, 4, 5, 6)
RANDOM = Random(1)


def shares(row: Row, placed: PLACED, dice: Sequence[int], open_boxes: int) -> list[float]:
    """Return what a network says, by its weights and features as they were learned."""
    network = completion.networks()[len(dice)]
    chances = [chance_alone(row, placed, min(5, number)) for number in dice]
    seen = completion.features(outlook.shares(row, placed, dice), chances, dice, row.black)
    board = completion.common(row.kind, row.black, len(row.boxes) - len(placed), open_boxes)
    odds = []
    for turn, own in enumerate(seen):
        logit = sum(weight * value for weight, value in zip(network.direct, own, strict=True))
        for unit, out in enumerate(network.out):
            inner = network.bias[unit] + network.turn[turn][unit]
            inner += sum(weight * value for weight, value in zip(network.own[unit], own, strict=True))
            inner += sum(weight * value for weight, value in zip(network.common[unit], board, strict=True))
            logit += out * tanh(inner)
        odds.append(exp(logit))
    return [one / sum(odds) for one in odds]


@pytest.mark.parametrize("seats", SEATS)
def test_a_network_weighs_all_features(seats: int) -> None:
    for board in BOARDS.values():
        for row in board.rows:
            placed = row.boxes[:1] if all(row.boxes) and row.boxes[0] <= 6 else ()
            dice = [RANDOM.randrange(1, 8) for _ in range(seats)]
            found = completion.networks()[seats].shares(row, placed, dice, 12)
            assert sum(found) == pytest.approx(1.0)
            assert found == pytest.approx(shares(row, placed, dice, 12))


def test_the_chance_is_known_when_the_game_is_over_and_even_with_even_scores() -> None:
    spread = many_players.SPREADS[3]
    assert many_players.chance([510, 510, 300], 0, 500, 0.0, spread) == 0.5
    assert many_players.chance([510, 520, 300], 0, 500, 0.0, spread) == 0.0
    assert many_players.chance([200, 200, 200], 1, 500, 90.0, spread) == pytest.approx(1 / 3)
    ahead = [many_players.chance([200, 150, 100], seat, 500, 90.0, spread) for seat in range(3)]
    assert sum(ahead) == pytest.approx(1.0)
    assert ahead == sorted(ahead, reverse=True)


@pytest.mark.parametrize("seats", [3, 6])
@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_few_open_rows_are_counted_out(rows: int, seats: int) -> None:
    """With the shares that the weights are for, the result is the mean over all ways to share the rows."""
    points, scores = [60.0, 40.0, -30.0][:rows], [430.0, 470.0, 10.0, 440.0, 0.0, 20.0][:seats]
    likely = [[0.2, 0.3, 0.5], [0.6, 0.4, 0.0], [0.1, 0.1, 0.8]][:rows]
    likely = [[share / (seats // 3) for share in row * (seats // 3)] for row in likely]
    expected, spread = 0.0, many_players.SPREADS[seats]
    for owners in product(range(seats), repeat=rows):
        after = [
            max(0.0, score + sum(p for p, owner in zip(points, owners, strict=True) if owner == seat))
            for seat, score in enumerate(scores)
        ]
        weight = prod(share[owner] for share, owner in zip(likely, owners, strict=True))
        expected += weight * many_players.chance(after, 2, 500, 0.0, spread)
    found = many_players.weights(points, likely, scores, 2, 500, spread)
    assert with_shares(found, likely) == pytest.approx(expected)


def test_many_open_rows_have_the_chance_of_the_mean_scores() -> None:
    points, scores, spread = [60.0, 40.0, -30.0, 50.0], [430.0, 300.0, 410.0], many_players.SPREADS[3]
    likely = [[0.2, 0.3, 0.5]] * 4
    mean = [score + share * 120 for score, share in zip(scores, likely[0], strict=True)]
    found = with_shares(many_players.weights(points, likely, scores, 0, 500, spread), likely)
    assert found == pytest.approx(many_players.chance(mean, 0, 500, 180.0, spread))


def with_shares(weights: Sequence[float], likely: Sequence[Sequence[float]]) -> float:
    flat = [share for row in likely for share in row]
    return weights[0] + sum(weight * share for weight, share in zip(weights[1:], flat, strict=True))


def estimated(start: State) -> Callable[[State], float]:
    """Return the value of a position right after the turn, by the rules' positions alone."""
    seats, rows = len(start.scores), BOARDS[start.board].rows
    order = [seat for step in range(1, seats + 1) if (seat := (start.seat + step) % seats) not in start.left]

    def likely(state: State, row: int) -> list[float]:
        dice = [state.dice[seat] for seat in order]
        first = next((place for place, number in enumerate(dice[:-1]) if number), len(dice) - 1)
        boxes = sum(len(one.boxes) for one in rows) - sum(map(len, state.rows))
        found = shares(rows[row], state.rows[row], dice[first:] + dice[:first], boxes)
        return [found[(place - first) % len(order)] for place in range(len(order))]

    def end(after: State) -> float:
        is_open = [row for row, one in enumerate(rows) if len(after.rows[row]) < len(one.boxes)]
        weights = many_players.weights(
            [float(rows[row].points) for row in is_open],
            [likely(start, row) for row in is_open],
            [float(after.scores[seat]) for seat in order],
            len(order) - 1,
            float(start.options.target),
            many_players.SPREADS[len(order)],
        )
        return with_shares(weights, [likely(after, row) for row in is_open])

    return end


def several_seats(state: State, scores: tuple[int, ...], dice: tuple[int, ...]) -> State:
    return replace(state, scores=scores, dice=dice)


POSITIONS = {
    "the last round": several_seats(
        position("market", MARKET, (450, 460), roll=(2, 5, 6)), (450, 460, 470), (6, 3, 5)
    ),
    "the next one has no dice": several_seats(
        position("market", MARKET, (1, 2), roll=(1, 2, 5), placed=1), (300, 310, 90, 480), (5, 0, 4, 2)
    ),
    "the game may go on": several_seats(
        position("waterfall", WATERFALL, (1, 2), roll=(1, 2, 6)), (200, 310, 80, 90, 150), (3, 3, 3, 1, 2)
    ),
    "somebody left": replace(
        several_seats(position("market", MARKET, (1, 2), roll=(2, 5)), (200, 310, 80, 90), (5, 6, 0, 4)),
        left=(2,),
    ),
}


@pytest.mark.parametrize("state", POSITIONS.values(), ids=list(POSITIONS))
def test_every_action_has_the_value_that_the_rules_give(state: State) -> None:
    best = by_the_rules(state, estimated(state))
    found = many_players.values(state)
    assert [action for action, _ in found] == list(GAME.legal(state))
    for action, value in found:
        assert value == pytest.approx(best(GAME.apply(state, action).state), abs=1e-9)
    chances = dict(found)
    assert chances[Grandmaster().choose(state, Random(1))] == max(chances.values())


@pytest.mark.parametrize("stars", ["independent", "distinct"])
@pytest.mark.parametrize("board", BOARDS)
def test_the_first_choices_on_every_board_are_legal(board: str, stars: str) -> None:
    """A choice with five dice is among the slowest, so the seats change from board to board."""
    seats = 3 + list(BOARDS).index(board) % 4
    chance = SeededChance(bytes([seats]) * 32)
    state = settle(GAME, GAME.initial(GAME.options({"stars": stars}), seats), chance).state
    state = replace(state, board=board, pile=tuple(one for one in BOARDS if one != board))
    policy, turns = Grandmaster(), 0
    position = settle(GAME, state, chance)
    while GAME.to_move(position.state) != OVER and position.state.finished < 4:
        action = policy.choose(position.state, Random(1))
        assert action in GAME.legal(position.state)
        position = play(GAME, position.state, action, chance)
        turns += 1
    assert turns > 4


def test_without_networks_a_grandmaster_plays_as_the_expert(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_players, "networks", dict)
    state = POSITIONS["the game may go on"]
    assert not many_players.has_network(state)
    assert Grandmaster().choose(state, Random(1)) == Expert().choose(state, Random(1))


def test_there_are_networks_for_all_numbers_of_seats_that_have_no_table() -> None:
    assert tuple(completion.networks()) == SEATS == tuple(many_players.SPREADS)
    assert completion.problems() == ()
    two = replace(GAME.initial(GAME.options({}), 3), left=(1,), phase=Phase.PLACE)
    assert not many_players.has_network(two)


@pytest.mark.parametrize("damage", [None, b"", b"{}"])
def test_missing_or_damaged_networks_are_named(damage: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_bytes((tables.DIRECTORY / "tables.json").read_bytes())
    if damage is not None:
        (tmp_path / completion.FILE).write_bytes(damage)
    (problem,) = completion.problems(tmp_path)
    assert problem.code == ("problem-table-missing" if damage is None else "problem-table-damaged")
    assert problem.facts["command"] == completion.COMMAND
