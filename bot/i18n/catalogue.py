"""The catalogues: PO files, one folder a language; numbers and plurals as each language has them."""

from __future__ import annotations

import gettext
import io
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_datetime
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from bot.i18n.names import escaped
from bot.i18n.say import Argument, Chain, Faces, Icons, Mention, Moment, Name, Percent, Say, SeatRef
from bot.recall import Same

FOLDER = Path(__file__).parent / "locale"
SOURCE = "en"
"""The language that is always complete; a key missing elsewhere is shown in it."""

_log = logging.getLogger(__name__)


def read(language: str, folder: Path = FOLDER) -> Catalog:
    """All PO files of one language as one catalogue. A key in two files is an error."""
    whole = Catalog(locale=language)
    for path in sorted((folder / language).glob("*.po")):
        with path.open("rb") as file:
            part = read_po(file, locale=language, abort_invalid=True)
        # The plural forms are those the file says it has, which may be fewer than Babel knows of.
        whole.mime_headers = [("Plural-Forms", part.plural_forms)]
        for message in part:
            if not message.id:
                continue
            if message.id in whole:
                raise ValueError(f"{path.name} of {language} repeats {message.id}")
            whole[message.id] = message
    return whole


class Catalogue:
    """Puts messages into languages. ``icons`` is what pictures are shown as in text; see also :meth:`use`."""

    def __init__(self, icons: Mapping[str, str], folder: Path = FOLDER) -> None:
        self._icons = dict(icons)
        self._drawn: dict[str, str] = {}
        self.languages = tuple(sorted(path.name for path in folder.iterdir() if path.is_dir()))
        self._texts = {language: _translations(language, folder) for language in self.languages}
        # Tables repeat themselves from click to click; what was said lately need not be put together again.
        self._cached = lru_cache(maxsize=8192)(self._text)
        # The very same message need not even be compared.
        self._near: Same[Say, str, str] = Same(lambda message, locale: self._cached(locale, message))

    def use(self, icons: Mapping[str, str]) -> None:
        """Show these pictures as given from now on, as application emojis, and all others as text."""
        if icons != self._drawn:
            self._drawn = dict(icons)
            self._cached.cache_clear()
            self._near.clear()

    def icon(self, name: str) -> str:
        return self._drawn.get(name) or self._icons.get(name, name)

    def drawn(self, name: str) -> str | None:
        """The application emoji of a picture, if there is one to show."""
        return self._drawn.get(name)

    def language(self, locales: Iterable[str | None]) -> str:
        """The first of the ``locales`` that can be served, e.g. ``de`` for ``de-CH``; English if none can."""
        for locale in locales:
            if not locale:
                continue
            if _language(locale) in self.languages:
                return locale
        return SOURCE

    def text(self, locale: str, message: Say) -> str:
        """The message in the language of ``locale``; in English where that lacks it."""
        return self._near(message, locale)

    def _text(self, locale: str, message: Say) -> str:
        language = _language(locale)
        values = {name: self._value(locale, value) for name, value in message.args}
        count = next((value for name, value in message.args if name == "n" and isinstance(value, int)), None)
        for candidate in (language, SOURCE):
            texts = self._texts.get(candidate)
            if texts is None:
                continue
            pattern = (
                texts.ngettext(message.key, message.key, count)
                if count is not None and texts.counts(message.key)
                else texts.gettext(message.key)
            )
            if pattern == message.key:
                continue
            try:
                return pattern.format_map(values)
            except (KeyError, IndexError, ValueError):
                _log.warning("The text of %s in %s does not fit its arguments", message.key, candidate)
        return message.key

    def _value(self, locale: str, value: Argument) -> str:
        match value:
            case int():
                return number(locale, value)
            case str():
                return value
            case Name(text):
                return escaped(text)
            case Icons(names):
                return " ".join(self.icon(name) for name in names)
            case Faces(dice):
                # A roll is not torn apart at the end of a line.
                return "\N{NO-BREAK SPACE}".join(map(str, dice))
            case Mention(user_id):
                return f"<@{user_id}>"
            case Moment(at):
                return f"<t:{int(at)}:R>"
            case Percent(share, digits):
                return percent(locale, share, digits)
            case Say():
                return self.text(locale, value)
            case Chain(key, parts):
                whole, *others = (self._value(locale, part) for part in parts)
                for text in others:
                    whole = self._text(locale, Say(key, (("head", whole), ("tail", text))))
                return whole
            case SeatRef():
                raise AssertionError("a seat must be resolved to a name before it is shown")


class _Texts(gettext.GNUTranslations):
    """Translations that know which of their keys have plural forms."""

    def __init__(self, file: io.BytesIO, plurals: frozenset[str]) -> None:
        super().__init__(file)
        self._plurals = plurals

    def counts(self, key: str) -> bool:
        return key in self._plurals


@lru_cache(maxsize=32)
def _translations(language: str, folder: Path) -> _Texts:
    """The texts of a language. Reading them takes longer than all else at start, so it is done once."""
    catalog = read(language, folder)
    file = io.BytesIO()
    write_mo(file, catalog)
    file.seek(0)
    plurals = frozenset(message.id[0] for message in catalog if isinstance(message.id, (tuple, list)))
    return _Texts(file, plurals)


@lru_cache(maxsize=4096)
def number(locale: str, value: int) -> str:
    """An integer as people write it where ``locale`` is spoken: 6,000 or 6.000 or 6 000."""
    # CLDR has a hyphen for a minus, which is too short beside digits and may end a line.
    return format_decimal(value, locale=_babel(locale)).replace("-", "\N{MINUS SIGN}")


@lru_cache(maxsize=4096)
def percent(locale: str, share: float, digits: int = 1) -> str:
    """A share of 1 as people write it where ``locale`` is spoken: 51.2% or 51,2 %.

    >>> percent("en", 0.51234)
    '51.2%'
    """
    where = _babel(locale)
    pattern = where.percent_formats[None].pattern
    if digits:
        # The language's own form, but with decimals.
        pattern = pattern.replace("0", "0." + "0" * digits, 1)
    return format_percent(share, pattern, locale=where)


def moment(locale: str, at: float, zone: tzinfo) -> str:
    """A point in time, in Unix seconds, as short as people write it where ``locale`` is spoken."""
    return format_datetime(datetime.fromtimestamp(at, zone), "short", locale=_babel(locale))


@lru_cache(maxsize=64)
def _babel(locale: str) -> Locale:
    for name in (locale.replace("-", "_"), _language(locale)):
        with suppress(ValueError, UnknownLocaleError):
            return Locale.parse(name)
    return Locale(SOURCE)


def _language(locale: str) -> str:
    return locale.split("-")[0].split("_")[0].lower()
