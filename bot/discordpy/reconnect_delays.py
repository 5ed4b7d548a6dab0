"""How long a shard waits before it connects again, so that a failing gateway is not hammered."""

from __future__ import annotations

from collections import Counter

MAX_IDENTIFY_SECONDS = 300.0
"""The longest wait before another new session: fewer than 300 a day, of 1,000 that Discord allows."""

MAX_RESUME_SECONDS = 30.0
"""The longest wait before resuming; short, because the clicks made meanwhile are lost after three seconds."""

SETTLED_SECONDS = 60.0
"""A session that lives this long counts as a success."""


class ReconnectDelays:
    """Counts each shard's failures in a row. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._resumes: Counter[int] = Counter()
        self._identifies: Counter[int] = Counter()
        self._began: dict[int, float] = {}
        """When each shard's latest session begins, its wait included."""

    def established(self, shard_id: int) -> None:
        """Note that Discord has answered READY or RESUMED."""
        del self._resumes[shard_id]

    def before_resume(self, shard_id: int) -> float:
        """Return how many seconds to wait before resuming: none at first, then twice as many each time."""
        failed = self._resumes[shard_id]
        self._resumes[shard_id] += 1
        return _delay(failed, MAX_RESUME_SECONDS)

    def before_identify(self, shard_id: int, now: float) -> tuple[float, int]:
        """Return how many seconds to wait before a new session, and how many have failed in a row."""
        if now - self._began.get(shard_id, now) >= SETTLED_SECONDS:
            del self._identifies[shard_id]
        failed = self._identifies[shard_id]
        self._identifies[shard_id] += 1
        delay = _delay(failed, MAX_IDENTIFY_SECONDS)
        self._began[shard_id] = now + delay
        return delay, failed


def _delay(failed: int, longest: float) -> float:
    # 2 ** 10 is longer than either limit, and powers of greater numbers could be too large for a float.
    return min(2.0 ** min(failed, 10), longest) if failed else 0.0
