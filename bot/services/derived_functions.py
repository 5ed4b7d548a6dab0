"""Functions that compute records, checks, replays, reviews and pictures, to be called in a worker process.

They take and return values that can be pickled. ``moves`` are as the database has them: decoding them before
they are sent would take the bot ten times as long.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from bot.charts import rating, scores, skill, winning_chances
from bot.games.core import Leave, Unreadable
from bot.games.seats import Seat
from bot.i18n.catalogue import Catalogue
from bot.records import fairness, replay
from bot.records.fairness import Fairness
from bot.records.game_log import GameLog, check_rules, log_of, record_of
from bot.records.highlights import highlights_of, seats_played_by_one_person
from bot.records.replay import Frame
from bot.records.score_sheet import score_sheet_of
from bot.registry import TEXT_ICONS, find
from bot.screens.advice import Report
from bot.screens.highlights import Highlights
from bot.screens.score_sheet import SheetLine
from bot.screens.stats import RATING_CHART, charts
from bot.standings.values import CurvePoint, SkillPoint
from bot.store.base import GameRow, StoredMove
from bot.store.encoding import read_moves
from bot.strategy.tutto.puzzles import Puzzle, puzzle_of

BLOCK = 16
"""How many frames are packed together: the bot unpacks one block to show one frame, in 0.3 ms."""


@dataclass(frozen=True, slots=True)
class Frames:
    """A replay of ``count`` frames, packed in blocks.

    ``damaged`` is whether the log is unreadable after the last frame.
    """

    count: int
    damaged: bool
    blocks: tuple[bytes, ...]

    def at(self, index: int) -> Frame:
        frame: Frame = pickle.loads(self.blocks[index // BLOCK])[index % BLOCK]
        return frame


def record(row: GameRow, moves: Sequence[StoredMove]) -> str | None:
    """See :func:`bot.records.game_log.record_of`."""
    return record_of(row, read_moves(moves))


def score_sheet(row: GameRow, moves: Sequence[StoredMove]) -> tuple[SheetLine, ...]:
    """See :func:`bot.records.score_sheet.score_sheet_of`."""
    return score_sheet_of(_log(row, moves))


def check(row: GameRow, moves: Sequence[StoredMove], stored_scores: Sequence[int]) -> Fairness | None:
    """See :func:`bot.records.fairness.check`."""
    return fairness.check(row, read_moves(moves), stored_scores)


def frames(row: GameRow, moves: Sequence[StoredMove]) -> Frames:
    """Replay a game as far as its log is readable."""
    replayed = replay.replay(find(row.game), row, read_moves(moves))
    count = len(replayed.frames)
    blocks = tuple(pickle.dumps(replayed.frames[start : start + BLOCK]) for start in range(0, count, BLOCK))
    return Frames(count, replayed.damaged, blocks)


def review(row: GameRow, moves: Sequence[StoredMove]) -> Report:
    """Review a game, which may take seconds.

    Raises one of CORRUPT_DATA_ERRORS unless its log leads to its stored state.
    """
    entry = find(row.game)
    assert entry.coach is not None
    log = _log(row, moves)
    *_, last = log.replay()
    if last.state != row.state:
        raise Unreadable("error-unreadable")
    return entry.coach.review(log.options, log.seats, log.opening, log.moves)


def puzzle(row: GameRow, moves: Sequence[StoredMove], move: int) -> Puzzle | None:
    """Return the puzzle before a move, by its number from 0; the played move is its tempting choice."""
    log = _log(row, moves)
    played = log.moves[move].action if move < len(log.moves) else None
    if played is None or isinstance(played, Leave):
        return None
    (before,) = islice(log.replay(), move, move + 1)
    return puzzle_of(before.state, played)


def score_chart(row: GameRow, moves: Sequence[StoredMove]) -> bytes:
    """Draw the scores of a game in its own language; see :mod:`bot.charts.scores`."""
    return scores.score_chart(row, _log(row, moves), _catalogue())


def highlights(row: GameRow, moves: Sequence[StoredMove], report: Report | None) -> Highlights:
    """See :func:`bot.records.highlights.highlights_of`."""
    return highlights_of(find(row.game), _log(row, moves), seats_played_by_one_person(row), report)


def chances_chart(report: Report, seats: Sequence[Seat], locale: str) -> bytes:
    """Draw the winning chances in a game; see :mod:`bot.charts.winning_chances`."""
    return winning_chances.winning_chances_chart(report, seats, _catalogue(), locale)


def statistics_charts(
    curve: Sequence[CurvePoint], skills: Sequence[SkillPoint], locale: str
) -> Mapping[str, bytes]:
    """Draw the pictures that :func:`bot.screens.stats.charts` names."""
    pictures = {}
    for name in charts(curve, skills):
        if name == RATING_CHART:
            pictures[name] = rating.rating_chart(curve, _catalogue(), locale)
        else:
            pictures[name] = skill.skill_chart(skills, _catalogue(), locale)
    return pictures


def _log(row: GameRow, moves: Sequence[StoredMove]) -> GameLog:
    check_rules(row)
    return log_of(row, read_moves(moves))


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return Catalogue(TEXT_ICONS)
