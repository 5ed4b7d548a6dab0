"""The review of a finished game: the winning chances, the accuracy of each seat, the costliest decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from bot.games.core import Leave, Move, replay
from bot.games.tutto.state import Action, Options, Outcome, Phase, State
from bot.strategy.tutto.values import RULES, best, values
from bot.strategy.tutto.winning import Basis, chances, turn

MAX_COSTLY = 3
"""How many costly decisions the review lists."""

STRETCH = 5.0
"""How much more a lost percent of winning chance weighs here than in chess; see :func:`accuracy`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice among several actions: the ``position``, the action ``played`` and the ``best`` one, each with
    its winning chance from 0 to 1. ``turn`` counts from 0; ``move`` is the index among the game's moves."""

    move: int
    turn: int
    seat: int
    position: State
    played: Action
    best: Action
    played_win: float
    best_win: float

    @property
    def cost(self) -> float:
        """The winning chance that the decision cost, from 0 to 1; 0 for the best choice."""
        return self.best_win - self.played_win


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a game.

    ``chances[n]`` are the winning chances by seat after ``n`` turns (they add up to 1; the last entry is the
    result), ``turn_seats[n]`` is the seat that played turn ``n``. ``accuracy`` is by seat, from 0 to 100, or
    None for a seat that never had a choice. ``decisions`` are all choices in order, ``costliest`` the worst
    ones, worst first. ``basis`` is the least reliable source of any of the numbers.
    """

    chances: tuple[tuple[float, ...], ...]
    turn_seats: tuple[int, ...]
    accuracy: tuple[float | None, ...]
    decisions: tuple[Decision, ...]
    costliest: tuple[Decision, ...]
    basis: Basis


def review(options: Options, seats: int, moves: Sequence[Move[Action, Outcome]]) -> Review:
    """Review a game from its moves.

    A game that isn't over is reviewed up to its last move. Raises :class:`~bot.games.core.IllegalMove` for an
    impossible log.
    """
    opening, *rest = replay(RULES, options, seats, (), moves)
    state: State = opening.state
    standing, basis = chances(state)
    lines, turn_seats, decisions = [standing], [], []
    for number, (move, played) in enumerate(zip(moves, rest, strict=True)):
        if not isinstance(move.action, Leave) and len(RULES.legal(state)) > 1:
            decision, ground = _decision(number, state, move.action)
            decisions.append(decision)
            basis = max(basis, ground, key=_rank)
        after: State = played.state
        if after.finished > state.finished:
            turn_seats += [state.seat] * (after.finished - state.finished)
            # The chances before the next card is turned: what follows is part of the next turn.
            standing, ground = chances(after)
            lines += [standing] * (after.finished - state.finished)
            basis = max(basis, ground, key=_rank)
        elif after.left != state.left:
            standing, ground = chances(after)
            lines[-1] = standing
            basis = max(basis, ground, key=_rank)
        state = after
    costly = sorted((decision for decision in decisions if decision.cost > 0), key=lambda each: -each.cost)
    return Review(
        chances=tuple(lines),
        turn_seats=tuple(turn_seats),
        accuracy=tuple(accuracy([each.cost for each in decisions if each.seat == s]) for s in range(seats)),
        decisions=tuple(decisions),
        costliest=tuple(costly[:MAX_COSTLY]),
        basis=basis,
    )


def accuracy(costs: Sequence[float]) -> float | None:
    """Return a player's accuracy from 0 to 100, from the winning chances (0 to 1) that the choices cost.

    As on chess sites, a choice scores ``103.1669 * exp(-0.04354 * lost) - 3.1669``, between 0 and 100, where
    ``lost`` is its cost in percent, and the accuracy is the mean of the scores. A wrong choice costs less in
    dice games than in chess, so the cost is first multiplied by :data:`STRETCH`. Return None for no choices.
    """
    if not costs:
        return None
    marks = (103.1669 * exp(-4.354 * STRETCH * max(0.0, cost)) - 3.1669 for cost in costs)
    return sum(min(100.0, max(0.0, mark)) for mark in marks) / len(costs)


def _decision(number: int, state: State, move: Action) -> tuple[Decision, Basis]:
    solved, basis = turn(state, high=state.points // 50 + 1 if state.phase is Phase.TUTTO else 0)
    choices = values(state, solved)
    top = best(choices)
    played = next(choice for choice in choices if choice.action == move)
    decision = Decision(
        move=number,
        turn=state.finished,
        seat=state.seat,
        position=state,
        played=move,
        best=top.action,
        played_win=played.value,
        best_win=top.value,
    )
    return decision, basis


def _rank(basis: Basis) -> int:
    return basis.rank
