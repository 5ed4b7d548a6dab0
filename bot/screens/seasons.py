"""The boards of the months that are over, and the card that shows the best of one to a channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.i18n.say import GameIcon, GameName, Month, Say, say
from bot.screens.button_ids import Page
from bot.screens.leaderboard import ACCENT, token
from bot.screens.model import Block, Button, Buttons, Divider, Screen, Text, person_name
from bot.screens.result import MEDALS
from bot.standings.seasons import SeasonLine
from bot.standings.values import Leaderboard, Period

OPEN = "o"
"""Follows the month in the tokens on a card: a click opens a private page, because the card must stay."""

_token = Page.SEASONS.token


def board(game: str, month: int, months: Sequence[int], lines: Sequence[SeasonLine]) -> Screen:
    """Show the best of a season of a game. ``months`` are all its seasons, the latest first."""
    older = next((one for one in months if one < month), None)
    newer = next((one for one in reversed(months) if one > month), None)
    shown = [_line(one) for one in lines] or [say("season-empty")]
    turning = tuple(
        Button(_token(game, one), say(key, month=Month(one)))
        for key, one in (("season-older", older), ("season-newer", newer))
        if one is not None
    )
    return Screen.of(
        Text.of(say("season-title", icon=GameIcon(game), game=GameName(game), month=Month(month))),
        Divider(),
        Text.of(*shown),
        Text.of(say("season-note")),
        Buttons.of(*turning, _present(game)),
        accent=ACCENT,
    )


def empty(game: str) -> Screen:
    """Say that no season of a game was closed yet, and when seasons are."""
    return Screen.of(
        Text.of(say("season-none", icon=GameIcon(game), game=GameName(game)), say("season-note")),
        Buttons.of(_present(game)),
        accent=ACCENT,
    )


def card(month: int, best: Mapping[str, Sequence[SeasonLine]]) -> Screen:
    """Show the medals of a season, by game, to a channel. It mentions nobody."""
    blocks: list[Block] = [Text.of(say("season-card", month=Month(month)))]
    for game, lines in best.items():
        medals = [_line(one) for one in lines if one.place <= len(MEDALS)]
        title = say("season-card-game", icon=GameIcon(game), game=GameName(game))
        blocks += [Divider(), Text.of(title, *medals)]
    buttons = [
        Button(_token(game, month, OPEN), say("season-card-board", game=GameName(game))) for game in best
    ]
    blocks += [Text.of(say("season-note")), Buttons.of(*buttons)]
    return Screen.of(*blocks, accent=ACCENT)


def _present(game: str) -> Button:
    return Button(token(Leaderboard(0, game, period=Period.MONTH), 0, "b"), say("season-present"))


def _line(line: SeasonLine) -> Say:
    place = say(MEDALS.get(line.place, "end-place"), place=line.place)
    name = person_name(line.name)
    wins, games = say("board-wins", n=line.wins), say("board-games", n=line.games)
    return say("season-line", place=place, name=name, wins=wins, games=games)
