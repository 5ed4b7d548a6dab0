"""The score sheet follows the log turn by turn, and is a CSV file that spreadsheets read as it is."""

from __future__ import annotations

import csv
import io
from random import Random

import pytest

from bot.games.core import OVER, Move, play, settle
from bot.games.seats import person
from bot.i18n.catalogue import Catalogue
from bot.records.game_log import GameLog
from bot.records.score_sheet import csv_of, score_sheet_of
from bot.records.seeds import SeededChance
from bot.registry import GAMES, TEXT_ICONS, find
from bot.screens.model import Text
from bot.screens.score_sheet import SheetLine, score_sheet
from tests.support.examples import random_move

LINES = (
    SheetLine(0, (350, 0), (350, 0)),
    SheetLine(1, (-350, 1000), (0, 1000)),
    SheetLine(0, (0, 0), (0, 1000)),
)


@pytest.mark.parametrize("game", GAMES)
def test_each_finished_turn_has_a_line(game: str) -> None:
    rules, chance, rng = find(game).rules, SeededChance(bytes(32)), Random(1)
    options = rules.options({})
    opening = now = settle(rules, rules.initial(options, 2), chance)
    moves = []
    while rules.to_move(now.state) != OVER:
        seat, action = rules.to_move(now.state), random_move(rules, now.state, rng)
        now = play(rules, now.state, action, chance)
        moves.append(Move(seat, action, now.outcomes))
    for number in (0, len(moves) // 2, len(moves)):
        lines = score_sheet_of(GameLog(game, options, 2, opening.outcomes, tuple(moves[:number])))
        assert bool(lines) == bool(number)
    assert len(lines) == rules.turns(now.state)
    assert lines[-1].scores == rules.scores(now.state)
    sums = [sum(changes) for changes in zip(*(line.changes for line in lines), strict=True)]
    start = rules.scores(opening.state)
    assert sums == [end - begin for begin, end in zip(start, lines[-1].scores, strict=True)]


def test_no_name_is_a_formula_in_a_spreadsheet() -> None:
    data = csv_of(LINES, ["=HYPERLINK(1)", 'B"en, x'])
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    assert rows == [
        ["turn", "player", "points", "'=HYPERLINK(1)", 'B"en, x'],
        ["1", "'=HYPERLINK(1)", "350", "350", "0"],
        ["2", 'B"en, x', "1000", "0", "1000"],
        ["3", "'=HYPERLINK(1)", "0", "0", "1000"],
    ]


def test_the_page_tells_what_others_have_lost_as_well() -> None:
    screen = score_sheet(LINES, [person(1, "Ann"), person(2, "Ben")], "tutto-9.csv")
    texts = [block for block in screen.blocks if isinstance(block, Text)]
    assert [Catalogue(TEXT_ICONS).text("en", line) for line in texts[1].lines] == [
        "1. Ann **+350** · 350",
        "2. Ben **+1,000** · 1,000 · Ann −350",
        "3. Ann **0** · 0",
    ]
