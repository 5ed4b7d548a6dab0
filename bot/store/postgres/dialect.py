"""The named queries in PostgreSQL's dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.store.sql import game_queries
from bot.store.sql.connection import Value, Values
from bot.store.sql.named_queries import parse, shared_queries

FOLDER = Path(__file__).parent / "queries"
"""Queries only for PostgreSQL. They replace shared queries of the same name."""

DIALECT = (
    (
        r"\(SELECT value FROM json_each\((:\w+)\)\)",
        r"(SELECT CAST(value AS BIGINT) AS value FROM json_array_elements_text(\1) AS value)",
    ),
    (r"\bjson_group_array\(", "json_agg("),
    (r"\bjson_object\(", "json_build_object("),
)
"""Expressions of SQLite in the shared queries, and their equivalents in PostgreSQL."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query with parameters ``$1``, ``$2``, …, and their names in that order."""

    text: str
    names: tuple[str, ...]

    def ordered(self, values: Values) -> list[Value]:
        """Return the parameters in the order of the query."""
        return [values[name] for name in self.names]


def translate(text: str) -> Query:
    """Translate a shared query to PostgreSQL.

    >>> translate("SELECT json_object('a', :a, 'b', :b) WHERE :a > 0")
    Query(text="SELECT json_build_object('a', $1, 'b', $2) WHERE $1 > 0", names=('a', 'b'))
    """
    for sqlite, postgres in DIALECT:
        text = re.sub(sqlite, postgres, text)
    names = list(dict.fromkeys(re.findall(r":(\w+)", text)))
    return Query(re.sub(r":(\w+)", lambda match: f"${names.index(match[1]) + 1}", text), tuple(names))


@cache
def postgres_queries() -> Mapping[str, Query]:
    """Return all queries by name."""
    files = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.sql"))]
    own = parse("\n".join((*files, game_queries.POSTGRES)))
    return {name: translate(text) for name, text in {**shared_queries(), **own}.items()}
