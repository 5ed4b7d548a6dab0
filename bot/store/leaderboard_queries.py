"""The queries of lasting leaderboards: the same for every order, each with a column and an index of its own.

A page first follows the index of its order, then looks up the few lines it shows. How many come before a line
follows the same index from its beginning. Neither reads a row only to pass it over: that takes a column and a
condition that stand in the text of the query as they do in the index, so there is one text for each order.
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
"""The column of ``totals`` for each order, and who is in it, if not all: as its index has it."""

_LISTED = """
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since
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
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: before_by_{order}
SELECT count(*) FILTER (WHERE {column} > :value) AS better, count(*) AS earlier FROM totals
WHERE {listed} AND {column} >= :value AND ({column} > :value OR user_id < :user_id);

-- name: ranked_by_{order}
SELECT count(*) FROM totals WHERE {listed};
"""


def texts() -> str:
    """All of them, as they would stand in a file of queries."""
    return "".join(
        _QUERIES.format(
            order=sort.value, column=column, listed=_LISTED.strip() + (f" AND {only}" if only else "")
        )
        for sort, (column, only) in SORT_COLUMNS.items()
    )
