-- Queries that PostgreSQL alone is asked, and update_game, which checks that nobody has touched the game meanwhile.

-- name: lock_standings
-- The number is arbitrary and means this lock alone.
SELECT pg_advisory_xact_lock(4242001);

-- name: update_game
UPDATE games SET
    host_id = :host_id, locale = :locale, status = :status, version = :version, options = :options,
    state = :state, draws = :draws, first_chance = :first_chance, news = :news, tally = :tally, acted = :acted,
    ai_to_move = :ai_to_move, turn_seconds = :turn_seconds, hints = :hints, since = :since, reminded = :reminded,
    missed = :missed, votes = :votes, deadline = :deadline, updated_at = :updated_at, touched = :touched
WHERE id = :id AND version = :expected AND touched = :untouched;

-- A move in one statement, which is a transaction by itself. Where the game has moved on nothing is written, and 0
-- comes back; an interaction that was noted before breaks the rule of its table, and undoes it all.

-- name: write_move
WITH
changed AS (
    UPDATE games SET
        host_id = :host_id, locale = :locale, status = :status, version = :version, options = :options,
        state = :state, draws = :draws, first_chance = :first_chance, news = :news, tally = :tally, acted = :acted,
        ai_to_move = :ai_to_move, turn_seconds = :turn_seconds, hints = :hints, since = :since, reminded = :reminded,
        missed = :missed, votes = :votes, deadline = :deadline, updated_at = :updated_at, touched = :touched
    WHERE id = :id AND version = :expected AND touched = :untouched
    RETURNING id
),
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

-- name: interaction_game
SELECT game_id FROM interactions WHERE id = :id;

-- Times are those of the server's clock, so that the processes' own need not agree.

-- name: beat
INSERT INTO processes (id, shard_count, shards, started_at, until)
VALUES (
    :id, :shard_count, :shards, extract(epoch FROM clock_timestamp()),
    extract(epoch FROM clock_timestamp()) + CAST(:seconds AS DOUBLE PRECISION)
)
ON CONFLICT (id) DO UPDATE SET until = excluded.until;

-- name: alive
SELECT id, shard_count, shards FROM processes
WHERE until > extract(epoch FROM clock_timestamp()) ORDER BY started_at, id;

-- name: bury_dead
DELETE FROM processes WHERE until < extract(epoch FROM clock_timestamp()) - 3600;

-- name: leave
DELETE FROM processes WHERE id = :id;
