"""Which database a setting names, and the store on it."""

from __future__ import annotations

from urllib.parse import urlsplit

from bot.store.base import Store, Unusable

POSTGRES = ("postgresql", "postgres")
"""The schemes of an address of PostgreSQL."""


def place(url: str) -> str:
    """An address of PostgreSQL without user and password, to be shown.

    >>> place("postgresql://bot:secret@db.example:5432/games?sslmode=require")
    'db.example:5432/games'
    """
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] + parts.path


async def open_postgres(url: str) -> Store:
    """The store on PostgreSQL. Raises :class:`~bot.store.base.Unusable`, also if its library is missing."""
    try:
        from bot.store.postgres.store import PostgresStore
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        raise Unusable(MISSING) from error
    return await PostgresStore.open(url)


MISSING = (
    "DATABASE_URL names a PostgreSQL database, for which a library is missing; install it with "
    ".venv/bin/python -m pip install 'asyncpg>=0.30,<1' (the extra called postgres)"
)
