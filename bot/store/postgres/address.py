"""Opens a store at an address of PostgreSQL; only this imports PostgreSQL's library."""

from __future__ import annotations

from bot.store.base import Store, Unusable

MISSING = (
    "a PostgreSQL database needs a library that is not installed: make install in a checkout, elsewhere the "
    "extra dicebot[postgres]"
)


def require_postgres() -> None:
    """Raise :class:`~bot.store.base.Unusable` with what to do if PostgreSQL's library is missing."""
    try:
        import asyncpg  # noqa: F401
    except ModuleNotFoundError as error:
        raise Unusable(MISSING) from error


async def open_postgres(url: str) -> Store:
    """Open the store on PostgreSQL. Raises :class:`~bot.store.base.Unusable`, also without the library."""
    require_postgres()
    from bot.store.postgres.store import PostgresStore

    return await PostgresStore.open(url)
