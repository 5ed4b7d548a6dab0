"""Exit codes and messages that the subcommands share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bot.games.core import GameError
from bot.observability.logging_setup import escape, redact

OK = 0
FAILED = 1
"""Exit code: an error that another start may not have, or a check that found a problem."""
USAGE = 2
"""Exit code: a wrong setting, or a command that can't be carried out as given."""
REFUSED = 3
"""Exit code: Discord refuses the token, intents or shards, or allows hardly any more sessions today."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

PORTAL = "https://discord.com/developers/applications"

TOKEN_HELP = (
    f"DISCORD_TOKEN is not set. Create an application at {PORTAL}, "
    "take its token from Bot > Reset Token, and put DISCORD_TOKEN=... into the file .env of this folder."
)


def program() -> str:
    """Return what to type before a subcommand: the installed command, or this Python."""
    if sys.argv[0] == "dicebot":
        return "dicebot"
    here = Path(sys.executable)
    if here.is_relative_to(Path.cwd()):
        here = here.relative_to(Path.cwd())
    return f"{here} -m bot"


def explain(error: GameError) -> str:
    """Return a game's error in English, without a full stop, or its code and facts if it has no text."""
    from bot.i18n.catalogue import Catalogue
    from bot.i18n.locales import SOURCE
    from bot.i18n.say import say

    text = Catalogue({}).text(SOURCE, say(error.code, **error.facts))
    if text != error.code:
        return text.replace("**", "").replace("`", "").rstrip(".")
    return ", ".join([error.code, *(f"{name} {value}" for name, value in error.facts.items())])


def complain(command: str, text: str, code: int = USAGE) -> int:
    """Print on standard error why ``command`` fails and return the exit code. Never raises, whatever is in
    ``text``."""
    line = printable(f"{command}: {text}")
    encoding = sys.stderr.encoding or "ascii"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)
    return code


def fail(text: str, code: int = USAGE) -> int:
    """Print a whole sentence on standard error and return the exit code."""
    print(printable(text), file=sys.stderr)
    return code


def printable(text: str, secrets: Sequence[str] = ()) -> str:
    """Return one line for a terminal: without secrets, and with control characters escaped."""
    return redact(escape(text), secrets)
