"""Leases: which of several processes does the background work of a server.

Any process may answer a click. This decides about deadlines, AI turns and repainting, which exactly one
process is to do; see docs/decisions/leases.md.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence

from bot.services.jobs import PeriodicJob
from bot.store.base import Process, Shared

RENEW_SECONDS = 3.0
"""How often a process renews its lease, and reads those of the others."""

LEASE_SECONDS = 10.0
"""How long a lease is valid; after it, others take over the servers of the process."""

_log = logging.getLogger(__name__)


def cared_for(name: str, alive: Sequence[Process], shard_count: int) -> frozenset[int]:
    """Return the shards of process ``name``, by a rule that gives the same for all with the same list.

    A shard belongs to the oldest process that serves it. One that none serves goes to some other.
    """
    same = [process for process in alive if process.shard_count == shard_count]
    found = set()
    for shard in range(shard_count):
        serving = [process for process in same if shard in process.shards]
        if same and (serving[0] if serving else same[shard % len(same)]).name == name:
            found.add(shard)
    return frozenset(found)


class Leases:
    """Renews the lease of one process. ``gained`` is awaited when there are more servers to take care of."""

    def __init__(
        self,
        store: Shared,
        shard_count: int,
        shards: Sequence[int],
        gained: Callable[[], Awaitable[None]],
    ) -> None:
        self._store = store
        self._count = shard_count
        self._shards = tuple(shards)
        self._gained = gained
        self._name = secrets.token_hex(8)
        self._job = PeriodicJob(
            "leases", self._run, failure="The lease could not be renewed", retry_seconds=RENEW_SECONDS
        )
        self._warned: tuple[str, ...] = ()
        self._until = float("-inf")
        self.mine: frozenset[int] = frozenset()
        """The shards this process takes care of now."""

    def cares(self, guild_id: int) -> bool:
        """Return whether this process does the background work of a server."""
        return (guild_id >> 22) % self._count in self.mine

    async def start(self) -> None:
        """Take a lease, for which ``gained`` is not called, and go on renewing it."""
        await self._renew()
        self._job.wake(RENEW_SECONDS)

    async def stop(self) -> None:
        """Give the lease back, so that others take over at once."""
        await self._job.stop()
        try:
            await self._store.leave(self._name)
        except Exception as error:
            _log.warning("The other processes take over a little later: %s", error)

    async def _run(self) -> float:
        before = self.mine
        try:
            await self._renew()
            if self.mine - before:
                _log.info("Taking care of shards %s now", sorted(self.mine))
                await self._gained()
        except Exception as error:
            _log.warning("The database could not be told that this process is alive: %s", error)
            if asyncio.get_running_loop().time() > self._until:
                # The others have taken over by now.
                self._settle(frozenset())
        return RENEW_SECONDS

    async def _renew(self) -> None:
        began = asyncio.get_running_loop().time()
        alive = await self._store.heartbeat(self._name, self._count, self._shards, LEASE_SECONDS)
        self._until = began + LEASE_SECONDS
        self._settle(cared_for(self._name, alive, self._count))
        self._warn(alive)

    def _settle(self, mine: frozenset[int]) -> None:
        self.mine = mine
        self._store.serve_shards(self._count, mine)

    def _warn(self, alive: Sequence[Process]) -> None:
        """Warn once of processes whose settings make them do the same work."""
        others = tuple(
            process.name
            for process in alive
            if process.name != self._name
            and (process.shard_count != self._count or process.shards & set(self._shards))
        )
        if set(others) - set(self._warned):
            _log.warning(
                "Another process serves the same shards, or counts them differently. If it was killed a "
                "moment ago this is nothing; otherwise give each its own SHARD_IDS and all one SHARD_COUNT"
            )
        self._warned = others
