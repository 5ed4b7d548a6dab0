"""The table during the game, its end, and what is left of it when it has moved on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.games.base import GameState
from bot.games.core import AnyGame, Result
from bot.games.options import GameOptions
from bot.games.seats import Seat
from bot.i18n.identity_cache import IdentityCache, IdentityCacheInContext
from bot.i18n.say import Argument, Chain, Icons, Line, Mention, Moment, Name, Say, resolve, say
from bot.screens.button_ids import BACK, ODDS, RECORD, REMATCH, REVIEW, TO_BOTTOM, VOTE
from bot.screens.game_screen import AnyScreen
from bot.screens.model import (
    PRIMARY,
    SECONDARY,
    SUCCESS,
    Block,
    Button,
    Buttons,
    Divider,
    Picture,
    Screen,
    Text,
    seat_name,
)

END_ACCENT = 0xA98200
SCORE_CHART = "race.png"
"""The file with the picture of a finished game's race."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    """One seat's line in the result of a game."""

    seat: int
    place: int
    score: int
    turns: int
    best_turn: int
    feats: dict[str, int]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who is waited for. ``away`` are seats that go on by themselves; ``until`` is when the present turn is
    played for its person (Unix seconds, None: never); ``votes`` of ``needed`` want it played now;
    ``others`` says whether there is anybody who could vote.
    """

    seed_hash: str
    away: tuple[int, ...] = ()
    until: float | None = None
    votes: int = 0
    needed: int = 0
    others: bool = False


def table(
    rules: AnyGame,
    screen: AnyScreen,
    state: GameState,
    seats: Sequence[Seat],
    news: Sequence[Line],
    view: str,
    mention: int | None,
    waiting: Waiting,
    *,
    odds: bool = False,
) -> Screen:
    """Show the table of a running game.

    ``mention`` is the person to call when the table is posted anew; ``odds`` says whether there
    are any to look at.
    """
    turn, left = rules.turn_seat(state), rules.left(state)
    names = names_of(seats)
    blocks: list[Block] = [
        _title(state.options, (rules.key, screen)),
        _scores(seats, (rules.scores(state), turn, left, waiting.away)),
        Divider(),
    ]
    body = tuple(named(block, seats) for block in screen.body(state, view))
    # What has happened since one's own last turn, and that turn.
    lines = list(news[-(len(seats) - len(left) + 1) :])
    if lines and lines[-1].pieces[-1:] and lines[-1].pieces[-1].key in screen.seen_on_table:
        lines[-1] = Line(turn, lines[-1].pieces[:-1])
    told = [telling(line, seats) for line in lines if line.pieces[1:] or line.seat != turn]
    blocks += [Text(tuple(told) or (say("table-first", hash=waiting.seed_hash),), spare=True), Divider()]
    blocks.append(Text(_call(names[turn], turn, mention, waiting)))
    blocks += body
    controls = screen.controls(state, view)
    blocks += [row for row in controls if row.buttons]
    blocks.append(_extra(bool(waiting.away), odds, waiting.others))
    return Screen(tuple(blocks), screen.accent(state), mention)


# Lines and buttons that come again from click to click are the very same then, and known in every language.


def _titled(options: GameOptions, context: tuple[str, AnyScreen]) -> Text:
    game, screen = context
    return Text((say("table-title", icon=Icons((f"game-{game}",)), goal=screen.goal(options)[0]),))


_title: IdentityCacheInContext[GameOptions, tuple[str, AnyScreen], Text] = IdentityCacheInContext(_titled)


Scores = tuple[Sequence[int], int, Sequence[int], Sequence[int]]
"""Points by seat, whose turn it is, who has left, who is away."""


def _scored(seats: Sequence[Seat], context: Scores) -> Text:
    scores, turn, left, away = context
    lines = []
    for number, points in enumerate(scores):
        key = "table-score-turn" if number == turn else "table-score"
        key = "table-score-away" if number in away else key
        key = "table-score-left" if number in left else key
        icon = Icons(("seat-human" if seats[number].human else "seat-ai",))
        lines.append(say(key, name=names_of(seats)[number], points=points, icon=icon))
    return Text(tuple(lines))


_scores: IdentityCacheInContext[Sequence[Seat], Scores, Text] = IdentityCacheInContext(_scored)


@lru_cache(maxsize=8)
def _extra(away: bool, odds: bool, others: bool) -> Buttons:
    """Buttons apart from what the seat may do, so that they stand at the same place whatever that is."""
    extra = [Button(BACK, say("table-back"), SUCCESS)] if away else []
    extra.append(Button(TO_BOTTOM, None, SECONDARY, icon="down"))
    if odds:
        extra.append(Button(ODDS, None, SECONDARY, icon="odds"))
    if others:
        extra.append(Button(VOTE, None, SECONDARY, icon="skip"))
    return Buttons(tuple(extra))


def _call(seated: Argument, turn: int, mention: int | None, waiting: Waiting) -> tuple[Say, ...]:
    """Whose turn it is, until when, and what the others think of it."""
    if turn in waiting.away:
        return (say("table-nobody-there", name=seated),)
    name: Argument = Mention(mention) if mention is not None else seated
    lines = [say("table-your-turn", name=name)]
    if waiting.until is not None:
        lines = [say("table-your-turn-until", name=name, until=Moment(waiting.until))]
    if waiting.votes:
        lines.append(say("table-votes", n=waiting.votes, needed=waiting.needed))
    return tuple(lines)


def finished(
    game: str,
    screen: AnyScreen,
    options: GameOptions,
    seats: Sequence[Seat],
    result: Result,
    outcomes: Sequence[ResultLine],
    news: Sequence[Line],
    seed: str,
    seed_hash: str,
    rematch: bool,
    *,
    coach: bool = False,
) -> Screen:
    """Show the end of a game: who won how, and how to check the dice. ``rematch`` if there is one already,
    ``coach`` if the game can be reviewed."""
    winners = together([seat_name(seats, seat) for seat in result.winners])
    lines = []
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.place, outcome.seat)):
        columns = screen.result_columns(outcome.feats)
        stayed, left = ("end-line", "end-line-left") if columns else ("end-line-plain", "end-line-plain-left")
        lines.append(
            say(
                left if outcome.seat in result.left else stayed,
                place=say("end-place-first" if outcome.place == 1 else "end-place", place=outcome.place),
                name=seat_name(seats, outcome.seat),
                score=outcome.score,
                turns=say("end-turns", n=outcome.turns),
                best=outcome.best_turn,
                feats=joined(columns),
            )
        )
    won = say(f"end-won-{result.reason}", n=len(result.winners), names=winners)
    blocks: tuple[Block, ...] = (
        Text((say("end-title", icon=Icons((f"game-{game}",)), goal=screen.goal(options)[0]), won)),
        Divider(),
        Text(tuple(lines)),
        Divider(),
        Text(tuple(telling(line, seats) for line in news[-2:]), spare=True),
        Text((say("end-fair", seed=seed, hash=seed_hash),)),
        Buttons(
            (
                Button(REMATCH, say("end-rematch"), PRIMARY, disabled=rematch),
                *((Button(REVIEW, say("end-review"), icon="review"),) if coach else ()),
                Button(RECORD, say("end-record"), SECONDARY),
            )
        ),
    )
    return Screen(blocks, END_ACCENT)


def illustrated(end: Screen, seats: Sequence[Seat], result: Result) -> Screen:
    """The end of a game with the picture of its race below the result."""
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
        names=together([plain_name(seats, seat) for seat in result.winners]),
        score=result.scores[result.winners[0]],
    )
    picture = Picture(SCORE_CHART, say("chart-alt", won=won, scores=joined(scores)))
    # After title, line, results.
    return replace(end, blocks=(*end.blocks[:3], picture, *end.blocks[3:]))


def plain_name(seats: Sequence[Seat], number: int) -> Argument:
    """A name for a text without markdown, where escaping would be seen."""
    name = seat_name(seats, number)
    return name.text if isinstance(name, Name) else name


def summary(rules: AnyGame, state: GameState, seats: Sequence[Seat], news: Sequence[Line]) -> Screen:
    """Show one line without buttons, in place of a table that now stands further down."""
    if not news:
        return moved(rules.key)
    # The end of the last turn told is enough to know how far this table went.
    last = telling(Line(news[-1].seat, news[-1].pieces[-2:]), seats)
    return Screen((Text((say("table-moved", icon=Icons((f"game-{rules.key}",)), last=last),)),))


def moved(game: str) -> Screen:
    """Like :func:`summary`, where only the game's name is known."""
    icon, name = Icons((f"game-{game}",)), say("table-title-short", game=say(f"{game}-name"))
    return Screen((Text((say("table-moved", icon=icon, last=name),)),))


def named(block: Block, seats: Sequence[Seat]) -> Block:
    """The block with the names of its seats filled in."""
    if not isinstance(block, Text):
        return block
    names = names_of(seats)
    return Text(tuple([resolve(line, names.__getitem__) for line in block.lines]), block.spare)


names_of: IdentityCache[Sequence[Seat], Sequence[Argument]] = IdentityCache(
    lambda seats: [seat_name(seats, number) for number in range(len(seats))]
)
"""What all seats are called."""


def _tell(line: Line, seats: Sequence[Seat]) -> Say:
    """What a turn has brought, put together."""
    names = names_of(seats)
    pieces = [resolve(piece, names.__getitem__) for piece in line.pieces]
    return say("story-line", name=names[line.seat], story=joined(pieces, "story-joined"))


telling: IdentityCacheInContext[Line, Sequence[Seat], Say] = IdentityCacheInContext(_tell)
"""A line put together for the people in these seats; earlier turns stay as they are from click to click."""


def together(names: Sequence[Argument]) -> Argument:
    """Those who did something together, as a sentence names them: the last one with "and"."""
    if len(names) < 2:
        return joined(names)
    return say("list-and", head=joined(names[:-1]), tail=names[-1])


def joined(parts: Sequence[Argument], key: str = "list-joined") -> Argument:
    """The parts as one argument, put together by the catalogue's way of writing lists."""
    return Chain(key, tuple(parts)) if len(parts) > 1 else parts[0] if parts else ""
