"""What the events of a running game add up to, kept with it so that its end need not replay it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games import codec
from bot.games.core import SeatStats

Tally = Sequence[SeatStats]
"""By seat; empty where it is not known."""


def added(tally: Tally, more: Tally) -> Tally:
    """Both stretches of a game as one."""
    if not tally:
        return more
    return [
        SeatStats(
            one.turns + other.turns,
            max(one.best_turn, other.best_turn),
            {feat: one.feats.get(feat, 0) + number for feat, number in other.feats.items()},
        )
        for one, other in zip(tally, more, strict=True)
    ]


def dumps(tally: Tally) -> str:
    return codec.dumps([[one.turns, one.best_turn, dict(one.feats)] for one in tally])


def loads(text: str) -> Tally:
    return [SeatStats(*one) for one in codec.loads(text)] if text else []
