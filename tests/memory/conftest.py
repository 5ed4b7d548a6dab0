"""One database with the made-up histories; a test that changes it gets a copy."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.sqlite import SqliteStore
from tests.memory import oracle
from tests.memory.histories import SERVERS, write


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database file of both servers."""
    path = tmp_path_factory.mktemp("histories") / "games.db"

    async def make() -> None:
        store = await SqliteStore.open(path)
        try:
            for server in SERVERS:
                await write(store, server)
        finally:
            await store.close()

    asyncio.run(make())
    return path


@pytest.fixture(scope="session")
def played(written: Path) -> dict[int, list[oracle.Game]]:
    """The finished games by server, replayed from their logs."""
    return {server.guild_id: oracle.games(written, server.guild_id) for server in SERVERS}


@pytest.fixture(scope="session")
def everybody(played: dict[int, list[oracle.Game]]) -> dict[int, dict[int, oracle.Person]]:
    return {guild_id: oracle.people(games) for guild_id, games in played.items()}


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    """A copy of the histories to change."""
    return Path(shutil.copy(written, tmp_path / "games.db"))


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(path)
    yield store
    await store.close()
