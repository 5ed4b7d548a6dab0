-- Queries that PostgreSQL alone is asked.

-- name: lock_standings
-- The number is arbitrary and means this lock alone.
SELECT pg_advisory_xact_lock(4242001);

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

-- name: schema
SELECT coalesce(max(version), 0) FROM schema_version;

-- name: leave
DELETE FROM processes WHERE id = :id;
