"""How much winning chance Gambler's players give away, measured against an exact solution of whole rounds.

``python -m benchmarks.gambler_mastery --rounds 40 --seed 1`` solves rounds of two seats for given scores
(needs numpy and numba, the extra ``solver``), has the casual player, the expert and the grandmaster play
them, and adds up what their choices cost. The only approximation left in this solution is what the following
rounds are worth.

``python -m benchmarks.gambler_mastery --games 400`` has grandmasters play whole games of two instead, and
compares the chances shown at the beginning of their turns with the results. As grandmasters make no error by
the odds, a result is the chance shown, luck, and what the odds correct between and within turns (the ``gap``
of the account). Without luck, which is 0 on average, the noise is five to ten times smaller.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from operator import getitem
from random import Random
from statistics import mean, stdev
from time import perf_counter
from typing import Any, NamedTuple

from bot.cli.simulation import derive
from bot.games.core import CHANCE, OVER, play, settle
from bot.games.dice import FACES, minus
from bot.games.gambler import Gambler
from bot.games.gambler.boards import BOARDS
from bot.games.gambler.state import DICE_A_TURN, Phase, Place, RollDice, State, Stop, Turn
from bot.records.seeds import SeededChance
from bot.strategy.gambler import Casual, Expert, Grandmaster, tables
from bot.strategy.gambler.expert import filled
from bot.strategy.gambler.race import race
from bot.strategy.gambler.tables import STEP
from bot.strategy.gambler.turn import NEVER, Fill, Lookahead, Node
from bot.strategy.gambler.winning import standing, values
from bot.strategy.policy import Policy

RULES = Gambler()
ROUNDS_A_GAME = 3.2
"""docs/decisions/gambler-boards.md."""

CASES: tuple[tuple[str, int, int], ...] = (
    ("clockwork", 80, 80),
    ("quarry", 120, 240),
    ("windmill", 250, 180),
    ("staircase", 300, 300),
    ("crossroads", 380, 320),
    ("observatory", 310, 400),
    ("carousel", 390, 390),
    ("chimney", 420, 400),
    ("clockwork", 400, 440),
    ("bridge", 430, 390),
    ("campfire", 450, 450),
    ("windmill", 460, 380),
)
"""The board, the score of the seat that starts it, and the other's."""


class ExactTurn(Lookahead):
    """The tree of a turn with the solved round at its ends."""

    def __init__(self, solved: Any, board: str, seat: int, dice: tuple[int, int], scores: tuple[int, int]):
        super().__init__(tables.table_rows(BOARDS[board]))
        self.solved, self.dice, self.seat = solved, dice, seat
        self.lead = (scores[seat] - scores[1 - seat]) // STEP
        self.places = [
            [stride * state for state in range(len(row.states))]
            for row, stride in zip(self.rows, self._strides, strict=True)
        ]
        self.boxes = BOARDS[board].boxes

    def end(self, fill: Fill, hand: int) -> float:
        lead = self.lead + sum(
            row.row.points // STEP for row, state in zip(self.rows, fill, strict=True) if row.full[state]
        )
        on_board = sum(len(row.states[state]) for row, state in zip(self.rows, fill, strict=True))
        reach = self.solved.reach
        if on_board == self.boxes:
            return float(self.solved.full[lead + reach])
        place = self.solved.layers.place[sum(map(getitem, self.places, fill))]
        values = self.solved.values[on_board]
        mine, other = self.dice
        if other:
            return 1.0 - float(values[place, other, reach - lead])
        return float(values[place, mine - DICE_A_TURN + hand, reach + lead])

    def last(self, node: Node) -> list[float]:
        last = [NEVER] * len(FACES)
        for row, steps in enumerate(self.open_steps(node.fill)):
            for face, _, after in steps:
                value = self.end((*node.fill[:row], after, *node.fill[row + 1 :]), 0)
                last[face] = max(last[face], value)
        return last


class Solved:
    """A round solved for two scores, for both seats at every lead that it can lead to."""

    def __init__(self, board: str, own: int, other: int) -> None:
        from tools import gambler_solver as solver

        rows, found = tables.table_rows(BOARDS[board]), race(500)
        assert found is not None
        spread = sum(row.row.value for row in rows) // STEP
        total = (own + other + sum(row.row.points for row in rows)) // STEP
        self.reach = abs(own - other) // STEP + spread
        self.full = [
            found.after((total + lead) // 2, (total - lead) // 2, 1.0)
            for lead in range(-self.reach, self.reach + 1)
        ]
        solved = solver.solve(rows, self.full)
        self.layers, self.values, self.board = solved.layers, solved.values, board

    @lru_cache(8)  # noqa: B019 - lives as long as the round
    def turn(self, seat: int, dice: tuple[int, int], scores: tuple[int, int]) -> ExactTurn:
        return ExactTurn(self, self.board, seat, dice, scores)

    def costs(self, state: State) -> dict[object, float]:
        """What each action of a position costs."""
        full = [
            row.points * (len(placed) == len(row.boxes))
            for row, placed in zip(BOARDS[self.board].rows, state.rows, strict=True)
        ]
        scores = list(state.scores)
        scores[state.seat] -= sum(full)
        dice = (state.dice[state.seat] - state.hand + DICE_A_TURN, state.dice[1 - state.seat])
        search = self.turn(state.seat, dice, (scores[0], scores[1]))
        fill = filled(search.rows, state)
        found: dict[object, float] = {}
        for action in RULES.legal(state):
            if isinstance(action, Place):
                rest = minus(state.roll, (action.die,))
                found[action] = search.place(fill, action.row, action.die, rest)
            elif isinstance(action, RollDice):
                found[action] = search.roll(search.node(fill, state.hand))
            else:
                assert isinstance(action, Stop)
                found[action] = search.end(fill, state.hand)
        best = max(found.values())
        return {action: best - value for action, value in found.items()}


def regret(solved: Solved, scores: tuple[int, int], policy: Policy, rng: Random) -> tuple[float, float, int]:
    """Play a round; what its choices cost both seats together, the most that one cost, and their number."""
    state = replace(RULES.initial(RULES.options({}), 2), scores=scores)
    state, cost, worst, number = RULES.apply(state, Turn(solved.board)).state, 0.0, 0.0, 0
    while state.phase not in (Phase.BOARD, Phase.OVER):
        if RULES.to_move(state) == CHANCE:
            outcomes = RULES.chance(state)
            roll = rng.choices([one for one, _ in outcomes], [weight for _, weight in outcomes])[0]
            state = RULES.apply(state, roll).state
            continue
        action = policy.choose(state, rng)
        if len(RULES.legal(state)) > 1:
            lost = solved.costs(state)[action]
            cost, worst, number = cost + lost, max(worst, lost), number + 1
        state = RULES.apply(state, action).state
    return cost, worst, number


def regrets(rounds: int, seed: int) -> None:
    players: dict[str, Policy] = {"casual": Casual(), "expert": Expert(), "grandmaster": Grandmaster()}
    sums: dict[str, list[float]] = {name: [] for name in players}
    print("| board | scores | solved in | shown | solved | casual | expert | grandmaster | worst choice |")
    print("|--|--|--|--|--|--|--|--|--|")
    for board, own, other in CASES:
        start = perf_counter()
        solved = Solved(board, own, other)
        seconds = perf_counter() - start
        state = replace(RULES.initial(RULES.options({}), 2), scores=(own, other))
        shown = standing(RULES.apply(state, Turn(board)).state)[0]
        exact = float(solved.values[0][0, 15, solved.reach + (own - other) // STEP])
        cells, worst = [], 0.0
        for name, policy in players.items():
            rng = Random(f"{seed} {board} {own} {other}")
            found = [regret(solved, (own, other), policy, rng) for _ in range(rounds)]
            sums[name] += [cost / 2 for cost, _, _ in found]
            cells.append(f"{mean(cost / 2 for cost, _, _ in found):.4f}")
            if name == "grandmaster":
                worst = max(one for _, one, _ in found)
        print(
            f"| {board} | {own}:{other} | {seconds:.0f} s | {shown:.3f} | {exact:.3f} | "
            + " | ".join(cells)
            + f" | {worst:.4f} |",
            flush=True,
        )
    for name, costs in sums.items():
        error = 1.96 * stdev(costs) / sqrt(len(costs))
        print(
            f"{name}: {mean(costs):.5f} ± {error:.5f} of a win for a seat and a round ({len(costs)} rounds), "
            f"{ROUNDS_A_GAME * mean(costs):.4f} for a game"
        )
    share, error = ratio(sums["grandmaster"], sums["expert"])
    print(f"grandmaster: {share:.3f} ± {error:.3f} of what the expert gives away")


def ratio(some: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of two means, and half the width of its 95% interval."""
    share = mean(some) / mean(others)
    relative = (stdev(one) / mean(one) / sqrt(len(one)) for one in (some, others))
    return share, 1.96 * share * sqrt(sum(one * one for one in relative))


def whole_games(games: int, seed: int) -> None:
    """Compare the chances shown with results; the errors are those of means over games."""
    parts: list[list[Shown]] = [[] for _ in range(PARTS)]
    for number in range(games):
        chance = SeededChance(derive(f"{seed} shown", b"game", number))
        by_part: defaultdict[int, list[Shown]] = defaultdict(list)
        for one in shown_in_game(chance):
            by_part[min(int(one.value * PARTS), PARTS - 1)].append(one)
        for part, each in by_part.items():
            sums = [sum(numbers) for numbers in zip(*each, strict=True)]
            parts[part].append(Shown(*sums))
    print("| shown | positions | mean shown | won | difference, 95% | without luck, 95% |")
    print("|--|--|--|--|--|--|")
    for part, found in enumerate(parts):
        number = sum(one.number for one in found)
        if len(found) > 1:
            value, won = (sum(one[k] for one in found) / number for k in (0, 1))
            print(
                f"| {part / PARTS:.1f} to {(part + 1) / PARTS:.1f} | {number} | {value:.3f} | {won:.3f} "
                f"| {off(found, [one.won - one.value for one in found])} "
                f"| {off(found, [one.corrected for one in found])} |"
            )


class Shown(NamedTuple):
    """A chance shown, what came of it, and by how much the odds corrected it later; or sums of several."""

    value: float
    won: float
    corrected: float
    number: int = 1


def shown_in_game(chance: SeededChance) -> list[Shown]:
    """Let grandmasters play a game, and return the chances shown at the beginning of their turns."""
    player, found = Grandmaster(), race(500)
    assert found is not None
    state = settle(RULES, RULES.initial(RULES.options({}), 2), chance).state
    shown: list[tuple[int, float, float]] = []
    gap = 0.0  # of the first seat, so far
    while RULES.to_move(state) != OVER:
        sign = 1.0 if state.seat == 0 else -1.0
        if state.phase is Phase.START:
            value = standing(state)[state.seat]
            shown.append((state.seat, value, gap))
            gap += sign * (max(worth for _, worth in values(state)) - value)
        played = play(RULES, state, player.choose(state, Random(0)), chance)
        for after in played.states:
            if after.phase is Phase.BOARD:
                own, other = (after.scores[seat] // STEP for seat in (state.seat, 1 - state.seat))
                gap += sign * (standing(after)[state.seat] - found.after(own, other, 1.0))
        state = played.state
    return [
        Shown(value, (seat in state.winners) / len(state.winners), (gap - before) * (-1.0 if seat else 1.0))
        for seat, value, before in shown
    ]


def off(found: Sequence[Shown], sums: Sequence[float]) -> str:
    """Return the mean of what a part's positions add up to by game, with its 95% interval."""
    number = sum(one.number for one in found)
    middle = sum(sums) / number
    spread = sum((own - middle * one.number) ** 2 for own, one in zip(sums, found, strict=True))
    return f"{middle:+.4f} ± {1.96 * sqrt(spread) / number:.4f}"


PARTS = 10
"""Into how many parts the chances are sorted."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gambler_mastery", description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--games", type=int, help="whole games, instead of solved rounds")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.games:
        whole_games(given.games, given.seed)
    else:
        regrets(given.rounds, given.seed)


if __name__ == "__main__":
    main()
