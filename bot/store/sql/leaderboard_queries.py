"""The queries of leaderboards of all time and of months: one for each order, by its column and index.

Equal values share a place, and among them the older account is listed first.

A page follows the index of its order and then looks up the few lines that it shows. To count the lines before
a person's, the same index is used. Neither reads rows that it does not need. That works only if the query's
text has the same column and condition as the index, so there is one text for each order. Only lasting
lines, those of all time and of months, are in the indexes.
"""

from __future__ import annotations

from bot.standings.values import MIN_GAMES_FOR_RATE, Sort

SORT_COLUMNS = {
    Sort.RATING: ("rating", "rating IS NOT NULL"),
    Sort.WINS: ("wins", ""),
    Sort.RATE: ("rate", f"games >= {MIN_GAMES_FOR_RATE}"),
    Sort.BEST: ("best_turn", ""),
    Sort.FEAT: ("feat", ""),
}
"""For each order, the column of ``totals`` and the condition of its index, if there is one."""

_LISTED = """
    guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since
    AND hidden = 0 AND lasting = 1
"""

_QUERIES = """
-- name: page_by_{order}
WITH page AS (
    SELECT user_id, {column} AS value FROM totals
    WHERE {listed}
    ORDER BY {column} DESC, user_id LIMIT :limit OFFSET :start
)
SELECT page.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, page.value
FROM page
JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.board = :board
    AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: before_by_{order}
-- Counts the better lines, and all lines above. With OR alone, the index would be read from its beginning.
SELECT count(*) FILTER (WHERE {column} > :value) AS better, count(*) AS earlier FROM totals
WHERE {listed} AND {column} >= :value AND ({column} > :value OR user_id < :user_id);

-- name: ranked_by_{order}
SELECT count(*) FROM totals WHERE {listed};
"""


def texts() -> str:
    """Return all of these queries, in the format of a file of queries."""
    return "".join(
        _QUERIES.format(
            order=sort.value, column=column, listed=_LISTED.strip() + (f" AND {only}" if only else "")
        )
        for sort, (column, only) in SORT_COLUMNS.items()
    )
