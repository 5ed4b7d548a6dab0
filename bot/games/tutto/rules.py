"""The rules of Tutto as a :class:`~bot.games.core.Game`.

The source of a rule is named as "sheet" (all leaflets agree), the name of an edition, or "settled" (the
leaflets leave it open; docs/rules.md lists these rules).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from bot.games.base import BaseGame, best_seats
from bot.games.core import (
    CHANCE,
    OVER,
    Applied,
    IllegalMove,
    Leave,
    Outcomes,
    SeatStats,
    check_seats,
    leave_or_raise,
    legal_or_raise,
    next_seat,
)
from bot.games.dice import rolls
from bot.games.tutto.cards import CARDS, INDEX, MAY_STOP_EARLY, Card, pile, without
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, STRAIGHT_POINTS, keepable, points, valid_dice
from bot.games.tutto.soundness import sound
from bot.games.tutto.state import (
    NUMBER_OF_DICE,
    STOP,
    TURN_CARD,
    Action,
    Banked,
    CardTurned,
    CloverleafWon,
    Deducted,
    Draw,
    Edition,
    Event,
    Keep,
    Kept,
    LastRoundBegan,
    LeaderMissed,
    Move,
    Nulled,
    Options,
    Outcome,
    Phase,
    Roll,
    Rolled,
    SeatLeft,
    State,
    Stop,
    StopCardHit,
    TurnCard,
    TuttoMade,
)
from bot.games.values import replace

TUTTOS_FOR_CLOVERLEAF = 2

Moved = tuple[State, list[Event]]
"""The result of a move: the next state, and the events."""


class Tutto(BaseGame[State, Action, Outcome]):
    """Tutto for 2 to 10 seats in three editions."""

    key: ClassVar[str] = "tutto"
    rules_version: ClassVar[int] = 1
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 10
    endings = ("target", "cloverleaf", "left")
    options_type = Options
    state_type = State
    action_types: ClassVar[Mapping[str, type]] = {"turn_card": TurnCard, "keep": Keep, "stop": Stop}
    outcome_types = (Draw, Roll)

    def initial(self, options: Options, seats: int) -> State:
        check_seats(self, seats)
        return State(options, (0,) * seats)

    def to_move(self, state: State) -> int:
        if state.phase is Phase.OVER:
            return OVER
        return CHANCE if state.phase in (Phase.DRAW, Phase.ROLL) else state.seat

    def legal(self, state: State) -> tuple[Action, ...]:
        match state.phase:
            case Phase.START:
                return (TURN_CARD,)
            case Phase.TUTTO:
                return (TURN_CARD, STOP)
            case Phase.CHOOSE:
                card = _card(state)
                keeps = tuple(Keep(dice) for dice in keepable(state.roll, card, state.aside))
                return (*keeps, STOP) if card in MAY_STOP_EARLY else keeps
            case _:
                return ()

    def chance(self, state: State) -> Sequence[tuple[Outcome, int]]:
        if state.phase is Phase.DRAW:
            deck = pile(state.deck)
            return tuple([(_DRAWS[card], number) for card, number in zip(CARDS, deck, strict=True) if number])
        if state.phase is Phase.ROLL:
            return _ROLLS[NUMBER_OF_DICE - len(state.aside)]
        return ()

    def apply(self, state: State, move: Move) -> Applied[State]:
        match move:
            case Leave():
                leave_or_raise(self, state, move)
                after, events = _leave(state, move.seat)
            case Draw() | Roll():
                if not _can_happen(state, move):
                    raise IllegalMove("error-illegal-move")
                after, events = _turned(state, move.card) if isinstance(move, Draw) else _rolled(state, move)
            case TurnCard() | Keep() | Stop():
                legal_or_raise(self, state, move)
                after, events = _act(state, move)
            case _:
                raise IllegalMove("error-illegal-move")
        return Applied(after, tuple(events))

    def stats(self, events: Sequence[Event], seats: int) -> tuple[SeatStats, ...]:
        turns, best = [0] * seats, [0] * seats
        feats = [{"tuttos": 0, "nulls": 0, "cards": 0} for _ in range(seats)]
        for event in events:
            match event:
                case CardTurned(seat=seat):
                    feats[seat]["cards"] += 1
                case TuttoMade(seat=seat):
                    feats[seat]["tuttos"] += 1
                case Banked(seat=seat, points=gained):
                    turns[seat] += 1
                    best[seat] = max(best[seat], gained)
                case Nulled(seat=seat):
                    turns[seat] += 1
                    feats[seat]["nulls"] += 1
                case StopCardHit(seat=seat) | LeaderMissed(seat=seat) | CloverleafWon(seat=seat):
                    turns[seat] += 1
                case _:
                    pass
        return tuple(map(SeatStats, turns, best, feats))

    def sound(self, state: State) -> bool:
        return sound(state)


_DRAWS = {card: Draw(card) for card in CARDS}
_ROLLS = {
    number: Outcomes((Roll(dice), weight) for dice, weight in rolls(number))
    for number in range(1, NUMBER_OF_DICE + 1)
}
_ROLL_SETS = {number: frozenset(roll for roll, _ in outcomes) for number, outcomes in _ROLLS.items()}


def leaders(state: State) -> tuple[int, ...]:
    """Return the seats with the most banked points; none while all scores are 0 (settled).

    Seats that have left don't count.
    """
    present = (score for seat, score in enumerate(state.scores) if seat not in state.left)
    return best_seats(state) if any(present) else ()


def total_if_kept(state: State, dice: tuple[int, ...]) -> int:
    """Return the turn total after putting ``dice`` aside, with the card's points if that is a Tutto.

    A Cloverleaf adds nothing to it: that card wins the game, or brings no points.
    """
    card = _card(state)
    scored = points(dice) if card in MAY_STOP_EARLY else 0
    total = state.points + scored
    if len(state.aside) + len(dice) == NUMBER_OF_DICE:
        total += _pay(card, total)
    return total


def stop_value(state: State) -> int | None:
    """Return the points that stopping now would bank, or None if the player may not stop."""
    if state.phase is Phase.TUTTO:
        return state.points
    if state.phase is Phase.CHOOSE and _card(state) in MAY_STOP_EARLY:
        return total_if_kept(state, valid_dice(state.roll, _card(state), state.aside))
    return None


def _card(state: State) -> Card:
    assert state.card is not None, f"no card is open in phase {state.phase}"
    return state.card


def _can_happen(state: State, outcome: Outcome) -> bool:
    """Return whether ``outcome`` is in ``chance(state)``, without searching the 462 rolls of six dice."""
    if isinstance(outcome, Draw):
        index = INDEX.get(outcome.card)
        return state.phase is Phase.DRAW and index is not None and pile(state.deck)[index] > 0
    return state.phase is Phase.ROLL and outcome in _ROLL_SETS[NUMBER_OF_DICE - len(state.aside)]


def _pay(card: Card, total: int) -> int:
    """Return the points that a Tutto with ``card`` adds to a turn total (sheet, "the cards")."""
    match card:
        case Card.X2:
            return total
        case Card.STRAIGHT:
            return STRAIGHT_POINTS
        case Card.PLUS_MINUS:
            return PLUS_MINUS_POINTS
        case _:
            return card.bonus


def _act(state: State, action: Action) -> Moved:
    if isinstance(action, TurnCard):
        return replace(state, phase=Phase.DRAW), []
    if isinstance(action, Keep):
        return _keep(state, action.dice)
    if state.phase is Phase.TUTTO:
        return _bank(state, [])
    # Stopping scores all valid dice of the roll; if that is a Tutto, the card pays (sheet, example).
    dice = valid_dice(state.roll, _card(state), state.aside)
    state, events = _put_aside(state, dice)
    if len(state.aside) == NUMBER_OF_DICE:
        state, events = _tutto(state, events)
    return _bank(state, events)


def _turned(state: State, card: Card) -> Moved:
    """Turn a card. It ends the turn at once, or six dice are rolled next."""
    events: list[Event] = [CardTurned(state.seat, card, reshuffled=not any(state.deck))]
    state = replace(
        state,
        deck=without(pile(state.deck), card),
        phase=Phase.ROLL,
        card=card,
        aside=(),
        roll=(),
        clover=0,
    )
    ends: Callable[[int, int], Event] | None = None
    if card is Card.STOP:
        ends = StopCardHit
    elif (
        card is Card.PLUS_MINUS and state.options.edition is Edition.CLASSIC and state.seat in leaders(state)
    ):
        ends = LeaderMissed
    if ends is None:
        return state, events
    events.append(ends(state.seat, state.points))
    return _end_turn(state, events)


def _rolled(state: State, roll: Roll) -> Moved:
    events: list[Event] = [Rolled(state.seat, roll.dice)]
    card = _card(state)
    valid = valid_dice(roll.dice, card, state.aside)
    state = replace(state, roll=roll.dice, phase=Phase.CHOOSE)
    if valid and card is not Card.FIREWORKS:
        return state, events
    if valid:
        # Fireworks leave no choice: all valid dice are put aside, and the rest is rolled again.
        state, kept = _put_aside(state, valid)
        events += kept
        if len(state.aside) == NUMBER_OF_DICE:
            events.append(TuttoMade(state.seat, card, 0, state.points))
            state = replace(state, aside=())
        return replace(state, phase=Phase.ROLL, roll=()), events
    if card is Card.FIREWORKS:
        return _bank(state, events, fireworks=True)
    events.append(Nulled(state.seat, state.points))
    return _end_turn(state, events)


def _put_aside(state: State, dice: tuple[int, ...]) -> Moved:
    scored = points(dice) if _card(state) in MAY_STOP_EARLY | {Card.FIREWORKS} else 0
    aside = tuple(sorted(state.aside + dice))
    after = replace(state, aside=aside, points=state.points + scored)
    return after, [Kept(state.seat, dice, scored)]


def _keep(state: State, dice: tuple[int, ...]) -> Moved:
    state, events = _put_aside(state, dice)
    if len(state.aside) < NUMBER_OF_DICE:
        return replace(state, phase=Phase.ROLL, roll=()), events
    return _tutto(state, events)


def _tutto(state: State, events: list[Event]) -> Moved:
    """Complete a Tutto: the card pays, and the seat may stop or go on (sheet)."""
    card = _card(state)
    gained = _pay(card, state.points)
    state = replace(state, points=state.points + gained, phase=Phase.TUTTO, roll=())
    events.append(TuttoMade(state.seat, card, gained, state.points))
    if card is Card.PLUS_MINUS:
        return _deduct(state, events)
    if card is Card.CLOVERLEAF:
        state = replace(state, clover=state.clover + 1)
        if state.clover < TUTTOS_FOR_CLOVERLEAF:
            return replace(state, aside=(), phase=Phase.ROLL), events
        events.append(CloverleafWon(state.seat))
        return _over(replace(state, finished=state.finished + 1), "cloverleaf", (state.seat,)), events
    return state, events


def _deduct(state: State, events: list[Event]) -> Moved:
    """Deduct 1000 from each leader other than the roller, at once and for good (sheet; ties settled)."""
    scores = list(state.scores)
    for seat in leaders(state):
        if seat == state.seat:
            continue
        loss = PLUS_MINUS_POINTS
        if state.options.edition is Edition.CURRENT:
            loss = min(loss, max(scores[seat], 0))
        scores[seat] -= loss
        events.append(Deducted(seat, loss))
    return replace(state, scores=tuple(scores)), events


def _bank(state: State, events: list[Event], *, fireworks: bool = False) -> Moved:
    score = state.scores[state.seat] + state.points
    scores = (*state.scores[: state.seat], score, *state.scores[state.seat + 1 :])
    events.append(Banked(state.seat, state.points, score, fireworks))
    return _end_turn(replace(state, scores=scores), events)


def _end_turn(state: State, events: list[Event]) -> Moved:
    """End the turn: end the game, or pass the turn to the next seat that is still in it."""
    state = replace(state, finished=state.finished + 1)
    if state.scores[state.seat] >= state.options.target and state.seat not in state.left:
        if state.options.edition is Edition.CLASSIC:
            # Equal scores share the win (settled).
            return _over(state, "target", best_seats(state)), events
        if not state.last_round:
            state = replace(state, last_round=True)
            # The last seat of a round ends the game, with nothing left to announce.
            if not _completes_round(state):
                events.append(LastRoundBegan(state.seat))
    return _pass_on(state, events)


def _pass_on(state: State, events: list[Event]) -> Moved:
    if state.last_round and _completes_round(state):
        return _over(state, "target", best_seats(state)), events
    following = next_seat(len(state.scores), state.left, state.seat)
    return (
        replace(state, seat=following, phase=Phase.START, card=None, aside=(), roll=(), points=0, clover=0),
        events,
    )


def _completes_round(state: State) -> bool:
    """Return whether the turn is the last of its round. Seat 0 began, so it would pass to an earlier seat."""
    return next_seat(len(state.scores), state.left, state.seat) <= state.seat


def _over(state: State, reason: str, winners: tuple[int, ...]) -> State:
    return replace(
        state,
        phase=Phase.OVER,
        reason=reason,
        winners=winners,
        card=None,
        aside=(),
        roll=(),
        points=0,
        clover=0,
    )


def _leave(state: State, seat: int) -> Moved:
    """Remove a seat: it keeps its banked points but can't win; the points of its turn are lost (settled)."""
    own_turn = seat == state.seat
    begun = own_turn and state.phase is not Phase.START
    events: list[Event] = [SeatLeft(seat, state.points if own_turn else 0)]
    state = replace(state, left=tuple(sorted((*state.left, seat))), finished=state.finished + begun)
    stay = [other for other in range(len(state.scores)) if other not in state.left]
    if len(stay) == 1:
        return _over(state, "left", tuple(stay)), events
    return _pass_on(state, events) if own_turn else (state, events)
