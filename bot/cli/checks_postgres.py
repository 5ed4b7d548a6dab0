"""Whether a PostgreSQL database can be used."""

from __future__ import annotations

from bot.cli.findings import Finding, fine, wrong
from bot.store.base import Unreachable, Unusable
from bot.store.postgres.address import require_postgres


async def database(url: str) -> Finding:
    """Whether the server answers and the schema is known. Never tells the address: it may hold a password."""
    try:
        require_postgres()
        from bot.store.postgres.store import looked_at

        schema, newest = await looked_at(url)
    except Unreachable as error:
        return wrong("database", str(error), "start the server, or mend DATABASE_URL; see docs/postgres.md")
    except Unusable as error:
        return wrong("database", str(error), "see docs/postgres.md")
    if schema > newest:
        return wrong(
            "database",
            f"PostgreSQL has schema {schema}, this version knows up to {newest}",
            "start the newer version of the bot, or restore a dump made before the upgrade",
        )
    if schema < newest:
        return fine("database", f"PostgreSQL answers, schema {schema}, the next start makes it {newest}")
    return fine("database", f"PostgreSQL answers, schema {schema}")
