"""Reads a record's JSON, and compares its values with those expected."""

from __future__ import annotations

import json
from collections.abc import Collection

from bot.games.core import Json
from bot.records.record import RecordError
from bot.records.seeds import SEED_BYTES

MAX_BYTES = 8 << 20
"""The limit of a record's size. A game of ten casual players to 50,000 points takes a twentieth of it."""

_GZIP = b"\x1f\x8b"


def json_object(text: str) -> dict[str, Json]:
    """Return the JSON object of a line. Raises :class:`RecordError` for anything else."""
    if len(text) > MAX_BYTES:
        raise RecordError(f"is longer than {MAX_BYTES} bytes, which no record needs")
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
    except _Twice as error:
        raise RecordError(f"the key {shown(error.args[0])} stands twice in one object") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON ({error.msg} at character {error.pos + 1})") from None
    except (ValueError, RecursionError):
        raise RecordError("not usable JSON (a number too long, or nested too deeply)") from None
    if not isinstance(raw, dict):
        raise RecordError(f"must be a JSON object, not {shown(raw)}")
    return raw


def check_keys(raw: dict[str, Json], required: Collection[str], optional: Collection[str] = ()) -> None:
    """Raise :class:`RecordError` for the first key that is missing, or that is not one of these."""
    for key in required:
        if key not in raw:
            raise RecordError("is missing", key)
    for key in raw:
        if key not in required and key not in optional:
            raise RecordError(f"there is no key {shown(key)} in a record")


def hex_bytes(raw: Json, where: str) -> bytes:
    """Return 32 bytes that are written as hex digits in lower case. Raises :class:`RecordError`."""
    digits = 2 * SEED_BYTES
    if not isinstance(raw, str) or len(raw) != digits or set(raw) - set("0123456789abcdef"):
        raise RecordError(f"must be {digits} digits 0-9 a-f, not {shown(raw)}", where)
    return bytes.fromhex(raw)


def values_of(raw: Json, keys: tuple[str, ...], where: str, move: int | None = None) -> tuple[Json, ...]:
    """Return the values of ``keys``. Raises :class:`RecordError` unless ``raw`` has exactly these."""
    if not isinstance(raw, dict) or raw.keys() != set(keys):
        names = ", ".join(keys)
        raise RecordError(f"must be an object with exactly {names}, not {shown(raw)}", where, move=move)
    return tuple(raw[key] for key in keys)


def array(raw: Json, where: str, move: int | None = None) -> list[Json]:
    """Return a list unchanged. Raises :class:`RecordError` for anything else."""
    if not isinstance(raw, list):
        raise RecordError(f"must be a list, not {shown(raw)}", where, move=move)
    return raw


def differ(raw: Json, expected: Json) -> bool:
    """Return whether two values differ as JSON, where 1, 1.0 and true differ.

    ``expected`` has few levels, so that no record can make this recurse too deeply.
    """
    if type(raw) is not type(expected) or raw != expected:
        return True
    if isinstance(expected, dict):
        return any(differ(raw[key], value) for key, value in expected.items())
    return isinstance(expected, list) and any(map(differ, raw, expected))


def shown(value: Json) -> str:
    """Return a value as short ASCII JSON for an error message."""
    try:
        text = json.dumps(value, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        return "something unprintable"
    return text if len(text) <= 100 else f"{text[:97]}..."


class _Twice(ValueError):
    """A JSON object has the same key twice."""


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object's pairs as a dict. Refuse equal keys: JSON readers differ in which one they use."""
    members: dict[str, Json] = {}
    for key, value in pairs:
        if key in members:
            raise _Twice(key)
        members[key] = value
    return members


def decoded(data: bytes) -> str:
    """Return the text of a line. Raises :class:`RecordError` if it is too long or not UTF-8."""
    if len(data) > MAX_BYTES:
        raise RecordError(f"is longer than {MAX_BYTES} bytes, which no record needs")
    if data.startswith(_GZIP):
        raise RecordError("is a gzip file and not text: unpack it first")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"is not UTF-8 text (byte {error.start + 1})") from None
