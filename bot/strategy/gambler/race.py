"""The race to the target between two seats: their chances from round to round.

A seat's chances in a round come from the tables, as chances of every change of the lead. What the open rows
pay in all is fixed, so the final lead says both scores. Who fills the board is not in the tables, and makes
the other seat start the next one; it is estimated from the share of the points. Boards are drawn here as if
each could come again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from bot.games.gambler.boards import BOARD_IDS
from bot.strategy.gambler import tables
from bot.strategy.gambler.filling import filling
from bot.strategy.gambler.tables import STEP, Weights


def result(own: float, other: float) -> float:
    """Return the result of a game that is over: 1 for the higher score, a half for a shared win.

    >>> result(500, 490), result(500, 500), result(0, 500)
    (1.0, 0.5, 0.0)
    """
    return 1.0 if own > other else 0.5 if own == other else 0.0


@dataclass(frozen=True, slots=True)
class Race:
    """The chances between two rounds. ``starts[a][b]`` is the winning chance of the seat that starts the next
    round with ``a`` steps, if the other one has ``b``; both are below ``target`` steps."""

    target: int
    starts: list[list[float]] = field(repr=False)

    def after(self, own: int, other: int, filled: float) -> float:
        """Return a seat's winning chance at the end of a round, from both scores in steps. ``filled`` is the
        chance that it has filled the board, so that the other one starts the next round."""
        own, other = max(own, 0), max(other, 0)
        if own >= self.target or other >= self.target:
            return result(own, other)
        return filled * (1.0 - self.starts[other][own]) + (1.0 - filled) * self.starts[own][other]

    def weights(self, own: int, other: int, pays: tuple[int, ...]) -> tuple[float, Weights]:
        """Return the winning chance of the seat to move if it gets the least of the open rows, and for each
        lead of :class:`~bot.strategy.gambler.tables.OpenRows` how much more it is worth to end ahead there.

        ``own`` and ``other`` are the scores, ``pays`` is what each open row pays, all in steps.
        """
        points, spread = sum(pays), sum(map(abs, pays))
        if own + other + points > 2 * self.target - 2:
            return self._last(own - other, spread)
        values = [
            self.after(own + (points + change) // 2, other + (points - change) // 2, filled)
            for change, filled in zip(range(-spread, spread + 1, 2), filling(pays), strict=True)
        ]
        # To be ahead with the lead L means that the lead changes by more than -L.
        return values[0], [high - low for low, high in pairwise(values)][::-1]

    @staticmethod
    def _last(lead: int, spread: int) -> tuple[float, Weights]:
        """Return the same for a round with which the game certainly ends: only who is ahead counts."""
        weights = [0.0] * spread
        if (lead - spread) % 2:
            places = [((lead + spread - 1) // 2, 1.0)]
        else:
            # The lead may end in a tie, which counts half.
            places = [((lead + spread - 2) // 2, 0.5), ((lead + spread) // 2, 0.5)]
        least = 0.0
        for place, share in places:
            if 0 <= place < spread:
                weights[place] += share
            elif place >= spread:
                least += share
        return least, weights


@cache
def race(target: int) -> Race | None:
    """Return the chances for games to ``target`` points, or None if a table is missing."""
    boards = _changes(BOARD_IDS)
    if boards is None:
        return None
    goal = target // STEP
    found = Race(goal, [[0.5] * goal for _ in range(goal)])
    for total in range(2 * goal - 2, -1, -1):
        for own in range(max(0, total - goal + 1), min(goal - 1, total) + 1):
            found.starts[own][total - own] = _start(found, own, total - own, boards)
    return found


Changes = Sequence[tuple[int, int, float, float]]
"""What each seat may get in a round, in steps, the one that starts it first; and the chances of that if the
other seat fills the board and if it does so itself."""


@cache
def _changes(boards: tuple[str, ...]) -> Changes | None:
    """Return what the round brings to both seats, over all of ``boards``; None if a table is missing."""
    found: defaultdict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for board in boards:
        chances = tables.opening(board)
        if chances is None:
            return None
        table = tables.load(board)
        assert table is not None
        pays, spread = table.everything.pays, table.everything.spread
        points = sum(pays)
        ahead = (0.0, *chances, 1.0)
        # To be ahead with the lead L means that the lead changes by more than -L.
        leads = [after - before for before, after in pairwise(ahead)][::-1]
        for change, chance, filled in zip(range(-spread, spread + 1, 2), leads, filling(pays), strict=True):
            both = found[(points + change) // 2, (points - change) // 2]
            both[0] += chance * (1.0 - filled) / len(boards)
            both[1] += chance * filled / len(boards)
    return [(mine, theirs, not_filled, filled) for (mine, theirs), (not_filled, filled) in found.items()]


def _start(chances: Race, own: int, other: int, boards: Changes) -> float:
    return sum(
        not_filled * chances.after(own + mine, other + theirs, 0.0)
        + filled * chances.after(own + mine, other + theirs, 1.0)
        for mine, theirs, not_filled, filled in boards
    )


def drawing(chances: Race, own: int, other: int, pile: Iterable[str]) -> float:
    """Return the winning chance of the seat that starts the next round, before a board of ``pile`` is drawn.

    Scores are in steps.
    """
    boards = _changes(tuple(pile))
    assert boards is not None, "there is a race only with all tables"
    return _start(chances, own, other, boards)
