"""When the cache reads again, and that it handles every method that may change what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from bot.games.values import replace
from bot.store import cache
from bot.store.base import Change, Conflict, GameRow, Store
from bot.store.cache import CachedStore
from bot.store.delegate import StoreDelegate
from tests.support.rows import a_game
from tests.support.values import not_none

PASSED_ON = {
    # They change no cached game and no name.
    *("set_luck", "note_share", "set_unlisted", "set_settings", "depart", "come_back", "tidy", "set_meta"),
    # What cached games say about their tables is no longer used then: all tables are painted.
    "forget_shown",
    # They read other things than single games by their ids.
    *("active_game", "latest_game", "rematch_of", "moves", "stored_moves", "results", "meta"),
    "active_counts",
    *(
        "games_to_repaint",
        "usage",
        "waiting_for_ai",
        "stopped_games",
        "youngest_interaction",
        "due",
        "next_deadline",
        "measured_by",
    ),
    *("standings", "ranked", "standing_of", "stats", "games_with_stats", "records"),
    *("finished_in_channel", "finished_in_guild", "has_share"),
    *("member", "unlisted", "forecasts", "duel", "absent", "active_games_of", "open_tables"),
    *("export", "export_games", "to_erase"),
    *("all_settings", "departures", "known_guilds"),
    *("close", "ping"),
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


async def test_what_is_not_handled_is_passed_on() -> None:
    class Other:
        shared, daily, notifications, puzzles, seasons = True, "daily", "notifications", "puzzles", "seasons"

        async def meta(self, key: str) -> str:
            return f"note {key}"

    passed_on = StoreDelegate(cast("Store", Other()))
    assert await passed_on.meta("rebuild") == "note rebuild"
    for part in ("shared", "daily", "notifications", "puzzles", "seasons"):
        assert getattr(passed_on, part) == getattr(Other, part)


class Below:
    """A store in a dictionary that notes what it is asked for."""

    def __init__(self, shared: bool) -> None:
        self.shared = shared
        self.games = {number: replace(a_game(100 + number), id=number) for number in range(1, 6)}
        self.asked: list[tuple[Any, ...]] = []
        self.error: Exception | None = None
        self.meanwhile: Any = None

    def _note(self, *what: Any) -> None:
        self.asked.append(what)
        if self.error is not None:
            raise self.error

    async def fresh(self, game_id: int) -> GameRow | None:
        self._note("fresh", game_id)
        row = self.games.get(game_id)
        if self.meanwhile is not None:
            await self.meanwhile()
        return row

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        self._note("create", interaction_id)
        return replace(row, id=9)

    async def commit(self, change: Change) -> None:
        self._note("commit", change.row.id)
        self.games[change.row.id] = change.row

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        self._note("mark_shown", row.id, urgent)

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        self._note("note_member", guild_id, user_id, name)

    async def set_present(self, guild_id: int, found: Mapping[int, bool], at: float) -> None:
        self._note("set_present", guild_id, dict(found), at)

    async def erase(self, user_id: int) -> None:
        self._note("erase", user_id)

    async def purge(self, guild_id: int) -> None:
        self._note("purge", guild_id)


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(cache, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def a_store(*, shared: bool = False, games: int = 3) -> tuple[Below, CachedStore]:
    below = Below(shared)
    return below, CachedStore(cast("Store", below), games)


def newer(row: GameRow, **changes: Any) -> GameRow:
    return replace(row, version=row.version + 1, **changes)


async def test_a_game_is_read_once_and_the_one_used_longest_ago_falls_out() -> None:
    below, store = a_store()
    for number in (1, 2, 3, 1, 4, 1, 3):
        assert await store.game(number) == below.games[number]
    assert below.asked == [("fresh", 1), ("fresh", 2), ("fresh", 3), ("fresh", 4)]
    assert store.cached(2) is None
    assert store.cached(4) is below.games[4]
    await store.game(2)
    assert store.cached(4) is None
    assert await store.game(77) is None


async def test_where_others_write_a_game_is_the_latest_for_a_second(clock: Clock) -> None:
    below, store = a_store(shared=True)
    row = not_none(await store.game(1))
    clock.now += 1.0
    await store.game(1)
    assert len(below.asked) == 1
    clock.now += 0.1
    await store.game(1)
    assert len(below.asked) == 2
    clock.now += 0.9
    await store.commit(Change(newer(row), row.version))
    clock.now += 0.9
    assert (await store.game(1)) == newer(row)
    assert below.asked[2:] == [("commit", 1)]
    # Being shown proves nothing.
    clock.now += 0.1
    await store.mark_shown(replace(newer(row), shown_version=1), urgent=True)
    clock.now += 0.1
    await store.game(1)
    assert below.asked[3:] == [("mark_shown", 1, True), ("fresh", 1)]


async def test_alone_a_game_stays_the_latest(clock: Clock) -> None:
    below, store = a_store()
    await store.game(1)
    clock.now += 1000.0
    await store.game(1)
    assert len(below.asked) == 1


async def test_a_game_that_is_gone_is_dropped() -> None:
    below, store = a_store()
    await store.game(1)
    del below.games[1]
    assert await store.fresh(1) is None
    assert store.cached(1) is None


@pytest.mark.parametrize("shared", [False, True])
async def test_a_game_that_was_made_is_known(shared: bool) -> None:
    below, store = a_store(shared=shared)
    made = await store.create(a_game(200), 5)
    assert await store.game(9) is made
    assert below.asked == [("create", 5)]


@pytest.mark.parametrize("shared", [False, True])
async def test_only_where_others_write_is_a_game_kept_that_was_not_known(shared: bool) -> None:
    below, store = a_store(shared=shared)
    row = newer(below.games[1])
    await store.commit(Change(row, row.version - 1))
    assert store.cached(1) is (row if shared else None)
    assert await store.game(1) == row
    assert len(below.asked) == (1 if shared else 2)


async def test_a_game_that_was_changed_is_the_one_used_last() -> None:
    below, store = a_store(games=2)
    await store.game(1)
    await store.game(2)
    await store.commit(Change(newer(below.games[1]), below.games[1].version))
    await store.game(3)
    assert store.cached(1) is below.games[1]
    assert store.cached(2) is None


async def test_what_could_not_be_written_is_read_again_and_names_are_noted_again() -> None:
    below, store = a_store()
    row = not_none(await store.game(1))
    await store.note_member(10, 1, "Ann")
    below.error = Conflict()
    with pytest.raises(Conflict):
        await store.commit(Change(newer(row), row.version))
    below.error = None
    assert store.cached(1) is None
    await store.note_member(10, 1, "Ann")
    assert [one[0] for one in below.asked] == ["fresh", "note_member", "commit", "note_member"]


async def test_a_reading_that_something_was_written_during_is_not_kept() -> None:
    below, store = a_store()

    async def write() -> None:
        below.meanwhile = None
        await store.commit(Change(newer(below.games[2]), below.games[2].version))

    below.meanwhile = write
    await store.game(1)
    assert store.cached(1) is None


async def test_an_older_reading_is_not_kept() -> None:
    below, store = a_store()
    below.games[1] = newer(old := below.games[1])
    await store.game(1)
    below.games[1] = old
    assert await store.fresh(1) is old
    assert store.cached(1) == newer(old)


async def test_what_is_shown_is_known_before_it_is_stored() -> None:
    below, store = a_store()
    row = not_none(await store.game(1))
    shown = replace(row, shown_version=5, message_id=7, posted_at=3.0, shown_turn=64)
    await store.mark_shown(shown, urgent=False)
    assert store.cached(1) == shown
    # The channel shows something later than that, so this comes too late.
    await store.mark_shown(replace(shown, shown_version=4, message_id=6), urgent=False)
    assert store.cached(1) == shown
    assert below.asked[1:] == [("mark_shown", 1, False)] * 2
    # The same table was posted once more.
    shown = replace(shown, message_id=9, posted_at=4.0)
    await store.mark_shown(shown, urgent=False)
    assert store.cached(1) == shown
    # Neither a reading nor a move knows better what is shown.
    assert await store.fresh(1) == shown
    await store.commit(Change(newer(row), row.version))
    assert store.cached(1) == newer(shown)
    later = newer(newer(shown, shown_version=6, message_id=8))
    await store.commit(Change(later, later.version - 1))
    assert store.cached(1) == later


async def test_a_name_is_noted_once_and_again_where_others_write(clock: Clock) -> None:
    for shared, count in ((False, 1), (True, 2)):
        below, store = a_store(shared=shared)
        await store.note_member(10, 1, "Ann")
        clock.now += 60.0
        await store.note_member(10, 1, "Ann")
        assert len(below.asked) == 1
        clock.now += 0.1
        await store.note_member(10, 1, "Ann")
        assert len(below.asked) == count
        await store.note_member(10, 1, "Anna")
        await store.note_member(11, 1, "Anna")
        assert len(below.asked) == count + 2


async def test_names_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_NAMES", 2)
    below, store = a_store()
    for user in (1, 2, 3, 3, 2, 1):
        await store.note_member(10, user, "Ann")
    assert [one[2] for one in below.asked] == [1, 2, 3, 1]


async def test_a_name_is_noted_again_after_its_person_was_looked_for() -> None:
    below, store = a_store()
    await store.note_member(10, 1, "Ann")
    await store.set_present(10, {1: False, 2: True}, 5.0)
    await store.note_member(10, 1, "Ann")
    seen: list[Any] = below.asked
    assert seen[1] == ("set_present", 10, {1: False, 2: True}, 5.0)
    assert below.asked[2] == ("note_member", 10, 1, "Ann")


@pytest.mark.parametrize("method", ["erase", "purge"])
@pytest.mark.parametrize("error", [None, Conflict()])
async def test_what_is_deleted_is_forgotten_even_if_it_fails(method: str, error: Exception | None) -> None:
    below, store = a_store()
    await store.game(1)
    await store.note_member(10, 1, "Ann")
    below.error = error
    if error is None:
        await getattr(store, method)(3)
    else:
        with pytest.raises(Conflict):
            await getattr(store, method)(3)
    asked: list[Any] = below.asked
    assert asked[-1] == (method, 3)
    below.error = None
    assert store.cached(1) is None
    await store.note_member(10, 1, "Ann")
    assert asked[-1] == ("note_member", 10, 1, "Ann")
