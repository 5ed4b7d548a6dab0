"""The one form of all button ids: ``schema:game:version:token``, numbers in hex.

``version`` is the one the player saw. Ids of things that belong to no game have game 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from bot.games.core import Unreadable

SCHEMA = "1"
MAX_LENGTH = 100
"""Discord's limit for a button's id."""

MAX_TOKEN = 60

# Tokens of buttons that all games share; a game's own are others, without a dot after the first letter.

LOBBY = "l."
"""How all of a lobby's tokens begin."""
JOIN, LEAVE_LOBBY, START, CANCEL = "l.join", "l.leave", "l.start", "l.cancel"
ADD_AI = "l.ai."
"""Adds an AI; its level follows."""
REMOVE_AI, NEXT_TIMER, TOGGLE_HINTS = "l.noai", "l.timer", "l.hints"

TO_BOTTOM, BACK, ODDS, VOTE = "b", "g.back", "g.odds", "g.vote"
"""On the table: bring it to the bottom of the channel, be present again, show the odds, vote for going on."""

REMATCH, REVIEW, RECORD = "e.again", "e.review", "e.record"
"""At the end of a game."""

LEAVE, END = "c.leave", "c.end"
REMOVE = "c.remove."
"""Answers to a question; the person's id in hex follows :data:`REMOVE`."""

SHARE = "s"
"""After a game on :attr:`Page.REVIEW`: show the review to all."""


class Page(StrEnum):
    """Pages that belong to no game: lists, settings, rules. Their buttons' tokens begin with these names."""

    HELP = "he"
    HISTORY = "hi"
    LEADERBOARD = "lb"
    PRIVACY = "pr"
    REVIEW = "rv"
    RULES = "ru"
    SETTINGS = "se"
    SHOW = "sh"
    STATS = "st"

    def token(self, *parts: int | str) -> str:
        """Return a token of this page; no part may hold a dot, except where the page expects it."""
        return ".".join((self, *map(str, parts)))


_FORM = re.compile(rf"{SCHEMA}:([0-9a-f]{{1,16}}):([0-9a-f]{{1,16}}):([!-~]{{1,{MAX_TOKEN}}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ButtonId:
    game_id: int
    version: int
    token: str

    def __str__(self) -> str:
        return ids(self.game_id, self.version)(self.token)


def ids(game_id: int, version: int) -> Callable[[str], str]:
    """What makes ids out of the tokens of one table."""
    common = f"{SCHEMA}:{game_id:x}:{version:x}:"

    def made(token: str) -> str:
        text = common + token
        # Never truncated: a shortened id would mean another move.
        assert len(text) <= MAX_LENGTH, text
        return text

    return made


def parse(text: str) -> ButtonId:
    """Raises :class:`Unreadable` for anything that is not one of our ids."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise Unreadable("error-old-button")
    return ButtonId(int(match[1], 16), int(match[2], 16), match[3])
