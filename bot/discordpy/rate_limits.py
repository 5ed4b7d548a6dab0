"""Limits on what one person and one server may ask for, as token buckets; moves of games are free.

All interactions pass here once: clicks, commands and forms in :mod:`bot.discordpy.handling`, the letters that
somebody types for a suggestion in :mod:`bot.discordpy.command_tree`. docs/decisions/fair-queue.md has the
reasons and the figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.games.core import Unreadable
from bot.observability import metrics
from bot.screens import privacy
from bot.screens.button_ids import Page, is_shared, parse
from bot.sessions.request import Refused
from bot.store.bounded import Bounded

MAX_BUCKETS = 10_000
"""How many buckets of a kind are kept, in about 100 bytes each; a forgotten one is full again."""

TINY_SECONDS = 0.001
"""A shorter wait counts as none, because sums of fractions are not exact."""

COSTS: Final[Mapping[str, int]] = {
    Page.PRIVACY.token(privacy.EXPORT): 10,
    # It may rewrite the database's file.
    Page.PRIVACY.token(privacy.DELETE): 20,
}
"""What a click on a button of a page costs, if not one token."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A bucket holds up to ``burst`` tokens, and gets ``per_second`` new ones."""

    burst: float
    per_second: float


PERSON, SERVER = Rate(40, 2), Rate(100, 15)
"""For clicks and commands.

A person who turns the pages of a replay three times a second is slowed down after forty seconds.
"""

PERSON_TYPING, SERVER_TYPING = Rate(30, 5), Rate(60, 15)
"""For letters that are typed, each of which asks for suggestions."""

MISSES, SERVER_MISSES = Rate(10, 1), Rate(50, 5)
"""For clicks on moves that their game does not accept: on an old table, or at one where others sit."""


class Buckets:
    """One token bucket for each of many ids. A bucket is the time at which it will be full."""

    def __init__(self, rate: Rate, now: Callable[[], float]) -> None:
        """``now`` returns seconds that only count up."""
        self._rate = rate
        self._now = now
        self._full_at: Bounded[int, float] = Bounded(MAX_BUCKETS)
        """The bucket that was used least recently comes first."""

    def seconds_until(self, key: int, cost: float) -> float:
        """Return after how many seconds there will be ``cost`` tokens, 0 if there are now."""
        missing = cost - self._rate.burst + self._rate.per_second * (self._fills(key) - self._now())
        seconds = missing / self._rate.per_second
        return seconds if seconds > TINY_SECONDS else 0.0

    def take(self, key: int, cost: float) -> None:
        """Take tokens, also if there are too few."""
        self._full_at[key] = self._fills(key) + cost / self._rate.per_second

    def _fills(self, key: int) -> float:
        """Return when a bucket is full, now at the earliest."""
        return max(self._full_at.get(key, 0.0), self._now())

    def __contains__(self, key: int) -> bool:
        """Whether tokens were taken from a bucket that is kept; all others are full."""
        return key in self._full_at

    def __len__(self) -> int:
        return len(self._full_at)


class RateLimits:
    """The buckets of all people and servers."""

    def __init__(self, now: Callable[[], float]) -> None:
        """``now`` returns seconds that only count up."""
        self._people, self._servers = Buckets(PERSON, now), Buckets(SERVER, now)
        self._misses, self._server_misses = Buckets(MISSES, now), Buckets(SERVER_MISSES, now)
        self._people_typing, self._servers_typing = Buckets(PERSON_TYPING, now), Buckets(SERVER_TYPING, now)

    def spend(self, user_id: int, guild_id: int | None, cost: int = 1) -> None:
        """Take the tokens for a click or a command.

        Raises :class:`Refused`, which says when there will be enough of them; then none are taken.
        """
        for buckets, key, counter, code in (
            (self._people, user_id, metrics.slowed_person, "error-slow-down"),
            (self._servers, guild_id, metrics.slowed_server, "error-slow-server"),
        ):
            if key is not None and cost and (seconds := buckets.seconds_until(key, cost)):
                counter.inc()
                raise Refused(code, n=math.ceil(seconds))
        _take(cost, user_id, self._people, guild_id, self._servers)

    def check_misses(self, user_id: int, guild_id: int | None) -> None:
        """Raise :class:`Refused` if a person has tried too many moves that were not accepted.

        If the people of a server have together, everybody who took part in it is refused.
        """
        if user_id not in self._misses:
            return
        if seconds := self._misses.seconds_until(user_id, 1):
            metrics.slowed_person.inc()
            raise Refused("error-slow-down", n=math.ceil(seconds))
        if guild_id is None or not self._misses.seconds_until(user_id, MISSES.burst):
            return
        if seconds := self._server_misses.seconds_until(guild_id, 1):
            metrics.slowed_server.inc()
            raise Refused("error-slow-server", n=math.ceil(seconds))

    def missed(self, user_id: int, guild_id: int | None) -> None:
        """Count a move that was not accepted."""
        _take(1, user_id, self._misses, guild_id, self._server_misses)

    def may_type(self, user_id: int, guild_id: int | None) -> bool:
        """Return whether a letter that was typed may be answered, and take the token for it."""
        people, servers = self._people_typing, self._servers_typing
        if people.seconds_until(user_id, 1) or (guild_id is not None and servers.seconds_until(guild_id, 1)):
            metrics.slowed_typing.inc()
            return False
        _take(1, user_id, people, guild_id, servers)
        return True


def _take(cost: int, user_id: int, people: Buckets, guild_id: int | None, servers: Buckets) -> None:
    if cost:
        people.take(user_id, cost)
        if guild_id is not None:
            servers.take(guild_id, cost)


def cost_of(custom_id: str) -> int:
    """Return how many tokens a click costs: none if it is a move, which its game limits.

    >>> cost_of("1:7:2a:k1.5"), cost_of("1:7:2a:e.record"), cost_of("1:0:0:hi.l.n.c.3"), cost_of("?")
    (0, 1, 1, 1)
    """
    try:
        button = parse(custom_id)
    except Unreadable:
        return 1
    if button.game_id == 0:
        return COSTS.get(button.token, 1)
    return int(is_shared(button.token))
