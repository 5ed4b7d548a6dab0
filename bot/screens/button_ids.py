"""The form of all button ids: ``schema:game:version:token``, with numbers in hex.

``version`` is the version of the table on which the button is. Buttons that belong to no game have game 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from bot.games.core import Unreadable

SCHEMA = "1"
"""The version of this form. Buttons with another one say that they are out of date."""

MAX_LENGTH = 100
"""Discord's limit for a button's id."""

MAX_TOKEN = 60
"""The limit of a token, so that there is room for the numbers before it."""

# Tokens of buttons that all games share; a game's own are none of them, see is_shared().

LOBBY = "l."
"""The beginning of all of a lobby's tokens."""
JOIN, LEAVE_LOBBY, START, CANCEL = "l.join", "l.leave", "l.start", "l.cancel"
ADD_AI = "l.ai."
"""Adds an AI of the level that follows."""
REMOVE_AI, OPTIONS = "l.noai", "l.options"
SET_OPTIONS = "l.set."
"""Submits the options; the digest of those that were shown follows."""
WORD = "l.word"
"""Opens the form for a word; the form has this token as well."""

FAIR = "f"
"""At any time: show how the dice of the game are drawn, and whether that can be confirmed."""

BACK, MORE = "g.back", "g.more"
"""On the table: play again after being away, and open a private page with the narration and more buttons."""

TO_BOTTOM, ODDS, RULES, SHEET, VOTE = "b", "g.odds", "g.rules", "g.sheet", "g.vote"
"""On the page behind :data:`MORE`: post the table at the bottom of the channel, show the odds, the rules or
the score sheet, and vote for the bot to play an idle person's turn. Tables of earlier versions had some of
them."""

OFFER = "o."
"""The beginning of the tokens of a question to take over a seat; see :mod:`bot.screens.offers`."""

AGREE, PLAY_ON = "g.end", "g.on"
"""On the table, while somebody wants to end a rated game: agree, or play on."""

SKIP, ROLL_ON = "g.skip", "g.roll."
"""On a table that shows step by step what was played: show the end, or the step after the one whose number
follows; see :mod:`bot.sessions.steps`."""

REMATCH, REVIEW, RECORD = "e.again", "e.review", "e.record"
"""Below the result of a game."""

LEAVE, END = "c.leave", "c.end"
REMOVE = "c.remove."
"""The answer yes to a question before something final. The person's id in hex follows :data:`REMOVE`."""

SHARE = "s"
"""Follows the game in a token of :attr:`Page.REVIEW`: show the review to the channel."""


class Page(StrEnum):
    """Pages that belong to no running game, e.g. lists, settings, rules. Their tokens begin with these."""

    DAILY = "da"
    HELP = "he"
    HISTORY = "hi"
    LEADERBOARD = "lb"
    NOTIFICATIONS = "ca"
    OPEN = "op"
    PLACE = "pl"
    PRIVACY = "pr"
    PUZZLE = "pz"
    REVIEW = "rv"
    RULES = "ru"
    SEASONS = "sn"
    SETTINGS = "se"
    SHOW = "sh"
    STATS = "st"
    TABLES = "tb"

    def token(self, *parts: int | str) -> str:
        """Return a token of this page. Parts are separated by dots."""
        return ".".join((self, *map(str, parts)))


def is_shared(token: str) -> bool:
    """Return whether a game's button has a token that all games share: one with a dot after its first letter,
    :data:`FAIR` or :data:`TO_BOTTOM`.

    >>> [token for token in ("g.odds", "f", "b", "k1.5", "bb") if is_shared(token)]
    ['g.odds', 'f', 'b']
    """
    return token[1:2] == "." or token in (FAIR, TO_BOTTOM)


_NUMBER = "([0-9a-f]{1,15}|[0-7][0-9a-f]{15})"  # 63 bits, which is what databases store
_FORM = re.compile(rf"{SCHEMA}:{_NUMBER}:{_NUMBER}:([!-~]{{1,{MAX_TOKEN}}})", re.ASCII)


class ButtonId(NamedTuple):
    game_id: int
    version: int
    token: str

    def __str__(self) -> str:
        return ids(self.game_id, self.version)(self.token)


def ids(game_id: int, version: int) -> Callable[[str], str]:
    """Return a function that turns the tokens of one table into ids."""
    common = f"{SCHEMA}:{game_id:x}:{version:x}:"

    def button_id(token: str) -> str:
        text = common + token
        # Never cut: a shortened id would mean another move.
        assert len(text) <= MAX_LENGTH, text
        return text

    return button_id


# The limits on requests and the handling of the click both ask for the same one.
@lru_cache(maxsize=1)
def parse(text: str) -> ButtonId:
    """Parse a button's id. Raises :class:`Unreadable` for anything else."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise Unreadable("error-old-button")
    return ButtonId(int(match[1], 16), int(match[2], 16), match[3])
