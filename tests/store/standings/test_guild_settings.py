"""The settings of servers, and that no others can be stored."""

from __future__ import annotations

from typing import Any

import pytest

from bot.registry import find
from bot.screens.model import Buttons, Menu
from bot.screens.settings import Choices, one, overview
from bot.services.guild_settings import GuildSettingsCache, game_settings
from bot.store.base import Store
from bot.store.guild_settings import GuildSettings, defaults, fits, names
from tests.support.databases import Place, open_store
from tests.support.histories import NOW

LANGUAGES = ("de", "en", "fr", "it")
DEFAULTS, NAMES = defaults(game_settings()), names(game_settings())

GOOD: list[tuple[str, Any]] = [
    ("language", "de"),
    ("time_zone", "Europe/Zurich"),
    ("edition", "classic"),
    ("target", 10_000),
    ("turn_seconds", 0),
    ("turn_seconds", 3600),
    ("hints", False),
    ("mentions", "name"),
    ("channels", [1, 2]),
    ("starters", [(1 << 63) - 1]),
]

BAD: list[tuple[str, Any]] = [
    ("language", "xx"),
    ("language", 5),
    ("time_zone", "Mars/Olympus"),
    ("time_zone", ""),
    ("edition", "deluxe"),
    ("target", 1250),
    ("target", 10**400),
    ("target", True),
    ("turn_seconds", 7),
    ("hints", 1),
    ("mentions", "shout"),
    ("channels", [0]),
    ("channels", [1 << 63]),
    ("channels", "1"),
    ("starters", list(range(1, 27))),
    ("colour", "red"),
]


@pytest.mark.parametrize(("name", "value"), GOOD)
async def test_choices_are_kept_and_one_click_goes_back(new: Place, name: str, value: Any) -> None:
    store = await open_store(new)
    try:
        servers = GuildSettingsCache(store, LANGUAGES)
        await servers.choose(10, name, value, NOW)
        for known in (servers, await loaded(store)):
            found = known.of(10).value(name)
            assert found == (tuple(value) if isinstance(value, list) else value)
            assert known.of(11) == DEFAULTS
            assert known.of(None) == DEFAULTS
        await servers.choose(10, name, None, NOW)
        assert servers.of(10) == DEFAULTS
        assert await store.all_settings() == {}
    finally:
        await store.close()


@pytest.mark.parametrize(("name", "value"), BAD)
async def test_nothing_else_is_taken(new: Place, name: str, value: Any) -> None:
    store = await open_store(new)
    try:
        servers = GuildSettingsCache(store, LANGUAGES)
        with pytest.raises(ValueError, match="can't be"):
            await servers.choose(10, name, value, NOW)
        assert await store.all_settings() == {}
        # What an older version may have stored counts as not chosen.
        await store.set_setting(10, name, value if value != 10**400 else "much", NOW)
        assert (await loaded(store)).of(10) == DEFAULTS
    finally:
        await store.close()


async def loaded(store: Store) -> GuildSettingsCache:
    servers = GuildSettingsCache(store, LANGUAGES)
    await servers.load()
    return servers


def test_the_defaults_fit_and_are_those_of_the_games() -> None:
    for name in NAMES:
        assert fits(name, DEFAULTS.value(name), LANGUAGES, game_settings()), name
    assert find("tutto").rules.options({}).to_json() == {
        "edition": DEFAULTS.value("edition"),
        "target": DEFAULTS.value("target"),
    }


def test_pages_fit_into_a_message() -> None:
    """Whatever is chosen: at most 40 components, 25 lines a menu, and no two buttons of one id."""
    choices = Choices(dict(zip(LANGUAGES, LANGUAGES, strict=True)), zones_of_all(), game_settings())
    settings = GuildSettings(
        language="de",
        time_zone="America/Argentina/ComodRivadavia",
        options={"edition": "classic", "target": 50_000},
        turn_seconds=0,
        hints=False,
        mentions="name",
        channels=tuple(range(1, 26)),
        starters=tuple(range(1, 26)),
    )
    places = ["", *(f"{zone.partition('/')[0]}.{page}" for zone in zones_of_all()[::20] for page in (0, 99))]
    screens = [overview(settings, choices), overview(DEFAULTS, choices)]
    screens += [one(settings, name, choices) for name in NAMES]
    screens += [one(settings, "time_zone", choices, place) for place in places]
    for screen in screens:
        rows = [block for block in screen.blocks if isinstance(block, Buttons)]
        menus = [block for block in screen.blocks if isinstance(block, Menu)]
        assert 1 + len(screen.blocks) + len(menus) + sum(len(row.buttons) for row in rows) <= 40
        assert all(len(row.buttons) <= 5 for row in rows)
        assert all(len(menu.options) <= 25 for menu in menus)
        tokens = [button.token for row in rows for button in row.buttons] + [menu.token for menu in menus]
        assert len(tokens) == len(set(tokens))
        assert all(len(token) <= 60 for token in tokens)


def zones_of_all() -> tuple[str, ...]:
    from bot.standings.periods import zones

    return zones()
