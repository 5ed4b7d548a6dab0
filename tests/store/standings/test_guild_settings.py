"""The settings of servers, and that no others can be stored."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.discordpy.components import render
from bot.discordpy.modals import MAX_LABEL, render_form
from bot.games.core import Unreadable
from bot.i18n.catalogue import Catalogue
from bot.registry import GAMES, find
from bot.screens.model import LINE, Field
from bot.screens.option_fields import SWITCHES
from bot.screens.settings import (
    SET_BLANK,
    Choices,
    entered_settings,
    find_zone,
    overview,
    settings_form,
)
from bot.services.guild_settings import GuildSettingsCache, game_settings
from bot.standings.periods import period_start, zones
from bot.standings.values import Leaderboard, Period, Sort
from bot.store.base import Store
from bot.store.guild_settings import ChannelsOrRoles, GuildSettings, declared, defaults, fits
from tests.store.standings.test_standings import end
from tests.support.contract.component_rules import form, interactive, size
from tests.support.databases import Database, store_on
from tests.support.histories import NOW

LANGUAGES = ("de", "en", "fr", "it")
DEFAULTS, SETTINGS = defaults(game_settings()), declared(game_settings())
LISTS = [name for name, setting in SETTINGS.items() if isinstance(setting.kind, ChannelsOrRoles)]

GOOD: list[tuple[str, Any]] = [
    ("language", "de"),
    ("time_zone", "Europe/Zurich"),
    ("edition", "classic"),
    ("target", 10_000),
    ("turn_seconds", 0),
    ("turn_seconds", 3600),
    ("rated", False),
    ("mentions", "name"),
    ("channels", [1, 2]),
    ("starters", [(1 << 63) - 1]),
    ("seasons", [(1 << 63) - 1]),
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
    ("rated", 1),
    ("mentions", "shout"),
    ("channels", [0]),
    ("channels", [1 << 63]),
    ("channels", "1"),
    ("starters", list(range(1, 27))),
    ("seasons", [1, 2]),
    ("colour", "red"),
]


@pytest.mark.parametrize(("name", "value"), GOOD)
async def test_choices_are_kept_and_one_click_goes_back(new: Database, name: str, value: Any) -> None:
    async with store_on(new) as store:
        servers = GuildSettingsCache(store, LANGUAGES)
        assert await servers.choose(10, name, value, NOW) == servers.of(10)
        for known in (servers, await loaded(store)):
            found = known.of(10).value(name)
            assert found == (tuple(value) if isinstance(value, list) else value)
            assert known.of(11) == DEFAULTS
            assert known.of(None) == DEFAULTS
        assert await store.known_guilds() == (10,)
        servers.forget(10)
        assert servers.of(10) == DEFAULTS
        await servers.load()
        assert servers.of(10) != DEFAULTS
        await servers.choose(10, name, None, NOW)
        assert servers.of(10) == DEFAULTS
        assert await store.all_settings() == {}


@pytest.mark.parametrize(("name", "value"), BAD)
async def test_nothing_else_is_taken(new: Database, name: str, value: Any) -> None:
    async with store_on(new) as store:
        servers = GuildSettingsCache(store, LANGUAGES)
        with pytest.raises(ValueError, match="can't be"):
            await servers.choose(10, name, value, NOW)
        assert await store.all_settings() == {}
        # What an older version may have stored counts as not chosen.
        await store.set_settings(10, {name: value if value != 10**400 else "much"}, NOW)
        assert (await loaded(store)).of(10) == DEFAULTS


@pytest.mark.parametrize("bad", ["edition", "language", "rated", "turn_seconds"])
async def test_a_stored_choice_that_fits_no_more_takes_no_other_with_it(new: Database, bad: str) -> None:
    good = {"edition": "classic", "language": "de", "rated": False, "turn_seconds": 3600}
    async with store_on(new) as store:
        await store.set_settings(10, good | {bad: "other"}, NOW)
        found = (await loaded(store)).of(10)
        assert {name: found.value(name) for name in good} == good | {bad: DEFAULTS.value(bad)}


async def test_with_a_new_time_zone_the_present_day_is_counted_again(new: Database) -> None:
    """Soon after midnight in Zurich it is still the day before in London, with its games."""
    midnight = datetime(2026, 6, 2, tzinfo=ZoneInfo("Europe/Zurich")).timestamp()
    async with store_on(new) as store:

        async def games_of_the_day(zone: str) -> int:
            day = Leaderboard(10, "tutto", Sort.WINS, Period.DAY, period_start(Period.DAY, midnight, zone))
            (first,) = await store.standings(day, 0, 1)
            return int(first.games)

        await store.set_settings(10, {"time_zone": "Europe/Zurich"}, midnight)
        for at in (midnight - 60, midnight):
            await end(store, 1, 2, at=at)
        assert await games_of_the_day("Europe/Zurich") == 1
        await store.set_settings(10, {"time_zone": "Europe/London"}, midnight)
        assert await games_of_the_day("Europe/London") == 2


async def loaded(store: Store) -> GuildSettingsCache:
    servers = GuildSettingsCache(store, LANGUAGES)
    await servers.load()
    return servers


def test_the_defaults_fit_and_are_those_of_the_games() -> None:
    for name in SETTINGS:
        assert fits(name, DEFAULTS.value(name), LANGUAGES, SETTINGS), name
    assert find("tutto").rules.options({}).to_json() == {
        "edition": DEFAULTS.value("edition"),
        "target": DEFAULTS.value("target"),
    }


def test_the_page_and_the_forms_fit_into_discord() -> None:
    """Whatever is chosen, in every language."""
    choices = Choices(dict(zip(LANGUAGES, LANGUAGES, strict=True)), zones(), game_settings())
    chosen = GuildSettings(
        language="de",
        time_zone="America/Argentina/ComodRivadavia",
        options={
            "edition": "classic",
            "target": 50_000,
            "gambler_stars": "distinct",
            "gambler_target": 1000,
            "gambler_choose": True,
        },
        turn_seconds=0,
        rated=False,
        mentions="name",
        channels=tuple(range(1, 26)),
        seasons=(1,),
        starters=tuple(range(1, 26)),
    )
    catalogue = Catalogue({})
    for settings, locale in itertools.product((chosen, DEFAULTS), LANGUAGES):
        everything = replace(choices, gone=LISTS[:2], refused_card=682)
        rendered = render(overview(settings, everything), catalogue, locale).to_components()
        assert not [*interactive(rendered), *size(rendered)]
        for group in ("language", *GAMES, "games", "people"):
            made = settings_form(settings, group, choices)
            assert all(len(catalogue.text(locale, field.label)) <= MAX_LABEL for field in made.fields)
            assert not list(form(render_form(made, catalogue, locale)["components"]))


def test_all_settings_are_in_the_forms_and_come_back_from_them() -> None:
    choices = Choices(dict(zip(LANGUAGES, LANGUAGES, strict=True)), zones(), game_settings())
    found = set()
    for group in ("language", *GAMES, "games", "people"):
        made = settings_form(DEFAULTS, group, choices)
        shown = made.token.rpartition(".")[2]
        entered = {
            field.name: [field.text] if field.kind == LINE else _chosen(field) for field in made.fields
        }
        assert entered_settings(DEFAULTS, group, shown, choices, entered) == {}
        found |= entered.keys() | {
            one.value for field in made.fields if field.name == SWITCHES for one in field.options
        }
    assert found == {*SETTINGS, SWITCHES}


def test_a_blank_form_keeps_what_is_left_empty() -> None:
    choices = Choices(dict(zip(LANGUAGES, LANGUAGES, strict=True)), zones(), game_settings())
    settings = GuildSettings(channels=(1, 2), starters=(3,))
    made = settings_form(settings, "people", choices, blank=True)
    assert {field.name: field.chosen for field in made.fields if field.name in LISTS} == dict.fromkeys(
        LISTS, ()
    )
    kind, _, shown = made.token.split(".")[-3:]
    assert kind == SET_BLANK
    entered = {"mentions": ["name"], "tables": ["ask"], "channels": [], "starters": ["4"], "seasons": []}
    taken = entered_settings(settings, "people", shown, choices, entered, blank=True)
    assert taken == {"mentions": "name", "tables": "ask", "starters": (4,)}
    assert entered_settings(settings, "people", shown, choices, entered)["channels"] == ()


def _chosen(field: Field) -> list[str]:
    return [one.value for one in field.options if one.chosen] + [str(one) for one in field.chosen]


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("Europe/Zurich", "Europe/Zurich"),
        (" europe/zurich ", "Europe/Zurich"),
        ("Zurich", "Europe/Zurich"),
        ("new  york", "America/New_York"),
        ("UTC", "UTC"),
    ],
)
def test_a_time_zone_is_found_by_its_city(typed: str, zone: str) -> None:
    assert find_zone(typed, zones()) == zone


@pytest.mark.parametrize(
    ("typed", "near"), [("Zurch", "`Europe/Zurich`"), ("`*Mars*`", "`Europe/Zurich`"), ("", "Europe/")]
)
def test_an_unknown_time_zone_is_refused_with_what_is_near(typed: str, near: str) -> None:
    with pytest.raises(Unreadable) as refused:
        find_zone(typed, zones())
    assert refused.value.code == "error-time-zone"
    assert near in str(refused.value.facts["near"])
    assert not set(str(refused.value.facts["typed"])) & set("`*_~|")
