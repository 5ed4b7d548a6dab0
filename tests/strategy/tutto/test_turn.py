"""A turn is solved exactly: trying out the rules move by move gives the same values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.games.core import IllegalMove
from bot.games.tutto.cards import BONUS, FULL_DECK, Card, without
from bot.games.tutto.state import Edition, Keep, Options, Phase, State
from bot.strategy.tutto import turn as solver
from bot.strategy.tutto import winning
from bot.strategy.tutto.horizon import stop_totals
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.turn import Turn
from bot.strategy.tutto.unrolled import FILL_TOTAL
from bot.strategy.tutto.values import points_turn, values, worth
from bot.strategy.tutto.winning import chances
from tests.support.tutto_reference import RULES, Reference

# A pile as it may be after some turns: no Stop card but two, the Cloverleaf gone.
WORN = (0, 2, 2, 1, 4, 0, 3, 1, 0, 2, 1)

SECOND_NEAR_THE_END = State(Options(), (5900, 5650), seat=1, deck=WORN)
LAST_TURN = State(Options(), (6000, 5600), seat=1, last_round=True, deck=FULL_DECK)
THREE = State(Options(), (5700, 6100, 5650), seat=2, last_round=True, deck=WORN)
CLASSIC_LEADER = State(Options(Edition.CLASSIC), (5700, 5600), seat=0, deck=WORN)
# So many points that the rest of the turn can't change the result.
ENOUGH = {SECOND_NEAR_THE_END: 350, LAST_TURN: 450, THREE: 500, CLASSIC_LEADER: 300}


def reference(start: State) -> Reference:
    return Reference(lambda after: chances(after)[0][start.seat], ENOUGH[start])


def choosing(start: State, card: Card, roll: tuple[int, ...], **more: object) -> State:
    return replace(start, phase=Phase.CHOOSE, card=card, roll=roll, deck=without(pile(start), card), **more)  # type: ignore[arg-type]


def pile(start: State) -> tuple[int, ...]:
    return tuple(max(1, number) for number in start.deck)


POSITIONS = [
    choosing(SECOND_NEAR_THE_END, Card.BONUS_300, (1, 2, 3, 3, 4, 5)),
    choosing(SECOND_NEAR_THE_END, Card.X2, (5, 6), aside=(1, 5, 5, 5), points=250),
    choosing(SECOND_NEAR_THE_END, Card.PLUS_MINUS, (1, 1, 5, 5), aside=(1, 5)),
    choosing(SECOND_NEAR_THE_END, Card.STRAIGHT, (1, 1, 2, 4), aside=(3, 6)),
    choosing(SECOND_NEAR_THE_END, Card.CLOVERLEAF, (1, 5, 5), aside=(1, 5, 5)),
    choosing(SECOND_NEAR_THE_END, Card.CLOVERLEAF, (1, 5, 5), aside=(1, 5, 5), clover=1),
    choosing(LAST_TURN, Card.BONUS_200, (1, 1, 5), aside=(1, 5, 5), points=200),
    choosing(LAST_TURN, Card.PLUS_MINUS, (1, 5), aside=(1, 1, 1, 5)),
    choosing(THREE, Card.X2, (1, 5, 5, 6), aside=(5, 5), points=100),
    choosing(THREE, Card.PLUS_MINUS, (1, 5), aside=(1, 1, 1, 5)),
    choosing(CLASSIC_LEADER, Card.BONUS_200, (1, 3, 5), aside=(5, 5, 5), points=150),
]


@pytest.mark.parametrize("state", POSITIONS, ids=lambda state: f"{state.card} {state.roll}")
def test_every_action_has_the_value_that_the_rules_give(state: State) -> None:
    start = next(start for start in ENOUGH if (start.options, start.scores) == (state.options, state.scores))
    solved, _ = winning.turn(state)
    expected = reference(start).actions(state)
    found = {choice.action: choice.value for choice in values(state, solved)}
    assert found.keys() == expected.keys()
    for action, value in expected.items():
        assert found[action] == pytest.approx(value, abs=1e-9), action


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("start", ENOUGH, ids=lambda state: f"{state.options.edition} {state.scores}")
def test_a_whole_turn_has_the_value_that_the_rules_give(start: State) -> None:
    solved, _ = winning.turn(start, low=0)
    expected = reference(start).value(RULES.apply(start, RULES.legal(start)[0]).state)
    assert solved.turn_card(0, start.deck) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_turn_played_for_points_has_the_value_that_the_rules_give() -> None:
    start = replace(SECOND_NEAR_THE_END, phase=Phase.TUTTO, card=Card.BONUS_200, points=800, deck=WORN)

    def gained(after: State) -> float:
        return 0.0 if after.reason == "cloverleaf" else float(after.scores[1] - start.scores[1])

    # A fresh deck isn't worth 900 points, and no roll 1300; a Fireworks beyond 9000 is one in a million.
    expected = Reference(gained, 2000, 9000).value(RULES.apply(start, RULES.legal(start)[0]).state)
    assert points_turn(start).turn_card(16, WORN) == pytest.approx(expected, abs=0.01)


def test_there_are_no_values_while_no_seat_is_to_move() -> None:
    rolling = State(Options(), (0, 0), phase=Phase.ROLL, card=Card.X2)
    with pytest.raises(IllegalMove):
        values(rolling, points_turn(rolling))


def test_values_follow_from_the_real_pile() -> None:
    state = State(Options(), (0, 0), phase=Phase.TUTTO, card=Card.BONUS_200, points=1500)
    safe = replace(state, deck=(0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    deadly = replace(state, deck=(0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0))
    assert [choice.value for choice in values(safe, points_turn(safe))] == [
        pytest.approx(2122.638, abs=1e-3),
        1500,
    ]
    assert [choice.value for choice in values(deadly, points_turn(deadly))] == [0, 1500]


def test_the_fewest_dice_are_kept_if_stopping_is_not_possible() -> None:
    state = choosing(LAST_TURN, Card.STRAIGHT, (1, 2, 3, 3, 4, 4))
    solved, _ = winning.turn(state)
    top = max(values(state, solved), key=lambda choice: choice.value)
    assert isinstance(top.action, Keep)
    assert len(top.action.dice) == 1


@pytest.mark.parametrize("seed", range(8))
def test_beyond_the_horizon_turning_another_card_is_never_better(seed: int) -> None:
    """Solving far more totals than :func:`stop_totals` asks for finds no other value."""
    rng = random.Random(seed)
    seats = rng.choice((2, 2, 3))
    scores = tuple(rng.randrange(0, 6000, 50) for _ in range(seats))
    deck = tuple(rng.randint(0, number) for number in FULL_DECK)
    state = State(Options(rng.choice(list(Edition))), scores, seat=rng.randrange(seats), deck=deck)
    stakes, _ = winning.stakes(Position.of(state))
    near = stop_totals(stakes, deck)
    far = [max(end, 100) for end in near]
    short, long = Turn(stakes, 0, near), Turn(stakes, 0, far)
    for level in range(len(near)):
        for total in range(20 * level, far[level]):
            for pile in (deck, FULL_DECK):
                assert short.tutto(total, pile, level) == pytest.approx(
                    long.tutto(total, pile, level), abs=1e-12
                )


@pytest.mark.parametrize("last_round", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_what_is_saved_changes_no_value(
    monkeypatch: pytest.MonkeyPatch, seats: int, last_round: bool
) -> None:
    """It is not saved where more points may be worth less, as with the small dip that is added here."""
    fills: list[int] = []

    def counted(fill: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            fills[-1] += 1
            return fill(*arguments)

        return call

    monkeypatch.setattr(solver, "FILL_TOTAL", list(map(counted, FILL_TOTAL)))
    rng = random.Random(f"{seats} {last_round}")
    for edition in (Edition.CURRENT, Edition.MODERN) * 2:
        scores = [rng.randrange(0, 6000, 50) for _ in range(seats)]
        if last_round:
            scores[0] = 6000 + rng.randrange(0, 1000, 50)
        state = State(Options(edition), tuple(scores), seat=seats - 1, last_round=last_round)
        stakes, _ = winning.stakes(Position.of(state))
        highs = stop_totals(stakes)
        levels = (replace(level, banked=(*level.banked, level.banked[-1] - 1e-14)) for level in stakes.levels)
        dipped = replace(stakes, levels=tuple(levels))
        fills += [0]
        short = Turn(stakes, 0, highs)
        fills += [0]
        long = Turn(dipped, 0, highs)
        for level, high in enumerate(highs):
            for total in range(20 * level, high):
                difference = short.tutto(total, FULL_DECK, level) - long.tutto(total, FULL_DECK, level)
                assert abs(difference) < 1e-12, (edition, scores, level, total)
        for card in (*BONUS, Card.X2):
            for total in range(highs[0]):
                difference = short.scoring_card(card, total) - long.scoring_card(card, total)
                assert abs(difference) < 1e-12, (edition, scores, card, total)
    assert sum(fills[::2]) < 0.7 * sum(fills[1::2]), "nothing was saved"


def test_the_horizon_is_near_where_a_win_needs_a_large_gain() -> None:
    """After a Plus/Minus Tutto or two, a player who is far behind stops long before the target."""
    stakes, _ = winning.stakes(Position.of(State(Options(), (1800, 5900))))
    to_target = (6000 - 1800) // 50
    first, second, third = stop_totals(stakes)[1:4]
    assert third < 0.5 * to_target < second < 0.75 * to_target < first < to_target


@pytest.mark.parametrize("edition", list(Edition))
@pytest.mark.parametrize("scores", [(3000, 1000), (1000, 3000), (0, 0), (1500, 1500)])
def test_the_luck_of_a_roll_is_zero_on_average(edition: Edition, scores: tuple[int, int]) -> None:
    """For points and for the win, with either seat in the lead."""
    start = State(Options(edition), scores, deck=WORN)
    draw = RULES.apply(start, RULES.legal(start)[0]).state
    # Three dice after two 5s, so that a Tutto and the real pile matter.
    roll = choosing(start, Card.X2, (), aside=(2, 2, 2), points=200)
    roll = replace(roll, phase=Phase.ROLL)
    # A Tutto with a Plus/Minus card, after which the other leads less or not at all.
    minus = choosing(start, Card.PLUS_MINUS, (), aside=(1, 1, 5, 5), points=0)
    minus = replace(minus, phase=Phase.ROLL)
    missed = edition is Edition.CLASSIC and scores[0] >= scores[1] > 0
    for position in [draw, roll] if missed else [draw, roll, minus]:
        for by_points in (True, False):

            def value(state: State, by_points: bool = by_points) -> float:
                if state.finished:
                    return 0.0 if by_points else chances(state)[0][0]
                if by_points:
                    return worth(state, points_turn(state))
                return worth(state, winning.turn(state, low=0, high=30)[0])

            outcomes = RULES.chance(position)
            ways = sum(weight for _, weight in outcomes)
            brought = sum(weight * value(RULES.apply(position, found).state) for found, weight in outcomes)
            # Once a card is drawn, the pile says a little more about the card after it.
            close = 1e-7 if position is not draw else 1.0 if by_points else 1e-3
            assert brought / ways == pytest.approx(value(position), abs=close)
