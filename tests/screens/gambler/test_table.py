"""Gambler's table has buttons for exactly the legal placements, and room for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simcord.components import walk_components

from bot.discordpy.components import render
from bot.games.core import Unreadable
from bot.games.dice import FACES
from bot.games.gambler import Gambler
from bot.games.gambler.board_data import RawBoard
from bot.games.gambler.boards import BOARD_IDS, BOARDS, MAX_FREE_ROWS, Board, Kind, Row, board_from_raw
from bot.games.gambler.fitting import MAX_PLACEMENTS, accepts, may_go_on, placements
from bot.games.gambler.state import (
    DICE_A_TURN,
    Choose,
    End,
    Event,
    Phase,
    Placed,
    Rolled,
    RoundEnded,
    RowCompleted,
    Stars,
    State,
    TurnEnded,
)
from bot.games.seats import person
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Line, say
from bot.registry import TEXT_ICONS
from bot.screens import table
from bot.screens.gambler.advice import GamblerAdvice
from bot.screens.gambler.table import GamblerScreen, packed, row_boxes
from bot.screens.model import DANGER, SECONDARY, SUCCESS, Act, Button, Buttons, ChangeView, Text
from bot.screens.seat_names import named
from bot.screens.table import TableContext, Waiting
from bot.screens.turn_lines import turn_line
from bot.strategy.gambler.automata import automaton

MAX_COMPONENTS = 40
"""Discord's limit for one message, rows and texts and the frame included."""

GAME, SCREEN = Gambler(), GamblerScreen()
CATALOGUE = Catalogue(TEXT_ICONS)
PEOPLE = [person(seat, "W" * 32) for seat in range(6)]
CROWD: RawBoard = (
    "crowd",
    (("1 2", 50), ("1 3", 50), ("1 4", 50), ("1 5", -20), ("* * * *", 60), ("A A A B B", 90)),
)
"""As crowded as the grammar allows: all six rows take a 1, and both free ones anything else."""


@pytest.fixture(autouse=True)
def _boards() -> Iterator[None]:
    BOARDS["crowd"] = board_from_raw(CROWD)  # type: ignore[index]
    yield
    del BOARDS["crowd"]  # type: ignore[attr-defined]


def position(
    board: str,
    rows: Sequence[tuple[int, ...]],
    roll: Sequence[int],
    placed: int = 0,
    stars: Stars = Stars.INDEPENDENT,
    seats: int = 6,
    best: int = 990,
) -> State:
    """A position in which ``roll`` lies open, with the most points, dice and texts.

    It is on the last board if the ``best`` score is 1000 or more.
    """
    return replace(
        GAME.initial(GAME.options({"stars": stars.value, "target": 1000}), seats),
        board=board,
        rows=tuple(rows),
        scores=(990,) * (seats - 1) + (best,),
        dice=(15,) * seats,
        phase=Phase.PLACE,
        hand=len(roll),
        roll=tuple(sorted(roll)),
        placed=placed,
        rolls=1,
        number=20,
        gained=100,
    )


def buttons(state: State) -> list[Button]:
    return [button for line in SCREEN.controls(state, "") for button in line.buttons]


def components(state: State) -> int:
    """How many components the table of ``state`` has with everything else that can be on it."""
    waiting = Waiting(away=(1,), until=1e9, votes=1, needed=2)
    people = PEOPLE[: len(state.scores)]
    shown = table.table(TableContext(GAME, SCREEN, people, ()), state, "", 7, waiting)
    parts = render(shown, CATALOGUE, "de", 1 << 40, 1 << 20).to_components()
    return sum(1 for _ in walk_components(parts))


def most_ways(row: Row, faces: frozenset[int]) -> int:
    return max(len(faces & set(accepts(row, placed))) for placed in automaton(row, False).states)


@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_no_roll_can_be_placed_in_more_ways_than_there_is_room_for(board: Board) -> None:
    """Each row by itself: the only link between rows, distinct stars, only reduces the number."""
    for faces in map(frozenset, combinations(FACES, DICE_A_TURN)):
        assert sum(most_ways(row, faces) for row in board.rows) <= MAX_PLACEMENTS


def test_the_fullest_table_keeps_to_the_limit() -> None:
    empty = ((),) * 6
    first = position("crowd", empty, (1, 2, 3, 4, 5))
    assert len(placements(first)) == MAX_PLACEMENTS == 14
    # Three more fill a row. A line without buttons is not shown.
    assert [len(line.buttons) for line in SCREEN.controls(first, "")] == [3, 3, 3, 3, 2, 2, 1, 0]
    assert components(first) == 33
    # Once a die is placed, at most four are left, and there are two more buttons.
    later = position("crowd", empty, (1, 2, 3, 4), placed=1)
    assert may_go_on(later)
    assert len(buttons(later)) == 12 + 3 + 2
    assert components(later) == 33


def test_more_stands_beside_rolling_again_unless_somebody_is_away() -> None:
    state = position("crowd", ((),) * 6, (1, 2, 3, 4), placed=1)
    for waiting, labels in (
        (Waiting(), ["Roll 4", "End turn", "More"]),
        (Waiting(away=(1,)), ["I’m back", "More"]),
    ):
        last = table.table(TableContext(GAME, SCREEN, PEOPLE, ()), state, "", None, waiting).blocks[-1]
        assert isinstance(last, Buttons)
        assert [CATALOGUE.text("en", button.label) for button in last.buttons if button.label] == labels


def test_more_stands_beside_the_last_way_to_place_a_die_if_there_is_room() -> None:
    state = position("crowd", ((),) * 6, (1, 2, 3, 4, 5))
    ways = [line for line in SCREEN.controls(state, "") if line.buttons]
    for last, alone in ((ways[-1], False), (ways[0], True)):
        assert len(last.buttons) == (3 if alone else 1)
        assert [line.roomy for line in packed(last.buttons)] == [not alone]
    shown = table.table(TableContext(GAME, SCREEN, PEOPLE, ()), state, "", None, Waiting()).blocks[-1]
    assert isinstance(shown, Buttons)
    assert shown.buttons[:-1] == ways[-1].buttons
    assert shown.buttons[-1].label == say("table-more")


@pytest.mark.parametrize(
    ("seated", "text"),
    [
        (2, "-# Anna · 1 placed\n-# Maximilian Alex… · 1 placed"),
        (3, "-# Anna · 1 placed\n-# Maximilian Alex… · 1 placed\n-# Bartholomaeus · 1 placed"),
        (4, "-# **Anna** 1 placed · **Maximilia…** 1 placed · **Bartholom…** 1 placed · **Dora** 1 placed"),
    ],
)
def test_more_than_three_turns_are_told_in_running_text(seated: int, text: str) -> None:
    lines: tuple[Line, ...] = ()
    for seat in range(seated):
        lines = SCREEN.narrate(lines, (Placed(seat, 0, 0, 1, False), TurnEnded(seat, End.STOPPED, 0, 5)))
    names = ("Anna", "Maximilian Alexander", "Bartholomaeus", "Dora")
    seats = [person(number, name) for number, name in enumerate(names[:seated])]
    state = replace(GAME.initial(GAME.options({}), seated), board="crowd", phase=Phase.START)
    told = table.table(TableContext(GAME, SCREEN, seats, lines), state, "", None, Waiting()).blocks[3]
    assert isinstance(told, Text)
    assert "\n".join(CATALOGUE.text("en", line) for line in told.lines) == text


def test_a_board_with_too_many_free_rows_is_refused() -> None:
    assert max(sum(row.kind is not Kind.NUMBERS for row in board.rows) for board in BOARDS.values()) == 2
    assert MAX_FREE_ROWS == 2
    with pytest.raises(ValueError, match="too many rows of stars"):
        board_from_raw(("wide", (("* * *", 50), ("* * *", 50), *CROWD[1][2:])))


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Any rows on any board, also the last one, whether or not a game would lead there, with any roll."""
    board, stars = draw(st.sampled_from(list(BOARDS.values()))), draw(st.sampled_from(list(Stars)))
    rows = [draw(st.sampled_from(automaton(row, False).states)) for row in board.rows]
    placed = draw(st.integers(0, 1))
    roll = draw(st.lists(st.sampled_from(FACES), min_size=1, max_size=DICE_A_TURN - placed))
    seats, best = draw(st.integers(2, 6)), draw(st.sampled_from((990, 1000)))
    return position(board.id, rows, roll, placed, stars, seats, best)


def test_on_the_last_board_each_way_to_place_a_die_has_a_button() -> None:
    rows = ((), (6, 5, 4, 3), (), (), (), (1,))
    state = position("staircase", rows, (3, 3, 4, 5, 6), seats=3, best=1000)
    tokens = {button.token for button in buttons(state)}
    assert {f"p{place.row}{place.die}" for place in placements(state)} <= tokens


@given(positions())
def test_there_is_one_button_for_each_legal_action_and_room_for_all(state: State) -> None:
    if not state.placed and not placements(state):
        return  # such a roll ends the turn and is never shown
    pressed = [SCREEN.press(state, button.token) for button in buttons(state)]
    shown = [one for one in pressed if one in [Act(action) for action in GAME.legal(state)]]
    assert sorted(map(repr, shown)) == sorted(repr(Act(action)) for action in GAME.legal(state))
    # The choices of one die stand together.
    icons = [button.icon for button in buttons(state)[: len(placements(state))]]
    assert icons == sorted(map(str, icons))
    assert components(state) <= MAX_COMPONENTS
    for one in pressed:
        assert isinstance(one, Act)
        after = state
        for action in (one.action, *one.then):
            # The state says whether the board is complete; other positions can't be reached.
            assert action in GAME.legal(after)
            after = GAME.apply(after, action).state


@given(positions(), st.integers(0, 2**32))
def test_a_button_says_where_the_die_goes_and_what_that_brings(state: State, seed: int) -> None:
    ways = placements(state)
    if not ways:
        return
    place = Random(seed).choice(ways)
    row = BOARDS[state.board].rows[place.row]
    (button,) = [one for one in buttons(state) if one.token == f"p{place.row}{place.die}"]
    assert button.label is not None
    label = CATALOGUE.text("en", button.label)
    assert button.icon == f"die-{place.die}"
    sign = "①②③④⑤⑥"[place.row]
    if len(state.rows[place.row]) + 1 < len(row.boxes):
        assert (label, button.style) == (f"→{sign}", SECONDARY)
    elif row.black:
        assert (label, button.style) == (f"→{sign} −{row.value}", DANGER)
    else:
        assert (label, button.style) == (f"→{sign} +{row.value}", SUCCESS)


def text(state: State, view: str = "") -> str:
    blocks = [named(block, PEOPLE) for block in SCREEN.body(state, view)]
    lines = [line for block in blocks if isinstance(block, Text) for line in block.lines]
    return "\n".join(CATALOGUE.text("en", line) for line in lines)


def test_a_row_shows_what_lies_in_it_what_comes_next_and_what_it_brings() -> None:
    state = position("crowd", ((1, 2), (1,), (), (1, 5), (3, 3), (4, 4, 4, 6)), (2, 3, 6))
    assert text(state).splitlines()[:6] == [
        "① ✓ paid 50 1️⃣ 2️⃣",
        "② 🟨 pays 50 1️⃣ ▸`3`",
        "③ 🟨 pays 50 ▸`1` `4`",
        "④ ✓ cost 20 1️⃣ 5️⃣",
        "⑤ 🟨 pays 60 3️⃣ 3️⃣ ▸`3` `3`",
        "⑥ 🟨 pays 90 4️⃣ 4️⃣ 4️⃣ 6️⃣ ▸`6`",
    ]
    # The 2 fits nowhere.
    assert "✗2️⃣ 3️⃣ 6️⃣" in text(state)


@pytest.mark.parametrize(
    ("placed", "icons"),
    [
        ((), "next-star-a box-star-a box-star-a box-star-b box-star-b"),
        ((4,), "die-4 next-4 box-4 box-star-b box-star-b"),
        ((4, 4, 4), "die-4 die-4 die-4 next-star-b box-star-b"),
        ((4, 4, 4, 2), "die-4 die-4 die-4 die-2 next-2"),
        ((4, 4, 4, 2, 2), "die-4 die-4 die-4 die-2 die-2"),
    ],
)
def test_a_full_house_asks_for_a_number_as_soon_as_it_is_known(placed: tuple[int, ...], icons: str) -> None:
    assert row_boxes(BOARDS["crowd"].rows[5], placed).names == tuple(icons.split())


def test_a_turn_is_told_in_one_line() -> None:
    """With the rows that were completed, or else the dice that were placed, but not the rolls.

    A turn that fills the board says so: the next one shows another board.
    """
    lines = [
        (Rolled(0, (1, 2, 3, 4, 5), 1), Placed(0, 0, 0, 1, False), Placed(0, 1, 0, 1, False)),
        (Rolled(0, (4, 4, 4, 4, 4), 1), TurnEnded(0, End.NO_FIT, 0, 5)),
        (Placed(0, 4, 1, 3, False), RowCompleted(0, 4, -20, -20, 60), RowCompleted(0, 0, 50, 50, 110)),
        (Placed(0, 0, 1, 3, False), RowCompleted(0, 0, 50, 50, 110), RoundEnded(0, "1", 1, (110,))),
        (Placed(0, 0, 1, 3, False), RoundEnded(0, "1", 2, (110,))),
    ]
    told = [turn_line(SCREEN.narrate((), events)[0], (PEOPLE[:1], SCREEN)) for events in lines]
    name = f"{'W' * 15}…"
    assert [CATALOGUE.text("en", line) for line in told] == [
        f"-# {name} · 2 placed",
        f"-# {name} · nothing fits",
        f"-# {name} · ⑤ −20 · ① +50",
        f"-# {name} · ① +50 · end of round\N{NO-BREAK SPACE}1",
        f"-# {name} · 1 placed · end of round\N{NO-BREAK SPACE}2",
    ]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ((), []),
        ((Rolled(0, (1, 2), 1),), []),
        ((Rolled(0, (1, 2), 1), Placed(0, 2, 0, 2, True)), ["Placed: 2 to row 3"]),
        ((Placed(0, 0, 1, 3, False), RowCompleted(0, 0, 50, 50, 110)), ["Placed: ① +50"]),
    ],
)
def test_the_table_says_where_the_last_die_went(events: Sequence[Event], told: list[str]) -> None:
    line = SCREEN.narrate((), events)[0] if events else Line(0, ())
    assert [CATALOGUE.text("en", piece) for piece in SCREEN.untold(line)] == told


@pytest.mark.parametrize(
    ("rows", "roll", "labels"),
    [
        # Both orders of the two dice lead to the same board.
        (((1,), (1, 3), (1, 4), (1, 5), (2, 2, 2), (3, 3, 3, 1, 1)), (2, 2, 6), ["Place all 2 · +110"]),
        # Both dice complete a row that pays: the better one ends the turn with the same click.
        (((1,), (1, 3), (1, 4), (1, 5), (2, 2, 2, 2), (3, 3, 3, 1)), (1, 2, 6), ["→⑥, end turn"]),
        # Two dice complete the stars.
        (
            ((1, 2), (1, 3), (1, 4), (1, 5), (2, 2), (3, 3, 3, 1)),
            (2, 2, 6),
            ["Fill ⑤ +60", "Fill ⑤, end turn", "→⑤ ↻ 2"],
        ),
    ],
)
def test_several_things_take_one_click(
    rows: Sequence[tuple[int, ...]], roll: Sequence[int], labels: list[str]
) -> None:
    state = position("crowd", rows, roll)
    shown = [CATALOGUE.text("en", button.label) for button in buttons(state) if button.label]
    assert set(labels) <= set(shown), shown


@pytest.mark.parametrize(
    ("seats", "lines"),
    [
        (2, ["→① | →③ | →④", "→① ↻ 2 | →③ ↻ 2", "→④ ↻ 2", "→①, end turn"]),
        (3, ["→① | →③ | →④", "→① ↻ 2 | →③ ↻ 2", "→④ ↻ 2"]),
    ],
)
def test_dice_that_bring_nothing_are_followed_by_a_roll_or_the_end_as_far_as_there_is_room(
    seats: int, lines: list[str]
) -> None:
    rows = ((1,), (6, 6, 6), (4, 4), (), (3, 3, 3, 1, 1), (2, 2))
    state = position("lighthouse", rows, (2, 4, 6))
    state = replace(state, scores=(0,) * seats, dice=(15,) * seats)
    shown = [
        " | ".join(CATALOGUE.text("en", button.label) for button in line.buttons if button.label)
        for line in SCREEN.controls(state, "")
        if line.buttons
    ]
    assert shown == lines


@pytest.mark.parametrize(
    ("pile", "view", "head", "labels"),
    [
        (
            BOARD_IDS,
            "",
            "Lighthouse (1 of 20)",
            {"v19": "← Previous", "b0": "Play this board", "v1": "Next →"},
        ),
        (
            BOARD_IDS,
            "15",
            "Vineyard ● (16 of 20)",
            {"v14": "← Previous", "b15": "Play this board", "v16": "Next →"},
        ),
        (("market", "ferry"), "3", "Market (1 of 2)", {"b3": "Play this board", "v8": "Next →"}),
        (("ferry",), "", "Ferry (1 of 1)", {"b8": "Play this board"}),
        # A board that was looked at and has been played since.
        (("market", "ferry"), "0", "Market (1 of 2)", {"b3": "Play this board", "v8": "Next →"}),
    ],
)
def test_boards_are_looked_at_before_one_is_chosen(
    pile: tuple[str, ...], view: str, head: str, labels: dict[str, str]
) -> None:
    state = replace(GAME.initial(GAME.options({"choose": True}), 2), pile=pile)
    assert text(state, view).splitlines()[0] == f"**Choose the next board:** {head}"
    assert len(text(state, view).splitlines()) == 7
    shown = [button for row in SCREEN.controls(state, view) for button in row.buttons]
    assert {button.token: CATALOGUE.text("en", button.label) for button in shown if button.label} == labels
    for button in shown:
        pressed = SCREEN.press(state, button.token)
        if button.token[0] == "v":
            assert pressed == ChangeView(button.token[1:])
        else:
            assert pressed == Act(Choose(BOARD_IDS[int(button.token[1:])]))
    for forged in ("v20", "b99", "b", "v-1"):
        with pytest.raises(Unreadable):
            SCREEN.press(state, forged)
    shown_odds = GamblerAdvice().odds(state)
    assert len(shown_odds) == 1


EMPTY: tuple[tuple[int, ...], ...] = ((),) * 6


@pytest.mark.parametrize(
    ("scores", "left", "phase", "rows", "line"),
    [
        # Nobody has reached the target, or the board is full and the next one is due.
        ((490, 80), (), Phase.START, EMPTY, None),
        ((500, 80), (), Phase.BOARD, EMPTY, None),
        ((500, 80), (), Phase.START, EMPTY, "**Last board:** 19 boxes to fill, and you are in the lead."),
        (
            (500, 620),
            (),
            Phase.START,
            EMPTY,
            "**Last board:** 19 boxes to fill, and you need 130 more to pass Player 1.",
        ),
        # A seat that left can't win.
        ((500, 620), (1,), Phase.START, EMPTY, "**Last board:** 19 boxes to fill, and you are in the lead."),
        (
            (480, 500),
            (),
            Phase.START,
            ((1, 3, 5), (2, 4, 6), (3, 3, 3), (5, 5, 5), (1, 1), (2, 2, 2, 4)),
            "**Last board:** 1 box to fill, and you need 30 more to pass Player 1.",
        ),
    ],
)
def test_the_last_board_says_what_is_missing(
    scores: tuple[int, ...],
    left: tuple[int, ...],
    phase: Phase,
    rows: tuple[tuple[int, ...], ...],
    line: str | None,
) -> None:
    state = GAME.initial(GAME.options({}), 2)
    state = replace(state, board="vineyard", scores=scores, left=left, phase=phase, rows=rows)
    seats = [person(number, f"Player {number}") for number in range(2)]
    blocks = [named(block, seats) for block in SCREEN.body(state, "")]
    told = [CATALOGUE.text("en", one) for block in blocks if isinstance(block, Text) for one in block.lines]
    assert [text for text in told if text.startswith("**Last board")] == ([line] if line else [])
