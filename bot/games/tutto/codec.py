"""Tutto's values <-> JSON. Actions and outcomes are written as docs/game-record.md describes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.games.codec import at_schema, dumps, fields, integer, integers, member, optional_member
from bot.games.core import GameError, Json, Unreadable
from bot.games.dice import dice_from_json
from bot.games.tutto.cards import CARDS, FULL_DECK, Card
from bot.games.tutto.scoring import valid_dice
from bot.games.tutto.state import (
    NUMBER_OF_DICE,
    STOP,
    TURN_CARD,
    Action,
    Draw,
    Keep,
    Options,
    Outcome,
    Phase,
    Roll,
    State,
    TurnCard,
)

SCHEMA = 1
"""Number of the state's form in the database; raise it and add an upcaster when the form changes."""

UPCASTERS: Mapping[int, Callable[[dict[str, Json]], dict[str, Json]]] = {}


def action_to_json(action: Action) -> dict[str, Json]:
    if isinstance(action, Keep):
        return {"type": "keep", "dice": list(action.dice)}
    return {"type": "turn_card" if isinstance(action, TurnCard) else "stop"}


def action_from_json(raw: Json) -> Action:
    match raw:
        case {"type": "turn_card", **rest} if not rest:
            return TURN_CARD
        case {"type": "stop", **rest} if not rest:
            return STOP
        case {"type": "keep", "dice": dice, **rest} if not rest:
            return Keep(dice_from_json(dice, NUMBER_OF_DICE))
        case _:
            raise Unreadable("error-unreadable")


def outcome_to_json(outcome: Outcome) -> dict[str, Json]:
    if isinstance(outcome, Draw):
        return {"card": outcome.card.value}
    return {"dice": list(outcome.dice)}


def outcome_from_json(raw: Json) -> Outcome:
    match raw:
        case {"card": card, **rest} if not rest:
            return Draw(member(Card, card))
        case {"dice": dice, **rest} if not rest:
            return Roll(dice_from_json(dice, NUMBER_OF_DICE))
        case _:
            raise Unreadable("error-unreadable")


def state_to_json(state: State) -> dict[str, Json]:
    return {
        "schema": SCHEMA,
        "options": state.options.to_json(),
        "scores": list(state.scores),
        "left": list(state.left),
        "deck": list(state.deck),
        "seat": state.seat,
        "phase": state.phase.value,
        "card": state.card.value if state.card else None,
        "aside": list(state.aside),
        "roll": list(state.roll),
        "points": state.points,
        "clover": state.clover,
        "finished": state.finished,
        "last_round": state.last_round,
        "reason": state.reason,
        "winners": list(state.winners),
    }


def state_from_json(raw: Json, options: Callable[[Mapping[str, Json]], Options]) -> State:
    """Raises :class:`Unreadable` for anything that :func:`state_to_json` could not have written."""
    given = fields(at_schema(raw, SCHEMA, UPCASTERS), state_to_json(_EXAMPLE))
    try:
        parsed = options(given["options"])
    except (GameError, AttributeError, TypeError) as error:
        raise Unreadable("error-unreadable") from error
    state = State(
        options=parsed,
        scores=integers(given["scores"]),
        left=integers(given["left"]),
        deck=integers(given["deck"]),
        seat=integer(given["seat"]),
        phase=member(Phase, given["phase"]),
        card=optional_member(Card, given["card"]),
        aside=dice_from_json(given["aside"], NUMBER_OF_DICE),
        roll=dice_from_json(given["roll"], NUMBER_OF_DICE),
        points=integer(given["points"]),
        clover=integer(given["clover"]),
        finished=integer(given["finished"]),
        last_round=given["last_round"] is True,
        reason=_text(given["reason"]),
        winners=integers(given["winners"]),
    )
    # Written again it must be what was read, or something was quietly mended: true for 1, dice unsorted.
    if dumps(state_to_json(state)) != dumps(given) or not _sound(state):
        raise Unreadable("error-unreadable")
    return state


def _sound(state: State) -> bool:
    """Whether the parts of a position fit together, so that the rules can go on from it."""
    seats = range(len(state.scores))
    if state.seat not in seats or not all(seat in seats for seat in (*state.left, *state.winners)):
        return False
    if state.phase is not Phase.OVER and (state.seat in state.left or len(state.left) > len(seats) - 2):
        return False
    if len(state.deck) != len(CARDS) or not all(
        0 <= number <= most for number, most in zip(state.deck, FULL_DECK, strict=True)
    ):
        return False
    on_table = len(state.aside) + len(state.roll)
    match state.phase:
        case Phase.START | Phase.OVER:
            return state.card is None and on_table == 0
        case Phase.DRAW:
            return not state.roll
        case Phase.ROLL:
            return state.card is not None and not state.roll and on_table < NUMBER_OF_DICE
        case Phase.CHOOSE:
            return (
                state.card is not None
                and on_table == NUMBER_OF_DICE
                and valid_dice(state.roll, state.card, state.aside) != ()
            )
        case Phase.TUTTO:
            return state.card is not None and len(state.aside) == NUMBER_OF_DICE and not state.roll


def _text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise Unreadable("error-unreadable")
    return raw


_EXAMPLE = State(Options(), (0, 0))
