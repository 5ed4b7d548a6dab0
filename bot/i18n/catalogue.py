"""The catalogues: PO files, one folder a language; numbers and plurals as each language has them."""

from __future__ import annotations

import copy
import gettext
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.i18n.locales import SOURCE, language_of
from bot.i18n.say import Say
from bot.i18n.voice import Voice

FOLDER = Path(__file__).parent / "locale"
MAX_VOICES = 64
"""How many locales are kept ready; Discord knows about 30."""


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
        self._voices: dict[str, Voice] = {}

    def use(self, icons: Mapping[str, str]) -> None:
        """Show these pictures as given from now on, as application emojis, and all others as text."""
        if icons != self._drawn:
            self._drawn = dict(icons)
            self._voices = {}

    def plain(self) -> Catalogue:
        """The same texts with all pictures as text, for a message that Discord refused with its emojis."""
        twin = copy.copy(self)
        twin._drawn, twin._voices = {}, {}
        return twin

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
            if language_of(locale) in self.languages:
                return locale
        return SOURCE

    def voice(self, locale: str) -> Voice:
        """The catalogue in the language of ``locale``, for as long as pictures are shown as they are now."""
        voice = self._voices.get(locale)
        if voice is None:
            if len(self._voices) >= MAX_VOICES:
                self._voices.clear()
            voice = self._voices[locale] = Voice(
                locale, partial(self._patterns, locale), self.icon, self.drawn
            )
        return voice

    def text(self, locale: str, message: Say) -> str:
        """The message in the language of ``locale``; in English where that lacks it."""
        return self.voice(locale).text(message)

    def _patterns(self, locale: str, key: str, count: int | None) -> tuple[str, ...]:
        """What there is for a key: in the language first, then in English."""
        found = []
        for language in (language_of(locale), SOURCE):
            texts = self._texts.get(language)
            if texts is None:
                continue
            several = count is not None and texts.counts(key)
            pattern = texts.ngettext(key, key, count or 0) if several else texts.gettext(key)
            if pattern != key:
                found.append(pattern)
        return tuple(found)


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
