"""What the events of a running game add up to, kept with it so that its end need not replay it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games import codec
from bot.games.core import SeatStats, Unreadable
from bot.i18n.memo import Recall

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


def is_nothing(tally: Tally) -> bool:
    """Whether nothing is changed by adding it."""
    return not any(one.turns or one.best_turn or any(one.feats.values()) for one in tally)


def dumps(tally: Tally) -> str:
    text = codec.dumps([[one.turns, one.best_turn, dict(one.feats)] for one in tally])
    _tallies.note(text, tally)
    return text


def loads(text: str) -> Tally:
    """The tally; empty where it is not known. Raises :class:`~bot.games.core.Unreadable` for damage."""
    return _tallies(text) if text else ()


def _read(text: str) -> Tally:
    try:
        return [SeatStats(turns, best_turn, dict(feats)) for turns, best_turn, feats in codec.loads(text)]
    except (TypeError, ValueError):
        raise Unreadable("error-unreadable") from None


_tallies = Recall(_read)
