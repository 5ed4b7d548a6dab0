"""The games written and read lately, at hand: a click need not read what the click before it has written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from time import monotonic
from typing import Any, cast

from bot.store.base import Change, GameRow, Store

MAX_GAMES = 2048
"""How many games are kept at hand. An idle game falls out, and then takes no memory."""

MAX_NAMES = 8192
"""How many names are known to be stored already."""

MOMENT_SECONDS = 1.0
"""So long a game counts as the latest, once it was read or written, where others write as well."""

NAME_SECONDS = 60.0
"""So long a name counts as stored where others write as well, and so may have deleted it."""


def recent(store: Store, most: int = MAX_GAMES) -> Store:
    """``store`` with its latest games at hand. It stays the truth: what it refuses is refused.

    Where others write as well (``shared``), what is at hand is asked for by :func:`at_hand`, and a commit is
    to prove it; :meth:`Store.game` reads anew what was not written or read a moment ago.
    """
    if isinstance(store, CachedStore):
        return store
    return cast(Store, CachedStore(store, most))


def at_hand(store: Store, game_id: int) -> GameRow | None:
    """The game as it was when this process last heard of it, however long ago; None if it is not at hand."""
    return store.at_hand(game_id) if isinstance(store, CachedStore) else None


class CachedStore:
    """See :func:`recent`. What is not about single games goes straight to the store.

    Should a game at hand be older than the stored one after all, the store refuses the step that was made
    from it, and the game is read anew.
    """

    def __init__(self, store: Store, most: int) -> None:
        self._store = store
        self._most = most
        self.shared = store.shared
        self._games: OrderedDict[int, GameRow] = OrderedDict()
        self._proved: dict[int, float] = {}
        """When each game at hand was the latest for certain; empty where nobody else writes."""
        self._names: dict[tuple[int, int], tuple[str, float]] = {}
        self._changes = 0
        """Counts what may have made a reading in progress out of date."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def game(self, game_id: int) -> GameRow | None:
        row = self._games.get(game_id)
        if row is None or (self.shared and monotonic() - self._proved[game_id] > MOMENT_SECONDS):
            return await self.fresh(game_id)
        self._games.move_to_end(game_id)
        return row

    def at_hand(self, game_id: int) -> GameRow | None:
        return self._games.get(game_id)

    async def fresh(self, game_id: int) -> GameRow | None:
        before = self._changes
        row = await self._store.fresh(game_id)
        if row is None:
            self._drop(game_id)
        elif before == self._changes:
            at_hand = self._games.get(game_id)
            if at_hand is None or row.version >= at_hand.version:
                # What was shown is written late, so the one at hand may know more of it.
                row = row if at_hand is None else _with_latest_shown(row, at_hand)
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
        at_hand = self._games.get(row.id)
        self._changes += 1
        if at_hand is not None:
            self._keep(_with_latest_shown(row, at_hand), proved=True)
        elif self.shared:
            # Readings are seldom kept where many games are changed while they last.
            self._keep(row, proved=True)

    async def shown(self, row: GameRow, *, urgent: bool) -> None:
        at_hand = self._games.get(row.id)
        if at_hand is not None and at_hand.shown_version <= row.shown_version:
            self._changes += 1
            self._keep(_shown_as(at_hand, row), proved=False)
        await self._store.shown(row, urgent=urgent)

    async def seen(self, guild_id: int, user_id: int, name: str) -> None:
        key, now = (guild_id, user_id), monotonic()
        known = self._names.get(key)
        if known is not None and known[0] == name and not (self.shared and now - known[1] > NAME_SECONDS):
            return
        if len(self._names) >= MAX_NAMES:
            del self._names[next(iter(self._names))]
        self._names[key] = name, now
        await self._store.seen(guild_id, user_id, name)

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
        if len(self._games) > self._most:
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
    return row.but(
        message_id=shown.message_id,
        posted_at=shown.posted_at,
        shown_version=shown.shown_version,
        shown_turn=shown.shown_turn,
    )
