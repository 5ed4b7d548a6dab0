"""A catalogue in one language: it turns messages into text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

from bot.i18n.identity_cache import MAX_ENTRIES, IdentityCache
from bot.i18n.locales import date, decimal, month, number, percent
from bot.i18n.names import escaped
from bot.i18n.say import (
    Argument,
    Chain,
    Day,
    Decimal,
    Faces,
    GameIcon,
    GameName,
    Icons,
    Mention,
    Moment,
    Month,
    Name,
    Percent,
    Say,
)

Patterns = Callable[[str, int | None], Sequence[str]]
"""Returns the texts to try for a key, best first; a number selects the plural form."""

T = TypeVar("T")
V = TypeVar("V")

_log = logging.getLogger(__name__)


class Voice:
    """Turns messages into text in one language. :class:`~bot.i18n.catalogue.Catalogue` makes one per locale.

    The very same message is written out only once, so when icons are shown differently there is a new voice.
    """

    def __init__(
        self,
        locale: str,
        patterns: Patterns,
        icon: Callable[[str], str],
    ) -> None:
        """``icon`` returns an icon's application emoji, or its text."""
        self.icon = icon
        self._locale = locale
        self._patterns = lru_cache(maxsize=4096)(patterns)
        # Room for ten messages of each of MAX_ENTRIES tables, in two generations.
        self.text: Callable[[Say], str] = IdentityCache(self._text, size=MAX_ENTRIES * 10 // 2)
        """Return a message in this language, or in English if it is missing there."""
        self._makers: dict[Any, IdentityCache[Any, Any]] = {}
        self._writers: Mapping[type, Callable[[Any], str]] = {
            int: lambda value: number(locale, value),
            str: str,
            Name: lambda name: escaped(name.text),
            Icons: lambda icons: " ".join(map(icon, icons.names)),
            GameName: self._game_name,
            GameIcon: self._game_icon,
            # Keep a roll on one line.
            Faces: lambda faces: "\N{NO-BREAK SPACE}".join(map(str, faces.dice)),
            Mention: lambda who: f"<@{who.user_id}>",
            Moment: lambda moment: f"<t:{int(moment.at)}:R>",
            Percent: lambda share: percent(locale, share.share, share.digits),
            Decimal: lambda rounded: decimal(locale, rounded.value, rounded.digits),
            Day: lambda day: date(locale, day.number),
            Month: lambda which: month(locale, which.number),
            Say: self.text,
            Chain: self._chain,
        }

    def maker(self, make: Callable[[Voice, T], V]) -> Callable[[T], V]:
        """Return a function that calls ``make`` with this voice, and caches by the argument's identity."""
        if make not in self._makers:
            self._makers[make] = IdentityCache(partial(make, self))
        return self._makers[make]

    def _text(self, message: Say) -> str:
        values: dict[str, str] = {}
        count = None
        for name, value in message.args:
            values[name] = self._value(value)
            if name == "n" and isinstance(value, int):
                count = value
        return self._filled(message.key, count, values)

    def _filled(self, key: str, count: int | None, values: Mapping[str, str]) -> str:
        for pattern in self._patterns(key, count):
            try:
                return pattern.format_map(values)
            except (KeyError, IndexError, ValueError):
                _log.warning("The text of %s in %s does not fit its arguments", key, self._locale)
        return key

    def _value(self, value: Argument) -> str:
        writer = self._writers.get(type(value))
        if writer is None:
            kinds = [kind for kind in self._writers if isinstance(value, kind)]
            assert kinds, f"{value!r} must be resolved before it is shown"
            writer = self._writers[kinds[0]]
        return writer(value)

    def _game_name(self, name: GameName) -> str:
        key = f"{name.game}-name"
        return self._filled(key if self._patterns(key, None) else "former-game", None, {})

    def _game_icon(self, of: GameIcon) -> str:
        name = f"game-{of.game}"
        found = self.icon(name)
        return found if found != name else self.icon("dice")

    def _chain(self, chain: Chain) -> str:
        text, *others = map(self._value, chain.parts)
        for tail in others:
            text = self._filled(chain.key, None, {"head": text, "tail": tail})
        return text
