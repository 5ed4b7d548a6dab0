"""The review of a finished game: how the chances went, how well each seat chose, where the game was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from bot.games.core import Leave, Move, replay
from bot.games.tutto.state import Action, Options, Outcome, Phase, State
from bot.strategy.tutto.values import RULES, best, values
from bot.strategy.tutto.winning import Basis, chances, turn

MAX_COSTLY = 3
"""How many decisions the review singles out."""

STRETCH = 5.0
"""How much more a lost percent of winning chance weighs here than in chess; see :func:`accuracy`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice among several: the ``position``, what was ``played``, what was ``best`` and the chance to
    win by either, from 0 to 1. ``turn`` counts from 0; ``move`` is its index among the game's moves."""

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
        """What it cost in chance to win; 0 for the best choice."""
        return self.best_win - self.played_win


@dataclass(frozen=True, slots=True)
class Review:
    """What is to be learnt from a game.

    ``chances[n]`` are the chances to win by seat after ``n`` turns (they add up to 1; the last entry is the
    result), ``turn_seats[n]`` is the seat that played turn ``n``. ``accuracy`` is by seat from 0 to 100, None
    for a seat that never had a choice. ``decisions`` are all choices in order, ``costliest`` the worst of
    them, worst first. ``basis`` is the weakest thing any of the numbers rests on.
    """

    chances: tuple[tuple[float, ...], ...]
    turn_seats: tuple[int, ...]
    accuracy: tuple[float | None, ...]
    decisions: tuple[Decision, ...]
    costliest: tuple[Decision, ...]
    basis: Basis


def review(options: Options, seats: int, moves: Sequence[Move[Action, Outcome]]) -> Review:
    """Review a game from its moves.

    A game that isn't over is reviewed as far as it goes. Raises what ``replay`` raises for a log that can't
    have happened.
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
            # Before the next card is turned: a turn that has begun is judged by its decisions.
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
    """Return a player's accuracy from 0 to 100, by what each choice cost in chance to win (0 to 1).

    As chess sites do it: a choice is marked ``103.1669 * exp(-0.04354 * lost) - 3.1669``, between 0 and 100,
    where ``lost`` is its cost in percent, and a player gets the mean of the marks. Dice forgive more than
    chess, so the cost is first multiplied by :data:`STRETCH`. None if there were no choices.
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
