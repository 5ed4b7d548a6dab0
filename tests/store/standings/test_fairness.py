"""The dice of stored games are checked, and what was tampered with in the database is found."""

from __future__ import annotations

import pytest

from bot.store.base import Store
from tests.support import standings_oracle as oracle
from tests.support.databases import Database, opened
from tests.support.histories import SERVERS
from tests.support.records import check_stored
from tests.support.values import not_none


async def test_every_finished_game_is_fair(store: Store, played: dict[int, list[oracle.Game]]) -> None:
    for server in SERVERS:
        for game in played[server.guild_id][::20]:
            row = not_none(await store.game(game.id))
            found = not_none(await check_stored(store, row))
            assert found.problem == ""
            assert found.moves == len(await store.moves(game.id))
            assert found.outcomes == row.draws


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            """UPDATE games SET seed = (
                SELECT seed FROM games AS other WHERE other.id <> games.id ORDER BY other.id LIMIT 1
            ) WHERE id = ?""",
            "but the seed gives",
        ),
        ("UPDATE results SET score = score + 50 WHERE game_id = ?", "stored is"),
        ("UPDATE moves SET seat = seat + 1 WHERE game_id = ? AND number = 5", ""),
        ("DELETE FROM moves WHERE number > 6 AND game_id = ?", ""),
        ("UPDATE moves SET chance = '{' WHERE number = 4 AND game_id = ?", ""),
        ("""UPDATE games SET options = replace(options, '"target":', '"target":1') WHERE id = ?""", ""),
    ],
)
async def test_what_was_tampered_with_is_found(
    store: Store, path: Database, played: dict[int, list[oracle.Game]], statement: str, problem: str
) -> None:
    for game in played[SERVERS[0].guild_id]:
        if len(game.seats) == 3 and len(await store.moves(game.id)) > 10:
            break
    with opened(path) as connection:
        assert connection.execute(statement, (game.id,)).rowcount > 0
    row = not_none(await store.game(game.id))
    found = not_none(await check_stored(store, row))
    assert found.problem
    assert problem in found.problem
