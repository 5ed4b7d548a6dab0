"""Draws dice and cards from a secret seed of each game, which anyone can check afterwards.

Outcome number ``i`` of a game is read from ``HMAC-SHA256(seed, i)``. The number of outcomes drawn so far is
saved together with the state they led to, so a crash can't lead to another roll. Where the seed comes from:
:mod:`~bot.records.sealing`. docs/game-record.md gives the recipe step by step, with an example.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 32

_SPACE = 1 << 256
"""How many values a digest can have."""


def new_secret() -> bytes:
    """Return :data:`SEED_BYTES` secret bytes from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def seed_hash(seed: bytes) -> str:
    """Return the SHA-256 of the seed in hex. Games without a seal showed it before the first roll."""
    return hashlib.sha256(seed).hexdigest()


def drawn_number(seed: bytes, index: int, below: int) -> int:
    """Return an unbiased number in ``range(below)``: the ``index``-th of this seed.

    The digest of ``index`` (8 bytes) and ``attempt`` (4 bytes), both big-endian, is read as a 256-bit
    number. A number in the last, incomplete multiple of ``below`` is discarded for the next attempt, so that
    all results are exactly equally likely.
    """
    limit = _SPACE - _SPACE % below
    attempt = 0
    while True:
        message = index.to_bytes(8, "big") + attempt.to_bytes(4, "big")
        # Unlike hmac.digest(), this keeps the interpreter lock, for which the writing thread may be waiting.
        value = int.from_bytes(hmac.new(seed, message, "sha256").digest(), "big")
        if value < limit:
            return value % below
        attempt += 1


class SeededChance:
    """The source of chance of one game. ``index`` counts the outcomes drawn; save it with the state."""

    def __init__(self, seed: bytes, index: int = 0) -> None:
        self.seed = seed
        self.index = index

    def draw(self, outcomes: Sequence[tuple[T, int]]) -> T:
        """Draw one of the ``(outcome, weight)`` pairs; the first weights take the lowest numbers."""
        # The outcomes of dice know these sums, as a roll of six dice has hundreds of outcomes.
        ends = getattr(outcomes, "ends", None) or list(accumulate(weight for _, weight in outcomes))
        pick = drawn_number(self.seed, self.index, ends[-1])
        self.index += 1
        return outcomes[bisect_right(ends, pick)][0]
