"""What docs/postgres.md says of the oldest PostgreSQL that will do, word by word. No server is needed.

The tests run on one version. A word or function in a query or migration that is not listed here fails them,
and is to be looked up in PostgreSQL's release notes.
"""

from __future__ import annotations

import re
from pathlib import Path

from bot.store.postgres.dialect import FOLDER, postgres_queries
from bot.store.schema import migrations

OLDEST = 12.0
"""As docs/postgres.md has it."""

ALWAYS = 9.0
"""At home in every version that anybody may still have."""

WORDS = {
    9.1: "COLLATE",  # for a single column
    9.4: "FILTER",
    9.5: "CONFLICT DO NOTHING",
    10.0: "GENERATED IDENTITY",
    ALWAYS: """
        ADD ALL ALTER AND AS BETWEEN BIGINT BY BYTEA CASE CAST CHECK COLUMN CREATE CROSS DEFAULT DELETE DESC
        DISTINCT DOUBLE DROP ELSE END EXISTS FROM GROUP HAVING IN INDEX INSERT INTEGER INTO IS JOIN KEY LEFT
        LIKE LIMIT NOT NULL OFFSET ON OR ORDER OVER PRECISION PRIMARY RECURSIVE REFERENCES RETURNING SELECT
        SET SMALLINT TABLE TEXT THEN UNION UNIQUE UPDATE USING VALUES WHEN WHERE WITH
    """,
}

FUNCTIONS = {
    9.1: "pg_advisory_xact_lock",
    9.3: "json_agg",
    9.4: "json_array_elements_text json_build_object",
    ALWAYS: "clock_timestamp coalesce count extract max min rank row_number string_agg sum",
}


def statements() -> str:
    """All SQL for PostgreSQL from files, without comments and strings."""
    texts = [query.text for query in postgres_queries().values()]
    texts += [path.read_text(encoding="utf-8") for _, path in migrations(FOLDER.parent / "migrations")]
    return re.sub(r"--.*|'[^']*'", "", "\n".join(texts))


def since(listed: dict[float, str]) -> dict[str, float]:
    return {word: version for version, words in listed.items() for word in words.split()}


def test_every_word_is_known_to_the_oldest_version() -> None:
    words = set(re.findall(r"\b[A-Z]{2,}\b", statements()))
    known = since(WORDS)
    assert words <= known.keys()
    assert max(known[word] for word in words) == 10.0


def test_every_function_is_known_to_the_oldest_version() -> None:
    functions = set(re.findall(r"\b([a-z_]+)\(", statements()))
    known = since(FUNCTIONS)
    assert functions <= known.keys()
    assert max(known[function] for function in functions) == 9.4


def test_every_query_in_from_has_a_name() -> None:
    """Before version 16 it needs one."""
    text = statements()
    found = 0
    for start in re.finditer(r"\bFROM\s*\(", text):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found += 1
        assert re.match(r"\s*AS [a-z]+", text[end:]), text[start.start() : end + 20]
    assert found >= 3


def test_the_documents_say_the_same() -> None:
    text = (Path(__file__).parents[3] / "docs" / "postgres.md").read_text(encoding="utf-8")
    assert f"PostgreSQL {OLDEST:.0f} or newer" in text
    assert max(*WORDS, *FUNCTIONS) <= OLDEST
