"""A cache of the games written and read last: a click need not read what the click before it has written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from time import monotonic

from bot.games.values import replace
from bot.store.base import Change, GameRow, Store
from bot.store.delegate import StoreDelegate

MAX_GAMES = 2048
"""How many games are cached. The one that was used longest ago falls out, and then takes no memory."""

MAX_NAMES = 8192
"""How many names are remembered as stored already."""

MAX_GAME_AGE_SECONDS = 1.0
"""How long a game counts as the latest after it was read or written, where other processes write as well."""

MAX_NAME_AGE_SECONDS = 60.0
"""How long a name counts as stored, where other processes write as well and so may have deleted it."""


class CachedStore(StoreDelegate):
    """A store with a cache of single games. The store stays the truth: what it refuses is refused.

    Should a cached game be older than the stored one after all, the store refuses the step that was made
    from it, and the game is read anew. Where other processes write as well (``shared``), :meth:`cached`
    returns what may be old, for a commit to prove; :meth:`game` reads anew what was not written or read
    a moment ago.
    """

    def __init__(self, store: Store, max_games: int = MAX_GAMES) -> None:
        super().__init__(store)
        self._max_games = max_games
        self._games: OrderedDict[int, GameRow] = OrderedDict()
        self._proved: dict[int, float] = {}
        """When each cached game was the latest for certain; empty where no other process writes."""
        self._names: dict[tuple[int, int], tuple[str, float]] = {}
        self._changes = 0
        """Counts what may have made a reading in progress out of date."""

    async def game(self, game_id: int) -> GameRow | None:
        row = self._games.get(game_id)
        if row is None or (self.shared and monotonic() - self._proved[game_id] > MAX_GAME_AGE_SECONDS):
            return await self.fresh(game_id)
        self._games.move_to_end(game_id)
        return row

    def cached(self, game_id: int) -> GameRow | None:
        """Return the game as it was when this process last heard of it, however long ago, or None."""
        return self._games.get(game_id)

    async def fresh(self, game_id: int) -> GameRow | None:
        before = self._changes
        row = await self._store.fresh(game_id)
        if row is None:
            self._drop(game_id)
        elif before == self._changes:
            cached = self._games.get(game_id)
            if cached is None or row.version >= cached.version:
                # What was shown is written late, so the cached one may know more of it.
                row = row if cached is None else _with_latest_shown(row, cached)
                self._keep(row, proved=True)
        return row

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        row = await self._store.create(row, interaction_id)
        self._changes += 1
        self._keep(row, proved=True)
        return row

    async def commit(self, change: Change) -> None:
        row = change.row
        try:
            await self._store.commit(change)
        except BaseException:
            # Nobody knows what is stored now, nor whether the names that were to ride along are.
            self._forget(row.id)
            self._names.clear()
            raise
        cached = self._games.get(row.id)
        self._changes += 1
        if cached is not None:
            self._keep(_with_latest_shown(row, cached), proved=True)
        elif self.shared:
            # Readings are seldom kept where many games are changed while they last.
            self._keep(row, proved=True)

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        cached = self._games.get(row.id)
        if cached is not None and cached.shown_version <= row.shown_version:
            self._changes += 1
            self._keep(_shown_as(cached, row), proved=False)
        await self._store.mark_shown(row, urgent=urgent)

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        key, now = (guild_id, user_id), monotonic()
        known = self._names.get(key)
        if (
            known is not None
            and known[0] == name
            and not (self.shared and now - known[1] > MAX_NAME_AGE_SECONDS)
        ):
            return
        if len(self._names) >= MAX_NAMES:
            del self._names[next(iter(self._names))]
        self._names[key] = name, now
        await self._store.note_member(guild_id, user_id, name)

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        # Whoever is missing counts as back once they are seen again.
        for user_id in found:
            self._names.pop((guild_id, user_id), None)
        await self._store.set_present(guild_id, found, at)

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
        """Read everything anew, as after a change of the database from outside."""
        self._forget(*self._games)
        self._names.clear()

    def _keep(self, row: GameRow, *, proved: bool) -> None:
        self._games[row.id] = row
        self._games.move_to_end(row.id)
        if self.shared and proved:
            self._proved[row.id] = monotonic()
        if len(self._games) > self._max_games:
            self._drop(next(iter(self._games)))

    def _drop(self, game_id: int) -> None:
        self._games.pop(game_id, None)
        self._proved.pop(game_id, None)

    def _forget(self, *games: int) -> None:
        self._changes += 1
        for game_id in games:
            self._drop(game_id)


def _with_latest_shown(row: GameRow, other: GameRow) -> GameRow:
    """The row with what either of the two knows about its channel, whichever is later."""
    if (other.shown_version, other.posted_at) < (row.shown_version, row.posted_at):
        return row
    return _shown_as(row, other)


def _shown_as(row: GameRow, shown: GameRow) -> GameRow:
    """The row with what the other one knows about its channel."""
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
