"""The table of Gambler: the board row by row, one button for each way to place a die."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar

from bot.games.core import Unreadable
from bot.games.gambler.boards import BOARD_IDS, BOARDS, MARKED, TRIPLE, Kind, Row
from bot.games.gambler.fitting import fits, may_go_on, placements
from bot.games.gambler.rules import pile
from bot.games.gambler.state import (
    ROLL_DICE,
    STOP,
    BoardTurned,
    Choose,
    End,
    Event,
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
    dice_to_roll,
)
from bot.games.values import replace
from bot.i18n.say import Argument, Faces, Icons, Line, Say, SeatRef, say
from bot.screens.gambler.ways import fillings, only_way, placed, turn_goes_on
from bot.screens.game_screen import GameScreen, Interim
from bot.screens.model import (
    DANGER,
    PRIMARY,
    SECONDARY,
    SUCCESS,
    Act,
    Block,
    Button,
    Buttons,
    ChangeView,
    Mark,
    Text,
    signed_points,
)

MAX_WAYS_TO_GO_ON = 6
"""With more ways to place a die, no button places one and goes on at once."""

MAX_WAY_LINES = 3
"""How many rows of buttons may be filled with some that go on at once, with three or more seats."""

ROW_WIDTH, GAP = 264, 8
"""The width of a row of buttons on a phone 390 pixels wide, and the space between two of them, in pixels."""

SHORT_WIDTH = 64
"""The width of a short button, which may stand beside those of a roomy row."""

WIDTHS = {
    "gambler-place": 80,
    "gambler-place-last": 119,
    "gambler-fill": 128,
    "gambler-place-all": 115,
    "gambler-place-all-last": 164,
    "gambler-place-and-roll": 107,
    "gambler-place-and-end": 150,
    "gambler-fill-and-end": 162,
    "gambler-all-and-roll": 82,
    "gambler-all-and-end": 126,
}
"""How wide the buttons are by label, with an icon where they have one, in the language that takes most."""

CHIPS = (100, 50, 10)
"""What the blue, the yellow and the white chip are worth (sheet)."""

STEP = 10
"""All points are multiples of this."""

ACCENT = 0xA98200

_TOKEN = re.compile(r"([rs])|p((?:[0-5][1-6]){1,5})([rs])?|([vb])([0-9]{1,2})", re.ASCII)
"""Roll, stop; place dice, each given by its row and face, and then roll or stop; view the board of a number,
begin with it."""
_ENDS = {"r": (ROLL_DICE,), "s": (STOP,), None: ()}
"""What follows at once when dice are placed."""


class GamblerScreen(GameScreen[State, Event]):
    """The screen of Gambler. A view is the number of a board that is looked at before one is chosen."""

    key = "gambler"
    topics = ("game", "board", "turn", "end", "settled")
    turn_ends = frozenset(f"gambler-story-end-{how.value.replace('_', '-')}" for how in End)
    in_passing = (RanOut, RoundEnded, SeatLeft)
    headlines = turn_ends | {"gambler-story-placed", "gambler-story-row", "gambler-story-round"}
    who_begins: ClassVar[Say | None] = say("gambler-beginner")
    rules_arguments: ClassVar[Mapping[str, Argument]] = {
        "pays": Icons(("row-pays",)),
        "costs": Icons(("row-costs",)),
        "white": Icons(("chip-10",)),
        "yellow": Icons(("chip-50",)),
        "blue": Icons(("chip-100",)),
        "beginners": say(f"gambler-board-{MARKED}"),
    }

    def accent(self, state: State) -> int | None:
        return ACCENT

    def body(self, state: State, view: str) -> tuple[Block, ...]:
        if state.phase is Phase.BOARD:
            return _offered(state, view)
        board = board_of(state)
        lines = [row_line(number, row, state.rows[number]) for number, row in enumerate(board.rows)]
        if state.phase is Phase.PLACE:
            lines.append(say("table-dice", dice=_roll(state)))
        if state.gained:
            lines.append(say("gambler-gained", points=signed_points(state.gained)))
        if (stake := _stake(state)) is not None:
            lines.append(stake)
        return (Text.of(*lines),)

    def controls(self, state: State, view: str) -> tuple[Buttons, ...]:
        if state.phase is Phase.START:
            first = Button("r", say("gambler-roll-first", n=dice_to_roll(state)), PRIMARY)
            return (Buttons.of(first, roomy=True),)
        if state.phase is Phase.BOARD:
            return _choices(state, view)
        if state.phase is not Phase.PLACE:
            return ()
        rows = _ways(state)
        on = []
        if may_go_on(state):
            on = [
                Button("r", say("gambler-roll-on", n=len(state.roll)), PRIMARY),
                Button("s", say("gambler-stop"), SECONDARY),
            ]
        return (*rows, Buttons.of(*on, roomy=True))

    def press(self, state: State, token: str) -> ChangeView | Act:
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise Unreadable("error-old-button")
        if match[1]:
            return Act(ROLL_DICE if match[1] == "r" else STOP)
        if match[4]:
            board = _board_id(match[5])
            return ChangeView(match[5]) if match[4] == "v" else Act(Choose(board))
        pairs = match[2]
        places = [Place(int(pairs[at]), int(pairs[at + 1])) for at in range(0, len(pairs), 2)]
        return Act(places[0], (*places[1:], *_ENDS[match[3]]))

    def pieces(self, event: Event) -> tuple[Say, ...]:
        return _pieces(event)

    def title(self, state: State) -> Say:
        return _title(state.options.target)

    def seat_notes(self, state: State) -> tuple[Say, ...]:
        # Between two boards the dice are shared out anew.
        return () if state.phase is Phase.BOARD else tuple(_dice_left(dice) for dice in state.dice)

    def owned(self, state: State) -> tuple[Say, ...]:
        return tuple(say("gambler-chips", chips=Icons(chips(points))) for points in state.scores)

    def interim(self, state: State, event: Event) -> Interim | None:
        return (
            Interim(replace(state, phase=Phase.PLACE, roll=event.dice)) if isinstance(event, Rolled) else None
        )

    def outcome(self, line: Line) -> tuple[Say, ...]:
        """Return how many dice a turn has placed, the rows it has completed, and how it ended."""
        dice, parts = 0, []
        for piece in line.pieces:
            match piece.key:
                case "gambler-story-placed":
                    dice += 1
                case "gambler-story-row":
                    parts.append(_completed(piece))
                case "gambler-story-out" | "story-left":
                    parts.append(piece)
        if not dice:
            return (say("gambler-story-end-no-fit"), *parts)
        return tuple(parts) or (say("gambler-turn-dice", n=dice),)

    def closing(self, line: Line) -> tuple[Say, ...]:
        return tuple(piece for piece in line.pieces if piece.key == "gambler-story-round")

    def untold(self, line: Line) -> tuple[Say, ...]:
        """Return where the last die went, which the bot places where there is only one way."""
        last = line.pieces[-1] if line.pieces else None
        if last is None or last.key not in ("gambler-story-placed", "gambler-story-row"):
            return ()
        story = last if last.key == "gambler-story-placed" else _completed(last)
        return (say("gambler-just-placed", story=story),)

    def result_columns(self, feats: Mapping[str, int]) -> tuple[Say, ...]:
        return (say("gambler-feat-rows", n=n),) if (n := feats.get("rows")) else ()

    def marks(self, events: Sequence[Any]) -> tuple[Mark, ...]:
        return tuple(
            Mark(event.seat, "row" if event.points > 0 else "costs")
            for event in events
            if isinstance(event, RowCompleted) and event.points
        )


def _stake(state: State) -> Say | None:
    """Say what is missing to win, if this board is the last one."""
    present = [seat for seat in range(len(state.scores)) if seat not in state.left]
    leader = max(present, key=lambda seat: state.scores[seat])
    best = state.scores[leader]
    if best < state.options.target or state.phase is Phase.BOARD:
        return None
    boxes = board_of(state).boxes - sum(map(len, state.rows))
    missing = best - state.scores[state.seat]
    if not missing:
        return say("gambler-stake-leads", n=boxes)
    return say("gambler-stake-last", n=boxes, points=missing + STEP, name=SeatRef(leader))


def _board_id(number: str) -> str:
    """Return the id of the board with this number in the set. Raises :class:`Unreadable`."""
    if int(number) >= len(BOARD_IDS):
        raise Unreadable("error-old-button")
    return BOARD_IDS[int(number)]


def _looked_at(state: State, view: str) -> tuple[Sequence[str], int]:
    """Return the boards to choose from, and which of them is looked at."""
    boards = pile(state)
    board = _board_id(view) if view else boards[0]
    return boards, boards.index(board) if board in boards else 0


def _offered(state: State, view: str) -> tuple[Block, ...]:
    """Show one of the boards to choose from."""
    boards, at = _looked_at(state, view)
    head = say("gambler-choose", name=board_name(boards[at]), number=at + 1, n=len(boards))
    rows = [row_line(number, row, ()) for number, row in enumerate(BOARDS[boards[at]].rows)]
    return (Text.of(head, *rows),)


def _choices(state: State, view: str) -> tuple[Buttons, ...]:
    """Return buttons to look at the boards before and after, and to play this one."""
    boards, at = _looked_at(state, view)
    before, after = (f"v{BOARD_IDS.index(boards[(at + step) % len(boards)])}" for step in (-1, 1))
    play = Button(f"b{BOARD_IDS.index(boards[at])}", say("gambler-choose-this"), PRIMARY)
    if len(boards) == 1:
        return (Buttons.of(play),)
    turning = (Button(before, say("board-previous")), play, Button(after, say("board-next")))
    # Of two boards, the one before is the one after.
    return (Buttons(turning if before != after else turning[1:]),)


def chips(points: int) -> tuple[str, ...]:
    """Return the icons of as few chips as possible that are worth these points, largest first.

    >>> chips(170)
    ('chip-100', 'chip-50', 'chip-10', 'chip-10')
    """
    names: list[str] = []
    for worth in CHIPS:
        number, points = divmod(points, worth)
        names += [f"chip-{worth}"] * number
    return tuple(names)


def board_name(board: str) -> Say:
    """Return the name of a board; the one for beginners has its mark."""
    name = say(f"gambler-board-{board}")
    return say("gambler-board-marked", name=name) if board == MARKED else name


def row_line(number: int, row: Row, placed: tuple[int, ...]) -> Say:
    """Return a row of the board in one line; ``number`` counts from 0."""
    full = len(placed) == len(row.boxes)
    key = "gambler-row-costs" if row.black else "gambler-row-pays"
    return say(
        f"{key}-full" if full else key,
        place=row_sign(number),
        icon=row_icon(row),
        boxes=row_boxes(row, placed),
        points=row.value,
    )


def row_sign(number: int) -> str:
    """Return the sign of a row of the board: a digit in a circle, which can't be taken for a die."""
    return chr(ord("①") + number)


def _completed(piece: Say) -> Say:
    """Return the narration of a completed row in short: its sign, and what it paid."""
    given = dict(piece.args)
    number = given["row"]
    assert isinstance(number, int)
    return say("gambler-turn-row", row=row_sign(number - 1), points=given["points"])


def row_icon(row: Row) -> Icons:
    return Icons(("row-costs" if row.black else "row-pays",))


def row_boxes(row: Row, placed: tuple[int, ...]) -> Icons:
    """Return the dice in a row, and what its empty boxes ask for. The next box to fill stands out."""
    at = len(placed)
    empty = (
        f"{'next' if box == at else 'box'}-{_asks(row, placed, box)}" for box in range(at, len(row.boxes))
    )
    return Icons((*(f"die-{die}" for die in placed), *empty))


def _asks(row: Row, placed: tuple[int, ...], box: int) -> str:
    """Return what an empty box asks for: a number, or a star as long as the number is open."""
    if row.kind is Kind.NUMBERS:
        return str(row.boxes[box])
    if row.kind is Kind.STARS:
        return str(placed[0]) if placed else "star"
    first = 0 if box < TRIPLE else TRIPLE
    if len(placed) > first:
        return str(placed[first])
    return "star-a" if box < TRIPLE else "star-b"


def _roll(state: State) -> Icons:
    """Return the dice of the roll; those that fit nowhere are crossed out."""
    fitting = {face for faces in fits(state) for face in faces}
    return Icons(tuple(f"die-{face}" if face in fitting else f"die-{face}-off" for face in state.roll))


def _ways(state: State) -> list[Buttons]:
    """Return a button for each way to place a die, by die and row, and more that do several things at once.

    There are at most :data:`~bot.games.gambler.fitting.MAX_PLACEMENTS` ways to place one die, and all have
    their button. The others fill a row that pays, place all dice if there is only one way, or go on at once
    after a die, as far as there is room.
    """
    ways = sorted(placements(state), key=lambda place: (place.die, place.row))
    single = [_way(state, place) for place in ways]
    whole = only_way(state)
    whole_ways = [whole] if len(whole) > 1 else []
    several = list(dict.fromkeys((*fillings(state), *whole_ways)))
    buttons = [*single, *(_several(state, places) for places in several)]
    if len(ways) > MAX_WAYS_TO_GO_ON:
        return packed(buttons)
    # The scores of two seats leave the space of a row; what is missing to win on the last board takes one.
    room = MAX_WAY_LINES + (len(state.scores) == 2) - (_stake(state) is not None)
    rows = packed([*buttons, *_onwards(state, [*several[:1], *((place,) for place in ways)])])
    return rows[: max(room, len(packed(single)))]


def _onwards(state: State, fillings: Sequence[tuple[Place, ...]]) -> list[Button]:
    """Return buttons that place dice and go on at once, first those that people choose most.

    After a row that pays they end the turn. For a die that brings nothing there is one that rolls again and,
    after all of these, one that ends the turn. A row that costs has none: that is better thought over.
    """
    ways = [places for places in fillings if turn_goes_on(placed(state, places))]
    points = {places: _brought(state, places) for places in ways}
    ways.sort(key=lambda places: -points[places])
    mostly = [_and_on(state, places, end=points[places] > 0) for places in ways if points[places] >= 0]
    return [*mostly, *(_and_on(state, places, end=True) for places in ways if points[places] == 0)]


def packed(buttons: Sequence[Button]) -> list[Buttons]:
    """Return buttons for placing dice in rows that don't wrap on a phone, in the same order."""
    rows: list[list[Button]] = []
    rooms: list[int] = []
    for button in buttons:
        assert button.label is not None
        width = WIDTHS[button.label.key] + GAP
        if not rooms or width > rooms[-1]:
            rows.append([])
            rooms.append(ROW_WIDTH + GAP)
        rows[-1].append(button)
        rooms[-1] -= width
    roomy = [room >= SHORT_WIDTH + GAP for room in rooms]
    return [Buttons.of(*row, roomy=wide) for row, wide in zip(rows, roomy, strict=True)]


def _token(places: Sequence[Place]) -> str:
    return f"p{''.join(f'{place.row}{place.die}' for place in places)}"


def _brought(state: State, places: Sequence[Place]) -> int:
    """Return the points of the rows that placing these dice completes."""
    after, board = placed(state, tuple(places)), board_of(state)
    return sum(
        row.points
        for row, dice, before in zip(board.rows, after.rows, state.rows, strict=True)
        if len(dice) == len(row.boxes) > len(before)
    )


def _several(state: State, places: Sequence[Place]) -> Button:
    points = _brought(state, places)
    rows = dict.fromkeys(place.row for place in places)
    if len(rows) == 1 and points > 0:
        label = say("gambler-fill", row=row_sign(*rows), points=signed_points(points))
    elif points:
        label = say("gambler-place-all-last", n=len(places), points=signed_points(points))
    else:
        label = say("gambler-place-all", n=len(places))
    return Button(_token(places), label, SUCCESS if points > 0 else SECONDARY)


def _and_on(state: State, places: Sequence[Place], *, end: bool) -> Button:
    """Return a button that places dice and then ends the turn, or rolls again."""
    fills = len({place.row for place in places}) == 1 and _brought(state, places) > 0
    how = "place" if len(places) == 1 else "fill" if fills and end else "all"
    key = f"gambler-{how}-and-{'end' if end else 'roll'}"
    label = say(key, row=row_sign(places[0].row), n=state.hand - len(places))
    icon = f"die-{places[0].die}" if len(places) == 1 else None
    return Button(f"{_token(places)}{'s' if end else 'r'}", label, SECONDARY, icon=icon)


def _way(state: State, place: Place) -> Button:
    row = board_of(state).rows[place.row]
    token, icon = _token((place,)), f"die-{place.die}"
    if len(state.rows[place.row]) + 1 < len(row.boxes):
        return Button(token, say("gambler-place", row=row_sign(place.row)), SECONDARY, icon=icon)
    label = say("gambler-place-last", row=row_sign(place.row), points=signed_points(row.points))
    return Button(token, label, DANGER if row.black else SUCCESS, icon=icon)


@cache
def _dice_left(number: int) -> Say:
    return say("gambler-dice", icon=Icons(("dice",)), number=number)


@cache
def _title(target: int) -> Say:
    return say("gambler-title", target=target)


@lru_cache(maxsize=4096)
def _pieces(event: Event) -> tuple[Say, ...]:
    """Return the narration of an event. It is cached, so that all tables share the same messages."""
    match event:
        case BoardTurned(board=board):
            return (say("gambler-story-board", name=board_name(board)),)
        case Rolled(dice=dice):
            return (say("gambler-story-rolled", dice=Faces(dice)),)
        case Placed(row=row, die=die):
            return (say("gambler-story-placed", die=die, row=row + 1),)
        case RowCompleted(row=row, points=points, score=score):
            return (say("gambler-story-row", row=row + 1, points=signed_points(points), score=score),)
        case TurnEnded(how=how):
            return (say(f"gambler-story-end-{how.value.replace('_', '-')}"),)
        case RanOut(seat=seat):
            return (say("gambler-story-out", name=SeatRef(seat)),)
        case RoundEnded(number=number):
            return (say("gambler-story-round", number=number),)
        case SeatLeft(seat=seat):
            return (say("story-left", name=SeatRef(seat)),)
