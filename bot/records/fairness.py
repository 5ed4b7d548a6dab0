"""Checks that the dice and cards of a game that has ended come from the secret whose seal was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.core import CORRUPT_DATA_ERRORS
from bot.records.game_log import OtherRules, record_of
from bot.records.record import RecordError
from bot.records.replay import replay
from bot.records.verification import verify_line
from bot.registry import GAMES
from bot.store.base import GameRow, MoveRow


@dataclass(frozen=True, slots=True)
class Fairness:
    """The result of a check: how many moves and outcomes were confirmed, and how many of the players'
    words were ``deleted`` with a person's data.

    ``problem`` is a line in English, or "" if everything is right. ``other_rules`` says that the game was
    played by other rules than today's, and so was not checked.
    """

    moves: int = 0
    outcomes: int = 0
    deleted: int = 0
    problem: str = ""
    other_rules: OtherRules | None = None


def check(row: GameRow, moves: Sequence[MoveRow], scores: Sequence[int]) -> Fairness | None:
    """Verify the record of a game as ``python -m bot verify`` does, and compare it with stored ``scores``.

    Return None if it has no record, because no dice were drawn.
    """
    if row.game not in GAMES:
        return Fairness(problem=f"there is no game {row.game!r}")
    try:
        record = record_of(row, moves)
    except OtherRules as error:
        return Fairness(other_rules=error)
    except (RecordError, *CORRUPT_DATA_ERRORS):
        # The replay stops at the first bad move.
        frames = replay(GAMES[row.game], row, moves).frames
        turn = frames[-1].finished if frames else 0
        return Fairness(problem=f"the log can't be followed beyond turn {turn}")
    if record is None:
        return None
    try:
        verified = verify_line(record)
    except RecordError as error:
        return Fairness(problem=str(error))
    if verified.result is not None and tuple(scores) != verified.result.scores:
        return Fairness(problem=f"the log gives {verified.result.scores}, stored is {tuple(scores)}")
    return Fairness(verified.moves, verified.outcomes, verified.deleted)
