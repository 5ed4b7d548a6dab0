"""The catalogues: PO files in one folder per language."""

from __future__ import annotations

import copy
import gettext
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from bot.i18n.locales import SOURCE, language_of
from bot.i18n.say import Say
from bot.i18n.voice import Voice

FOLDER = Path(__file__).parent / "locale"
MAX_VOICES = 64
"""For how many locales to keep voices; Discord has about 30."""


def languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the languages that there are texts for."""
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir()))


def read(language: str, folder: Path = FOLDER) -> Catalog:
    """Read all PO files of a language. Raises :class:`ValueError` for a key that is in two of them."""
    catalog = Catalog(locale=language)
    for path in sorted((folder / language).glob("*.po")):
        with path.open("rb") as file:
            part = read_po(file, locale=language, abort_invalid=True)
        # Use the plural forms of the file's header, because Babel may know of more.
        catalog.mime_headers = [("Plural-Forms", part.plural_forms)]
        for message in part:
            if not message.id:
                continue
            if message.id in catalog:
                raise ValueError(f"{path.name} of {language} repeats {message.id}")
            catalog[message.id] = message
    return catalog


class Catalogue:
    """Turns messages into text. ``icons`` has a text for each icon; see :meth:`use` for emojis."""

    def __init__(self, icons: Mapping[str, str], folder: Path = FOLDER) -> None:
        self._icons = dict(icons)
        self._drawn: dict[str, str] = {}
        self.languages = languages(folder)
        self._texts = {language: _translations(language, folder) for language in self.languages}
        self._voices: dict[str, Voice] = {}

    def use(self, icons: Mapping[str, str]) -> None:
        """Show these icons as the given application emojis from now on, and all others as text."""
        if icons != self._drawn:
            self._drawn = dict(icons)
            self._voices = {}

    def plain(self) -> Catalogue:
        """Return a catalogue with all icons as text, for a message that Discord refused with its emojis."""
        plain = copy.copy(self)
        plain._drawn, plain._voices = {}, {}
        return plain

    def icon(self, name: str) -> str:
        """Return an icon's application emoji, its text if there is none, or its name."""
        return self._drawn.get(name) or self._icons.get(name, name)

    def language(self, locales: Iterable[str | None]) -> str:
        """Return the first of ``locales`` whose language has texts, e.g. ``de-CH``; else English."""
        for locale in locales:
            if not locale:
                continue
            if language_of(locale) in self.languages:
                return locale
        return SOURCE

    def voice(self, locale: str) -> Voice:
        """Return the catalogue in the language of ``locale``, with icons as they are shown now."""
        voice = self._voices.get(locale)
        if voice is None:
            if len(self._voices) >= MAX_VOICES:
                self._voices.clear()
            voice = self._voices[locale] = Voice(locale, partial(self._patterns, locale), self.icon)
        return voice

    def text(self, locale: str, message: Say) -> str:
        """Return a message in the language of ``locale``, or in English if it is missing there."""
        return self.voice(locale).text(message)

    def _patterns(self, locale: str, key: str, count: int | None) -> tuple[str, ...]:
        """Return the texts for a key: in the language first, then in English."""
        patterns = []
        for language in (language_of(locale), SOURCE):
            texts = self._texts.get(language)
            if texts is not None and (pattern := texts.of(key, 1 if count is None else count)):
                patterns.append(pattern)
        return tuple(patterns)


class _Texts:
    """The texts of a language by key; of a text with plural forms, all of them."""

    def __init__(self, catalog: Catalog) -> None:
        self._form = gettext.c2py(catalog.plural_expr)
        self._texts: dict[str, Sequence[str]] = {
            message.id if isinstance(message.id, str) else message.id[0]: message.string
            for message in catalog
            if message.id and message.string and not message.fuzzy
        }

    def of(self, key: str, count: int) -> str:
        """Return the text for a key, in the form for this number, or "" if it is missing."""
        text = self._texts.get(key, "")
        return text if isinstance(text, str) else text[self._form(count)]


@lru_cache(maxsize=32)
def _translations(language: str, folder: Path) -> _Texts:
    """Load the texts of a language. This is the slowest part of a start, so the result is cached."""
    return _Texts(read(language, folder))
