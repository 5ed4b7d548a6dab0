"""A cache of the latest games, so that a click need not read what the previous click has written."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

from bot.games.values import replace
from bot.store.base import Change, GameRow, Store
from bot.store.bounded import Bounded
from bot.store.delegate import StoreDelegate

MAX_GAMES = 2048
"""How many games to cache; the least recently used one is removed first."""

MAX_NAMES = 8192
"""How many names to keep as already stored."""

MAX_GAME_AGE_SECONDS = 1.0
"""If other processes write as well: how long a game counts as the latest after it was read or written."""

MAX_NAME_AGE_SECONDS = 60.0
"""If other processes write as well: how long a name counts as stored; another process may delete it."""


class CachedStore(StoreDelegate):
    """A store with a cache of single games.

    If a cached game is older than the stored one, the store refuses the change that was made from it, and the
    game is read again. If other processes write as well (``shared``), :meth:`cached` may return an old game,
    which the commit then refuses; :meth:`game` reads games again that were not read or written a moment ago.
    """

    def __init__(self, store: Store, max_games: int = MAX_GAMES) -> None:
        super().__init__(store)
        self._games: Bounded[int, tuple[GameRow, float]] = Bounded(max_games)
        """The games, each with the time when it was last known to be the latest."""
        self._names: Bounded[tuple[int, int], tuple[str, float]] = Bounded(MAX_NAMES)
        """The names that are stored, each with the time when that was known."""
        self._changes = 0
        """How many times the cache has changed; a read during which it changes may be outdated."""

    async def game(self, game_id: int) -> GameRow | None:
        entry = self._games.get(game_id)
        if entry is None or (self.shared and monotonic() - entry[1] > MAX_GAME_AGE_SECONDS):
            return await self.fresh(game_id)
        self._games.move_to_end(game_id)
        return entry[0]

    def cached(self, game_id: int) -> GameRow | None:
        """Return the cached game, however old, or None."""
        entry = self._games.get(game_id)
        return None if entry is None else entry[0]

    async def fresh(self, game_id: int) -> GameRow | None:
        before = self._changes
        row = await self._store.fresh(game_id)
        if row is None:
            self._games.pop(game_id, None)
        elif before == self._changes:
            cached = self.cached(game_id)
            if cached is None or row.version >= cached.version:
                # mark_shown() writes late, so the cached game may know better what the channel shows.
                row = row if cached is None else _with_latest_shown(row, cached)
                self._games[row.id] = row, monotonic()
        return row

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        row = await self._store.create(row, interaction_id)
        self._changes += 1
        self._games[row.id] = row, monotonic()
        return row

    async def commit(self, change: Change) -> None:
        row = change.row
        try:
            await self._store.commit(change)
        except BaseException:
            # Neither the stored game nor the names that go with the commit are known now.
            self._drop(row.id)
            self._names.clear()
            raise
        cached = self.cached(row.id)
        self._changes += 1
        if cached is not None:
            self._games[row.id] = _with_latest_shown(row, cached), monotonic()
        elif self.shared:
            # While many games change, fresh() seldom keeps what it has read; so keep this one.
            self._games[row.id] = row, monotonic()

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        entry = self._games.get(row.id)
        if entry is not None and entry[0].shown_version <= row.shown_version:
            self._changes += 1
            self._games[row.id] = _shown_as(entry[0], row), entry[1]
        await self._store.mark_shown(row, urgent=urgent)

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        key, now = (guild_id, user_id), monotonic()
        entry = self._names.get(key)
        if (
            entry is not None
            and entry[0] == name
            and not (self.shared and now - entry[1] > MAX_NAME_AGE_SECONDS)
        ):
            return
        self._names[key] = name, now
        await self._store.note_member(guild_id, user_id, name)

    async def set_present(self, guild_id: int, presence: Mapping[int, bool], at: float) -> None:
        # Storing an absent person's name again marks them as back, so don't skip it.
        for user_id in presence:
            self._names.pop((guild_id, user_id), None)
        await self._store.set_present(guild_id, presence, at)

    async def erase(self, user_id: int) -> None:
        try:
            await self._store.erase(user_id)
        finally:
            self.forget()

    async def purge(self, guild_id: int) -> None:
        try:
            await self._store.purge(guild_id)
        finally:
            self.forget()

    def forget(self) -> None:
        """Empty the cache, for example after another program has changed the database."""
        self._drop(*self._games)
        self._names.clear()

    def _drop(self, *games: int) -> None:
        self._changes += 1
        for game_id in games:
            self._games.pop(game_id, None)


def _with_latest_shown(row: GameRow, other: GameRow) -> GameRow:
    """Return ``row`` with the later of the two records of what the channel shows."""
    if (other.shown_version, other.posted_at) < (row.shown_version, row.posted_at):
        return row
    return _shown_as(row, other)


def _shown_as(row: GameRow, shown: GameRow) -> GameRow:
    """Return ``row`` with what ``shown`` records about the channel."""
    if (row.shown_version, row.message_id, row.posted_at, row.shown_turn) == (
        shown.shown_version,
        shown.message_id,
        shown.posted_at,
        shown.shown_turn,
    ):
        return row
    return replace(
        row,
        message_id=shown.message_id,
        posted_at=shown.posted_at,
        shown_version=shown.shown_version,
        shown_turn=shown.shown_turn,
    )
