"""What is stored about a person as files: one if it is small, else as many archives as needed."""

from __future__ import annotations

import io
import json
import zipfile
from types import SimpleNamespace
from typing import Any

import pytest

from bot.store import personal_export
from bot.store.personal_export import export

USER = 123456789012345678
ABOUT = {
    "user_id": USER,
    "servers": [{"server": USER + 1, "name": "Ann", "asked_at": 7}],
    "totals": ({"guild_id": USER + 1, "games": 3, "feats": '{"tuttos": 2}'},),
}
GAMES = [
    {"game_id": number, "channel_id": USER + 2, "state": '{"turn": 1}', "options": None, "words": "ü" * 50}
    for number in range(1, 13)
]
TEXTS = {
    "user_id": str(USER),
    "servers": [{"server": str(USER + 1), "name": "Ann", "asked_at": 7}],
    "totals": [{"guild_id": str(USER + 1), "games": 3, "feats": {"tuttos": 2}}],
}


async def files(games: list[Any]) -> dict[str, bytes]:
    """The files of somebody with these games, three of which are read at a time."""

    async def about(user_id: int) -> Any:
        assert user_id == USER
        return ABOUT

    async def export_games(user_id: int, after: int, limit: int) -> Any:
        assert user_id == USER
        return tuple(game for game in games if game["game_id"] > after)[:limit]

    async def run(function: Any, *args: Any) -> Any:
        return function(*args)

    store: Any = SimpleNamespace(export=about, export_games=export_games)
    return {name: data async for name, data in export(store, USER, run)}


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_export, "GAMES_AT_ONCE", 3)


async def length(games: list[Any]) -> int:
    """How many bytes the games of one reading have."""
    return len(json.dumps([personal_export._exported(game) for game in games]))


def unpacked(data: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["my-data.json"]
        (entry,) = archive.infolist()
        assert entry.compress_type == zipfile.ZIP_DEFLATED
        return json.loads(archive.read(entry))


@pytest.mark.parametrize("number", [0, 1, 7])
async def test_little_is_one_file(number: int) -> None:
    found = await files(GAMES[:number])
    assert list(found) == ["my-data.json"]
    expected = [{**game, "channel_id": str(USER + 2), "state": {"turn": 1}} for game in GAMES[:number]]
    assert json.loads(found["my-data.json"]) == TEXTS | {"games": expected}
    assert b"\\u" not in found["my-data.json"]
    assert found["my-data.json"].startswith(b'{\n "user_id": "123456789012345678",\n "servers": [\n  {\n')


async def test_much_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    size = await length(GAMES[:3])
    monkeypatch.setattr(personal_export, "MAX_PLAIN", size)
    assert list(await files(GAMES[:3])) == ["my-data.json"]
    monkeypatch.setattr(personal_export, "MAX_PLAIN", size - 1)
    found = await files(GAMES[:3])
    assert list(found) == ["my-data-1.zip"]
    assert len(unpacked(found["my-data-1.zip"])["games"]) == 3


@pytest.mark.parametrize(("number", "parts"), [(3, [3]), (6, [3, 3]), (7, [3, 3, 1]), (2, [2])])
async def test_very_much_is_several_archives(
    monkeypatch: pytest.MonkeyPatch, number: int, parts: list[int]
) -> None:
    monkeypatch.setattr(personal_export, "MAX_PLAIN", 10)
    monkeypatch.setattr(personal_export, "MAX_PACKED", await length(GAMES[:3]))
    found = await files(GAMES[:number])
    assert list(found) == [f"my-data-{place + 1}.zip" for place in range(len(parts))]
    games = [unpacked(data)["games"] for data in found.values()]
    assert [len(some) for some in games] == parts
    assert [game["game_id"] for some in games for game in some] == list(range(1, number + 1))


async def test_every_archive_is_as_large_as_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_export, "MAX_PACKED", await length(GAMES[:3]) + 1)
    found = await files(GAMES)
    assert [len(unpacked(data)["games"]) for data in found.values()] == [6, 6]
