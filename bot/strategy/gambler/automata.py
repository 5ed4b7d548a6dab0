"""A row as a small automaton: numbered states, and for each state and face the state that follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bot.games.gambler.boards import Kind, Row
from bot.games.gambler.fitting import accepts

Placed = tuple[int, ...]
Steps = tuple[tuple[int, int], ...]
"""Each face that fits, less one, with the state that follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """``states[i]`` is what lies in the row in state i, the empty row first; ``index`` finds it. ``steps[i]``
    is what may follow, ``full[i]`` whether the row is complete."""

    row: Row
    states: tuple[Placed, ...]
    index: dict[Placed, int]
    steps: tuple[Steps, ...]
    full: tuple[bool, ...]


@cache
def automaton(row: Row, merged: bool) -> Automaton:
    """Build the automaton of ``row``. With ``merged``, full rows share one state: dice do not matter."""
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


def shown(row: Row, placed: Placed) -> int:
    """Return the value that a star row shows and with ``distinct`` keeps from the others; 0 for none."""
    return placed[0] if placed and row.kind is Kind.STARS else 0
