"""A catalogue in one language: it says messages, and remembers what it has said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

from bot.i18n.locales import number, percent
from bot.i18n.memo import MOST, Same
from bot.i18n.names import escaped
from bot.i18n.say import Argument, Chain, Faces, Icons, Mention, Moment, Name, Percent, Say

Patterns = Callable[[str, int | None], Sequence[str]]
"""The texts to try for a key, best first. The number chooses the plural form where a key has several."""

T = TypeVar("T")
V = TypeVar("V")

_log = logging.getLogger(__name__)


class Voice:
    """Made by :class:`~bot.i18n.catalogue.Catalogue`; it is given up once pictures are shown differently.

    Tables repeat themselves from click to click: the very same message is not put together again.
    """

    def __init__(
        self,
        locale: str,
        patterns: Patterns,
        icon: Callable[[str], str],
        drawn: Callable[[str], str | None],
    ) -> None:
        """``icon`` says what stands for a picture, ``drawn`` which emoji shows it, if one does."""
        self.icon, self.drawn = icon, drawn
        self._locale = locale
        self._patterns = lru_cache(maxsize=4096)(patterns)
        # A table has about ten that are its own.
        self.text: Callable[[Say], str] = Same(self._text, most=MOST * 10 // 2)
        """The message in this language; in English where that lacks it."""
        self._made: dict[Any, Same[Any, Any]] = {}
        self._writers: Mapping[type, Callable[[Any], str]] = {
            int: lambda value: number(locale, value),
            str: str,
            Name: lambda name: escaped(name.text),
            Icons: lambda icons: " ".join(map(icon, icons.names)),
            # A roll is not torn apart at the end of a line.
            Faces: lambda faces: "\N{NO-BREAK SPACE}".join(map(str, faces.dice)),
            Mention: lambda who: f"<@{who.user_id}>",
            Moment: lambda moment: f"<t:{int(moment.at)}:R>",
            Percent: lambda share: percent(locale, share.share, share.digits),
            Say: self.text,
            Chain: self._chain,
        }

    def maker(self, make: Callable[[Voice, T], V]) -> Callable[[T], V]:
        """``make`` for this voice, remembering what it has made of the very same object."""
        if make not in self._made:
            self._made[make] = Same(partial(make, self))
        return self._made[make]

    def _text(self, message: Say) -> str:
        values = {name: self._value(value) for name, value in message.args}
        count = next((value for name, value in message.args if name == "n" and isinstance(value, int)), None)
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

    def _chain(self, chain: Chain) -> str:
        whole, *others = map(self._value, chain.parts)
        for text in others:
            whole = self._filled(chain.key, None, {"head": whole, "tail": text})
        return whole
