"""The emojis are up to date, distinguishable, and uploaded to Discord once."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from discord import PartialEmoji
from PIL import Image, ImageChops, ImageStat

from bot import screens
from bot.discordpy.components import render
from bot.discordpy.emojis import DiscordEmojis
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Icons, say
from bot.registry import TEXT_ICONS
from bot.screens.icons import SQUARES
from bot.screens.model import Button, Buttons, Screen
from bot.screens.tutto import table
from bot.services.emojis import (
    DOUBT_SECONDS,
    FOLDER,
    MAX_FAILURES,
    RECHECK_SECONDS,
    RETRY_SECONDS,
    TRUSTED_SECONDS,
    ApplicationEmojis,
    drawn,
    name_of,
)
from bot.store.base import Store
from tools.draw import MAX_BYTES, SIZE, digest, drawings

# ------------------------------------------------------------------ the pictures


def picture(icon: str, size: int = SIZE, background: str | None = None) -> Image.Image:
    """A picture as it is seen at a size, on a background."""
    image = Image.open(FOLDER / "png" / f"{icon}.png").convert("RGBA")
    image = image.resize((size, size), Image.Resampling.LANCZOS)
    if background is None:
        return image
    seen = Image.new("RGB", image.size, background)
    seen.paste(image, (0, 0), image)
    return seen


def test_the_pictures_are_up_to_date() -> None:
    """If this fails: python -m tools.draw"""
    noted = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    assert {icon: one["drawing"] for icon, one in noted.items()} == {
        icon: digest(svg) for icon, svg in drawings().items()
    }
    built = {path.stem: digest(path.read_bytes()) for path in (FOLDER / "png").iterdir()}
    assert {icon: one["picture"] for icon, one in noted.items()} == built


def test_every_icon_is_drawn_and_has_a_text() -> None:
    assert TEXT_ICONS.keys() - SQUARES.keys() == set(drawn())


@pytest.mark.parametrize("icon", sorted(drawn()))
def test_a_picture_is_what_discord_takes(icon: str) -> None:
    path = FOLDER / "png" / f"{icon}.png"
    assert path.stat().st_size < MAX_BYTES
    with Image.open(path) as image:
        assert (image.format, image.size) == ("PNG", (SIZE, SIZE))
    assert re.fullmatch(r"\w{2,32}", name_of(icon), re.ASCII)


def test_names_are_unique() -> None:
    assert len({name_of(icon) for icon in drawn()}) == len(drawn())


def difference(one: str, other: str, size: int = 22) -> float:
    """How much two pictures differ without colour, 0 to 255 a pixel on average."""
    pictures = [picture(icon, size, "#313338").convert("L") for icon in (one, other)]
    return float(ImageStat.Stat(ImageChops.difference(*pictures)).mean[0])


@pytest.mark.parametrize("face", range(1, 7))
def test_plain_kept_and_invalid_dice_differ_without_colour(face: int) -> None:
    plain, kept, off = f"die-{face}", f"die-{face}-kept", f"die-{face}-off"
    assert difference(plain, kept) > 15
    assert difference(plain, off) > 15
    # The badges: in the corner where a check mark or a cross is.
    corner = [picture(icon, 22, "#313338").convert("L").crop((14, 14, 22, 22)) for icon in (plain, kept, off)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert ImageStat.Stat(ImageChops.difference(corner[one], corner[other])).mean[0] > 20


@pytest.mark.parametrize("state", ["", "-kept", "-off"])
def test_faces_differ(state: str) -> None:
    for face in range(1, 6):
        assert difference(f"die-{face}{state}", f"die-{face + 1}{state}") > 2


def luminance(pixel: Any) -> float:
    parts = [value / 255 for value in pixel[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def contrast(one: Any, other: Any) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("background", [(0x31, 0x33, 0x38), (0xFF, 0xFF, 0xFF)], ids=["dark", "light"])
@pytest.mark.parametrize("icon", sorted(drawn()))
def test_a_picture_stands_out_from_both_themes(icon: str, background: tuple[int, int, int]) -> None:
    """At least an eighth of what is drawn has a contrast of 3 : 1, as the guidelines ask of graphics."""
    image = picture(icon, 22, "#%02x%02x%02x" % background)  # noqa: UP031
    pixels = [image.getpixel((x, y)) for x in range(22) for y in range(22)]
    strong = sum(contrast(pixel, background) >= 3 for pixel in pixels)
    assert strong > 22 * 22 / 8


# ------------------------------------------------------------------ keeping Discord in step


class EmojiApi(DiscordEmojis):
    """Discord's side: emojis by name. ``calls`` notes every request."""

    def __init__(self, **emojis: int) -> None:
        self.emojis = dict(emojis)
        self.calls: list[str] = []
        self.broken: set[str] = set()
        self.pause: asyncio.Event | None = None
        self.adding = asyncio.Event()
        self._ids = iter(range(1000, 9999))

    async def all(self) -> Mapping[str, int]:
        self._call("all")
        return dict(self.emojis)

    async def add(self, name: str, png: bytes) -> int:
        self._call(f"add {name}")
        self.adding.set()
        if self.pause:
            await self.pause.wait()
        assert name not in self.emojis, "names are unique"
        assert png.startswith(b"\x89PNG")
        self.emojis[name] = next(self._ids)
        return self.emojis[name]

    async def remove(self, emoji_id: int) -> None:
        self._call("remove")
        self.emojis = {name: one for name, one in self.emojis.items() if one != emoji_id}

    def _call(self, call: str) -> None:
        self.calls.append(call)
        if call in self.broken or "*" in self.broken:
            raise OSError(f"{call} is broken")


class Meta:
    """The part of a store that is needed here."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def meta(self, key: str) -> str | None:
        return self.kept.get(key)

    async def set_meta(self, key: str, value: str) -> None:
        self.kept[key] = value


ICONS = ("die-1", "die-1-kept", "down")


class Bench:
    """A few drawings, Discord's emojis, a store and a clock; :meth:`start` starts the service again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.discord, self.store, self.now = EmojiApi(), Meta(), 1_000_000.0
        (folder / "png").mkdir()
        for icon in ICONS:
            self.draw(icon, icon)

    def draw(self, icon: str, look: str) -> None:
        (self.folder / "png" / f"{icon}.png").write_bytes(b"\x89PNG" + look.encode())
        manifest = self.folder / "manifest.json"
        entries = json.loads(manifest.read_text()) if manifest.exists() else {}
        manifest.write_text(json.dumps({**entries, icon: {"drawing": look, "picture": look}}))

    def made(self, catalogue: Catalogue, **options: Any) -> ApplicationEmojis:
        store = cast(Store, self.store)
        options = {"application_id": 7, **options}
        return ApplicationEmojis(
            catalogue, store, self.discord, lambda: self.now, folder=self.folder, **options
        )

    async def start(self, **options: Any) -> tuple[ApplicationEmojis, Catalogue]:
        self.discord.calls.clear()
        catalogue = Catalogue({"die-1": "1"})
        drawings = self.made(catalogue, **options)
        await drawings.start()
        await asyncio.wait_for(drawings.first_round.wait(), 5)
        return drawings, catalogue

    async def run(self, **options: Any) -> Catalogue:
        """Start the service, and stop it after its first round; return the catalogue."""
        drawings, catalogue = await self.start(**options)
        await drawings.stop()
        return catalogue


async def checked(drawings: ApplicationEmojis) -> None:
    """Wait until the running round of checks is finished."""
    await asyncio.wait_for(drawings.checks.finished(), 10)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_emojis_are_uploaded_once(bench: Bench) -> None:
    catalogue = await bench.run()
    assert bench.discord.calls == ["all", "add die_1", "add die_1_kept", "add down"]
    assert catalogue.icon("die-1-kept") == f"<:die_1_kept:{bench.discord.emojis['die_1_kept']}>"
    catalogue = await bench.run()
    assert bench.discord.calls == [], "nothing is new, so nothing is asked"
    assert catalogue.icon("die-1") == f"<:die_1:{bench.discord.emojis['die_1']}>"


async def test_a_changed_drawing_replaces_its_emoji_alone(bench: Bench) -> None:
    await bench.run()
    old = dict(bench.discord.emojis)
    bench.draw("down", "another look")
    catalogue = await bench.run()
    assert bench.discord.calls == ["all", "remove", "add down"]
    assert bench.discord.emojis["die_1"] == old["die_1"]
    assert catalogue.icon("down") == f"<:down:{bench.discord.emojis['down']}>" != f"<:down:{old['down']}>"


async def test_emojis_of_an_unknown_age_are_replaced_and_others_left_alone(bench: Bench) -> None:
    bench.discord.emojis = {"die_1": 5, "logo": 6}
    await bench.run()
    assert bench.discord.calls.count("remove") == 1
    assert bench.discord.emojis["logo"] == 6
    assert bench.discord.emojis["die_1"] != 5


async def test_another_application_has_emojis_of_its_own(bench: Bench) -> None:
    await bench.run()
    bench.store.kept = {key.replace(":7", ":8"): value for key, value in bench.store.kept.items()}
    await bench.run()
    assert "all" in bench.discord.calls


async def test_what_was_deleted_by_hand_is_found_missing_within_a_week(bench: Bench) -> None:
    await bench.run()
    del bench.discord.emojis["die_1"]
    bench.now += RECHECK_SECONDS + 1
    await bench.run()
    assert bench.discord.calls == ["all", "add die_1"]


async def test_a_refused_emoji_is_text_until_it_is_there_again(bench: Bench) -> None:
    drawings, catalogue = await bench.start()
    del bench.discord.emojis["die_1"]
    bench.discord.calls.clear()
    drawings.report_refused()
    assert catalogue.icon("die-1") == "1"
    drawings.report_refused()  # the next table, before the check is through
    await checked(drawings)
    assert bench.discord.calls == ["all", "add die_1"]
    assert catalogue.icon("die-1") == f"<:die_1:{bench.discord.emojis['die_1']}>"
    await drawings.stop()


@pytest.mark.parametrize("leads", [True, False])
async def test_after_a_passing_refusal_emojis_are_used_again(bench: Bench, leads: bool) -> None:
    await bench.run()
    drawings, catalogue = await bench.start(leads=leads)
    for _ in range(3):
        drawings.report_refused()
        assert "<:" not in catalogue.icon("die-1")
        await checked(drawings)
        assert "<:" in catalogue.icon("die-1")
        bench.now += TRUSTED_SECONDS + 1
    assert [call for call in bench.discord.calls if call != "all"] == []
    await drawings.stop()


@pytest.mark.parametrize(("leads", "pauses"), [(True, [60, 120, 240, 480]), (False, [60, 120, 240])])
async def test_what_is_refused_again_and_again_though_listed_is_tried_ever_less(
    bench: Bench, leads: bool, pauses: list[int]
) -> None:
    """Otherwise every table would be sent twice for ever."""
    await bench.run()
    drawings, catalogue = await bench.start(leads=leads)
    drawings.report_refused()
    await checked(drawings)
    for pause in pauses:
        assert "<:" in catalogue.icon("die-1")
        drawings.report_refused()
        drawings.report_refused()  # another table, refused at the same time
        assert drawings.checks.due - asyncio.get_running_loop().time() == pytest.approx(pause, abs=1)
        for passed in (pause - 1, 1):
            assert catalogue.icon("die-1") == "1"
            bench.now += passed
            drawings.checks.wake()
            await checked(drawings)
    assert "<:" in catalogue.icon("die-1")
    await drawings.stop()


async def test_a_refusal_during_a_round_is_followed_by_another(bench: Bench) -> None:
    """As after an upgrade: a drawing is being replaced while a table still shows the old one."""
    await bench.run()
    bench.draw("down", "another look")
    bench.discord.pause = asyncio.Event()
    bench.discord.adding.clear()
    catalogue = Catalogue({"down": "v"})
    drawings = bench.made(catalogue)
    await drawings.start()
    await bench.discord.adding.wait()
    assert catalogue.icon("down") == "v", "what was removed is not shown"
    drawings.report_refused()
    bench.discord.pause.set()
    await checked(drawings)
    await asyncio.sleep(0.01)
    await checked(drawings)
    assert catalogue.icon("down") == f"<:down:{bench.discord.emojis['down']}>"
    await drawings.stop()


async def test_a_check_that_fails_while_emojis_are_refused_is_soon_made_again(bench: Bench) -> None:
    drawings, catalogue = await bench.start()
    bench.discord.broken = {"all"}
    drawings.report_refused()
    await checked(drawings)
    assert "<:" not in catalogue.icon("down")
    assert drawings.checks.due - asyncio.get_running_loop().time() <= DOUBT_SECONDS
    await drawings.stop()


async def test_where_emojis_are_off_none_are_checked(bench: Bench) -> None:
    drawings = bench.made(Catalogue({}))
    drawings.report_refused()
    await asyncio.sleep(0)
    assert (bench.discord.calls, bench.store.kept) == ([], {})


async def test_a_failed_upload_leaves_the_text(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.discord.broken = {"add die_1"}
    catalogue = await bench.run()
    assert catalogue.icon("die-1") == "1"
    assert "<:" in catalogue.icon("down")
    assert "die_1 could not be uploaded" in caplog.text
    bench.discord.broken = set()
    catalogue = await bench.run()
    assert bench.discord.calls == ["all", "add die_1"], "what was uploaded is not uploaded again"
    assert "<:" in catalogue.icon("die-1")


async def test_a_failed_round_is_tried_again_later(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.discord.broken = {"*"}
    drawings, catalogue = await bench.start()
    assert bench.discord.calls == ["all"]
    assert "<:" not in catalogue.icon("die-1")
    assert "tried again later" in caplog.text
    loop = asyncio.get_running_loop()
    assert 0 < drawings.checks.due - loop.time() <= RETRY_SECONDS
    bench.discord.broken = set()
    drawings.checks.wake()
    await checked(drawings)
    assert "<:" in catalogue.icon("die-1")
    await drawings.stop()
    assert drawings.checks.due == float("inf")


async def test_trouble_is_not_tried_for_every_drawing(bench: Bench) -> None:
    for number in range(2, 7):
        bench.draw(f"die-{number}", "a die")
    bench.discord.broken = {f"add {name_of(icon)}" for icon in drawn(bench.folder)}
    await bench.run()
    assert len(bench.discord.calls) == 1 + MAX_FAILURES


async def test_stopping_in_the_midst_of_an_upload(bench: Bench) -> None:
    bench.discord.pause = asyncio.Event()
    drawings = bench.made(Catalogue({}))
    await drawings.start()  # returns at once
    await bench.discord.adding.wait()
    await asyncio.wait_for(drawings.stop(), 5)
    assert not drawings.checks.running
    await drawings.stop()


async def test_without_drawings_there_is_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    discord = EmojiApi()
    drawings = ApplicationEmojis(
        Catalogue({}), cast(Store, Meta()), discord, lambda: 0.0, application_id=7, folder=tmp_path
    )
    await drawings.start()
    await drawings.stop()
    assert discord.calls == []
    assert "shown as text" in caplog.text


@pytest.mark.parametrize("text", ["", "{", "[]", '{"known": {"die-1": 3}}', '{"checked": "x"}', "null"])
async def test_a_damaged_note_of_uploaded_emojis_is_ignored(bench: Bench, text: str) -> None:
    bench.store.kept["emojis:7"] = text
    catalogue = await bench.run()
    assert "<:" in catalogue.icon("die-1")


async def test_the_playground_forgets_what_its_world_has_forgotten(bench: Bench) -> None:
    await bench.run()
    bench.discord.emojis = {}
    catalogue = await bench.run(trusting=False)
    assert len(bench.discord.calls) == 1 + len(ICONS)
    assert catalogue.icon("down") == f"<:down:{bench.discord.emojis['down']}>"


# ------------------------------------------------------------------ showing them


def test_a_button_shows_a_picture_or_the_text_that_stands_in() -> None:
    catalogue = Catalogue(TEXT_ICONS)
    screen = Screen((Buttons((Button("b", None, icon="down"),)),))

    def shown() -> str:
        (container,) = render(screen, catalogue, "en-US").to_components()
        return str(PartialEmoji.from_dict(container["components"][0]["components"][0]["emoji"]))

    assert shown() == "⬇️"
    catalogue.use({"down": "<:down:77>"})
    assert shown() == "<:down:77>"
    catalogue.use({})
    assert shown() == "⬇️"


def test_texts_follow_the_emojis() -> None:
    catalogue = Catalogue(TEXT_ICONS)
    roll = say("tutto-aside", dice=Icons(("die-1", "die-4")))
    before = catalogue.text("en", roll)
    catalogue.use({"die-1": "<:die_1:7>"})
    assert "<:die_1:7> " + TEXT_ICONS["die-4"] in catalogue.text("en", roll)
    catalogue.use({})
    assert catalogue.text("en", roll) == before


# ------------------------------------------------------------------ colours at the edge


def accents() -> dict[str, int]:
    found = {f"tutto.{card.value}": accent for card, accent in table.ACCENTS.items()}
    for path in sorted(Path(screens.__file__).parent.rglob("*.py")):
        name = ".".join(path.relative_to(Path(screens.__file__).parent).with_suffix("").parts)
        module = importlib.import_module(f"bot.screens.{name}")
        found |= {f"{name}.{key}": one for key, one in vars(module).items() if key.endswith("ACCENT")}
    return found


@pytest.mark.parametrize(("name", "accent"), sorted(accents().items()))
def test_the_edge_can_be_seen_in_both_themes(name: str, accent: int) -> None:
    """Every card is named too, but a colour that can't be seen is of no use."""
    for background in ((0x39, 0x3A, 0x41), (0xFF, 0xFF, 0xFF)):
        assert contrast(tuple(accent.to_bytes(3, "big")), background) >= 3


def test_every_card_has_a_colour_of_its_own() -> None:
    colours = [*table.ACCENTS.values(), table.BONUS_ACCENT, table.IDLE_ACCENT]
    assert len(set(colours)) == len(colours)
