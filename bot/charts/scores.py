"""The chart of the scores in a finished game, turn by turn."""

from __future__ import annotations

from bot.charts.lines import LEFT_MARK, LOSSES, Caption, Labels, draw
from bot.charts.names import drawn_name
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.records.game_log import GameLog
from bot.records.score_history import score_history_of
from bot.registry import find
from bot.store.base import GameRow, intact


def score_chart(row: GameRow, log: GameLog, catalogue: Catalogue) -> bytes:
    """Draw the chart of a finished game as PNG.

    Raises one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS` if its log is damaged.
    """
    entry = find(row.game)
    history = score_history_of(entry, log)
    result = entry.rules.result(intact(row.state))
    assert result is not None
    captions = (
        Caption(f"{place}.", drawn_name(catalogue, row.locale, row.seats, seat), first=place == 1)
        for seat, place in enumerate(result.places())
    )
    kinds = sorted({kind for scores in history.seats for _, kind in scores.marks}, key=_rank)
    if any(scores.left is not None for scores in history.seats):
        kinds.append(LEFT_MARK)
    labels = Labels(
        tuple(captions),
        catalogue.text(row.locale, say("chart-turns")),
        {kind: catalogue.text(row.locale, say(f"chart-mark-{kind}")) for kind in kinds},
        row.locale,
    )
    return draw(history, labels)


def _rank(kind: str) -> tuple[bool, str]:
    """Sort key of kinds of marks: gains before losses."""
    return kind in LOSSES, kind
