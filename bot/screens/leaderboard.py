"""The leaderboard of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.i18n.say import Argument, GameIcon, GameName, Percent, Say, say
from bot.screens.button_ids import Page
from bot.screens.forecast import wins
from bot.screens.model import Button, Buttons, Divider, Menu, Screen, Text, choice_button, person_name
from bot.standings.repeats import PERIOD_DAYS
from bot.standings.values import MIN_GAMES_FOR_RATE, SHOWN_START, Board, Leaderboard, Period, Sort, Standing

PAGE = 10
"""How many people a page has."""
ACCENT = 0xA98200
WHERE_AM_I = "me"
"""Token of the button that privately shows the page of the person who clicked."""


def turning_buttons(previous: str, following: str, page: int, pages: int) -> tuple[Button, ...]:
    """Return the buttons that turn to the ``previous`` and the ``following`` page, given by their tokens.

    There are none if all is on one page; ``page`` counts from 0.
    """
    if pages <= 1:
        return ()
    return (
        Button(previous, say("board-previous"), disabled=page == 0),
        Button(following, say("board-next"), disabled=page >= pages - 1),
    )


def leaderboard(
    board: Leaderboard,
    feat: str,
    rows: Sequence[Standing],
    page: int,
    pages: int,
    *,
    zone: str = "",
    me: int | None = None,
    forecasts: Mapping[int, float] | None = None,
) -> Screen:
    """Show a page; ``page`` counts from 0. ``feat`` is the feat by which one can sort, or "" for none.

    ``zone`` is the time zone in which days begin, ``me`` the person whose line is highlighted. ``forecasts``
    are the chances of that person to win against the others, by user; only they may see these.
    """
    chances = forecasts or {}
    lines = [_line(board, feat, row, row.user_id == me, chances.get(row.user_id)) for row in rows]
    notes = [say("board-page", page=page + 1, pages=pages)] if pages > 1 else []
    notes += _notes(board, forecasts is not None)
    turning = turning_buttons(token(board, page - 1, "p"), token(board, page + 1, "n"), page, pages)
    mine = Button(token(board, 0, WHERE_AM_I), say("board-me"))
    past = (Button(Page.SEASONS.token(board.game), say("board-seasons")),) if _has_seasons(board) else ()
    return Screen.of(
        Text.of(_title(board, feat, zone)),
        Divider(),
        Text.of(*lines or (_empty(board),)),
        Text.of(*notes) if notes else None,
        Buttons((*turning, mine, *past)),
        *_choices(board, feat),
        accent=ACCENT,
    )


def _title(board: Leaderboard, feat: str, zone: str) -> Say:
    when = say(f"board-{board.period.value}")
    if board.period is not Period.ALL and zone:
        when = say("board-period-zone", period=when, zone=zone)
    return say(
        "board-title",
        icon=GameIcon(board.game),
        game=GameName(board.game),
        sort=sort_name(board.game, feat, board.sort),
        period=when,
        against=say(f"board-against-{board.board.value}"),
    )


def _notes(board: Leaderboard, with_forecasts: bool) -> list[Say]:
    """Return what a reader must know to understand the numbers on a board."""
    notes = []
    if with_forecasts:
        notes.append(say("board-note-forecast-own"))
    elif board.sort is Sort.RATING:
        notes.append(say("board-note-rating", start=SHOWN_START, days=PERIOD_DAYS))
        notes.append(say("board-note-forecast"))
    if board.sort is Sort.RATE:
        notes.append(say("board-note-rate", n=MIN_GAMES_FOR_RATE))
    return notes


def _choices(board: Leaderboard, feat: str) -> tuple[Menu, Menu, Buttons]:
    """Return the menus for another order and another period, and the buttons for another board."""
    sorts = [
        choice_button(
            token(replace(board, sort=sort), 0, "s"), sort_name(board.game, feat, sort), sort is board.sort
        )
        for sort in sorts_of(board.board, feat)
    ]
    periods = [
        choice_button(
            token(replace(board, period=period), 0, "t"), say(f"board-{period.value}"), period is board.period
        )
        for period in Period
    ]
    boards = [
        choice_button(
            token(replace(board, board=other), 0, "a"),
            say(f"board-against-{other.value}"),
            other is board.board,
        )
        for other in Board
    ]
    return Menu(tuple(sorts)), Menu(tuple(periods)), Buttons(tuple(boards))


def token(board: Leaderboard, page: int, button: str) -> str:
    """Return the token of a page; ``button`` is :data:`WHERE_AM_I`, or makes the tokens of a page unique."""
    return Page.LEADERBOARD.token(
        board.game, board.board.value, board.period.value, board.sort.value, max(page, 0), button
    )


def sorts_of(board: Board, feat: str) -> tuple[Sort, ...]:
    """Return the orders of a board: games against AIs are not rated, and not every game has a feat."""
    return tuple(
        sort
        for sort in Sort
        if (feat or sort is not Sort.FEAT) and (board is Board.PEOPLE or sort is not Sort.RATING)
    )


def _has_seasons(board: Leaderboard) -> bool:
    return board.period is Period.MONTH and board.board is Board.PEOPLE


def sort_name(game: str, feat: str, sort: Sort) -> Say:
    return say(f"{game}-sort-{feat}") if sort is Sort.FEAT and feat else say(f"board-sort-{sort.value}")


def win_rate(wins: int, games: int) -> Percent:
    """Return the share of games won, rounded down, so that 100% means that all were won."""
    return Percent(100 * wins // games / 100, 0)


def _line(board: Leaderboard, feat: str, row: Standing, mine: bool, forecast: float | None) -> Say:
    facts: dict[str, Argument] = {
        "place": row.place,
        "name": person_name(row.name),
        "wins": say("board-wins", n=row.wins),
        "games": say("board-games", n=row.games),
        "rate": win_rate(row.wins, row.games),
        "best": row.best_turn,
        "rating": row.rating if row.rating is not None else say("board-unrated"),
        "feat": say(f"{board.game}-feat-{feat}", n=row.feat) if feat else "",
    }
    line = say(f"board-line-{board.sort.value}", **facts)
    if forecast is not None:
        return say("board-forecast", line=line, wins=wins(forecast))
    return say("board-line-mine", line=line) if mine else line


def _empty(board: Leaderboard) -> Say:
    if board.period is Period.ALL and board.sort not in (Sort.RATING, Sort.RATE):
        return say("board-empty")
    return say("board-empty-here")
