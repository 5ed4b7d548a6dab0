"""Luck: points against what the odds gave for the same decisions."""

from __future__ import annotations

import statistics
from random import Random

import pytest

from bot.games.core import Leave, Played, ScriptedNature, play
from bot.games.tutto import Tutto
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Draw, Keep, Options, Roll
from bot.ranking import LUCK, LUCK_GAMES
from bot.registry import find
from bot.simulate import play_game
from bot.store.base import Store
from bot.strategy.tutto.luck import luck
from tests.databases import Place, opened, rebuilt
from tests.memory.histories import NOW

RULES = Tutto()


class Hand:
    """A game of two that is played by hand."""

    def __init__(self) -> None:
        self.state = RULES.initial(Options(target=1000), 2)
        self.log: list[tuple[object, tuple[object, ...]]] = []

    def do(self, move: object, *outcomes: object) -> Played:
        played = play(RULES, self.state, move, ScriptedNature(outcomes))
        self.state = played.state
        self.log.append((move, outcomes))
        return played

    @property
    def luck(self) -> tuple[int, ...]:
        return luck(Options(target=1000), 2, self.log)


def test_a_stop_card_is_bad_luck_and_three_ones_are_good() -> None:
    hand = Hand()
    hand.do(TURN_CARD, Draw(Card.STOP))
    hand.do(TURN_CARD, Draw(Card.BONUS_600), Roll((1, 1, 1, 2, 3, 4)))
    first, second = hand.luck
    assert first < -300  # about what a turn is worth
    assert second > 600
    hand.do(STOP)
    assert hand.luck == (first, second)  # nothing is left to chance in stopping


def test_a_poor_decision_is_no_bad_luck() -> None:
    """Who keeps only a five of two triplets loses by the decision, not by chance."""
    good, poor = Hand(), Hand()
    for hand in (good, poor):
        hand.do(TURN_CARD, Draw(Card.BONUS_200), Roll((1, 1, 1, 5, 6, 6)))
    good.do(STOP)
    poor.do(Keep((5,)), Roll((2, 3, 4, 6, 6)))
    before = good.luck[0]
    assert poor.luck[0] < before  # the null was bad luck
    assert before - poor.luck[0] < 1100  # but not for all that was given away


def test_who_leaves_is_neither() -> None:
    hand = Hand()
    hand.do(TURN_CARD, Draw(Card.BONUS_200), Roll((1, 2, 3, 3, 4, 6)))
    before = hand.luck
    hand.do(Leave(0))
    assert hand.luck == before


@pytest.mark.parametrize("policy", ["beginner", "casual"])
def test_it_evens_out(policy: str) -> None:
    """Whoever plays, well or badly: over many games luck is nothing."""
    found: list[int] = []
    players = [find("tutto").policies[policy]] * 2
    options = RULES.options({"target": 1500})
    for number in range(60):
        seed = number.to_bytes(32, "big")
        game = play_game(RULES, options, players, seed, [Random(number), Random(-number)])
        found += luck(options, 2, [(move, outcomes) for _, move, outcomes in game.moves])
    error = statistics.stdev(found) / len(found) ** 0.5
    assert abs(statistics.mean(found)) < 4 * error
    assert error < 200


async def test_luck_is_counted_once_and_rebuilt(store: Store, path: Place) -> None:
    games = await store.without_luck(["tutto"], 30)
    assert len(games) == 30
    assert await store.without_luck(["gambler"], 30) == ()
    for _ in range(2):
        for number, game in enumerate(games):
            seats = len(await store.results(game))
            await store.set_luck(game, [number * 10 - seat for seat in range(seats)])
    assert not set(await store.without_luck(["tutto"], 1000)) & set(games)

    def sums() -> list[tuple[object, ...]]:
        with opened(path) as connection:
            return sorted(
                connection.execute("SELECT * FROM feats WHERE feat IN (?, ?)", (LUCK, LUCK_GAMES)).fetchall()
            )

    before = sums()
    with opened(path) as connection:
        (people,) = connection.execute(
            "SELECT count(*) FROM results WHERE luck IS NOT NULL AND user_id IS NOT NULL"
        ).fetchone()
    rebuilt(path, NOW)
    assert sum(int(str(row[4])) for row in before if row[3] == LUCK_GAMES) == people
    assert sums() == before
