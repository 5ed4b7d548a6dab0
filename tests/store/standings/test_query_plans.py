"""The queries of standings use indexes, and read no row in vain."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.standings.values import Sort
from bot.store.sql.leaderboard_queries import SORT_COLUMNS
from bot.store.sql.named_queries import shared_queries
from bot.store.sqlite.migrate import migrate

QUERIES = shared_queries()


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
    migrate(connection)
    yield connection
    connection.close()


def plan(connection: sqlite3.Connection, name: str) -> list[str]:
    sql = QUERIES[name]
    values = dict.fromkeys(re.findall(r":(\w+)", sql), "[]")
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.mark.parametrize("sort", Sort)
@pytest.mark.parametrize("kind", ["page", "before"])
def test_leaderboards_follow_the_index_of_their_order(
    connection: sqlite3.Connection, kind: str, sort: Sort
) -> None:
    steps = plan(connection, f"{kind}_by_{sort.value}")
    assert any(f"COVERING INDEX totals_by_{sort.value} " in step for step in steps), steps


@pytest.mark.parametrize("sort", Sort)
def test_people_are_counted_in_an_index(connection: sqlite3.Connection, sort: Sort) -> None:
    assert all("COVERING INDEX" in step for step in plan(connection, f"ranked_by_{sort.value}"))


def test_each_index_follows_the_column_and_the_condition_of_its_order(connection: sqlite3.Connection) -> None:
    assert SORT_COLUMNS.keys() == set(Sort)
    for sort, (column, only) in SORT_COLUMNS.items():
        (sql,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (f"totals_by_{sort.value}",)
        ).fetchone()
        assert f", hidden, {column} DESC, user_id, " in sql
        assert sql.endswith("WHERE lasting = 1" + (f" AND {only}" if only else ""))


@pytest.mark.parametrize(
    "name",
    [
        "totals_of",
        "strengths_of",
        "set_finish",
        "update_totals",
        "update_wins",
        "update_best_turn",
        "update_feat",
        "line_of",
        "games_of_person",
        "standing_before",
        "set_feats",
        "set_strength",
        "set_shown",
        "refresh_current_ratings",
        "judged_in_order",
        "curve_of",
        "opponents_of",
        "duel_of",
        "records_of_guild",
        "current_page",
        "finished_in_channel_before",
        "finished_in_channel_after",
        "finished_in_guild_before",
        "finished_in_guild_after",
        "places_of_games",
        "games_with",
        "anonymous_results",
        "anonymous_host",
        "export_totals",
        "export_records",
        "export_games",
        "export_moves",
        "some_games_of_guild",
        "absent_members",
        "guilds_with_open_seasons",
        "first_counted_result",
        "season_winners",
        "season_lines",
        "anonymous_season_lines",
        "export_season_lines",
        "games_with_puzzle",
        "delete_old_puzzles",
        "delete_puzzles_of",
        "export_puzzles",
    ],
)
def test_nothing_is_searched_from_end_to_end(connection: sqlite3.Connection, name: str) -> None:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for step in plan(connection, name):
        found = re.match(r"SCAN (\w+)", step)
        assert found is None or found[1] not in tables, step
        assert not re.search(r"USING PRIMARY KEY \(guild_id=\? AND game=\?\)", step) or "records" in step


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("games_to_repaint", "games_unshown"),
        ("games_waiting_for_ai", "games_waiting_for_ai"),
        ("stopped_games", "games_deadlines"),
        ("due_games", "games_deadlines"),
        ("next_deadline", "games_deadlines"),
        ("active_games_of", "games_with_offers"),
        ("open_tables", "games_one_a_channel"),
        ("export_offers", "games_with_offers"),
    ],
)
def test_looking_for_some_games_reads_no_others(
    connection: sqlite3.Connection, name: str, index: str
) -> None:
    """However many there are: an index has only those that need something, or have it."""
    steps = [step for step in plan(connection, name) if re.match(r"(SCAN|SEARCH) games\b", step)]
    assert any(index in step for step in steps), steps
    assert not any(re.fullmatch(r"SCAN games", step) for step in steps), steps


def test_people_who_hide_are_looked_up_one_by_one_for_a_puzzle(connection: sqlite3.Connection) -> None:
    """A server may have many members, and few of them have played in a game."""
    (step,) = [step for step in plan(connection, "games_with_puzzle") if " members " in step]
    assert "(guild_id=? AND user_id=?)" in step


def test_games_are_found_by_the_version_of_their_measure(connection: sqlite3.Connection) -> None:
    step, *_ = plan(connection, "games_measured_by")
    assert "INDEX results_measured (game=? AND measured=? AND game_id<?)" in step
