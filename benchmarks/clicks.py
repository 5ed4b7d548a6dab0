"""Count the clicks of a turn: ``python -m benchmarks.clicks --games 40``.

AI players play each other. What they decide is turned into as few clicks as the buttons of the table take: a
click may mark dice, make a move, or make several at once. With ``--limits`` it fails if a game takes more
clicks a turn on average than is wanted.
"""

from __future__ import annotations

import argparse
from collections import deque
from random import Random
from typing import Any

from bot.games.core import CHANCE, OVER, play, settle
from bot.games.values import replace
from bot.records.seeds import SeededChance
from bot.registry import GAMES
from bot.screens.entry import Entry
from bot.screens.model import Act

POLICIES = ("casual", "expert")
LIMITS = {("tutto", "casual"): 2.4, ("gambler", "expert"): 3.0}
"""The most clicks a turn that a game should take."""


def chain(entry: Entry, policy: str, state: Any, rng: Random) -> list[tuple[object, Any]]:
    """Return the decisions of a seat until chance follows or its turn ends, each with the state after it."""
    rules, seat, found = entry.rules, entry.rules.to_move(state), list[tuple[object, Any]]()
    turn = rules.turns(state)
    while rules.to_move(state) == seat and rules.turns(state) == turn:
        action = entry.policies[policy].choose(state, rng)
        state = rules.apply(state, action).state
        found.append((action, state))
    return found


def as_good(one: Any, other: Any) -> bool:
    """Return whether a state is the other one, or differs only in which dice were kept, with as many points.

    In Tutto, it makes no difference which of two dice of equal worth is put aside.
    """
    if one == other:
        return True
    mine, theirs = getattr(one, "aside", ()), getattr(other, "aside", ())
    return len(mine) == len(theirs) > 0 and bool(replace(one, aside=theirs) == other)


def clicks(entry: Entry, state: Any, after: list[Any]) -> int:
    """Return the least number of clicks that lead from a state through some of ``after`` to the last one."""
    rules, screen = entry.rules, entry.screen
    reached, waiting = {(0, "")}, deque([(0, "", 0)])
    states = [state, *after]
    while waiting:
        at, view, cost = waiting.popleft()
        if at == len(after):
            return cost
        here = states[at]
        for row in screen.controls(here, view):
            for button in row.buttons:
                if button.disabled:
                    continue
                pressed = screen.press(here, button.token)
                if isinstance(pressed, Act):
                    there = here
                    for action in (pressed.action, *pressed.then):
                        there = rules.apply(there, action).state
                    ends = [
                        (place, "") for place in range(at + 1, len(states)) if as_good(there, states[place])
                    ]
                else:
                    ends = [(at, pressed.view)]
                for end in ends:
                    if end not in reached:
                        reached.add(end)
                        waiting.append((*end, cost + 1))
    raise AssertionError("no buttons lead there")


def measure(entry: Entry, policy: str, games: int) -> tuple[int, int]:
    """Return the clicks and the turns of so many games of two to four seats."""
    rules, total, turns = entry.rules, 0, 0
    for number in range(games):
        chance, rng = SeededChance(number.to_bytes(32, "big")), Random(number)
        seats = 2 + number % 3
        state = settle(rules, rules.initial(rules.options({}), seats), chance).state
        while rules.to_move(state) != OVER:
            decided = chain(entry, policy, state, rng)
            total += clicks(entry, state, [after for _, after in decided])
            for action, _ in decided:
                state = play(rules, state, action, chance).state
            assert rules.to_move(state) != CHANCE
        turns += rules.turns(state)
    return total, turns


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clicks", description=__doc__)
    parser.add_argument("--games", type=int, default=40, help="how many games of each kind to play")
    parser.add_argument("--limits", action="store_true")
    given = parser.parse_args()
    too_many = []
    for game, entry in GAMES.items():
        for policy in (one for one in POLICIES if one in entry.policies):
            total, turns = measure(entry, policy, given.games)
            print(f"{game}, {policy}: {total / turns:.2f} clicks a turn ({turns:,} turns)")
            if total / turns > LIMITS.get((game, policy), float("inf")):
                too_many.append(f"{game}, {policy}")
    if given.limits and too_many:
        raise SystemExit(f"Too many clicks a turn: {', '.join(too_many)}")


if __name__ == "__main__":
    main()
