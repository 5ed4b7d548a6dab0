"""The queries that read and write whole games, made from the list of a game's columns."""

from __future__ import annotations

from collections.abc import Iterable

from bot.store.encoding import COLUMNS, MOVE_COLUMNS, UPDATE_COLUMNS


def _assigned(columns: Iterable[str]) -> str:
    return ", ".join(f"{name} = :{name}" for name in columns)


_ALL = tuple(column.name for column in COLUMNS)
_SET = _assigned(UPDATE_COLUMNS)

_GAME = """SELECT
    games.*,
    (
        SELECT json_group_array(
            json_object('seat', seat, 'kind', kind, 'user_id', user_id, 'name', name, 'policy', policy)
        )
        FROM seats WHERE seats.game_id = games.id
    ) AS seats,
    (
        SELECT json_group_array(json_object('seat', seat, 'user_id', user_id, 'word', word))
        FROM words WHERE words.game_id = games.id
    ) AS words,
    (
        SELECT json_group_array(
            json_object(
                'number', number, 'seat', seat, 'user_id', user_id, 'name', name, 'version', version,
                'handed', handed, 'turns', turns, 'own_turns', own_turns
            )
        )
        FROM former_seats WHERE former_seats.game_id = games.id
    ) AS former
FROM games WHERE"""

SHARED = f"""
-- name: game_by_id
{_GAME} id = :id;

-- name: active_game
{_GAME} channel_id = :channel_id AND status IN ('lobby', 'live');

-- name: latest_game
{_GAME} channel_id = :channel_id ORDER BY id DESC LIMIT 1;

-- name: child_game
{_GAME} parent_id = :parent_id;

-- name: insert_game
INSERT INTO games ({", ".join(_ALL)}) VALUES ({", ".join(f":{name}" for name in _ALL)}) RETURNING id;

-- name: update_game
UPDATE games SET {_SET} WHERE id = :id AND version = :expected;
"""
"""Queries for both databases, unless :data:`POSTGRES` has one of the same name."""

MOVE_GAME = f"UPDATE games SET {_assigned(MOVE_COLUMNS)} WHERE id = :id AND version = :expected"
"""Updates what a move can change. It has no name, as only the writer of many changes on SQLite asks it."""

_UPDATE = f"""
UPDATE games SET {_SET}, touched = :touched
WHERE id = :id AND version = :expected AND touched = :untouched
"""

POSTGRES = f"""
-- Refuses a game that was touched meanwhile.

-- name: update_game
{_UPDATE};

-- Writes a change with at most one move in one statement, which is a transaction by itself. If the game has
-- moved on, this writes nothing and returns 0. If the interaction was noted before, its primary key refuses
-- it, and nothing is written.

-- name: write_change_at_once
WITH
changed AS ({_UPDATE} RETURNING id),
noted AS (
    INSERT INTO interactions (id, game_id)
    SELECT CAST(:interaction AS BIGINT), id FROM changed WHERE CAST(:interaction AS BIGINT) IS NOT NULL
),
moved AS (
    INSERT INTO moves (game_id, number, seat, action, chance, at)
    SELECT
        id, CAST(:number AS BIGINT), CAST(:seat AS BIGINT), CAST(:action AS TEXT), CAST(:chance AS TEXT),
        CAST(:at AS DOUBLE PRECISION)
    FROM changed WHERE CAST(:number AS BIGINT) IS NOT NULL
)
SELECT count(*) FROM changed;
"""
