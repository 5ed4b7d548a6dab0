"""The one list of games. A game brings all that belongs to it in the entry that is named here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bot.games.core import Unreadable
from bot.screens.entry import Entry
from bot.screens.gambler.entry import GAMBLER
from bot.screens.icons import COMMON_ICONS
from bot.screens.tutto.entry import TUTTO
from bot.standings.ratings import Model

GAMES: Mapping[str, Entry] = {entry.rules.key: entry for entry in (TUTTO, GAMBLER)}
"""The games by key, in the order in which they are offered."""

TEXT_ICONS: Mapping[str, str] = COMMON_ICONS | {
    name: text for entry in GAMES.values() for name, text in entry.text_icons.items()
}
"""What pictures are shown as where no application emoji stands in for them."""


def find(key: str) -> Entry:
    """Return the entry of a game. Raises :class:`Unreadable` for a key that is none."""
    try:
        return GAMES[key]
    except KeyError:
        raise Unreadable("error-unknown-game", game=key) from None


@cache
def rating_model(key: str) -> Model:
    """Return the model by which people are rated in a game, which may be one that is no longer offered."""
    return Model(GAMES[key].beta, errors=GAMES[key].errors) if key in GAMES else Model()


@cache
def rating_models() -> Mapping[str, str]:
    """Return the fingerprints of the games' models."""
    return {key: rating_model(key).fingerprint for key in GAMES}
