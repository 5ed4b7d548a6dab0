"""Rated games: their results change ratings, and only spectators may look at odds. Pure.

All other games are friendly. docs/decisions/rated-games.md has the reasons.
"""

from __future__ import annotations

import json

from bot.store.base import GameRow


def is_rated(game: GameRow) -> bool:
    """Return whether a game is rated, or would be if it began now: the host's choice, and two people.

    That is fixed with the start. Games of earlier versions have no such entry.
    """
    fixed = json.loads(game.start).get("rated") if game.start else None
    if fixed is not None:
        return bool(fixed)
    return game.rated and sum(seat.human for seat in game.seats) > 1
