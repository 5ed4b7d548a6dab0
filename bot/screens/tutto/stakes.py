"""What is at stake in a turn of Tutto, in words."""

from __future__ import annotations

from bot.games.core import next_seat
from bot.games.tutto.cards import Card
from bot.games.tutto.rules import stop_value
from bot.games.tutto.state import Edition, Phase, State
from bot.i18n.say import Say, SeatRef, say

STEP = 50
"""All points are multiples of this."""


def stakes(state: State) -> Say | None:
    """Return what matters most to the seat to move, or None if nothing is special about its position."""
    if state.phase is Phase.CHOOSE and state.card is Card.CLOVERLEAF and state.clover:
        return say("tutto-stake-clover")
    seat, own, bank = state.seat, state.scores[state.seat], stop_value(state)
    others = [other for other in range(len(state.scores)) if other != seat and other not in state.left]
    if not others:
        # Alone, only the target matters.
        reached = bank is not None and own + bank >= state.options.target
        return say("tutto-stake-alone") if reached else None
    leader = max(others, key=lambda other: state.scores[other])
    best = state.scores[leader]
    if state.last_round:
        if bank is not None and own + bank > best:
            last = next_seat(len(state.scores), state.left, seat) <= seat
            return say("tutto-stake-wins" if last else "tutto-stake-leads-last")
        if own > best:
            return say("tutto-stake-last-leader")
        return say("tutto-stake-last", points=best - own + STEP, name=SeatRef(leader))
    if bank is None:
        return None
    if own + bank >= state.options.target:
        return say(f"tutto-stake-{'wins' if state.options.edition is Edition.CLASSIC else 'target'}")
    before, after = (1 + sum(state.scores[other] > one for other in others) for one in (own, own + bank))
    if after == before:
        return None
    return say("tutto-stake-leads") if after == 1 else say("tutto-stake-place", place=after)
