"""Leases: which of several processes does the background work of a server.

Any process may answer a click. Leases divide deadlines, AI turns and repainting among the processes, usually
so that one does each. Correctness does not depend on it: when two do the same work, the check of the game's
version refuses one of them. See docs/decisions/leases.md.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence

from bot.services.jobs import PeriodicJob
from bot.store.base import Outdated, Process, Shared

RENEW_SECONDS = 3.0
"""How often a process renews its lease and reads the leases of the others."""

LEASE_SECONDS = 10.0
"""How long a lease is valid; then others take over the servers of the process."""

_log = logging.getLogger(__name__)


def assigned_shards(name: str, alive: Sequence[Process], shard_count: int) -> frozenset[int]:
    """Return the shards that process ``name`` is responsible for. All processes follow the same rule.

    A shard belongs to the oldest process that serves it. If none serves it, the rule picks one of the others.
    ``alive`` must be in the same order in all processes.
    """
    agreeing = [process for process in alive if process.shard_count == shard_count]
    assigned = set()
    for shard in range(shard_count):
        serving = [process for process in agreeing if shard in process.shards]
        if agreeing and (serving[0] if serving else agreeing[shard % len(agreeing)]).name == name:
            assigned.add(shard)
    return frozenset(assigned)


class Leases:
    """Renews the lease of one process. Awaits ``gained`` when more servers become its responsibility."""

    def __init__(
        self,
        store: Shared,
        shard_count: int,
        shards: Sequence[int],
        gained: Callable[[], Awaitable[None]],
        outdated: Callable[[Outdated], None] = lambda error: None,
    ) -> None:
        """``outdated`` is called when a newer version of the bot has migrated the database."""
        self._store = store
        self._count = shard_count
        self._shards = tuple(shards)
        self._gained = gained
        self._outdated = outdated
        self._name = secrets.token_hex(8)
        self._job = PeriodicJob(
            "leases", self._run, failure="The lease could not be renewed", retry_seconds=RENEW_SECONDS
        )
        self._warned: tuple[str, ...] = ()
        self._expires = float("-inf")
        self.mine: frozenset[int] = frozenset()
        """The shards this process is responsible for now."""
        self._served: frozenset[int] = frozenset()
        """The shards whose clicks a living process receives."""
        self._taken_over: frozenset[int] = frozenset()
        """Those of them for which ``gained`` has been awaited, or need not be."""

    def is_responsible_for(self, discord_id: int) -> bool:
        """Return whether this process does the background work of a server, or of a person."""
        return (discord_id >> 22) % self._count in self.mine

    def is_served(self, guild_id: int) -> bool:
        """Return whether a living process receives the clicks from a server."""
        return (guild_id >> 22) % self._count in self._served

    async def start(self) -> None:
        """Take a lease, without awaiting ``gained``, and keep renewing it."""
        await self._renew()
        self._taken_over = self.mine
        self._job.wake(RENEW_SECONDS)

    async def stop(self) -> None:
        """End the lease, so that others take over at once."""
        await self._job.stop()
        try:
            await self._store.leave(self._name)
        except Exception as error:
            _log.warning("The lease could not be ended; other processes take over a little later: %s", error)

    async def _run(self) -> float | None:
        try:
            await self._renew()
            if self.mine - self._taken_over:
                _log.info("Now responsible for shards %s", sorted(self.mine))
                await self._gained()
                self._taken_over = self.mine
        except Outdated as error:
            self._settle(frozenset())
            self._outdated(error)
            return None
        except Exception as error:
            _log.warning("The lease could not be renewed, or servers not taken over: %s", error)
            if asyncio.get_running_loop().time() > self._expires:
                # The lease has expired, and the others have taken over.
                self._settle(frozenset())
        return RENEW_SECONDS

    async def _renew(self) -> None:
        began = asyncio.get_running_loop().time()
        alive = await self._store.heartbeat(self._name, self._count, self._shards, LEASE_SECONDS)
        self._expires = began + LEASE_SECONDS
        self._served = frozenset().union(*(one.shards for one in alive if one.shard_count == self._count))
        self._settle(assigned_shards(self._name, alive, self._count))
        self._warn(alive)

    def _settle(self, mine: frozenset[int]) -> None:
        self.mine = mine
        self._taken_over &= mine
        self._store.serve_shards(self._count, mine)

    def _warn(self, alive: Sequence[Process]) -> None:
        """Warn once about processes that do the same work because of their settings."""
        others = tuple(
            process.name
            for process in alive
            if process.name != self._name
            and (process.shard_count != self._count or process.shards & set(self._shards))
        )
        if set(others) - set(self._warned):
            _log.warning(
                "Another process serves the same shards, or counts them differently. If one replaces the "
                "other, or was killed a moment ago, this is nothing; otherwise give each its own SHARD_IDS "
                "and all one SHARD_COUNT"
            )
        self._warned = others
