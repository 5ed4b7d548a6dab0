"""The table during the game, and the line that replaces a table posted again further down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from bot.games.base import GameState
from bot.games.core import AnyGame
from bot.games.seats import Seat
from bot.i18n.identity_cache import IdentityCache, IdentityCacheInContext
from bot.i18n.say import Argument, GameIcon, GameName, Icons, Line, Mention, Moment, Say, joined, resolve, say
from bot.screens.button_ids import AGREE, BACK, MORE, PLAY_ON, ROLL_ON, SKIP
from bot.screens.game_screen import AnyScreen, Interim
from bot.screens.model import PRIMARY, SECONDARY, SUCCESS, Block, Button, Buttons, Divider, Screen, Text
from bot.screens.seat_names import named, names_of, short_names_of
from bot.screens.turn_lines import split_turns, turn_line, turn_part, turn_text

MAX_SCORE_LINES = 5
"""The limit of lines with one score each. With more seats only the leaders and the seat to move have such a
line, and the others share one."""

MAX_TURNS, OWN_TURN_LINES = 5, 3
"""The limit of finished turns that are told, and up to how many of them have a line each.

The private page of :data:`MORE` tells all that are stored.
"""

MAX_COMING = 4
"""The limit of turns that a step announces."""

BEGINS_BY_LOT = say("story-by-lot")
"""The piece of narration which says that a lot has decided who begins."""


class TableContext(NamedTuple):
    """What all screens of a running game need. ``rated`` is None if there is nothing to say about it, see
    :func:`goal_line`.
    """

    rules: AnyGame
    screen: AnyScreen
    seats: Sequence[Seat]
    narration: Sequence[Line]
    rated: bool | None = None


class Waiting(NamedTuple):
    """What the table says about absence: who is away, the turn limit, and votes.

    The bot plays for the seats in ``away``. ``until`` is when it plays the present turn too (Unix seconds;
    None means never); ``needed`` votes make it do so at once, and there are ``votes``. The seat ``asker``
    wants to end the game without a result; ``consent`` says how many want that, and how many must.
    """

    away: tuple[int, ...] = ()
    until: float | None = None
    votes: int = 0
    needed: int = 0
    asker: int | None = None
    consent: tuple[int, int] = (0, 0)


def table(
    context: TableContext, state: GameState, view: str, mention: int | None, waiting: Waiting
) -> Screen:
    """Show the table of a running game so that it fits on a phone: scores, one line for each finished turn,
    and the turn being played.

    ``mention`` is the person to notify when the table is posted anew, unless they are away.
    """
    rules, screen, seats, narration, _ = context
    turn = rules.turn_seat(state)
    if turn in waiting.away:
        mention = None
    names = short_names_of(seats)
    _, running = split_turns(narration, turn, screen)
    extra = screen.untold(running) if running is not None else ()
    if running is not None and BEGINS_BY_LOT in running.pieces:
        extra = (BEGINS_BY_LOT, *extra)
    controls = [row for row in screen.controls(state, view) if row.buttons]
    more = _AWAY_BUTTONS if waiting.away else _BUTTONS
    if controls and controls[-1].roomy and waiting.asker is None and not waiting.away:
        more = Buttons.of(*controls.pop().buttons, *more.buttons)
    blocks: list[Block] = [
        *_head(context, state, waiting.away),
        Text.of(
            *_whose_turn_lines(names[turn], turn, mention, waiting),
            *(say("small-print", text=resolve(piece, names.__getitem__)) for piece in extra),
        ),
        *(named(block, seats) for block in screen.body(state, view)),
        *controls,
        *_ending(waiting, names),
        more,
    ]
    return Screen.of(*blocks, accent=screen.accent(state), mention=mention)


def step(
    context: TableContext,
    interim: Interim,
    told: Sequence[Say],
    following: GameState | None,
    number: int | None = None,
    *,
    coming: Sequence[int] = (),
) -> Screen:
    """Show an interim position of what was played already, and ``told``, what came of it.

    The buttons are those of ``following``, the state after all steps (None if the game is over), and one that
    skips to it. ``coming`` are the seats whose turns were played between the two, in this order. With a
    ``number``, the player whose turn it was brings about the next step by hand.
    """
    rules, screen, seats, _, _ = context
    state = interim.state
    turn, names = rules.turn_seat(state), names_of(seats)
    lines: list[Say] = []
    if told:
        pieces = [resolve(piece, names.__getitem__) for piece in told]
        lines.append(say("story-line", name=names[turn], story=joined(pieces, "story-joined")))
    rows: list[Buttons] = []
    if following is not None:
        coming = (*coming, rules.turn_seat(following))
        rows = [row for row in screen.controls(following, "") if row.buttons]
    if coming:
        lines.append(_coming(coming, seats))
    skip = Button(SKIP, say("step-skip"))
    if number is not None and interim.by_hand is not None:
        rows = [Buttons(tuple(replace(one, style=SECONDARY) for one in row.buttons)) for row in rows]
        rows = [Buttons.of(Button(f"{ROLL_ON}{number:x}", interim.by_hand, PRIMARY), skip), *rows, _BUTTONS]
    else:
        # Last, so that no other button takes its place while somebody is about to press it.
        rows.append(Buttons.of(*_BUTTONS.buttons, skip))
    return Screen.of(
        *_head(context, state, ()),
        *(named(block, seats) for block in screen.body(state, interim.view)),
        Text.of(*lines) if lines else None,
        *rows,
        accent=screen.accent(state),
    )


def _coming(turns: Sequence[int], seats: Sequence[Seat]) -> Say:
    """Say whose turns come next: the first and the last ones, if there are more than :data:`MAX_COMING`."""
    names: list[Argument] = [say("step-name", name=short_names_of(seats)[seat]) for seat in turns]
    if len(names) > MAX_COMING:
        names[MAX_COMING - 2 : -1] = ["…"]
    return say("step-next", names=joined(names, "story-joined"))


def _finished_lines(lines: Sequence[Line], context: tuple[Sequence[Seat], AnyScreen]) -> tuple[Say, ...]:
    """Return a line for each finished turn, or one with all of them if they are more than a few."""
    if len(lines) <= OWN_TURN_LINES:
        return tuple([turn_line(line, context) for line in lines])
    return (say("turn-line", text=joined([turn_part(line, context) for line in lines], "turn-joined")),)


def _head(context: TableContext, state: GameState, away: Sequence[int]) -> tuple[Block, ...]:
    """Return the title, the scores, and what came of each turn that is over."""
    rules, screen, seats, narration, rated = context
    turn, left = rules.turn_seat(state), rules.left(state)
    finished, _ = split_turns(narration, turn, screen)
    # So many that each player sees their own last turn and all that has happened since.
    lines = finished[-min(len(seats) - len(left), MAX_TURNS) :]
    return (
        _title(screen.title(state), (rules.key, rated)),
        _scores(seats, (rules.scores(state), turn, left, away, screen.seat_notes(state))),
        Divider(),
        Text(_finished_lines(lines, (seats, screen)), spare=True),
    )


_BUTTONS = Buttons.of(Button(MORE, say("table-more")))
_AWAY_BUTTONS = Buttons.of(Button(BACK, say("table-back"), SUCCESS), *_BUTTONS.buttons)
"""The buttons that are no moves, always last, so that their place never changes."""


# Parts that recur from click to click are kept as the same objects, so that their texts are found in caches.


def _make_title(title: Say, context: tuple[str, bool | None]) -> Text:
    game, rated = context
    return Text.of(say("table-title", icon=GameIcon(game), goal=goal_line(title, rated)))


_title: IdentityCacheInContext[Say, tuple[str, bool | None], Text] = IdentityCacheInContext(_make_title)


def goal_line(goal: Say, rated: bool | None) -> Say:
    """Return what is played, and whether it is rated or friendly; None for games without two people."""
    if rated is None:
        return goal
    return say("facts-joined", head=goal, tail=say("table-rated" if rated else "table-friendly"))


def score_lines(
    names: Sequence[Argument],
    seats: Sequence[Seat],
    scores: Sequence[int],
    turn: int,
    left: Sequence[int],
    away: Sequence[int] = (),
    notes: Sequence[Say] = (),
) -> list[Say]:
    """Return a line with the points of each seat, and its note if there are ``notes``."""
    lines = []
    for number, points in enumerate(scores):
        key = _score_key(number, "table-score-turn" if number == turn else "table-score", left, away)
        icon = Icons(("seat-human" if seats[number].human else "seat-ai",))
        line = say(key, name=names[number], points=points, icon=icon)
        if notes and number not in left:
            line = say("table-score-note", score=line, note=notes[number])
        lines.append(line)
    return lines


def _score_key(seat: int, usual: str, left: Sequence[int], away: Sequence[int]) -> str:
    return "table-score-left" if seat in left else "table-score-away" if seat in away else usual


Scores = tuple[Sequence[int], int, Sequence[int], Sequence[int], Sequence[Say]]
"""Points by seat, the seat whose turn it is, the seats that have left, those that are away, and notes."""


def _make_scores(seats: Sequence[Seat], context: Scores) -> Text:
    scores, turn, left, away, notes = context
    lines = score_lines(short_names_of(seats), seats, scores, turn, left, away, notes)
    if len(seats) <= MAX_SCORE_LINES:
        return Text.of(*lines)
    leader = max(scores[seat] for seat in range(len(seats)) if seat not in left)
    leaders = [seat for seat, points in enumerate(scores) if points == leader and seat not in left]
    own = sorted({*leaders[: MAX_SCORE_LINES - 1], turn})
    others = [
        say(_score_key(seat, "table-score-other", left, away), name=name, points=scores[seat], icon="")
        for seat, name in enumerate(short_names_of(seats))
        if seat not in own
    ]
    return Text.of(*(lines[seat] for seat in own), say("small-print", text=joined(others, "scores-joined")))


_scores: IdentityCacheInContext[Sequence[Seat], Scores, Text] = IdentityCacheInContext(_make_scores)


def _ending(waiting: Waiting, names: Sequence[Argument]) -> tuple[Block, ...]:
    """Ask the players whether to end the game without a result, if one of them wants that."""
    if waiting.asker is None:
        return ()
    n, needed = waiting.consent
    return (
        Text.of(say("table-ending", name=names[waiting.asker], n=n, needed=needed)),
        Buttons.of(Button(AGREE, say("table-end-agree")), Button(PLAY_ON, say("table-end-play-on"))),
    )


def _whose_turn_lines(name: Argument, turn: int, mention: int | None, waiting: Waiting) -> tuple[Say, ...]:
    """Say whose turn it is, until when, and how many have voted to skip the wait."""
    if turn in waiting.away:
        return (say("table-nobody-there", name=name),)
    lines = [_your_turn(Mention(mention) if mention is not None else name)]
    if waiting.until is not None:
        lines.append(say("table-until", until=Moment(waiting.until)))
    if waiting.votes:
        lines.append(say("table-votes", n=waiting.votes, needed=waiting.needed))
    return tuple(lines)


_your_turn: IdentityCache[Argument, Say] = IdentityCache(lambda name: say("table-your-turn", name=name))


def summary(context: TableContext) -> Screen:
    """Show one line without buttons, to replace a table that was posted again further down."""
    rules, screen, seats, narration, _ = context
    if not narration:
        return moved(rules.key)
    last = turn_text(narration[-1], (seats, screen))
    return Screen.of(Text.of(say("table-moved", icon=GameIcon(rules.key), last=last)))


def moved(game: str) -> Screen:
    """Like :func:`summary`, for when only the game is known."""
    icon, name = GameIcon(game), say("table-title-short", game=GameName(game))
    return Screen.of(Text.of(say("table-moved", icon=icon, last=name)))
