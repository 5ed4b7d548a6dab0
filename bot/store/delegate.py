"""A store that passes all calls on to another one: the base of stores that handle some calls themselves.

Each method is named, so that a type checker notices a missing one. When a method is added to
:class:`~bot.store.base.Store`, a test fails until it says whether the cache must handle it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from bot.store.base import Store
from bot.store.daily import DailyStore
from bot.store.notifications import NotificationStore
from bot.store.puzzles import PuzzleStore
from bot.store.seasons import SeasonStore

P = ParamSpec("P")
R = TypeVar("R")

Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]


def _passed_on(method: Method[P, R]) -> Method[P, R]:
    """Return a method that calls the other store's method of the same name."""

    def passed_on(self: StoreDelegate, /, *args: P.args, **values: P.kwargs) -> Coroutine[Any, Any, R]:
        call: Callable[P, Coroutine[Any, Any, R]] = getattr(self._store, method.__name__)
        return call(*args, **values)

    return passed_on


class StoreDelegate:
    """Implements :class:`~bot.store.base.Store` by means of ``store``."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.shared = store.shared

    @property
    def daily(self) -> DailyStore:
        return self._store.daily

    @property
    def notifications(self) -> NotificationStore:
        return self._store.notifications

    @property
    def puzzles(self) -> PuzzleStore:
        return self._store.puzzles

    @property
    def seasons(self) -> SeasonStore:
        return self._store.seasons

    close = _passed_on(Store.close)
    ping = _passed_on(Store.ping)
    game = _passed_on(Store.game)
    fresh = _passed_on(Store.fresh)
    active_game = _passed_on(Store.active_game)
    latest_game = _passed_on(Store.latest_game)
    rematch_of = _passed_on(Store.rematch_of)
    create = _passed_on(Store.create)
    commit = _passed_on(Store.commit)
    moves = _passed_on(Store.moves)
    stored_moves = _passed_on(Store.stored_moves)
    mark_shown = _passed_on(Store.mark_shown)
    games_to_repaint = _passed_on(Store.games_to_repaint)
    forget_shown = _passed_on(Store.forget_shown)
    usage = _passed_on(Store.usage)
    waiting_for_ai = _passed_on(Store.waiting_for_ai)
    stopped_games = _passed_on(Store.stopped_games)
    due = _passed_on(Store.due)
    youngest_interaction = _passed_on(Store.youngest_interaction)
    next_deadline = _passed_on(Store.next_deadline)
    active_counts = _passed_on(Store.active_counts)
    note_member = _passed_on(Store.note_member)
    results = _passed_on(Store.results)
    meta = _passed_on(Store.meta)
    set_meta = _passed_on(Store.set_meta)
    standings = _passed_on(Store.standings)
    ranked = _passed_on(Store.ranked)
    standing_of = _passed_on(Store.standing_of)
    stats = _passed_on(Store.stats)
    games_with_stats = _passed_on(Store.games_with_stats)
    records = _passed_on(Store.records)
    measured_by = _passed_on(Store.measured_by)
    set_luck = _passed_on(Store.set_luck)
    finished_in_channel = _passed_on(Store.finished_in_channel)
    finished_in_guild = _passed_on(Store.finished_in_guild)
    note_share = _passed_on(Store.note_share)
    has_share = _passed_on(Store.has_share)
    member = _passed_on(Store.member)
    forecasts = _passed_on(Store.forecasts)
    duel = _passed_on(Store.duel)
    unlisted = _passed_on(Store.unlisted)
    absent = _passed_on(Store.absent)
    set_present = _passed_on(Store.set_present)
    set_unlisted = _passed_on(Store.set_unlisted)
    active_games_of = _passed_on(Store.active_games_of)
    open_tables = _passed_on(Store.open_tables)
    erase = _passed_on(Store.erase)
    to_erase = _passed_on(Store.to_erase)
    export = _passed_on(Store.export)
    export_games = _passed_on(Store.export_games)
    all_settings = _passed_on(Store.all_settings)
    set_settings = _passed_on(Store.set_settings)
    depart = _passed_on(Store.depart)
    come_back = _passed_on(Store.come_back)
    departures = _passed_on(Store.departures)
    known_guilds = _passed_on(Store.known_guilds)
    purge = _passed_on(Store.purge)
    tidy = _passed_on(Store.tidy)
