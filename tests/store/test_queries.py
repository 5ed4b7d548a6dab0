"""Each query that the code names exists, and each query is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bot.standings.values import Sort
from bot.store.postgres.dialect import postgres_queries
from bot.store.sql import game_queries, leaderboard_queries
from bot.store.sql.named_queries import FOLDER, shared_queries
from bot.store.sql.servers import PURGED
from tests.support.sources import sources

BOT = Path(__file__).parents[2] / "bot"

METHODS = {"all", "one", "value", "execute", "execute_many", "numbers"}
"""Of :class:`~bot.store.sql.connection.Connection` and :class:`~bot.store.sql.access.SqlAccess`."""

VARYING = {
    *(f"{query}_by_{sort.value}" for query in ("page", "before", "ranked") for sort in Sort),
    *(f"finished_in_{place}_{end}" for place in ("channel", "guild") for end in ("after", "before")),
    *(f"update_{column}" for column in ("totals", "wins", "best_turn", "feat")),
    *(
        f"purge_{table}"
        for table in ("moves", "results", "shares", "words", "former_seats", "seats", "games")
    ),
    *PURGED,
}
"""Names that the code builds or takes from a list."""


def asked() -> Iterator[str]:
    """Yield the names of queries that stand as texts in calls of connections' methods."""
    for path, tree in sources().items():
        for node in ast.walk(tree) if path.is_relative_to(BOT / "store") else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in METHODS
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
                and re.fullmatch("[a-z_]+", node.args[0].value)
            ):
                yield node.args[0].value


def test_every_name_is_that_of_a_query_and_every_query_is_asked_for() -> None:
    assert {*asked(), *VARYING} == set(postgres_queries())


def test_each_order_of_a_leaderboard_has_the_condition_of_its_index() -> None:
    texts = leaderboard_queries.texts()
    for sort, (column, only) in leaderboard_queries.SORT_COLUMNS.items():
        (ranked,) = re.findall(rf"-- name: ranked_by_{sort.value}\n(.*?);", texts, re.DOTALL)
        assert ranked.endswith(f"lasting = 1 AND {only}" if only else "lasting = 1")
        assert f"ORDER BY {column} DESC" in texts


def test_no_query_is_defined_twice() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.sql")]
    texts.append(game_queries.SHARED)
    assert sum(text.count("-- name: ") for text in texts) == len(shared_queries()) - 3 * len(Sort)
