"""The value of each action of a state, in points or in winning chances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter

from bot.games.core import IllegalMove
from bot.games.tutto import Tutto
from bot.games.tutto.cards import MAY_STOP_EARLY, Card
from bot.games.tutto.rules import stop_value
from bot.games.tutto.scoring import points
from bot.games.tutto.state import NUMBER_OF_DICE, Action, Edition, Keep, Phase, State, Stop
from bot.strategy.tutto.chances import straight_chance, tutto_chance
from bot.strategy.tutto.patterns import STEP
from bot.strategy.tutto.position import Position, deducted
from bot.strategy.tutto.turn import Level, Stakes, Turn

RULES = Tutto()

MAX_STEPS = 120
"""The turn total in steps (6,000 points) up to which turning another card for points is considered."""

MAX_LEVELS = 3
"""For up to how many Plus/Minus Tuttos in one turn to look whether the player leads after them."""


@dataclass(frozen=True, slots=True)
class Valued:
    """An action and its value. If the player can't stop, ``tutto`` is the chance of the Tutto that the card
    asks for, which decides between equal values."""

    action: Action
    value: float
    tutto: float


def points_turn(state: State) -> Turn:
    """Return the turn of ``state`` solved for points; a Cloverleaf win counts nothing.

    In ``classic`` it knows that a leader's Plus/Minus card ends the turn.
    """
    if state.options.edition is not Edition.CLASSIC:
        return _points_turn((False,))
    position, misses = Position.of(state), []
    while True:
        misses.append(position.misses)
        lower = replace(position, scores=deducted(position))
        # Nothing comes after a card that ends the turn.
        if misses[-1] or lower == position or len(misses) == MAX_LEVELS:
            break
        position = lower
    return _points_turn(tuple(misses) if misses[-1] else (False,))


@cache
def _points_turn(misses: tuple[bool, ...]) -> Turn:
    """Solve the turn for points; ``misses`` says by :class:`Level` whether a Plus/Minus card ends it."""
    banked = tuple(float(STEP * step) for step in range(MAX_STEPS + 1))
    levels = tuple(Level(0.0, banked, missed, slope=STEP) for missed in misses)
    return Turn(Stakes(levels, won=0.0, most=None), 0, (MAX_STEPS,) * len(levels))


def best(choices: list[Valued]) -> Valued:
    """Return the action with the highest value; among equals the highest ``tutto``, then the first."""
    return max(choices, key=attrgetter("value", "tutto"))


def values(state: State, turn: Turn) -> list[Valued]:
    """Return every legal action with its value by ``turn``, in the order of the rules.

    The next card is drawn from the state's real pile, later ones from a fresh deck.
    Raises :class:`IllegalMove` where no seat is to move.
    """
    actions = RULES.legal(state)
    if not actions:
        raise IllegalMove("error-no-choice")
    total = state.points // STEP
    if state.phase is not Phase.CHOOSE:
        return [
            Valued(action, turn.stop(total) if isinstance(action, Stop) else _turned(state, turn), 0.0)
            for action in actions
        ]
    card = state.card
    assert card is not None
    if card not in MAY_STOP_EARLY:
        return [_special(state, turn, card, action) for action in actions if isinstance(action, Keep)]
    rolling = turn.rolling(card, total, state.deck)
    found = []
    for action in actions:
        if isinstance(action, Keep):
            left = NUMBER_OF_DICE - len(state.aside) - len(action.dice)
            after = total + points(action.dice) // STEP
            value = rolling.roll(left, after) if left else rolling.tutto(after)
        else:
            banked = stop_value(state)
            assert banked is not None
            value = turn.stop(banked // STEP)
        found.append(Valued(action, value, 0.0))
    return found


def worth(state: State, turn: Turn) -> float:
    """Return the value by ``turn`` of a position within a turn, whoever is to move: a seat or chance."""
    if state.phase is Phase.DRAW:
        return _turned(state, turn)
    if state.phase is not Phase.ROLL:
        return best(values(state, turn)).value
    card, total = state.card, state.points // STEP
    assert card is not None
    left = NUMBER_OF_DICE - len(state.aside)
    if card in MAY_STOP_EARLY:
        return turn.rolling(card, total, state.deck).roll(left, total)
    return turn.special(card, total, state.deck, left, state.clover)


def _turned(state: State, turn: Turn) -> float:
    """Return the value of turning a card, or that of losing the turn where stopping is always better."""
    value = turn.turn_card(state.points // STEP, state.deck)
    return turn.lost() if value is None else value


def _special(state: State, turn: Turn, card: Card, action: Keep) -> Valued:
    left = NUMBER_OF_DICE - len(state.aside) - len(action.dice)
    value = turn.special(card, state.points // STEP, state.deck, left, state.clover)
    return Valued(action, value, straight_chance(left) if card is Card.STRAIGHT else tutto_chance(left))
