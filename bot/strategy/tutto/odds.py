"""The odds of a position, and a calculator for any roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bot.games.core import IllegalMove
from bot.games.dice import FACES
from bot.games.tutto.cards import CARDS, FULL_DECK, MAY_STOP_EARLY, Card, pile
from bot.games.tutto.scoring import points, valid_dice
from bot.games.tutto.state import NUMBER_OF_DICE, Action, Keep, Options, Phase, State, Stop, TurnCard
from bot.strategy.tutto.chances import fireworks_mean, null_chance, straight_null_chance
from bot.strategy.tutto.pairs import Basis
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.values import Valued, best, points_turn, values
from bot.strategy.tutto.winning import turn

MAX_POINTS = 50_000
"""The largest turn total that the calculator accepts."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One action. ``null`` is the chance that the next card or roll loses everything, ``points`` the average
    that the turn then banks if it is played for points, ``win`` the chance to win the game (None if no table
    has it). ``best`` marks the best action by ``win``, or else by ``points``."""

    action: Action
    null: float
    points: float
    win: float | None
    best: bool


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of one position.

    ``choices`` are the sensible actions, best first: of sets with the same number of dice, only the one with
    most points. There are none if there is no choice. ``points`` is the average that the turn banks. ``deck``
    counts the cards left in the pile, ``basis`` is the source of ``win``.
    """

    choices: tuple[Choice, ...]
    points: float
    deck: Mapping[Card, int]
    basis: Basis


def odds(state: State) -> Odds:
    """Return the odds of the seat to move. Raises :class:`IllegalMove` where no seat is to move."""
    choices = values(state, points_turn(state))
    low = 0 if state.phase is Phase.START else None
    # Solve turning a card even where stopping is clearly better, to show its odds.
    high = state.points // STEP + 1 if state.phase is Phase.TUTTO else 0
    solved, basis = turn(state, low=low, high=high, shown=True)
    if basis is Basis.ESTIMATE:
        return _odds(state, choices, None, Basis.POINTS)
    return _odds(state, choices, values(state, solved), basis)


def calculate(card: Card, dice: Sequence[int], total: int = 0, aside: Sequence[int] | None = None) -> Odds:
    """Return the odds of any roll: ``dice`` on the table in any order, with ``card`` and ``total`` points.

    No dice mean that six are about to be rolled. ``aside`` are the numbers that a Straight with fewer than
    six dice already has. The pile is assumed to be a fresh one, and the chance to win is unknown. Raises
    :class:`IllegalMove` for impossible rolls.
    """
    roll = tuple(sorted(dice))
    if len(roll) > NUMBER_OF_DICE or set(roll) - set(FACES):
        raise IllegalMove("error-odds-dice", most=NUMBER_OF_DICE)
    if total % STEP or not 0 <= total <= MAX_POINTS:
        raise IllegalMove("error-odds-points", step=STEP, most=MAX_POINTS)
    if card is Card.STOP:
        raise IllegalMove("error-odds-stop")
    out = NUMBER_OF_DICE - len(roll) if roll else 0
    if aside is None and card is Card.STRAIGHT and out:
        raise IllegalMove("error-odds-aside", n=out)
    # Only a Straight depends on which dice are aside; for other cards their number is enough.
    gone = (1,) * out if aside is None or card is not Card.STRAIGHT else tuple(sorted(aside))
    if len(gone) != out or (card is Card.STRAIGHT and len(set(gone) & set(FACES)) != out):
        raise IllegalMove("error-odds-aside", n=out)
    state = State(
        Options(), (0, 0), deck=FULL_DECK, phase=Phase.CHOOSE, card=card, aside=gone, roll=roll, points=total
    )
    if card is Card.FIREWORKS or not roll or not valid_dice(roll, card, gone):
        return Odds((), _forced(state, card), _left(state), Basis.POINTS)
    return _odds(state, values(state, points_turn(state)), None, Basis.POINTS)


def next_null(state: State, action: Action) -> float:
    """Return the chance that the next card or the next roll after ``action`` loses the turn total."""
    if isinstance(action, Stop):
        return 0.0
    if isinstance(action, TurnCard):
        cards = pile(state.deck)
        misses = Position.of(state).misses
        lost = (number * _first_null(card, misses) for card, number in zip(CARDS, cards, strict=True))
        return sum(lost) / sum(cards)
    left = NUMBER_OF_DICE - len(state.aside) - len(action.dice)
    if state.card is Card.STRAIGHT:
        return straight_null_chance(left)
    if state.card is Card.CLOVERLEAF and not left and not state.clover:
        return null_chance(NUMBER_OF_DICE)
    return null_chance(left)


def _first_null(card: Card, misses: bool) -> float:
    """Return the chance that a card loses the turn when it is turned, or with the first roll.

    With ``misses``, a Plus/Minus card ends the turn.
    """
    if card is Card.STOP or (misses and card is Card.PLUS_MINUS):
        return 1.0
    # Any roll of six has a number for a Straight, and a null banks with Fireworks.
    return 0.0 if card in (Card.STRAIGHT, Card.FIREWORKS) else null_chance(NUMBER_OF_DICE)


def _left(state: State) -> Mapping[Card, int]:
    return MappingProxyType(dict(zip(CARDS, pile(state.deck), strict=True)))


def _forced(state: State, card: Card) -> float:
    """Return the average that a turn without a choice banks: Fireworks, a null, or six dice to roll."""
    solved, steps = points_turn(state), state.points // STEP
    if state.roll:
        valid = valid_dice(state.roll, card, state.aside)
        if not valid:
            return float(state.points) if card is Card.FIREWORKS else 0.0
        left = NUMBER_OF_DICE - len(state.aside) - len(valid)
        return state.points + points(valid) + fireworks_mean(left or NUMBER_OF_DICE)
    if card is Card.FIREWORKS:
        return state.points + fireworks_mean()
    if card in MAY_STOP_EARLY:
        return solved.rolling(card, steps, state.deck).roll(NUMBER_OF_DICE, steps)
    return solved.special(card, steps, state.deck, NUMBER_OF_DICE)


def _odds(state: State, by_points: list[Valued], by_win: list[Valued] | None, basis: Basis) -> Odds:
    top = best(by_win or by_points).action
    most = max(choice.value for choice in by_points)
    found = []
    for number, choice in enumerate(by_points):
        if choice.action == top or not _dominated(state, choice, by_points):
            win = by_win[number].value if by_win else None
            found.append(
                Choice(
                    choice.action, next_null(state, choice.action), choice.value, win, choice.action == top
                )
            )
    tutto = {choice.action: choice.tutto for choice in by_points}
    found.sort(
        key=lambda choice: (
            choice.best,
            choice.points if choice.win is None else choice.win,
            choice.points,
            tutto[choice.action],
        ),
        reverse=True,
    )
    return Odds(tuple(found), most, _left(state), basis)


def _dominated(state: State, choice: Valued, choices: list[Valued]) -> bool:
    """Return whether another set with as many dice is better, or equal and listed before."""
    action = choice.action
    if not isinstance(action, Keep):
        return False
    rivals = [
        other.action.dice
        for other in choices
        if isinstance(other.action, Keep) and len(other.action.dice) == len(action.dice)
    ]
    if state.card in MAY_STOP_EARLY:
        return max(rivals, key=points) != action.dice
    # Only the number of dice counts.
    return rivals[0] != action.dice
