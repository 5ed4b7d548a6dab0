"""One database of each kind with the made-up histories; a test that changes it gets a copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import standings_oracle as oracle
from tests.support.databases import KINDS, Database, database_of, in_own_loop, store_on
from tests.support.histories import SERVERS, write


@pytest.fixture(scope="session", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Which database it is."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def written(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The database of both servers."""

    async def make(place: Database) -> None:
        async with store_on(place) as store:
            for server in SERVERS:
                await write(store, server)

    with database_of(kind, tmp_path_factory.mktemp("histories")) as place:
        in_own_loop(lambda: make(place))
        yield place


@pytest.fixture(scope="session")
def played(written: Database) -> dict[int, list[oracle.Game]]:
    """The finished games by server, replayed from their logs."""
    return {server.guild_id: oracle.games(written, server.guild_id) for server in SERVERS}


@pytest.fixture(scope="session")
def everybody(played: dict[int, list[oracle.Game]]) -> dict[int, dict[int, oracle.Person]]:
    return {guild_id: oracle.people(games) for guild_id, games in played.items()}


@pytest.fixture
def path(kind: str, written: Database, tmp_path: Path) -> Iterator[Database]:
    """A copy of the histories to change."""
    with database_of(kind, tmp_path, written) as place:
        yield place


@pytest.fixture
def place(path: Database) -> Database:
    return path


@pytest.fixture
def new(kind: str, tmp_path: Path) -> Iterator[Database]:
    """A database without anything in it."""
    with database_of(kind, tmp_path) as place:
        yield place
