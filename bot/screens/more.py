"""The private page behind "More" below a table: all scores, the story roll by roll, and the other buttons."""

from __future__ import annotations

from bot.games.base import GameState
from bot.i18n.say import GameIcon, say
from bot.screens.button_ids import ODDS, RULES, SHEET, TO_BOTTOM, VOTE
from bot.screens.fairness import FAIR_BUTTON
from bot.screens.model import Button, Divider, Screen, Text, button_rows
from bot.screens.seat_names import short_names_of
from bot.screens.table import TableContext, goal_line, score_lines
from bot.screens.turn_lines import narration_line

BUTTONS_A_ROW = 3


def more(context: TableContext, state: GameState, *, odds: bool, vote: bool) -> Screen:
    """Show what the table leaves out. ``odds`` and ``vote`` are whether to offer these buttons."""
    rules, screen, seats, narration, rated = context
    turn = rules.turn_seat(state)
    goal = goal_line(screen.goal(state.options)[0], rated)
    title = say("table-title", icon=GameIcon(rules.key), goal=goal)
    scores = score_lines(
        short_names_of(seats), seats, rules.scores(state), turn, rules.left(state), notes=screen.owned(state)
    )
    told = [narration_line(line, seats) for line in narration if line.pieces]
    buttons = [
        *((Button(ODDS, say("more-odds"), icon="odds"),) if odds else ()),
        Button(SHEET, say("more-sheet")),
        Button(RULES, say("more-rules")),
        FAIR_BUTTON,
        Button(TO_BOTTOM, say("more-down"), icon="down"),
        *((Button(VOTE, say("more-vote")),) if vote else ()),
    ]
    return Screen.of(
        Text.of(title, *scores),
        Divider(),
        Text.of(say("more-story"), *(told or (say("more-no-story"),)), spare=True),
        *button_rows(buttons, BUTTONS_A_ROW),
        accent=screen.accent(state),
    )
