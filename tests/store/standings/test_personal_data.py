"""Deleting the data of a person or a server, and exporting a person's data."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.standings.seasons import month_at
from bot.standings.values import Leaderboard, Period, Sort, Span
from bot.store import personal_export as exporting
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, GameRow, Offer, Store
from bot.store.notifications import NOTHING, NotificationPreferences
from bot.store.people import StillSeated
from bot.store.personal_export import export
from bot.store.sql import servers
from bot.store.sqlite.migrate import migrate
from tests.store.standings.test_rebuild import contents
from tests.store.standings.test_standings import end
from tests.support import standings_oracle as oracle
from tests.support.databases import Database, opened, rebuilt, store_on, tables, traces
from tests.support.histories import ALPS, COAST, NOW, SERVERS
from tests.support.rows import a_game
from tests.support.values import not_none

OF_SERVERS = (
    *("games", "results", "members", "totals", "records", "settings", "daily_servers"),
    *("seasons", "season_lines"),
)

Everybody = dict[int, dict[int, oracle.Person]]


def busiest(everybody: Everybody) -> int:
    """A person who has played much, in both servers."""
    both = everybody[ALPS.guild_id].keys() & everybody[COAST.guild_id].keys()
    return max(both, key=lambda user: len(everybody[COAST.guild_id][user].games))


def occurrences(path: Database, user: int) -> list[str]:
    """All tables and columns in which a number occurs as a whole."""
    found = []
    with opened(path) as connection:
        for table in tables(connection):
            for row in connection.execute(f"SELECT * FROM {table}"):
                if any(re.search(rf"(?<!\d){user}(?!\d)", str(value)) for value in row):
                    found.append(f"{table}: {row}")
    return found


def columns() -> set[str]:
    """The names of all columns of the newest schema, as table.column."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    tables = [row[0] for row in connection.execute(query)]
    found = {f"{one}.{row[1]}" for one in tables for row in connection.execute(f"PRAGMA table_info ({one})")}
    connection.close()
    return found


async def test_nothing_of_an_erased_person_is_left(
    store: Store, path: Database, everybody: Everybody
) -> None:
    user = busiest(everybody)
    await store.daily.make_day(20_000, b"secret", 1)
    await store.daily.begin(user, 20_000, 5.5)
    await store.daily.put_on_list(ALPS.guild_id, 20_000, user)
    await store.daily.set_listed(user, "Somebody")
    await store.notifications.choose(user, NotificationPreferences(NOTHING))
    await store.puzzles.note_seen(user, "g.1")
    game = everybody[ALPS.guild_id][user].games[0][0].id
    with opened(path) as connection:
        connection.execute("INSERT INTO words VALUES (?, 0, ?, 'plum')", (game, user))
        connection.execute(
            "INSERT INTO former_seats VALUES"
            " (?, 0, 1, ?, 'Somebody', 3, 1, 5, 4, 25.5, 8.25, '[[25.0,8.0]]', 900, 7, 1000.5)",
            (game, user),
        )
        connection.execute("INSERT INTO season_lines VALUES (810, 'tutto', 600, 1, 1, ?, 4, 7)", (user,))
    of_people = {name.partition(".")[0] for name in columns() if name.endswith(".user_id")}
    # A new table needs a row here, and then a place in the deletion.
    assert {one.partition(":")[0] for one in occurrences(path, user)} >= of_people
    await store.erase(user)
    assert not occurrences(path, user)
    assert await store.stats(ALPS.guild_id, "tutto", user) is None
    await store.erase(user)  # once more is no harm


async def test_the_others_keep_what_they_have(store: Store, path: Database, everybody: Everybody) -> None:
    """Results, statistics and ratings of the others are unchanged, also after a rebuild, even of those who
    lost to the erased person.
    """
    user = busiest(everybody)
    before = {}
    for guild_id, persons in everybody.items():
        for other in persons:
            before[guild_id, other] = await store.stats(guild_id, "tutto", other)
    await store.erase(user)
    assert rebuilt(path, NOW).changed == 0
    for (guild_id, other), was in before.items():
        if other == user or was is None:
            continue
        now = not_none(await store.stats(guild_id, "tutto", other))
        if any(one.user_id == user for one in was.opponents):
            now = replace(now, opponents=was.opponents)  # another one takes the place
        assert replace(now, rank=was.rank, ranked=was.ranked) == was
    results = await store.results(everybody[ALPS.guild_id][user].games[0][0].id)
    assert [result.place for result in results].count(1) >= 1  # the seat is still there
    for server in SERVERS:
        persons = {other: person for other, person in everybody[server.guild_id].items() if other != user}
        for sort in Sort:
            board = Leaderboard(server.guild_id, "tutto", sort, Period.ALL)
            lines = [
                (row.place, row.user_id, row.games, row.wins, row.best_turn, row.feat, row.rating)
                for row in await store.standings(board, 0, 1000)
            ]
            assert lines == oracle.board(persons, Period.ALL, sort, NOW, server.zone)


async def test_nobody_is_erased_out_of_a_running_game(store: Store, path: Database) -> None:
    asked = Offer(7, 5002, 5003, 1e10)
    row = await store.create(a_game(1, 5001, 5002, status=LIVE, offers=(asked,)), None)
    before = contents(path)
    for user in (5001, 5003):
        with pytest.raises(StillSeated) as refused:
            await store.erase(user)
        assert refused.value.game_ids == (row.id,)
    assert contents(path) == before


async def test_an_erased_person_starts_over(store: Store, everybody: Everybody) -> None:
    user = busiest(everybody)
    await store.erase(user)
    await end(store, user, 999, guild_id=ALPS.guild_id, at=NOW)
    stats = not_none(await store.stats(ALPS.guild_id, "tutto", user))
    assert (stats.games, stats.wins, len(stats.curve)) == (1, 1, 1)


async def test_history_names_an_erased_person_no_more(store: Store, everybody: Everybody) -> None:
    user = busiest(everybody)
    game = everybody[ALPS.guild_id][user].games[-1][0]
    await store.erase(user)
    listed = await store.finished_in_guild(ALPS.guild_id, [game.channel], 1, Span(1000))
    one = next(played for played in listed if played.game_id == game.id)
    seat = next(number for number, seat in enumerate(game.seats) if seat.user == user)
    assert (one.seats[seat].kind, one.seats[seat].name, one.seats[seat].user_id) == ("human", "", None)


async def files(store: Store, user: int) -> list[tuple[str, Any]]:
    found = []
    async for name, data in export(store, user, asyncio.to_thread):
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                (inside,) = archive.namelist()
                data = archive.read(inside)
        found.append((name, json.loads(data)))
    return found


async def test_everything_about_me_as_a_file(store: Store, path: Database, everybody: Everybody) -> None:
    user = busiest(everybody)
    ((name, data),) = await files(store, user)
    assert name == exporting.PLAIN
    assert data["user_id"] == str(user)
    assert {one["server"] for one in data["servers"]} == {str(server.guild_id) for server in SERVERS}
    finished = {game.id: seat for server in SERVERS for game, seat in everybody[server.guild_id][user].games}
    games = {game["game_id"]: game for game in data["games"]}
    assert games.keys() >= finished.keys()
    for game_id, seat in finished.items():
        assert (games[game_id]["place"], games[game_id]["score"]) == (seat.place, seat.score)
    with opened(path) as connection:
        (moves,) = connection.execute(
            "SELECT count(*) FROM moves JOIN seats USING (game_id, seat) WHERE user_id = ?", (user,)
        ).fetchone()
    assert sum(len(game["moves"]) for game in games.values()) == moves > 100
    assert len([one for one in data["totals"] if (one["board"], one["period"]) == ("people", "all")]) == 2
    # Nobody else is in it.
    others = re.findall(r"Player (\d+)", json.dumps(data))
    assert set(others) == {str(user)}


async def test_very_much_comes_in_archives(
    store: Store, everybody: Everybody, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = busiest(everybody)
    ((_, whole),) = await files(store, user)
    monkeypatch.setattr(exporting, "MAX_PLAIN", 1000)
    monkeypatch.setattr(exporting, "MAX_PACKED", 20_000)
    monkeypatch.setattr(exporting, "GAMES_AT_ONCE", 7)
    parts = await files(store, user)
    assert len(parts) > 1
    assert [name for name, _ in parts] == [f"my-data-{number + 1}.zip" for number in range(len(parts))]
    assert [game for _, part in parts for game in part["games"]] == whole["games"]
    for _, part in parts:
        assert part["servers"] == whole["servers"]


async def test_nothing_is_known_about_a_stranger(store: Store) -> None:
    ((_, data),) = await files(store, 42)
    assert [data[name] for name in ("servers", "games", "totals", "records")] == [[], [], [], []]


async def test_a_purged_server_is_gone_and_the_other_is_not(
    store: Store, path: Database, everybody: Everybody
) -> None:
    def rest(guild_id: int) -> dict[str, list[Any]]:
        """What is stored about a server; games tell which moves and seats are its."""
        with opened(path) as connection:
            found = {
                table: connection.execute(f"SELECT * FROM {table} WHERE guild_id = ?", (guild_id,)).fetchall()
                for table in OF_SERVERS
            }
            for table in ("moves", "seats", "shares"):
                found[table] = connection.execute(
                    f"SELECT * FROM {table} WHERE game_id IN (SELECT id FROM games WHERE guild_id = ?)",
                    (guild_id,),
                ).fetchall()
        return found

    rematch = await rematched(store)
    for guild_id in (ALPS.guild_id, COAST.guild_id):
        (game,) = await store.finished_in_guild(guild_id, (), busiest(everybody), Span(1))
        await store.note_share(game.game_id, game.channel_id)
        await store.daily.put_on_list(guild_id, 20_000, busiest(everybody))
        await store.seasons.close_next(guild_id, month_at(NOW))
    kept = rest(COAST.guild_id)
    assert all(rest(ALPS.guild_id).values())
    await store.depart(ALPS.guild_id, NOW)
    assert await store.departures() == {ALPS.guild_id: NOW}
    await store.purge(ALPS.guild_id)
    assert not any(rest(ALPS.guild_id).values())
    assert rest(COAST.guild_id) == kept
    assert await store.game(rematch.id) is None
    assert await store.departures() == {}
    assert await store.known_guilds() == (COAST.guild_id,)
    with opened(path) as connection:
        if isinstance(path, Path):
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        orphans = connection.execute(
            "SELECT count(*) FROM moves WHERE game_id NOT IN (SELECT id FROM games)"
        ).fetchone()
        assert orphans == (0,)


async def rematched(store: Store) -> GameRow:
    """The rematch of an old game of the first server."""
    old = (await store.finished_in_guild(ALPS.guild_id, ALPS.channels, 0, Span(1, after=20)))[0]
    return await store.create(a_game(99, 5001, 5002, guild_id=ALPS.guild_id, parent_id=old.game_id), 123)


async def test_interactions_are_forgotten_after_a_week(store: Store, path: Database) -> None:
    def snowflake(at: float) -> int:
        return int((at - 1_420_070_400) * 1000) << 22

    old, new = snowflake(NOW - 8 * 86_400), snowflake(NOW - 6 * 86_400)
    await store.create(a_game(1, 1, 2), old)
    await store.create(a_game(2, 3, 4), new)
    await store.tidy(NOW)
    with opened(path) as connection:
        assert connection.execute("SELECT id FROM interactions").fetchall() == [(new,)]


@pytest.mark.parametrize("status", [ABORTED, FINISHED, LOBBY, LIVE])
async def test_closed_games_lose_their_names_after_30_days(
    status: str, new: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing shows or counts them any more. Games with a result, and those that go on, keep theirs."""
    monkeypatch.setattr(servers, "SEARCHED_GAMES", 2)
    ann, ben, cleo, dan = (0x0A1B_2C3D_4E5F_6071 + number for number in range(4))
    old, young = NOW - 31 * 86_400, NOW - 29 * 86_400
    async with store_on(new) as store:
        for channel in range(5):
            await store.create(a_game(channel, 1, 2), None)
        first = await store.create(a_game(10, ann, ben, ais=1, status=status, updated_at=old), None)
        # Its host is gone already.
        second = await store.create(a_game(11, cleo, status=status, updated_at=old, host_id=0), None)
        third = await store.create(a_game(12, dan, status=status, updated_at=young), None)
        await store.tidy(NOW)
        rows = [await store.game(row.id) for row in (first, second, third)]
        if status == ABORTED:
            assert [seat.user_id for row in rows for seat in row.seats] == [None, None, None, None, dan]
            assert [seat.name for row in rows[:2] for seat in row.seats] == [""] * 4
            assert [seat.kind for seat in rows[0].seats] == ["human", "human", "ai"]
            assert [row.host_id for row in rows] == [0, 0, dan]
            if isinstance(new, Path):
                assert not any(traces(new, user, f"User {user}") for user in (ann, ben, cleo))
        else:
            assert [seat.name for row in rows for seat in row.seats if seat.user_id] == [
                f"User {user}" for user in (ann, ben, cleo, dan)
            ]
