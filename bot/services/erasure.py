"""Deletes everything about a person."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bot.sessions.request import Refused
from bot.sessions.session import Sessions
from bot.store.people import StillSeated

MAX_TRIES = 5
"""How often to remove a person from games that they join while their data is being deleted."""

_log = logging.getLogger(__name__)


async def erase(sessions: Sessions, paint_soon: Callable[[int], None], user_id: int) -> None:
    """Remove a person from all games, delete their data, and then have the tables shown without them."""
    store, left = sessions.store, set[int]()
    try:
        for _ in range(MAX_TRIES):
            for game_id in await store.active_games_of(user_id):
                row = await store.game(game_id)
                if row is not None and await sessions.at(row.channel_id).forget(user_id, game_id):
                    left.add(game_id)
            try:
                await store.erase(user_id)
            except StillSeated:
                continue
            # After a backup was restored, an operator repeats the deletions that were made since.
            _log.info("The data of person %s was deleted", user_id)
            return
        raise Refused("error-erase-playing")
    finally:
        for game_id in left:
            paint_soon(game_id)
