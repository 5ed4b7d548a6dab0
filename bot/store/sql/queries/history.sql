-- Lists are paged by the number of a game's end: older games than a key, or newer ones, the nearest first.

-- name: finished_in_channel_before
SELECT id, game, channel_id, updated_at, finish FROM games
WHERE channel_id = :channel_id AND status = 'over' AND finish IS NOT NULL AND finish < :key AND :game IN ('', game)
ORDER BY finish DESC LIMIT :limit;

-- name: finished_in_channel_after
SELECT id, game, channel_id, updated_at, finish FROM games
WHERE channel_id = :channel_id AND status = 'over' AND finish IS NOT NULL AND finish > :key AND :game IN ('', game)
ORDER BY finish LIMIT :limit;

-- A game may be seen by who sees its channel, and by those who played in it.

-- name: finished_in_guild_before
SELECT id, game, channel_id, updated_at, finish FROM games
WHERE
    guild_id = :guild_id AND status = 'over' AND finish IS NOT NULL AND finish < :key AND :game IN ('', game)
    AND (
        channel_id IN (SELECT value FROM json_each(:channels))
        OR EXISTS (SELECT 1 FROM seats WHERE seats.game_id = games.id AND seats.user_id = :user_id)
    )
ORDER BY finish DESC LIMIT :limit;

-- name: finished_in_guild_after
SELECT id, game, channel_id, updated_at, finish FROM games
WHERE
    guild_id = :guild_id AND status = 'over' AND finish IS NOT NULL AND finish > :key AND :game IN ('', game)
    AND (
        channel_id IN (SELECT value FROM json_each(:channels))
        OR EXISTS (SELECT 1 FROM seats WHERE seats.game_id = games.id AND seats.user_id = :user_id)
    )
ORDER BY finish LIMIT :limit;

-- name: places_of_games
SELECT seats.game_id, seats.seat, kind, name, policy, seats.user_id, place
FROM seats JOIN results ON results.game_id = seats.game_id AND results.seat = seats.seat
WHERE seats.game_id IN (SELECT value FROM json_each(:games))
ORDER BY seats.game_id, seats.seat;

-- name: note_share
INSERT INTO shares (game_id, channel_id) VALUES (:game_id, :channel_id) ON CONFLICT (game_id, channel_id) DO NOTHING;

-- name: share
SELECT game_id FROM shares WHERE game_id = :game_id AND channel_id = :channel_id;
