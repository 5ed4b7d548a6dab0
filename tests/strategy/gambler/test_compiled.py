"""The compiled players value a turn as the bot does, and luck has the mean 0. Needs the extra ``solver``."""

from __future__ import annotations

from random import Random

import pytest

from bot.games.core import OVER, play, settle
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS
from bot.games.gambler.state import Phase
from bot.records.seeds import SeededChance
from bot.strategy.gambler import Grandmaster, completion, many_players

GAME = Gambler()


@pytest.mark.slow
@pytest.mark.parametrize("seats", [4, 6])
def test_the_compiled_grandmaster_values_turns_as_the_bot_does(seats: int) -> None:
    pytest.importorskip("numba", reason="the compiled games need the extra 'solver'")
    from tools import gambler_games as games

    boards, rolls, room = games.boards(), games.all_rolls(), games.space()
    expert, chance, names = games.no_net(seats), SeededChance(bytes(32)), list(BOARDS)
    learned = games.net(completion.networks()[seats], seats)
    position, compared = settle(GAME, GAME.initial(GAME.options({}), seats), chance), 0
    while GAME.to_move(position.state) != OVER and compared < 100:
        state = position.state
        if state.phase is Phase.PLACE:
            search = many_players.turn(state)
            start = search.start
            scores, dice, fill = map(games.np.array, (start.scores, start.dice, start.fill))
            turn = games.Turn(names.index(start.board), scores, dice, fill, start.hand, hero=seats - 1)
            games.prepare(boards, expert, learned, turn, room)
            games.tree(boards, rolls, learned, turn, room, True)
            assert room.end[0, 0] == pytest.approx(search.end(start.fill, start.hand))
            if start.hand:
                roll = search.roll(start.fill, start.hand)
                assert room.roll[0, 0] == pytest.approx(roll)
            compared += 1
        position = play(GAME, state, Grandmaster().choose(state, Random(1)), chance)
    assert compared == 100


@pytest.mark.slow
def test_luck_has_the_mean_0_whatever_the_estimate_is() -> None:
    """With weights at random and a wrong spread, an expert among experts still has its equal share."""
    pytest.importorskip("numba", reason="the compiled games need the extra 'solver'")
    from tools import gambler_games as games

    boards, rolls, room = games.boards(), games.all_rolls(), games.space()
    wrong = games.net(completion.networks()[3], 3)._replace(spread=(0.5, 0.1, 0.0), direct=games.np.ones(9))
    games.set_seed(1)
    none = games.np.zeros((0, games.COLUMNS), games.np.int64)
    luck = [
        games.play(boards, rolls, games.no_net(3), wrong, 3, game % 3, False, room, none)[1]
        for game in range(400)
    ]
    mean = sum(luck) / len(luck)
    error = (sum((one - mean) ** 2 for one in luck) / len(luck) ** 2) ** 0.5
    assert abs(mean) < 3.5 * error


@pytest.mark.slow
def test_a_fit_finds_the_spread_that_the_winners_were_drawn_with(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="the compiled games need the extra 'solver'")
    from tools import gambler_games as games
    from tools import learn_gambler as learn

    random, spread = games.np.random.default_rng(1), (-0.8, 0.3, 0.1)
    scores, points = random.uniform(0, 490, (40_000, 4)), random.uniform(0, 300, 40_000)
    won = games.np.zeros(scores.shape)
    for at, (seats, open_points) in enumerate(zip(scores.tolist(), points.tolist(), strict=True)):
        chances = [many_players.chance(seats, seat, 500.0, open_points, spread) for seat in range(4)]
        won[at, random.choice(4, p=chances)] = 1.0
    monkeypatch.setattr(games, "standings", lambda *_: (scores, points, won))
    found, before, after = learn.fit(4, (0.0, 0.0, 0.0), 0, 1)
    assert found == pytest.approx(spread, abs=0.05)
    assert after < before
