"""Check that a PostgreSQL database can be used."""

from __future__ import annotations

from bot.cli.findings import Finding, fail, ok
from bot.store.base import Unreachable, Unusable
from bot.store.postgres.address import require_postgres


async def database(url: str) -> Finding:
    """Check that the server answers and the schema is known. Never prints the address or its password."""
    try:
        require_postgres()
        from bot.store.postgres.store import looked_at

        schema, newest, unfit = await looked_at(url)
    except Unreachable as error:
        return fail("database", str(error), "start the server, or correct DATABASE_URL; see docs/postgres.md")
    except Unusable as error:
        return fail("database", str(error), "see docs/postgres.md")
    if unfit is not None:
        return fail("database", f"PostgreSQL's database {unfit.reason}", unfit.remedy)
    if schema < newest:
        return ok("database", f"PostgreSQL answers, schema {schema}, the next start migrates it to {newest}")
    return ok("database", f"PostgreSQL answers, schema {schema}")
