"""Ratings and totals rebuilt from the results equal those that were counted as the games ended."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.store.schema import FOLDER, migrations
from bot.store.sql.rebuild import is_needed
from bot.store.sqlite.connection import run_job
from bot.store.sqlite.migrate import migrate
from bot.store.sqlite.rebuild import rebuild_file
from tests.support import standings_oracle as oracle
from tests.support.databases import Database, opened, rebuilt, store_on
from tests.support.histories import ALPS, NOW
from tests.support.values import not_none

SUMS = ("totals", "records", "results", "games", "members", "former_seats")


def contents(path: Database, *, passing: bool = True) -> dict[str, list[Any]]:
    """All rows of the tables concerned, without past days, which are deleted at some time."""
    with opened(path) as connection:
        rows = {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in SUMS
        }
    rows["totals"] = [row for row in rows["totals"] if passing or row[4] == 0]
    return rows


def rated(path: Database) -> list[tuple[Any, ...]]:
    """Who has a rating: server, game and person."""
    query = "SELECT guild_id, game, user_id FROM totals WHERE period = 'all' AND mu IS NOT NULL"
    with opened(path) as connection:
        return list(connection.execute(query).fetchall())


def test_the_same_numbers_to_the_last_bit(path: Database) -> None:
    before = contents(path, passing=False)
    report = rebuilt(path, NOW)
    after = contents(path, passing=False)
    for table in SUMS:
        assert before[table] == after[table], table
    assert report.changed == 0
    assert report.games == sum("over" in row for row in before["games"])
    assert report.rated == len(rated(path))


def test_passing_sums_are_those_of_now(path: Database) -> None:
    """After a rebuild there are only the present day, week and month, with the same numbers."""
    with opened(path) as connection:
        present = set(connection.execute("SELECT * FROM totals WHERE since > ?", (NOW - 86_400,)))
        rebuilt(path, NOW)
        passing = connection.execute(
            "SELECT DISTINCT period, since FROM totals WHERE guild_id = ? AND since > 0", (ALPS.guild_id,)
        ).fetchall()
        assert len(passing) == 3
        assert set(connection.execute("SELECT * FROM totals WHERE since > ?", (NOW - 86_400,))) == present


def test_what_was_damaged_is_put_right(path: Database) -> None:
    before = contents(path, passing=False)
    with opened(path) as connection:
        connection.execute("UPDATE totals SET mu = mu + 1 WHERE user_id % 3 = 0")
        connection.execute("UPDATE totals SET wins = wins + 1, rating = 7")
        connection.execute("UPDATE totals SET feats = '{}' WHERE user_id % 2 = 1")
        connection.execute("UPDATE records SET value = 99, game_id = 1, guild_id = guild_id + 1")
        connection.execute("UPDATE results SET rating = 1, nth = 1, mu = 0 WHERE user_id IS NOT NULL")
    wrong = sum(user_id % 3 == 0 for _, _, user_id in rated(path))
    assert 0 < wrong == rebuilt(path, NOW).changed
    assert contents(path, passing=False) == before


def test_a_failure_changes_nothing(path: Database) -> None:
    """It comes after wrong results were put right."""
    with opened(path) as connection:
        connection.execute("UPDATE results SET rating = 1 WHERE user_id IS NOT NULL")
    before = contents(path)

    def fail(games: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rebuilt(path, NOW, fail)
    assert contents(path) == before


def of_the_first_schema(folder: Path) -> Path:
    """Make an empty database as the first version did."""
    first = folder / "first"
    first.mkdir()
    name = migrations()[0][1].name
    (first / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
    with opened(folder / "old.db") as connection:
        migrate(connection, first)
    return folder / "old.db"


def test_an_old_database_is_migrated_before_it_is_rebuilt(tmp_path: Path) -> None:
    old = of_the_first_schema(tmp_path)
    assert rebuild_file(old, NOW).games == 0
    with opened(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(migrations())


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
async def test_a_database_from_before_is_counted_when_it_is_opened(
    path: Path, tmp_path: Path, played: dict[int, list[oracle.Game]]
) -> None:
    """The first schema had results, but no sums; the upgrade adds them."""
    old = of_the_first_schema(tmp_path)
    with opened(old) as connection:
        connection.execute("ATTACH ? AS new", (str(path),))
        for table in ("games", "seats", "results"):
            old_names, new_names = (
                [row[1] for row in connection.execute(f"PRAGMA {schema}.table_info({table})")]
                for schema in ("main", "new")
            )
            columns = ", ".join(name for name in old_names if name in new_names)
            order = " ORDER BY finish, id" if table == "games" else ""
            connection.execute(
                f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}{order}"
            )
        connection.execute("DETACH new")
    async with store_on(old) as store:
        assert await store.meta("rebuild") is None
        for guild_id, games in played.items():
            # Games that ended at the very same moment may have been counted in another order.
            games = sorted(copy.deepcopy(games), key=lambda game: (game.at, game.id))
            # Nor was it known who had played themselves; all games were rated, and in full.
            for game in games:
                game.rated = True
            for seat in (seat for game in games for seat in game.seats if seat.user is not None):
                seat.own_turns = seat.turns
            for user, person in oracle.people(games, weighed_from=1e12).items():
                stats = not_none(await store.stats(guild_id, "tutto", user))
                assert (stats.games, stats.wins, stats.rating) == (
                    len(person.games),
                    person.wins,
                    person.shown,
                )
    with opened(old) as connection:
        assert not run_job(connection, is_needed)


def test_the_command(
    path: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{path}" if isinstance(path, Path) else path)
    assert main(["rebuild-ratings"]) == 0
    out = capsys.readouterr().out
    assert "all were right" in out
    with opened(path) as connection:
        first = min(user_id for _, _, user_id in rated(path))
        connection.execute("UPDATE totals SET sigma = 1 WHERE period = 'all' AND user_id = ?", (first,))
    assert main(["rebuild-ratings"]) == 0
    assert "1 of them was wrong" in capsys.readouterr().out
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    assert main(["rebuild-ratings"]) == 2
    assert "no database" in capsys.readouterr().err
    assert not (tmp_path / "none.db").exists()


def test_results_say_what_the_games_own_count_was(path: Database) -> None:
    with opened(path) as connection:
        rows = connection.execute("SELECT feats, feat FROM results").fetchall()
    assert rows
    assert all(json.loads(feats)["tuttos"] == feat for feats, feat in rows)
