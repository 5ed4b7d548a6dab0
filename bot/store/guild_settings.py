"""The settings of a server. Each is declared once; its form, its checks and its default follow from that.

Another setting of one of these kinds needs a field of :class:`GuildSettings` and texts (``settings-…``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from bot.games.options import Choice, Flag, Option, Value
from bot.standings.periods import DEFAULT_ZONE, zones

PING, NAME = "ping", "name"
"""How the table names a person whose turn it is: with a mention, which notifies them, or by name only."""

CHANNEL, THREAD, ASK = "channel", "thread", "ask"
"""Where a new table opens: in the channel, in a thread of its own, or wherever its host says when asked."""

DEFAULT_TURN_SECONDS = 600
TURN_SECONDS = (60, 300, 600, 3600, 86_400, 3 * 86_400, 0)
"""The turn limits to choose from; 0 is no limit."""

MAX_CHOSEN = 25
"""How many channels or roles can be chosen at most."""


@dataclass(frozen=True, slots=True)
class Language:
    """The locale of one of the bot's languages, or "" for the server's language in Discord."""

    default: ClassVar[str] = ""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True, slots=True)
class TimeZone:
    """The name of a time zone."""

    default: ClassVar[str] = DEFAULT_ZONE

    def accepts(self, value: object) -> bool:
        return value in zones()


@dataclass(frozen=True, slots=True)
class TurnLimit:
    """One of :data:`TURN_SECONDS`."""

    default: ClassVar[int] = DEFAULT_TURN_SECONDS

    def accepts(self, value: object) -> bool:
        return type(value) is int and value in TURN_SECONDS


@dataclass(frozen=True, slots=True)
class ChannelsOrRoles:
    """Up to ``most`` channels of the server, or with ``roles`` that many roles, by their ids.

    With ``postable``, only channels that take messages are offered.
    """

    roles: bool = False
    postable: bool = False
    most: int = MAX_CHOSEN
    default: ClassVar[tuple[int, ...]] = ()

    def accepts(self, value: object) -> bool:
        return (
            isinstance(value, list | tuple)
            and len(value) <= self.most
            and all(type(number) is int and 0 < number < 1 << 63 for number in value)
        )


Kind = Language | TimeZone | TurnLimit | ChannelsOrRoles | Option
"""What a setting can be set to, with its default."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: the ``group`` of settings with which it shares a form, and its kind.

    For the server's default of a game's option, ``group`` is the game and ``option`` the name of the option.
    """

    group: str
    kind: Kind
    option: str = ""


def _setting(group: str, kind: Kind) -> Any:
    return field(default=kind.default, metadata={"setting": Setting(group, kind)})


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildSettings:
    """The settings of one server, in the order in which they are shown.

    ``options`` are the default options of games, by the name of the setting. Games may be played in
    ``channels`` and started by the roles in ``starters``; an empty set means all of them. With
    ``step_by_step``, what leaves nobody a choice is shown one step at a time. The card of a season is posted
    in ``seasons``.
    """

    language: str = _setting("language", Language())
    time_zone: str = _setting("language", TimeZone())
    options: Mapping[str, Value] = field(default_factory=dict)
    turn_seconds: int = _setting("games", TurnLimit())
    rated: bool = _setting("games", Flag(True))
    step_by_step: bool = _setting("games", Flag(True))
    mentions: str = _setting("people", Choice((PING, NAME)))
    tables: str = _setting("people", Choice((CHANNEL, THREAD, ASK)))
    channels: tuple[int, ...] = _setting("people", ChannelsOrRoles())
    starters: tuple[int, ...] = _setting("people", ChannelsOrRoles(roles=True))
    seasons: tuple[int, ...] = _setting("people", ChannelsOrRoles(postable=True, most=1))

    def value(self, name: str) -> Any:
        """Return the value of one setting."""
        return self.options[name] if name in self.options else getattr(self, name)


def declared(game_settings: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """Return all settings by name, in the order in which they are shown, with those of games among them."""
    settings: dict[str, Setting] = {}
    for declaration in fields(GuildSettings):
        name = declaration.name
        settings |= game_settings if name == "options" else {name: declaration.metadata["setting"]}
    return settings


def defaults(game_settings: Mapping[str, Setting]) -> GuildSettings:
    """Return the default settings."""
    options: dict[str, Any] = {name: setting.kind.default for name, setting in game_settings.items()}
    return GuildSettings(options=options)


def fits(name: str, value: Any, languages: tuple[str, ...], settings: Mapping[str, Setting]) -> bool:
    """Return whether the setting ``name``, one of all ``settings``, can have this value."""
    if name not in settings:
        return False
    kind = settings[name].kind
    return kind.accepts(value) and (not isinstance(kind, Language) or value in ("", *languages))
