"""A server's settings: an overview of all values, and a page to change each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.games.core import Unreadable
from bot.games.options import Choice, Flag, Number, value_key
from bot.i18n.say import Say, say
from bot.screens.button_ids import Page
from bot.screens.lobby import limit_name
from bot.screens.model import (
    CHANNELS,
    ROLES,
    Block,
    Button,
    Buttons,
    Divider,
    Menu,
    MenuOption,
    Screen,
    Text,
    button_rows,
    choice_button,
)
from bot.store.guild_settings import (
    MAX_CHOSEN,
    NAME,
    PING,
    TURN_SECONDS,
    GameSetting,
    GuildSettings,
    defaults,
    names,
)

MAX_LINES = 25
"""Discord's limit of lines in a menu."""

ALL, OPEN, AREA, PLACE, RESET, SET, MENU = "all", "open", "area", "place", "reset", "set", "menu"
"""Tokens of buttons and menus."""
IN_OVERVIEW, ON_ITS_PAGE = "o", "p"
"""Tokens: on which page a setting was reset."""

_token = Page.SETTINGS.token


@dataclass(frozen=True, slots=True)
class Choices:
    """What settings can be chosen from: the languages' own names by locale, the names of all time zones, and
    the games' options by the name of their setting."""

    languages: Mapping[str, str]
    zones: Sequence[str]
    games: Mapping[str, GameSetting]
    gone: Collection[str] = ()
    """The names of settings of whose chosen channels or roles none exists any more."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all settings."""
        return names(self.games)

    @property
    def defaults(self) -> GuildSettings:
        return defaults(self.games)


def overview(settings: GuildSettings, choices: Choices) -> Screen:
    """Show all settings, what they are for, and a button to reset each changed one."""
    lines = tuple(
        say(
            "settings-line",
            name=_name(name),
            value=value_of(settings, name, choices),
            what=say(f"settings-{_key(name)}-what"),
        )
        for name in choices.names
    )
    changed = [name for name in choices.names if _is_changed(settings, name, choices)]
    resets = [
        Button(_token(RESET, name, IN_OVERVIEW), say("settings-reset-one", name=_name(name)))
        for name in changed
    ]
    options = tuple(
        MenuOption(name, _name(name), value_of(settings, name, choices, short=True)) for name in choices.names
    )
    return Screen(
        (
            Text((say("settings-title"),)),
            *warnings(choices.gone),
            Divider(),
            Text(lines),
            Menu(_token(OPEN), say("settings-choose"), options),
            *([Text((say("settings-resets"),))] if resets else []),
            *button_rows(resets),
        )
    )


def one(settings: GuildSettings, name: str, choices: Choices, place: str = "") -> Screen:
    """Show one setting: what it is for, its value, and the other values.

    ``place`` is the shown part of the time zones: ``<area>`` or ``<area>.<page>``. Raises
    :class:`Unreadable` for an unknown setting.
    """
    if name not in choices.names:
        raise Unreadable("error-old-button")
    default = say("settings-default", value=value_of(choices.defaults, name, choices))
    value = say("settings-value", value=value_of(settings, name, choices))
    blocks: list[Block] = [
        Text((say("settings-one-title", name=_name(name)), say(f"settings-{_key(name)}-what"))),
        *warnings({name} & set(choices.gone)),
        Divider(),
        Text((value, default)),
        *_controls(settings, name, choices, place),
    ]
    is_default = not _is_changed(settings, name, choices)
    blocks.append(
        Buttons(
            (
                Button(_token(ALL), say("settings-back")),
                Button(_token(RESET, name, ON_ITS_PAGE), say("settings-reset"), disabled=is_default),
            )
        )
    )
    return Screen(tuple(blocks))


def warnings(gone: Collection[str]) -> tuple[Text, ...]:
    """Say of which settings all chosen channels or roles were deleted, and what applies meanwhile."""
    return (Text(tuple(say(f"settings-{_key(name)}-gone") for name in sorted(gone))),) if gone else ()


def value_of(settings: GuildSettings, name: str, choices: Choices, *, short: bool = False) -> Say:
    """Return a setting's value in words; ``short`` means without mentions, which menus can't show."""
    value = settings.value(name)
    if name in choices.games:
        return _option_value(choices.games[name], name, value)
    match name:
        case "language":
            if not value:
                return say("settings-language-auto")
            return say("settings-text", text=choices.languages.get(value, value))
        case "time_zone":
            return say("settings-text", text=value)
        case "turn_seconds":
            return limit_name(value)
        case "hints":
            return say("settings-on" if value else "settings-off")
        case "mentions":
            return say(f"settings-mentions-{value}")
        case _:
            if not value:
                return say(f"settings-{name}-all")
            sign = "#" if name == "channels" else "@&"
            if short:
                return say(f"settings-{name}-some", n=len(value))
            return say("settings-text", text=", ".join(f"<{sign}{number}>" for number in value))


def _is_changed(settings: GuildSettings, name: str, choices: Choices) -> bool:
    return name in choices.gone or settings.value(name) != choices.defaults.value(name)


def _key(name: str) -> str:
    return name.replace("_", "-")


def _name(name: str) -> Say:
    return say(f"settings-{_key(name)}")


def _controls(settings: GuildSettings, name: str, choices: Choices, place: str) -> Sequence[Block]:
    value = settings.value(name)
    if name in choices.games:
        return _option_controls(choices.games[name], name, value)
    match name:
        case "language":
            values = {"auto": say("settings-language-auto")} | {
                locale: say("settings-text", text=text) for locale, text in choices.languages.items()
            }
            return button_rows(_buttons(name, values, value or "auto"))
        case "time_zone":
            return _zones(value, choices.zones, place)
        case "turn_seconds":
            times = [seconds for seconds in sorted(TURN_SECONDS) if seconds] + [0]
            options = [MenuOption(str(n), limit_name(n), chosen=n == value) for n in times]
            return [Menu(_token(MENU, name), say("settings-turn-seconds-choose"), tuple(options))]
        case "hints":
            return _switch(name, value)
        case "mentions":
            labels = {key: say(f"settings-mentions-{key}") for key in (PING, NAME)}
            return button_rows(_buttons(name, labels, value))
        case _:
            kind = CHANNELS if name == "channels" else ROLES
            prompt = say(f"settings-{name}-choose")
            return [Menu(_token(MENU, name), prompt, kind=kind, most=MAX_CHOSEN, chosen=value)]


def _option_value(setting: GameSetting, name: str, value: Any) -> Say:
    match setting.option:
        case Flag():
            return say("settings-on" if value else "settings-off")
        case Choice():
            return Say(value_key(setting.game, setting.option_name, value))
        case Number():
            return say(f"settings-{_key(name)}-value", value=value)


def _option_controls(setting: GameSetting, name: str, value: Any) -> Sequence[Block]:
    match setting.option:
        case Flag():
            return _switch(name, value)
        case Choice(values=words):
            return button_rows(
                _buttons(name, {one: _option_value(setting, name, one) for one in words}, value)
            )
        case Number() as number:
            options = [
                MenuOption(str(one), _option_value(setting, name, one), chosen=one == value)
                for one in sorted({*number.offered, value})
            ]
            return [Menu(_token(MENU, name), say(f"settings-{_key(name)}-choose"), tuple(options))]


def _switch(name: str, on: bool) -> Sequence[Block]:
    labels = {"on": say("settings-on"), "off": say("settings-off")}
    return button_rows(_buttons(name, labels, "on" if on else "off"))


def _zones(value: str, zones: Sequence[str], place: str) -> list[Block]:
    """Return a menu of the areas of the world, and one of the places in an area, 25 to a page."""
    here, _, page = (place or value.partition("/")[0]).partition(".")
    areas = list(dict.fromkeys(zone.partition("/")[0] for zone in zones))
    options = [MenuOption(area, say("settings-text", text=area), chosen=area == here) for area in areas]
    blocks: list[Block] = [Menu(_token(AREA), say("settings-area-choose"), tuple(options))]
    places = [zone for zone in zones if zone.partition("/")[0] == here]
    if not places:
        return blocks
    pages = -(-len(places) // MAX_LINES)
    at = places.index(value) // MAX_LINES if value in places else 0
    if page.isascii() and page.isdecimal():
        at = min(int(page), pages - 1)
    shown = places[at * MAX_LINES : (at + 1) * MAX_LINES]
    blocks.append(
        Menu(
            _token(MENU, "time_zone"),
            say("settings-time-zone-choose", first=_city(shown[0]), last=_city(shown[-1])),
            tuple(
                MenuOption(zone, say("settings-text", text=_city(zone)), chosen=zone == value)
                for zone in shown
            ),
        )
    )
    if pages > 1:
        blocks.append(
            Buttons(
                (
                    Button(_token(PLACE, here, max(at - 1, 0), "p"), say("board-previous"), disabled=at == 0),
                    Button(_token(PLACE, here, at + 1, "n"), say("board-next"), disabled=at >= pages - 1),
                )
            )
        )
    return blocks


def _city(zone: str) -> str:
    return zone.partition("/")[2].replace("_", " ").replace("/", ", ") or zone


def _buttons(name: str, labels: Mapping[str, Say], chosen: str) -> list[Button]:
    return [
        choice_button(_token(SET, name, value), label, value == chosen) for value, label in labels.items()
    ]
