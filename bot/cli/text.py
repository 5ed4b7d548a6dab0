"""What the subcommands share in talking to an operator."""

from __future__ import annotations

import sys

from bot.games.core import GameError
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import SOURCE
from bot.i18n.say import Say, facts

WRONG = 1
"""Exit code: what was to be checked is not in order."""
USAGE = 2
"""Exit code: the command can't be carried out as it was given."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def explain(error: GameError) -> str:
    """A game's error in English words, without a full stop; its code and facts if the catalogue has none."""
    text = Catalogue({}).text(SOURCE, Say(error.code, facts(error.facts)))
    if text != error.code:
        return text.replace("**", "").replace("`", "").rstrip(".")
    return ", ".join([error.code, *(f"{name} {value}" for name, value in error.facts.items())])


def complain(command: str, text: str) -> None:
    """Tell on standard error why ``command`` fails. Never fails itself, whatever is in ``text``."""
    line = f"{command}: {text}"
    encoding = sys.stderr.encoding or "ascii"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)
