"""Finished games: the list, one game, and its replay turn by turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.games.base import GameState
from bot.games.core import OVER, AnyGame
from bot.games.seats import Seat
from bot.i18n.say import GameIcon, GameName, Line, Moment, Say, and_list, say
from bot.screens.button_ids import Page
from bot.screens.game_screen import AnyScreen
from bot.screens.model import (
    PRIMARY,
    SECONDARY,
    Block,
    Button,
    Buttons,
    Divider,
    Picture,
    Screen,
    Section,
    Text,
    seat_name,
)
from bot.screens.seat_names import named, short_names_of
from bot.screens.table import score_lines
from bot.screens.turn_lines import narration_line
from bot.standings.values import FinishedGame

PAGE = 5
"""How many games a page of the list has."""
CHANNEL, SERVER = "c", "s"
"""Tokens: list the games of the channel or of the server."""

LIST, GAME, REPLAY, RECORD, FAIR = "l", "g", "r", "d", "f"
"""Tokens: show a page of the list, a game, its replay, its record, or the check of its dice."""
FIND = "f"
"""Follows :data:`LIST`: show the list as a new message."""
NEWER = "n"
"""Follows :data:`LIST`: the games that ended next after the given one. After any other letter, those before
it: the other letters, here and below, only make the tokens of one page unique."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of the list of the channel or of the server. Pages of one game carry it, to lead back to it.

    It lists the games that ended before the one whose end has the number ``before``; 0 means the newest.
    """

    scope: str
    before: int = 0

    def token(self, kind: str, *parts: int | str) -> str:
        return Page.HISTORY.token(kind, *parts, self.scope, self.before)


def history(
    games: Sequence[FinishedGame], here: ListPage, more: bool, visible: Collection[int] = ()
) -> Screen:
    """Show a page of finished games, newest first. ``more`` is whether there are older ones.

    ``visible`` are the channels that the reader may see; others are not named.
    """
    entries: list[Block] = []
    for game in games:
        winners = and_list([seat_name(game.seats, seat) for seat in game.winners])
        others = [seat_name(game.seats, seat) for seat in range(len(game.seats)) if seat not in game.winners]
        line = say(
            "history-line",
            icon=GameIcon(game.game),
            game=GameName(game.game),
            at=Moment(game.at),
            n=len(game.winners),
            winners=winners,
        )
        if others:
            line = say("history-line-others", line=line, others=and_list(others))
        if here.scope == SERVER and game.channel_id in visible:
            line = say("history-line-channel", line=line, channel=f"<#{game.channel_id}>")
        button = Button(here.token(GAME, f"{game.game_id:x}"), say("history-open"))
        entries.append(Section((line,), button))
    title = say("history-title-channel" if here.scope == CHANNEL else "history-title-server")
    blocks: list[Block] = [Text.of(title), Divider(), *(entries or [Text.of(say("history-empty"))])]
    newer = ListPage(here.scope, games[0].finish if games else 0)
    older = ListPage(here.scope, games[-1].finish if games else 0)
    other = ListPage(SERVER if here.scope == CHANNEL else CHANNEL)
    turning = (
        Button(newer.token(LIST, NEWER), say("history-newer"), disabled=here.before == 0),
        Button(older.token(LIST, "o"), say("history-older"), disabled=not more),
    )
    label = say("history-server" if here.scope == CHANNEL else "history-channel")
    blocks.append(
        Buttons.of(*(turning if more or here.before else ()), Button(other.token(LIST, "x"), label))
    )
    return Screen.of(*blocks)


def game(end: Screen, game_id: int, here: ListPage, link: str = "", *, coach: bool = False) -> Screen:
    """Show a finished game: its result as its channel shows it, with buttons for replay, record and so on.

    ``link`` is the address of its table, ``coach`` whether it can be reviewed.
    """
    blocks: list[Block] = [block for block in end.blocks if not isinstance(block, Buttons | Picture)]
    if link:
        blocks.append(Text.of(say("history-link", link=link)))
    review = Button(Page.REVIEW.token(f"{game_id:x}"), say("end-review"), icon="review")
    blocks.append(
        Buttons.of(
            Button(here.token(REPLAY, f"{game_id:x}", 0, "g"), say("history-replay"), PRIMARY),
            review if coach else None,
            Button(here.token(RECORD, f"{game_id:x}"), say("end-record")),
            Button(here.token(FAIR, f"{game_id:x}"), say("history-fair")),
            Button(here.token(LIST, "b"), say("history-back")),
        )
    )
    return Screen.of(*blocks, accent=end.accent)


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """One :class:`~bot.records.replay.Frame` as it is shown.

    ``number`` counts from 0, the beginning, to ``last``. ``damaged`` is whether the log is
    unreadable after the last frame.
    """

    state: GameState
    decision: object
    lines: tuple[Line, ...]
    number: int
    last: int
    damaged: bool


def replay(
    rules: AnyGame, screen: AnyScreen, seats: Sequence[Seat], frame: ShownFrame, game_id: int, here: ListPage
) -> Screen:
    """Show the table at the end of a turn, and what happened in the turn."""
    state = frame.state
    left, over = rules.left(state), rules.to_move(state) == OVER
    turn = -1 if over else rules.turn_seat(state)
    scores = score_lines(short_names_of(seats), seats, rules.scores(state), turn, left)
    title = say(
        "replay-title",
        icon=GameIcon(rules.key),
        goal=screen.goal(state.options)[0],
        turn=frame.number,
        turns=frame.last,
    )
    blocks: list[Block] = [Text.of(title), Text.of(*scores), Divider()]
    told = tuple(narration_line(line, seats) for line in frame.lines if line.pieces)
    if frame.number == 0:
        told = (say("replay-begins"), *told)
    blocks.append(Text(told, spare=True))
    if frame.decision is not None:
        body = tuple(named(block, seats) for block in screen.body(frame.decision, ""))
        if body:
            blocks += [Divider(), Text.of(say("replay-decision")), *body]
    if frame.number == frame.last:
        result = rules.result(state)
        if frame.damaged:
            blocks.append(Text.of(say("replay-damaged")))
        elif result is not None:
            winners = and_list([seat_name(seats, seat) for seat in result.winners])
            won = say(f"end-won-{result.reason}", n=len(result.winners), names=winners)
            blocks.append(Text.of(won))
    blocks.append(_steps(frame, game_id, here))
    return Screen.of(*blocks, accent=screen.accent(frame.decision if frame.decision is not None else state))


def no_replay(game_id: int, here: ListPage, reason: Say) -> Screen:
    """Show why a game can't be replayed."""
    back = Button(here.token(GAME, f"{game_id:x}"), say("history-back"))
    return Screen.of(Text.of(reason), Buttons.of(back))


def _steps(frame: ShownFrame, game_id: int, here: ListPage) -> Buttons:
    def step(number: int, button: str, key: str, disabled: bool, style: str = SECONDARY) -> Button:
        token = here.token(REPLAY, f"{game_id:x}", min(max(number, 0), frame.last), button)
        return Button(token, say(key), style, disabled=disabled)

    first, last = frame.number == 0, frame.number == frame.last
    return Buttons.of(
        step(0, "a", "replay-first", first),
        step(frame.number - 1, "p", "replay-previous", first),
        step(frame.number + 1, "n", "replay-next", last, PRIMARY),
        step(frame.last, "z", "replay-last", last),
        Button(here.token(GAME, f"{game_id:x}"), say("history-back")),
    )
