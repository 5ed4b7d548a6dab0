"""A server's settings: an overview of all values, and a form for each group of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from bot.games.core import GameError, Unreadable
from bot.games.options import Choice, Flag, Number, value_key
from bot.i18n.say import Month, Say, say
from bot.screens.button_ids import Page
from bot.screens.lobby import limit_name
from bot.screens.model import (
    CHANNELS,
    LINE,
    POSTABLE,
    ROLES,
    Block,
    Button,
    Divider,
    Entered,
    Field,
    Form,
    Screen,
    Section,
    Text,
    button_rows,
)
from bot.screens.option_fields import (
    SWITCHES,
    choice_field,
    digest,
    entered_number,
    entered_value,
    entered_word,
    option_field,
    switches,
)
from bot.store.guild_settings import (
    TURN_SECONDS,
    ChannelsOrRoles,
    GuildSettings,
    Language,
    Setting,
    TimeZone,
    TurnLimit,
    declared,
    defaults,
)

OPEN, RESET, SET, SET_BLANK = "open", "reset", "set", "blank"
"""Tokens: open the form for a group of settings, reset a setting, and submit a form, or a blank one."""

AUTO = "auto"
"""The value of the language that means the server's language in Discord."""

MAX_ZONE = 60
"""How many characters can be typed for a time zone."""

_token = Page.SETTINGS.token


@dataclass(frozen=True, slots=True)
class Choices:
    """What settings can be chosen from: the languages' own names by locale, the names of all time zones, and
    the games' options by the name of their setting."""

    languages: Mapping[str, str]
    zones: Sequence[str]
    games: Mapping[str, Setting]
    gone: Collection[str] = ()
    """The names of settings of whose chosen channels or roles none exists any more."""
    refused_card: int | None = None
    """The season whose card could not be posted, if that is the latest."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """All settings, by name."""
        return declared(self.games)

    @property
    def defaults(self) -> GuildSettings:
        return defaults(self.games)


def overview(settings: GuildSettings, choices: Choices) -> Screen:
    """Show all settings, what they are for, and buttons to change a group and to reset each changed one."""
    changed = [name for name in choices.settings if _is_changed(settings, name, choices)]
    resets = [Button(_token(RESET, name), say("settings-reset-one", name=_name(name))) for name in changed]
    sections: list[Block] = []
    for group in dict.fromkeys(one.group for one in choices.settings.values()):
        button = Button(_token(OPEN, group), say("settings-change"))
        lines = [
            _line(name, one, settings.value(name), choices) for name, one in _group(group, choices).items()
        ]
        sections += [Divider(), Section(tuple(lines), button)]
    return Screen.of(
        # One block, as Discord limits their number.
        Text.of(say("settings-title"), *_notes(choices)),
        *sections,
        Text.of(say("settings-resets")) if resets else None,
        *button_rows(resets),
    )


def settings_form(settings: GuildSettings, group: str, choices: Choices, *, blank: bool = False) -> Form:
    """Return the form for a group of settings. Raises :class:`Unreadable` for an unknown group.

    In a ``blank`` form no channels and roles are chosen: Discord does not open one with any that it has
    deleted, and may know of that before the bot does. Left empty, such a setting stays as it is.
    """
    fields: list[Field] = []
    on: dict[str, tuple[Say, bool]] = {}
    for name, setting in _group(group, choices).items():
        value = settings.value(name)
        if isinstance(setting.kind, Flag):
            on[name] = (_name(name), value)
        else:
            field = _field(name, setting, value, choices)
            if blank and isinstance(setting.kind, ChannelsOrRoles):
                field = replace(field, chosen=(), detail=say("settings-keep-choice"))
            fields.append(field)
    token = _token(SET_BLANK if blank else SET, group, _digest(settings, group, choices))
    is_game = any(one.group == group for one in choices.games.values())
    title = Say(f"{group}-name") if is_game else say(f"settings-group-{group}")
    return Form(token, title, (*fields, *switches(on)))


def entered_settings(
    settings: GuildSettings,
    group: str,
    shown: str,
    choices: Choices,
    entered: Entered,
    *,
    blank: bool = False,
) -> Mapping[str, Any]:
    """Return the settings of a group that a form changes, by name. It showed those with the digest ``shown``,
    or was ``blank``.

    Raises :class:`Unreadable` for values that can't be chosen, and :class:`~bot.games.core.GameError` if the
    settings have changed since the form was opened.
    """
    chosen = {
        name: _entered_value(name, setting, choices, entered)
        for name, setting in _group(group, choices).items()
        if entered.get(name) or not (blank and isinstance(setting.kind, ChannelsOrRoles))
    }
    changed = {name: value for name, value in chosen.items() if value != settings.value(name)}
    if changed and shown != _digest(settings, group, choices):
        raise GameError("error-settings-changed")
    return changed


def zone_field(name: str, label: Say, zone: str) -> Field:
    """Return the field in which a time zone is typed; what is entered is for :func:`find_zone`."""
    return Field(name, label, LINE, detail=say("settings-time-zone-detail"), most=MAX_ZONE, text=zone)


def find_zone(typed: str, zones: Sequence[str]) -> str:
    """Return the time zone that somebody means by its name or only by its city, in any case of letters.

    Raises :class:`Unreadable` with names that are near.

    >>> find_zone("new york", ["America/New_York", "Europe/Zurich"])
    'America/New_York'
    """
    wanted = "_".join(typed.split()).casefold()
    for zone in zones:
        if wanted == zone.casefold():
            return zone
    same = [zone for zone in zones if wanted == zone.rpartition("/")[2].casefold()]
    if len(same) == 1:
        return same[0]
    cities = {zone.rpartition("/")[2].casefold(): zone for zone in zones}
    near = same or [cities[city] for city in get_close_matches(wanted, cities)] or ["Europe/Zurich"]
    safe = "".join(letter for letter in typed if letter.isalnum() or letter in " /-")
    raise Unreadable("error-time-zone", typed=safe, near=", ".join(f"`{zone}`" for zone in near[:3]))


def warnings(gone: Collection[str]) -> tuple[Text, ...]:
    """Say of which settings all chosen channels or roles were deleted, and what applies meanwhile."""
    return (Text(tuple(say(f"settings-{_key(name)}-gone") for name in sorted(gone))),) if gone else ()


def _notes(choices: Choices) -> tuple[Say, ...]:
    gone = tuple(line for text in warnings(choices.gone) for line in text.lines)
    if choices.refused_card is None:
        return gone
    return (*gone, say("settings-seasons-refused", month=Month(choices.refused_card)))


def _value(name: str, setting: Setting, value: Any, choices: Choices) -> Say:
    """Return a setting's value in words."""
    match setting.kind:
        case Language():
            if not value:
                return say("settings-language-auto")
            return say("settings-text", text=choices.languages.get(value, value))
        case TimeZone():
            return say("settings-text", text=value)
        case TurnLimit():
            return limit_name(value)
        case ChannelsOrRoles(roles):
            if not value:
                return say(f"settings-{_key(name)}-all")
            sign = "@&" if roles else "#"
            return say("settings-text", text=", ".join(f"<{sign}{number}>" for number in value))
        case Flag():
            return say("settings-on" if value else "settings-off")
        case Number():
            return say(f"settings-{_key(name)}-value", value=value)
        case Choice():
            if setting.option:
                return Say(value_key(setting.group, setting.option, value))
            return say(f"settings-{_key(name)}-{value}")


def _line(name: str, setting: Setting, value: Any, choices: Choices) -> Say:
    what = say(f"settings-{_key(name)}-what")
    return say("settings-line", name=_name(name), value=_value(name, setting, value, choices), what=what)


def _is_changed(settings: GuildSettings, name: str, choices: Choices) -> bool:
    return name in choices.gone or settings.value(name) != choices.defaults.value(name)


def _key(name: str) -> str:
    return name.replace("_", "-")


def _name(name: str) -> Say:
    return say(f"settings-{_key(name)}")


def _group(group: str, choices: Choices) -> Mapping[str, Setting]:
    """Return the settings of a group, by name. Raises :class:`Unreadable` if there is none."""
    group_settings = {name: one for name, one in choices.settings.items() if one.group == group}
    if not group_settings:
        raise Unreadable("error-old-button")
    return group_settings


def _digest(settings: GuildSettings, group: str, choices: Choices) -> str:
    return digest([settings.value(name) for name in _group(group, choices)])


def _field(name: str, setting: Setting, value: Any, choices: Choices) -> Field:
    label = _name(name)
    match setting.kind:
        case Language():
            words = {AUTO: say("settings-language-auto")} | {
                locale: say("settings-text", text=text) for locale, text in choices.languages.items()
            }
            return choice_field(name, label, words, value or AUTO)
        case TimeZone():
            return zone_field(name, label, value)
        case TurnLimit():
            return choice_field(name, label, {str(n): limit_name(n) for n in TURN_SECONDS}, str(value))
        case ChannelsOrRoles(roles, postable, most):
            kind = ROLES if roles else POSTABLE if postable else CHANNELS
            detail = say(f"settings-{_key(name)}-choose")
            return Field(name, label, kind, detail=detail, most=most, chosen=value)
        case Choice() | Number() as option:
            return option_field(name, label, option, value, lambda one: _value(name, setting, one, choices))
        case Flag():
            raise AssertionError("what is on or off has no field of its own")


def _entered_value(name: str, setting: Setting, choices: Choices, entered: Entered) -> Any:
    match setting.kind:
        case Flag():
            return name in entered.get(SWITCHES, ())
        case ChannelsOrRoles():
            return tuple(entered_number(text) for text in entered.get(name, ()))
        case Choice() | Number() as option:
            return entered_value(option, entered, name)
        case Language():
            word = entered_word(entered, name)
            return "" if word == AUTO else word
        case TimeZone():
            return find_zone(entered_word(entered, name), choices.zones)
        case TurnLimit():
            return entered_number(entered_word(entered, name))
