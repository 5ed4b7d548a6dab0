"""Makes display names safe: they may contain markdown, mentions, links and invisible characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Protocol

NAME_LENGTH = 32
"""Discord's own limit for display names."""

MAX_MARKS = 3
"""How many accents and vowel signs a letter may have: enough for languages. More would cover other lines."""

WORD_LENGTH = 40
"""The limit of characters of a word that is mixed into the dice."""

_BLANK = " \u115f\u1160\u3164\uffa0\u2800\u00ad\u034f\u17b4\u17b5"
"""Letters and symbols that are blank although Unicode does not class them as spaces."""

_MARKDOWN = re.compile(r"([\\*_~`|>#\-\[\]()<:@!+=.])")
_ISOLATE, _POP = "\u2068", "\u2069"


@lru_cache(maxsize=4096)
def clean(name: str, length: int = NAME_LENGTH) -> str:
    """Remove control, invisible and direction-changing characters, and cut to ``length``; may return "".

    A letter keeps at most :data:`MAX_MARKS` combining marks, and a word begins with none.

    >>> clean("a\\u202eb\\n  c\\u200b")
    'ab c'
    """
    kept: list[str] = []
    marks = MAX_MARKS  # none before the first letter
    for character in name:
        category = unicodedata.category(character)
        if category[0] == "Z" or character in "\t\n\r":
            marks = MAX_MARKS
            kept.append(" ")
        elif category[0] == "M":
            marks += 1
            if marks <= MAX_MARKS:
                kept.append(character)
        elif category[0] != "C":
            marks = 0
            kept.append(character)
        elif character == "\u200d":
            kept.append(character)
    text = " ".join("".join(kept).split())[:length].strip()
    visible = any(unicodedata.category(c)[0] not in "CM" and c not in _BLANK for c in text)
    return text if visible else ""


class Named(Protocol):
    """A person in Discord. ``name`` is the username, which has only plain letters, digits and signs."""

    @property
    def display_name(self) -> str: ...

    @property
    def global_name(self) -> str | None: ...

    @property
    def name(self) -> str: ...


def name_of(person: Named) -> str:
    """Return a person's display name, or if nothing of it can be seen, the global name or the username."""
    return clean(person.display_name) or clean(person.global_name or "") or clean(person.name)


def told_apart(name: str, username: str, taken: Collection[str]) -> str:
    """Return ``name``, with the username beside it if it looks like one of ``taken``; at most 32 characters.

    >>> told_apart("Anna", "anna.b", ["anna"])
    'Anna (anna.b)'
    """
    if not username or folded(name) not in map(folded, taken):
        return name
    username = username[: NAME_LENGTH // 2]
    return f"{name[: NAME_LENGTH - len(username) - 3].rstrip()} ({username})"


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Return a name with plain letters for styled ones, and in one case, to compare it with others."""
    return unicodedata.normalize("NFKC", name).casefold()


@lru_cache(maxsize=4096)
def escaped(name: str) -> str:
    """Escape a name for a message, so that it shows as it was typed.

    >>> escaped("**bold** <@1>")
    '\\\\*\\\\*bold\\\\*\\\\* \\\\<\\\\@1\\\\>'
    """
    text = _MARKDOWN.sub(r"\\\1", name)
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in name):
        # Without isolation, a right-to-left name would reorder the rest of the line.
        return f"{_ISOLATE}{text}{_POP}"
    return text
