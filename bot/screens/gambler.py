"""The table of Gambler: the board row by row, one button for each way to place a die."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.games.core import Unreadable
from bot.games.gambler.boards import Kind, Row
from bot.games.gambler.fitting import may_go_on, placements
from bot.games.gambler.state import (
    MOST_ROLLS,
    ROLL_DICE,
    STOP,
    BoardTurned,
    Event,
    Options,
    Phase,
    Place,
    Placed,
    RanOut,
    Rolled,
    RoundEnded,
    RowCompleted,
    SeatLeft,
    State,
    TurnEnded,
    board_of,
)
from bot.i18n.say import Argument, Faces, Icons, Say, SeatRef, say
from bot.screens.model import (
    PRIMARY,
    SECONDARY,
    SUCCESS,
    Act,
    Block,
    Button,
    Buttons,
    Divider,
    Line,
    Look,
    Mark,
    Text,
)
from bot.screens.story import tell

TOPICS = ("game", "board", "turn", "end", "settled")
ACCENT = 0xA98200
BUTTONS_A_ROW = 5

_TOKEN = re.compile(r"([rs])|p([0-5])([1-6])", re.ASCII)
_ENDINGS = frozenset(f"gambler-story-end-{how}" for how in ("no-fit", "stopped", "all-placed", "board-full"))


class GamblerScreen:
    """Implements :class:`~bot.screens.model.GameScreen`. There is nothing to mark, so views stay empty."""

    shown = frozenset({"gambler-story-rolled"})
    facts: Mapping[str, Argument] = {"pays": Icons(("row-pays",)), "costs": Icons(("row-costs",))}

    def goal(self, options: Options) -> tuple[Say, ...]:
        stars = say(f"gambler-stars-{options.stars.value}")
        return (say("gambler-goal", target=options.target, stars=stars),)

    def accent(self, state: State) -> int | None:
        return ACCENT

    def body(self, state: State, view: str) -> tuple[Block, ...]:
        board = board_of(state)
        rows = [_row(number, row, state.rows[number]) for number, row in enumerate(board.rows)]
        blocks: list[Block] = [
            Text((say("gambler-board", name=say(board.name_key), number=state.number), *rows)),
            Divider(),
        ]
        lines = [_dice_left(state)]
        if state.phase is Phase.PLACE:
            shown = Icons(tuple(f"die-{face}" for face in state.roll))
            lines.append(say("gambler-roll", dice=shown, number=state.rolls, most=MOST_ROLLS))
        if state.gained:
            lines.append(say("gambler-gained", points=signed(state.gained)))
        blocks.append(Text(tuple(lines)))
        return tuple(blocks)

    def controls(self, state: State, view: str) -> tuple[Buttons, ...]:
        if state.phase is Phase.START:
            dice = min(state.dice[state.seat], 5)
            return (Buttons((Button("r", say("gambler-roll-first", n=dice), PRIMARY),)),)
        if state.phase is not Phase.PLACE:
            return ()
        ways = [_way(state, place) for place in placements(state)]
        rows = [
            Buttons(tuple(ways[start : start + BUTTONS_A_ROW]))
            for start in range(0, len(ways), BUTTONS_A_ROW)
        ]
        on = []
        if may_go_on(state):
            dice = len(state.roll)
            on = [
                Button("r", say("gambler-roll-again", n=dice), PRIMARY),
                Button("s", say("gambler-stop", n=dice), SECONDARY),
            ]
        return (*rows, Buttons(tuple(on)))

    def press(self, state: State, token: str) -> Look | Act:
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise Unreadable("error-old-button")
        if match[1]:
            return Act(ROLL_DICE if match[1] == "r" else STOP)
        return Act(Place(int(match[2]), int(match[3])))

    def narrate(self, lines: Sequence[Line], events: Sequence[Event]) -> tuple[Line, ...]:
        told = tuple(lines)
        for event in events:
            aside = isinstance(event, (RanOut, RoundEnded, SeatLeft))
            told = tell(told, event.seat, _pieces(event), _ENDINGS, aside=aside)
        return told

    def feats(self, feats: dict[str, int]) -> tuple[Say, ...]:
        return (say("gambler-feat-rows", n=feats.get("rows", 0)),)

    def marks(self, events: Sequence[Event]) -> tuple[Mark, ...]:
        return tuple(
            Mark(event.seat, "row" if event.points > 0 else "costs")
            for event in events
            if isinstance(event, RowCompleted) and event.points
        )

    def topics(self) -> tuple[str, ...]:
        return TOPICS


def _row(number: int, row: Row, placed: tuple[int, ...]) -> Say:
    full = len(placed) == len(row.boxes)
    key = "gambler-row-costs" if row.black else "gambler-row-pays"
    return say(
        f"{key}-full" if full else key,
        place=number + 1,
        icon=row_icon(row),
        boxes=row_boxes(row, placed),
        points=row.value,
    )


def row_icon(row: Row) -> Icons:
    return Icons(("row-costs" if row.black else "row-pays",))


def row_boxes(row: Row, placed: tuple[int, ...]) -> Icons:
    """What lies in a row, and what its empty boxes ask for."""
    return Icons(
        tuple(
            f"die-{placed[box]}" if box < len(placed) else _empty(row, placed, box)
            for box in range(len(row.boxes))
        )
    )


def _empty(row: Row, placed: tuple[int, ...], box: int) -> str:
    """The icon of a box without a die: the number it asks for, as soon as that is known."""
    if row.kind is Kind.NUMBERS:
        return f"box-{row.boxes[box]}"
    if row.kind is Kind.STARS:
        return f"box-{placed[0]}" if placed else "box-star"
    first = 0 if box < 3 else 3
    if len(placed) > first:
        return f"box-{placed[first]}"
    return "box-star-a" if box < 3 else "box-star-b"


def _way(state: State, place: Place) -> Button:
    row = board_of(state).rows[place.row]
    token = f"p{place.row}{place.die}"
    if len(state.rows[place.row]) + 1 < len(row.boxes):
        return Button(token, say("gambler-place", die=place.die, row=place.row + 1), SECONDARY)
    label = say("gambler-place-last", die=place.die, row=place.row + 1, points=signed(row.points))
    return Button(token, label, SECONDARY if row.black else SUCCESS)


def _dice_left(state: State) -> Say:
    parts = [
        say("gambler-dice-of", name=SeatRef(seat), n=dice)
        for seat, dice in enumerate(state.dice)
        if seat not in state.left
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = say("list-joined", head=whole, tail=part)
    return say("gambler-dice-left", dice=whole)


def signed(points: int) -> Say:
    return say("points-won" if points >= 0 else "points-lost", points=abs(points))


def _pieces(event: Event) -> tuple[Say, ...]:
    match event:
        case BoardTurned(board=board):
            return (say("gambler-story-board", name=say(f"gambler-board-{board}")),)
        case Rolled(dice=dice):
            return (say("gambler-story-rolled", dice=Faces(dice)),)
        case Placed(row=row, die=die):
            return (say("gambler-story-placed", die=die, row=row + 1),)
        case RowCompleted(row=row, points=points, score=score):
            return (say("gambler-story-row", row=row + 1, points=signed(points), score=score),)
        case TurnEnded(how=how):
            return (say(f"gambler-story-end-{how.value.replace('_', '-')}"),)
        case RanOut(seat=seat):
            return (say("gambler-story-out", name=SeatRef(seat)),)
        case RoundEnded(number=number):
            return (say("gambler-story-round", number=number),)
        case SeatLeft(seat=seat):
            return (say("story-left", name=SeatRef(seat)),)
