"""Exports everything that is stored about a person as files."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from typing import Any

from bot.store.base import Store

GAMES_AT_ONCE = 200
MAX_PLAIN = 1 << 20
"""Up to this size the export is one plain file; larger ones are zipped."""

MAX_PACKED = 24 << 20
"""Bytes to pack into one archive; compressed they are far below Discord's limit."""

PLAIN, PACKED = "my-data.json", "my-data-{number}.zip"


async def export(store: Store, user_id: int) -> AsyncIterator[tuple[str, bytes]]:
    """Return the files by name, in order. Ids become text, because some JSON readers round long numbers."""
    about = _texts(dict(await store.export(user_id)))
    games: list[Any] = []
    size, number, after = 0, 0, 0
    while some := await store.export_games(user_id, after, GAMES_AT_ONCE):
        after = some[-1]["game_id"]
        for game in some:
            games.append(_texts(dict(game)))
            size += len(json.dumps(games[-1]))
        if size >= MAX_PACKED:
            number += 1
            yield PACKED.format(number=number), await asyncio.to_thread(_packed, about, games)
            games, size = [], 0
    if not number and size <= MAX_PLAIN:
        yield PLAIN, _plain(about, games)
    elif games:
        yield PACKED.format(number=number + 1), await asyncio.to_thread(_packed, about, games)


def _plain(about: dict[str, Any], games: list[Any]) -> bytes:
    return json.dumps(about | {"games": games}, indent=1, ensure_ascii=False).encode()


def _packed(about: dict[str, Any], games: list[Any]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PLAIN, _plain(about, games))
    return data.getvalue()


IDS = frozenset({"user_id", "server", "guild_id", "channel_id"})
JSON_TEXTS = frozenset({"options", "state", "feats"})


def _texts(value: Any, name: str = "") -> Any:
    """Return the value with ids as text and stored JSON decoded."""
    if isinstance(value, dict):
        return {key: _texts(one, key) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_texts(one) for one in value]
    if name in IDS and isinstance(value, int):
        return str(value)
    if name in JSON_TEXTS and isinstance(value, str):
        return json.loads(value)
    return value
