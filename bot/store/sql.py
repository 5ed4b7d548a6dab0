"""The SQL of all queries, from the .sql files."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import aiosql

queries = aiosql.from_path(Path(__file__).parent / "queries", "aiosqlite")
"""One coroutine function a query, named as in its file."""


async def all_rows(rows: Any) -> list[sqlite3.Row]:
    """aiosql hands out many rows either as a list to await or as rows to iterate over."""
    if hasattr(rows, "__aiter__"):
        return [row async for row in rows]
    return list(await rows)
