"""Which data of servers goes, and when: what is asked of the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import discord

from bot.store.sql.servers import INTERACTION_SECONDS, PURGED, TIDY_ROWS, SqlServers

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


class Servers(SqlServers):
    """Notes the queries of its jobs; ``numbers`` are how many rows those with a limit change, in order."""

    def __init__(self, *numbers: int, games: list[list[int]] | None = None) -> None:
        super().__init__()
        self.executed: list[tuple[str, dict[str, Any]]] = []
        self.numbers_of_rows = list(numbers)
        self.games = games or []
        self.connection: Any = SimpleNamespace(
            execute=self._execute, all=self._all, lock_standings=self._nothing
        )
        self.reading: Any = SimpleNamespace(value=self._latest, all=self._all)

    async def _execute(self, query: str, **values: Any) -> int:
        self.executed.append((query, values))
        return self.numbers_of_rows.pop(0) if "limit" in values else 1

    async def _all(self, query: str, **values: Any) -> list[Any]:
        return [{"id": number} for number in self.games.pop(0)] if self.games else []

    async def _latest(self, query: str) -> int:
        return 5

    async def _nothing(self) -> None:
        pass

    async def write(self, job: Any) -> Any:
        return await job(self.connection)

    @property
    def queries(self) -> list[str]:
        return [query for query, _ in self.executed]


async def test_what_is_past_is_tidied_until_nothing_is_left() -> None:
    servers = Servers(TIDY_ROWS, 3, TIDY_ROWS, TIDY_ROWS, 0)
    await servers.tidy(NOW.timestamp())
    days = {"before": int((NOW - timedelta(days=2)).timestamp()), "limit": TIDY_ROWS}
    oldest = discord.utils.time_snowflake(NOW - timedelta(seconds=INTERACTION_SECONDS))
    assert servers.executed == [
        *[("delete_past_totals", days)] * 2,
        *[("delete_old_interactions", {"before": oldest, "limit": TIDY_ROWS})] * 3,
    ]


async def test_people_are_removed_from_games_that_were_closed() -> None:
    servers = Servers(0, 0, games=[[1, 4]])
    await servers.tidy(NOW.timestamp())
    assert servers.executed[2:] == [
        *(
            (f"forget_{what}_of_closed", {"games": "[1, 4]"})
            for what in ("seats", "words", "former_seats", "hosts")
        ),
        ("note_deletion", {}),
    ]


async def test_a_server_is_deleted_some_games_at_a_time() -> None:
    servers = Servers(games=[[1, 2], [3]])
    await servers.purge(10)
    purged = [f"purge_{table}" for table in ("moves", "results", "shares", "words")]
    purged += [f"purge_{table}" for table in ("former_seats", "seats", "games")]
    assert servers.queries == [*purged * 3, *PURGED, "note_deletion"]
    assert [values["games"] for query, values in servers.executed if query == "purge_games"] == [
        "[1, 2]",
        "[3]",
        "[]",
    ]
