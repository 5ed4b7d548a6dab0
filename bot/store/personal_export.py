"""Exports everything that is stored about a person as files."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from bot.store.base import Store

GAMES_AT_ONCE = 20
"""How many games to read at a time; even long ones then take only milliseconds."""

MAX_PLAIN = 1 << 20
"""Up to this size the export is one plain file; larger ones are zipped."""

MAX_PACKED = 24 << 20
"""Bytes to pack into one archive; compressed they are far below Discord's limit."""

PLAIN, PACKED = "my-data.json", "my-data-{number}.zip"
"""The names of the files."""

IDS = frozenset({"user_id", "server", "guild_id", "channel_id"})
"""Columns whose values become text, because some JSON readers round long numbers."""

JSON_TEXTS = frozenset({"options", "state", "feats", "against"})
"""Columns whose texts are JSON; it becomes a part of the file."""

Run = Callable[..., Awaitable[Any]]
"""Runs a function with its arguments, usually in a worker process."""


async def export(store: Store, user_id: int, run: Run) -> AsyncIterator[tuple[str, bytes]]:
    """Yield the files in order, each with its name; ``run`` calls the functions that build them."""
    about = _exported(dict(await store.export(user_id)))
    parts: list[bytes] = []
    size, number, after = 0, 0, 0
    while games := await store.export_games(user_id, after, GAMES_AT_ONCE):
        after = games[-1]["game_id"]
        part, length = await run(_part, [dict(game) for game in games])
        parts.append(part)
        size += length
        if size >= MAX_PACKED:
            number += 1
            yield PACKED.format(number=number), await run(_packed, about, parts)
            parts, size = [], 0
    if not number and size <= MAX_PLAIN:
        yield PLAIN, await run(_plain, about, parts)
    elif parts:
        yield PACKED.format(number=number + 1), await run(_packed, about, parts)


def _part(games: Sequence[Mapping[str, Any]]) -> tuple[bytes, int]:
    """Return games as compressed JSON, and how long it was before compression."""
    text = json.dumps([_exported(game) for game in games]).encode()
    return zlib.compress(text, 1), len(text)


def _plain(about: dict[str, Any], parts: Sequence[bytes]) -> bytes:
    games = [game for part in parts for game in json.loads(zlib.decompress(part))]
    return json.dumps(about | {"games": games}, indent=1, ensure_ascii=False).encode()


def _packed(about: dict[str, Any], parts: Sequence[bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PLAIN, _plain(about, parts))
    return data.getvalue()


def _exported(value: Any, name: str = "") -> Any:
    """Return a value for the file: ids as text, and JSON that a column ``name`` holds as text decoded."""
    if isinstance(value, dict):
        return {key: _exported(part, key) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_exported(part) for part in value]
    if name in IDS and isinstance(value, int):
        return str(value)
    if name in JSON_TEXTS and isinstance(value, str):
        return json.loads(value)
    return value
