"""``python -m tools.solve_alone``: compute how many turns Tutto alone takes from each score, in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.games.tutto.cards import FULL_DECK
from bot.games.tutto.state import Options
from bot.strategy.tutto.alone import stakes
from bot.strategy.tutto.horizon import stop_totals
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.turn import Turn

FILE = Path(__file__).parents[1] / "bot" / "strategy" / "tutto" / "alone_turns.py"
TOLERANCE = 1e-9
A_LINE = 10

HEAD = '''"""How many turns Tutto alone takes on average from 0, 50, 100, … points to {target:,}.

Computed by ``python -m tools.solve_alone``; :mod:`~bot.strategy.tutto.alone` says what it is.
"""

from __future__ import annotations

_TEXT = """
'''
TAIL = '''"""

TURNS_LEFT = tuple(map(float, _TEXT.split()))
'''


def main() -> None:
    """Solve from the target down, as a turn never ends with fewer points, and write the module."""
    left: list[float] = []
    for _ in range(Options().target // STEP):
        left.insert(0, _solved(left))
    rows = [left[start : start + A_LINE] for start in range(0, len(left), A_LINE)]
    body = "".join(" ".join(f"{turns:.6f}" for turns in row) + "\n" for row in rows)
    FILE.write_text(HEAD.format(target=Options().target) + body + TAIL, encoding="utf-8")


def _solved(after: list[float]) -> float:
    """Return the number that is its own result: a lost turn leaves as many turns as there were."""
    here = after[0] if after else 1.0
    there = here + 0.1
    error = turns_before([here, *after]) - here
    while True:
        other = turns_before([there, *after]) - there
        if abs(other) < TOLERANCE:
            return there
        here, error, there = there, other, there - other * (there - here) / (other - error)


def turns_before(left: Sequence[float]) -> float:
    """Return how many turns are left before a turn with ``left`` as its stakes; best play solves
    ``turns_before(left) == left[0]`` for each score."""
    found = stakes(left)
    value = Turn(found, 0, stop_totals(found)).turn_card(0, FULL_DECK)
    assert value is not None
    return 1.0 - value


if __name__ == "__main__":
    main()
