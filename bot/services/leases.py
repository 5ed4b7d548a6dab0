"""Which of several processes takes care of a server: its timers, its AI turns, what its channels show.

Clicks are right whichever process gets them. This only keeps two processes from doing the same work, and sees
to it that somebody does it; see docs/decisions/leases.md.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence

from bot.services.jobs import PeriodicJob
from bot.store.base import Process, Shared

RENEW_SECONDS = 3.0
"""How often a process says that it is alive, and looks who else is."""

LEASE_SECONDS = 10.0
"""After so long without a word a process counts as dead, and others take care of its servers."""

_log = logging.getLogger(__name__)


def cared_for(name: str, alive: Sequence[Process], shard_count: int) -> frozenset[int]:
    """The shards of which process ``name`` takes care, by the same rule for all who look at the same list.

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
        """Whether this process takes care of a server."""
        return (guild_id >> 22) % self._count in self.mine

    async def start(self) -> None:
        """Renew once, which settles what is one's own; ``gained`` is not called for that. Then go on."""
        await self._renew()
        self._job.wake(RENEW_SECONDS)

    async def stop(self) -> None:
        """Let others take over at once."""
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
                # The others think so by now.
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
        """Tell once of others that are set up so that they do the same work."""
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
