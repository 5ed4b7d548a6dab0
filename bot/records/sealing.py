"""The seal of a game's secret, and the seed that follows from the secret and the start of the game.

When a lobby opens, the bot draws a secret and shows its seal. When the host presses Start, everything that
the game begins with is written down as one text: its options and seats, and a fingerprint of each player's
word. Then the bot posts the message that opens the game. Discord gives that message its id, which completes
the text, and the seed of all dice and cards is the HMAC of the text with the secret as its key.
docs/fair-dice.md says what this prevents, docs/game-record.md gives the recipe.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from bot.games.core import Json
from bot.games.seats import Seat
from bot.records.who_begins import BEGINS, begins_to_json

MESSAGE = "message_id"
"""The part of the start that Discord adds."""

RATED = "rated"
"""The part of the start that says whether the game is rated; games of earlier versions lack it."""

_SEAL = b"dicebot seal"
_WORD = b"dicebot word"
"""What hashed texts begin with, so that a hash of one kind can't pass for one of another kind."""


def seal_of(secret: bytes, game_id: int) -> str:
    """Return the seal of a game's secret, in hex. It fits no other secret and no other game."""
    return hashlib.sha256(_SEAL + game_id.to_bytes(8, "big") + secret).hexdigest()


def fingerprint(secret: bytes, game_id: int, seat: int, word: str) -> str:
    """Return what the start has for the word of a seat, in hex. It stays when the word is deleted."""
    place = game_id.to_bytes(8, "big") + seat.to_bytes(8, "big")
    return hmac.digest(secret, _WORD + place + word.encode(), "sha256").hex()


def start_text(
    secret: bytes,
    game_id: int,
    game: str,
    rules_version: int,
    options: Mapping[str, Json],
    seats: Sequence[Seat],
    words: Mapping[int, str],
    rated: bool,
    begins: int,
) -> str:
    """Return everything a game begins with, except the id of the message.

    ``words`` are by seat; ``begins`` is a seat or another number of :mod:`~bot.records.who_begins`.
    """
    return canonical(
        {
            BEGINS: begins_to_json(begins),
            "game": game,
            "game_id": game_id,
            "options": dict(options),
            RATED: rated,
            "rules_version": rules_version,
            "seats": ["human" if seat.human else f"ai:{seat.policy}" for seat in seats],
            "words": [
                fingerprint(secret, game_id, seat, words[seat]) if seat in words else ""
                for seat in range(len(seats))
            ],
        }
    )


def with_message(start: str, message_id: int) -> str:
    """Return the start with the id of the message that opened the game, which completes it."""
    return canonical({**json.loads(start), MESSAGE: str(message_id)})


def message_of(start: str) -> int | None:
    """Return the id of the message that opened a game, or None if the start lacks it."""
    message_id = json.loads(start).get(MESSAGE) if start else None
    return None if message_id is None else int(message_id)


@lru_cache(maxsize=2048)
def rated_of(start: str) -> bool | None:
    """Return whether a game is rated, or None if its start does not say it."""
    return json.loads(start).get(RATED) if start else None


@lru_cache(maxsize=2048)
def seed_of(secret: bytes, start: str) -> bytes:
    """Return the seed of a game's dice. Games of earlier versions have no start; their seed is the secret."""
    return hmac.digest(secret, start.encode(), "sha256") if start else secret


def canonical(value: Json) -> str:
    """Write JSON in the one form from which seeds are made: ASCII, sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
