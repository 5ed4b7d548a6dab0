"""Rows as small automata: numbered states, and the state that follows each state and face."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bot.games.gambler.boards import Kind, Row
from bot.games.gambler.fitting import accepts

Placed = tuple[int, ...]
Steps = tuple[tuple[int, int], ...]
"""Pairs of a face that fits, counted from 0, and the state that follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """A row with its states. ``states[i]`` are the dice in the row in state i, of which 0 is the empty row;
    ``index`` is the reverse. ``steps[i]`` are the possible steps from state i, ``full[i]`` is whether the row
    is complete."""

    row: Row
    states: tuple[Placed, ...]
    index: dict[Placed, int]
    steps: tuple[Steps, ...]
    full: tuple[bool, ...]


@cache
def automaton(row: Row, merged: bool) -> Automaton:
    """Build the automaton of ``row``. With ``merged``, all full rows are one state, whatever their dice."""
    size = len(row.boxes)
    states: list[Placed] = [()]
    index: dict[Placed, int] = {(): 0}
    steps: list[Steps] = []
    first_full: Placed | None = None
    while len(steps) < len(states):
        placed = states[len(steps)]
        step = []
        for face in accepts(row, placed):
            after = (*placed, face)
            if after not in index:
                if merged and len(after) == size and first_full is not None:
                    index[after] = index[first_full]
                else:
                    index[after] = len(states)
                    states.append(after)
                if len(after) == size:
                    first_full = first_full or after
            step.append((face - 1, index[after]))
        steps.append(tuple(step))
    return Automaton(row, tuple(states), index, tuple(steps), tuple(len(one) == size for one in states))


@cache
def examples(row: Automaton) -> tuple[Placed, ...]:
    """Return dice that may lie in the row, for each number of dice from none to all."""
    by_number = {len(placed): placed for placed in reversed(row.states)}
    return tuple(by_number[number] for number in range(len(row.row.boxes) + 1))


def shown(row: Row, placed: Placed) -> int:
    """Return the value that a star row shows, which ``distinct`` forbids to the others; 0 for none."""
    return placed[0] if placed and row.kind is Kind.STARS else 0
