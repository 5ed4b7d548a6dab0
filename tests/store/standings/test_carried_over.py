"""A migration carries ratings and feats over from their old tables to the totals without loss."""

from __future__ import annotations

import json
from pathlib import Path

from bot.store.base import Store
from tests.store.standings.test_rebuild import contents, rated
from tests.support.databases import Place, open_store, opened, rebuilt
from tests.support.histories import NOW

KEY = "guild_id BIGINT NOT NULL, game TEXT NOT NULL, user_id BIGINT NOT NULL"

BACK = (
    f"CREATE TABLE ratings ({KEY}, mu DOUBLE PRECISION NOT NULL, sigma DOUBLE PRECISION NOT NULL,"
    " PRIMARY KEY (guild_id, game, user_id))",
    "INSERT INTO ratings SELECT guild_id, game, user_id, mu, sigma FROM totals WHERE mu IS NOT NULL",
    f"CREATE TABLE feats ({KEY}, feat TEXT NOT NULL, total BIGINT NOT NULL,"
    " PRIMARY KEY (guild_id, game, user_id, feat))",
)
GONE = (
    "ALTER TABLE totals DROP COLUMN mu",
    "ALTER TABLE totals DROP COLUMN sigma",
    "ALTER TABLE totals DROP COLUMN feats",
    "DROP TABLE shares",
    "DROP TABLE words",
    "ALTER TABLE games DROP COLUMN seal",
    "ALTER TABLE games DROP COLUMN start",
    "DROP INDEX results_without_luck",
)


async def test_what_the_tables_held_before(store: Store, path: Place) -> None:
    for game_id in await store.without_luck("tutto", 1 << 62, 30):
        seats = len(await store.results(game_id))
        await store.set_luck(game_id, [100 * seat - 70 for seat in range(seats)])
    await store.close()
    with opened(path) as connection:
        # Games of that time had no seal.
        connection.execute("UPDATE games SET seal = ''")
    before = contents(path)
    people = len(rated(path))
    assert people > 100
    with opened(path) as connection:
        for statement in BACK:
            connection.execute(statement)
        counted = 0
        query = "SELECT guild_id, game, user_id, feats FROM totals WHERE period = 'all'"
        for *key, feats in list(connection.execute(query)):
            for feat, total in json.loads(feats).items():
                connection.execute("INSERT INTO feats VALUES (?, ?, ?, ?, ?)", (*key, feat, total))
                counted += 1
        assert counted > 3 * people  # with luck
        for statement in GONE:
            connection.execute(statement)
        if isinstance(path, Path):
            connection.execute("PRAGMA user_version = 4")
        else:
            connection.execute("CREATE INDEX results_without_luck ON results (game_id) WHERE luck IS NULL")
            connection.execute("UPDATE schema_version SET version = 1")
    await (await open_store(path)).close()
    assert contents(path) == before
    assert rebuilt(path, NOW).changed == 0
    assert contents(path, passing=False) == {
        table: [row for row in rows if table != "totals" or row[3] == 0] for table, rows in before.items()
    }
