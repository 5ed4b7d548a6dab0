-- name: guilds_with_open_seasons
-- A walk along the index from one server to the next, not over all results.
WITH RECURSIVE walk (guild_id) AS (
    SELECT min(guild_id) FROM results WHERE guild_id > :after
    UNION ALL
    SELECT (SELECT min(guild_id) FROM results WHERE results.guild_id > walk.guild_id) FROM walk
    WHERE walk.guild_id IS NOT NULL
)
SELECT walk.guild_id FROM walk LEFT JOIN seasons ON seasons.guild_id = walk.guild_id
WHERE
    walk.guild_id IS NOT NULL AND (seasons.through IS NULL OR seasons.through < :through)
    AND (walk.guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY walk.guild_id LIMIT :limit;

-- name: season
SELECT through, card, refused, tried FROM seasons WHERE guild_id = :guild_id;

-- name: first_counted_result
SELECT ended_at FROM results
WHERE
    guild_id = :guild_id AND ended_at >= :since AND ended_at < :until AND board = 'people' AND user_id IS NOT NULL
ORDER BY ended_at LIMIT 1;

-- name: season_winners
-- Counted as in the totals, with the same people as on their boards.
SELECT game, counted.user_id, sum(won) AS wins, count(*) AS games FROM (
    SELECT game, user_id, CAST(place = 1 AS INTEGER) AS won FROM results
    WHERE
        guild_id = :guild_id AND ended_at >= :since AND ended_at < :until AND board = 'people'
        AND user_id IS NOT NULL
    UNION ALL
    SELECT games.game, user_id, 0 FROM former_seats JOIN games ON games.id = former_seats.game_id
    WHERE games.guild_id = :guild_id AND ended_at >= :since AND ended_at < :until AND user_id IS NOT NULL
) AS counted
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = counted.user_id
WHERE coalesce(members.present, 1) = 1 AND coalesce(members.unlisted, 0) = 0
GROUP BY game, counted.user_id
HAVING sum(won) > 0
ORDER BY game, wins DESC, games, counted.user_id;

-- name: insert_season_line
INSERT INTO season_lines (guild_id, game, month, number, place, user_id, wins, games)
VALUES (:guild_id, :game, :month, :number, :place, :user_id, :wins, :games);

-- name: set_season
INSERT INTO seasons (guild_id, through, card) VALUES (:guild_id, :through, :card)
ON CONFLICT (guild_id) DO UPDATE SET through = excluded.through, card = coalesce(excluded.card, seasons.card);

-- name: season_cards
SELECT guild_id, card FROM seasons
WHERE card IS NOT NULL AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY guild_id;

-- name: try_season_card
UPDATE seasons SET tried = :month WHERE guild_id = :guild_id;

-- name: settle_season_card
UPDATE seasons SET card = NULL, refused = :refused WHERE guild_id = :guild_id AND card = :month;

-- name: season_lines
SELECT
    place, wins, games, season_lines.user_id, coalesce(members.name, '') AS name,
    coalesce(members.unlisted, 0) AS unlisted
FROM season_lines
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = season_lines.user_id
WHERE season_lines.guild_id = :guild_id AND game = :game AND month = :month
ORDER BY number;

-- name: season_months
SELECT DISTINCT month FROM season_lines WHERE guild_id = :guild_id AND game = :game ORDER BY month DESC;

-- name: anonymous_season_lines
UPDATE season_lines SET user_id = NULL WHERE user_id = :user_id;

-- name: export_season_lines
SELECT guild_id, game, month, place, wins, games FROM season_lines
WHERE user_id = :user_id ORDER BY guild_id, month, game;

-- name: purge_season_lines
DELETE FROM season_lines WHERE guild_id = :guild_id;

-- name: purge_seasons
DELETE FROM seasons WHERE guild_id = :guild_id;
