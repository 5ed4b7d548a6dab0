"""The queries that both databases share, by name, in SQLite's dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bot.store.sql import game_queries, leaderboard_queries

FOLDER = Path(__file__).parent / "queries"


def parse(text: str) -> dict[str, str]:
    """Return the queries of a file by name. Each starts with a line ``-- name: NAME``; comments are dropped.

    >>> parse("-- name: now\\nSELECT 1; -- always\\n\\n-- name: later\\nSELECT 2;")
    {'now': 'SELECT 1', 'later': 'SELECT 2'}
    """
    _, *parts = re.split(r"^-- name: (\w+).*\n", text, flags=re.MULTILINE)
    bodies = [re.sub(r"--.*", "", body).strip().rstrip(";") for body in parts[1::2]]
    return dict(zip(parts[::2], bodies, strict=True))


@cache
def shared_queries() -> Mapping[str, str]:
    """Return the text of all queries by name, in SQLite's dialect."""
    files = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.sql"))]
    return parse("\n".join((*files, game_queries.SHARED, leaderboard_queries.texts())))
