"""Write the present schema of the SQLite database to docs/schema.sql, for people who want to read it.

    python -m tools.schema

The database itself is made by the migrations in ``bot/store/sqlite/migrations/`` alone. PostgreSQL's has the
same tables, with its own types, and more for several processes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from bot.store.sqlite.migrate import migrate

FILE = Path(__file__).parents[1] / "docs" / "schema.sql"

TABLES: Mapping[str, str] = {
    "calls": "How each person wants to be notified of their turn; the page /notifications.",
    "daily_days": "The daily games, with their secrets; days are counted from 1970.",
    "daily_listed": "Who agrees to be on the list of all servers in the daily game, and the name there.",
    "daily_plays": "What each person has chosen in a daily game.",
    "daily_servers": "On which servers' lists of a day a person is: where they asked for the daily game.",
    "departures": "The servers that removed the bot, whose data is deleted after 30 days.",
    "former_seats": "The people who have given up a seat, and what that did to their rating.",
    "games": "Lobbies and games, running, finished and aborted.",
    "interactions": "The clicks and commands that were carried out lately, so that none is twice.",
    "members": "The name that each person last had in a server, and whether they are still there.",
    "meta": "What the bot remembers apart from games, by key.",
    "moves": "The log of each game: an action a row, with the chance outcomes that followed.",
    "puzzles": "The moves of finished games that make puzzles.",
    "puzzles_seen": "Which puzzles a person was shown.",
    "records": "The best results of a server, of several kinds.",
    "results": "The result of each seat of a finished game, and how luckily and how well it was played.",
    "season_lines": "The boards of months that are over.",
    "seasons": "Which month of a server was closed last, and whether its card was posted.",
    "seats": "Who plays in a game.",
    "settings": "What members have chosen for their server in /settings.",
    "shares": "The reviews that somebody has shown to all, and in which channels.",
    "totals": "Sums of results, by server, game, board, period and person: what leaderboards read.",
    "words": "What people have added to the dice of a game before it started.",
}
"""What each table holds."""

COLUMNS: Mapping[tuple[str, str], str] = {
    ("former_seats", "against"): "the people they are rated against as last, as JSON",
    ("games", "deadline"): "when a background job must act",
    ("games", "finish"): "counts finished games in the order in which they ended",
    ("games", "news"): "the narration of the latest turns, or why the game was aborted",
    ("games", "seed"): "the secret of the dice",
    ("games", "status"): "'over' has a result, 'ended' has none",
    ("games", "tally"): "the events so far by seat",
    ("results", "judged"): "the place in which its errors have changed the rating",
    ("results", "measured"): "the version of the estimates in luck and skill",
    ("results", "nth"): "the person's nth game of this kind in the server",
    ("results", "skill"): "luck and errors in winning chance, as JSON",
    ("seasons", "through"): "the last month that is closed, counted from January 1970",
    ("totals", "lasting"): "whether the period is a month or all time, whose orders have indexes",
    ("totals", "since"): "when the period began; 0: of all time",
    ("words", "seat"): "the seat before it was decided who begins",
}
"""What some columns hold whose names do not say it."""


def schema() -> str:
    """Return the statements that would make the tables and indexes of a new database, with explanations.

    Raises :class:`KeyError` for a table that :data:`TABLES` lacks.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        version = migrate(connection)
        parts = [f"-- Schema {version} of SQLite, written by `python -m tools.schema`.\n"]
        tables = connection.execute(
            "SELECT name, sql FROM sqlite_master "
            "WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        for table, made in tables.fetchall():
            parts.append(f"-- {TABLES[table]}\n{_laid_out(table, made)};\n")
            indexes = connection.execute(
                "SELECT sql FROM sqlite_master WHERE type != 'table' AND tbl_name = ? AND sql IS NOT NULL "
                "ORDER BY name",
                (table,),
            )
            parts += [f"{index};\n" for (index,) in indexes]
    return "\n".join(parts)


def _laid_out(table: str, made: str) -> str:
    """Return a CREATE TABLE with one column a line, where SQLite has appended new ones to the last line."""
    inside, options = made[made.index("(") + 1 : made.rindex(")")], made[made.rindex(")") + 1 :]
    lines, depth = [""], 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            lines.append("")
        else:
            lines[-1] += letter
    named = [" ".join(line.split()) for line in lines]
    body = [
        f"    {line}{',' if number < len(named) else ''}{_note(table, line.split()[0])}"
        for number, line in enumerate(named, 1)
    ]
    return "\n".join([f"CREATE TABLE {table} (", *body, f"){options}"])


def _note(table: str, column: str) -> str:
    note = COLUMNS.get((table, column))
    return f"  -- {note}" if note else ""


if __name__ == "__main__":
    FILE.write_text(schema(), encoding="utf-8")
