"""The result of a game: who has won, places and points, and what the game counts for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.core import Result
from bot.games.seats import Seat
from bot.i18n.say import GameIcon, Say, and_list, joined, nested, say
from bot.screens.button_ids import FAIR, RECORD, REMATCH, REVIEW
from bot.screens.game_screen import AnyScreen
from bot.screens.highlights import NO_HIGHLIGHTS, Highlights, told
from bot.screens.model import (
    PRIMARY,
    SECONDARY,
    Block,
    Button,
    Buttons,
    Divider,
    Picture,
    Screen,
    Text,
    seat_name,
)
from bot.screens.seat_names import plain_name, short_names, short_names_of
from bot.screens.table import goal_line
from bot.standings.counting import Uncounted
from bot.standings.values import Board

END_ACCENT = 0xA98200

MEDALS = {1: "end-place-first", 2: "end-place-second", 3: "end-place-third"}
"""Keys of the texts of the first places."""

RESULT_NAME = 12
"""The limit of characters of a name in a result, where more stands beside it."""

SCORE_CHART = "scores.png"
"""The name of the file with the score chart of a finished game."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    """One seat's line in the result of a game."""

    seat: int
    place: int
    score: int
    best_turn: int
    feats: dict[str, int]


def finished(
    game: str,
    screen: AnyScreen,
    title: Say,
    seats: Sequence[Seat],
    result: Result,
    outcomes: Sequence[ResultLine],
    *,
    rematch: bool,
    coach: bool = False,
    counted: Board | Uncounted = Board.PEOPLE,
    rated: bool | None = None,
    epilogue: Sequence[Say] = (),
    highlights: Highlights = NO_HIGHLIGHTS,
    pictured: bool = False,
) -> Screen:
    """Show the result of a game, and what it counts for.

    ``title`` is that of the table; ``rematch`` is whether there is a rematch already, ``coach`` whether the
    game can be reviewed, ``rated`` as for :func:`table`; ``epilogue`` follows the scores, and then the score
    chart, if ``pictured``, and the ``highlights``.
    """
    winners = and_list([short_names_of(seats)[seat] for seat in result.winners])
    # Each seat's line fits on a phone.
    lines, names = [], short_names([seat_name(seats, number) for number in range(len(seats))], RESULT_NAME)
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.place, outcome.seat)):
        line = say(
            "end-line-left" if outcome.seat in result.left else "end-line",
            place=say(MEDALS.get(outcome.place, "end-place"), place=outcome.place),
            name=names[outcome.seat],
            score=outcome.score,
        )
        lines.append(nested([line, *screen.result_columns(outcome.feats)], "facts-joined"))
    lines += epilogue
    won = say(f"end-won-{result.reason}", n=len(result.winners), names=winners)
    if lead := _lead(result):
        won = say("end-won-by", won=won, points=lead)
    goal = goal_line(title, rated)
    # The turn of the game takes the place of the best turn.
    best = _best_turn(outcomes, seats) if highlights.turn is None else ()
    blocks: tuple[Block | None, ...] = (
        Text.of(say("end-title", icon=GameIcon(game), goal=goal), won),
        Divider(),
        Text.of(*lines),
        score_chart(seats, result) if pictured else None,
        Text(told(seats, highlights)),
        Text(best),
        Text(_counts(counted), spare=True),
        Buttons.of(
            Button(REMATCH, say("end-rematch"), PRIMARY, disabled=rematch),
            Button(REVIEW, say("end-review"), icon="review") if coach else None,
            Button(RECORD, say("end-record"), SECONDARY),
            Button(FAIR, say("fair-button")),
        ),
    )
    return Screen(tuple(filter(None, blocks)), END_ACCENT)


def _best_turn(outcomes: Sequence[ResultLine], seats: Sequence[Seat]) -> tuple[Say, ...]:
    """Say who had the turn with the most points, if anybody scored."""
    most = max((outcome.best_turn for outcome in outcomes), default=0)
    names = [short_names_of(seats)[outcome.seat] for outcome in outcomes if outcome.best_turn == most]
    return (say("end-best-turn", names=and_list(names), points=most),) if most else ()


def _lead(result: Result) -> int:
    """Return by how many points the only winner is ahead, or 0 if that did not decide the game."""
    if len(result.winners) > 1 or result.reason != "target":
        return 0
    (winner,) = result.winners
    others = [score for seat, score in enumerate(result.scores) if seat != winner and seat not in result.left]
    return result.scores[winner] - max(others) if others else 0


def _counts(counted: Board | Uncounted) -> tuple[Say, ...]:
    """Say what a game counts for, unless it counts for everything."""
    match counted:
        case Board.PEOPLE:
            return ()
        case Board.AI:
            return (say("end-counts-ai"),)
        case Uncounted():
            return (say(f"end-uncounted-{counted.value}"),)


def score_chart(seats: Sequence[Seat], result: Result) -> Picture:
    """Return the picture of the scores of a finished game."""
    places = sorted(range(len(seats)), key=lambda seat: (result.places()[seat], seat))
    scores = [
        say(
            "chart-score-left" if seat in result.left else "chart-score",
            name=plain_name(seats, seat),
            score=result.scores[seat],
        )
        for seat in places
    ]
    won = say(
        f"chart-won-{result.reason}",
        n=len(result.winners),
        names=and_list([plain_name(seats, seat) for seat in result.winners]),
        score=result.scores[result.winners[0]],
    )
    return Picture(SCORE_CHART, say("chart-alt", won=won, scores=joined(scores)))
