"""The cache knows of every method of a store that may change what it has cached."""

from __future__ import annotations

from bot.store.base import Store
from bot.store.cache import CachedStore
from bot.store.delegate import StoreDelegate

PASSED_ON = {
    # They change no cached game and no name.
    *("set_luck", "note_share", "set_unlisted", "set_setting", "depart", "come_back", "tidy", "set_meta"),
    # They read other things than single games by their ids.
    *("active_game", "latest_game", "rematch_of", "moves", "results", "meta", "active_counts"),
    *("games_to_repaint", "waiting_for_ai", "due", "next_deadline", "without_luck"),
    *("standings", "ranked", "standing_of", "stats", "records"),
    *("finished_in_channel", "finished_in_guild", "count_finished", "has_share"),
    *("member", "absent", "active_games_of", "export", "export_games"),
    *("all_settings", "departures", "known_guilds"),
    "close",
}
"""The methods of a store that the cache need not know of. A new one belongs here or into CachedStore."""


def methods(kind: type) -> set[str]:
    return {name for name, value in vars(kind).items() if callable(value) and not name.startswith("_")}


def test_every_method_of_a_store_is_cached_or_passed_on_knowingly() -> None:
    everything = {name for kind in Store.__mro__ for name in methods(kind)}
    assert methods(StoreDelegate) == everything
    own = methods(CachedStore) & everything
    assert own | PASSED_ON == everything
    assert not own & PASSED_ON
