"""The seal of a day's secret, and the seed of its dice; docs/fair-dice.md says what they are worth."""

from __future__ import annotations

import hashlib
import hmac

from bot.daily.days import date_of
from bot.daily.play import OPTIONS, RULES
from bot.records.sealing import canonical

_SEAL = b"dicebot daily seal"
"""What the hashed text begins with, so that no other hash of the bot can pass for a seal of a day."""


def seal_of(secret: bytes, day: int) -> str:
    """Return the seal of a day's secret, in hex. It fits no other secret and no other day."""
    return hashlib.sha256(_SEAL + date_of(day).encode() + secret).hexdigest()


def start_text(day: int, rules_version: int) -> str:
    """Return everything that the game of a day begins with."""
    return canonical(
        {
            "daily": date_of(day),
            "game": RULES.key,
            "options": OPTIONS.to_json(),
            "rules_version": rules_version,
        }
    )


def seed_of(secret: bytes, day: int, rules_version: int) -> bytes:
    """Return the seed of a day's dice and cards, the same for everybody."""
    return hmac.digest(secret, start_text(day, rules_version).encode(), "sha256")
