"""The tools that take pictures, with a stand-in for the browser."""

from __future__ import annotations

import base64
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bot.i18n.catalogue import Catalogue
from bot.screens.help import PAGES, picture_of
from tools import gallery_shots, help_pictures
from tools import scenes as all_scenes
from tools.browser import Tell
from tools.scenes import Scene, scenes

HEIGHT = 40


def _picture(width: int, height: int) -> str:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "#313338").save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


@asynccontextmanager
async def blind() -> AsyncIterator[Tell]:
    """A browser that finds one box on every page, and draws nothing."""

    async def tell(method: str, **params: Any) -> Any:
        box = {"x": 4, "y": 4, "width": 90, "height": HEIGHT - 8}
        match method:
            case "Runtime.evaluate":
                return {"result": {"value": [box] if "map((one)" in params["expression"] else box}}
            case "Page.captureScreenshot":
                return {"data": _picture(100, HEIGHT)}
            case _:
                return {}

    yield tell


@pytest.fixture(autouse=True)
def _blind(monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in (gallery_shots, help_pictures):
        monkeypatch.setattr(tool, "one_tab", blind)
    monkeypatch.setattr(gallery_shots, "SCENES_A_PAGE", 1)


async def test_the_gallery_takes_every_scene_of_a_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Scene] = []

    async def none(*_: Any) -> AsyncIterator[Scene]:
        """Stands in for scenes of other topics that take long to play."""
        for scene in list[Scene]():
            yield scene

    for costly in ("_crowds", "_whole_games"):
        monkeypatch.setattr(all_scenes, costly, none)

    async def noted(catalogue: Catalogue) -> list[Scene]:
        found.extend(await scenes(catalogue))
        return found

    monkeypatch.setattr(gallery_shots, "scenes", noted)
    only = ["--languages", "de", "--widths", "phone", "--themes", "dark", "--topics", "help"]
    await gallery_shots.main([str(tmp_path), *only])
    with Image.open(tmp_path / "help-phone-dark-1.png") as sheet:
        # A line with its name, the picture, and a gap for each.
        rows = sheet.height / (HEIGHT + 24 + gallery_shots.GAP)
    assert rows == len([scene for scene in found if scene.topic == "help"])


async def test_help_pictures_are_taken_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(help_pictures, "FOLDER", tmp_path)
    monkeypatch.setattr(help_pictures, "SCENES", {PAGES[0]: help_pictures.SCENES[PAGES[0]]})
    await help_pictures.main(["it"])
    assert (tmp_path / "it" / picture_of(PAGES[0])).read_bytes().startswith(b"\x89PNG")
    assert "it" in (tmp_path / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [(help_pictures, ["--help"]), (gallery_shots, ["--help"]), (help_pictures, ["xx"]), (gallery_shots, [])],
)
async def test_they_say_how_they_are_used(
    tool: Any, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        await tool.main(arguments)
    said = capsys.readouterr()
    assert f"usage: python -m {tool.__name__}" in said.out + said.err
