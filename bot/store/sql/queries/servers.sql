-- name: all_settings
SELECT guild_id, name, value FROM settings ORDER BY guild_id, name;

-- name: setting
SELECT value FROM settings WHERE guild_id = :guild_id AND name = :name;

-- name: set_setting
INSERT INTO settings (guild_id, name, value) VALUES (:guild_id, :name, :value)
ON CONFLICT (guild_id, name) DO UPDATE SET value = excluded.value;

-- name: unset_setting
DELETE FROM settings WHERE guild_id = :guild_id AND name = :name;

-- name: depart
INSERT INTO departures (guild_id, at) VALUES (:guild_id, :at) ON CONFLICT (guild_id) DO NOTHING;

-- name: come_back
DELETE FROM departures WHERE guild_id = :guild_id;

-- name: departures
SELECT guild_id, at FROM departures ORDER BY at, guild_id;

-- name: known_guilds
SELECT guild_id FROM (
    -- A walk along the index from one server to the next, not over all games.
    WITH RECURSIVE walk (guild_id) AS (
        SELECT min(guild_id) FROM games
        UNION ALL
        SELECT (SELECT min(guild_id) FROM games WHERE games.guild_id > walk.guild_id) FROM walk
        WHERE walk.guild_id IS NOT NULL
    )
    SELECT guild_id FROM walk WHERE guild_id IS NOT NULL
    UNION
    SELECT guild_id FROM settings
    UNION
    SELECT guild_id FROM departures
    UNION
    SELECT DISTINCT guild_id FROM daily_servers
) AS known ORDER BY guild_id;

-- name: some_games_of_guild
SELECT id FROM games WHERE guild_id = :guild_id ORDER BY id DESC LIMIT :limit;

-- name: purge_moves
DELETE FROM moves WHERE game_id IN (SELECT value FROM json_each(:games));

-- name: purge_results
DELETE FROM results WHERE game_id IN (SELECT value FROM json_each(:games));

-- name: purge_shares
DELETE FROM shares WHERE game_id IN (SELECT value FROM json_each(:games));

-- name: purge_words
DELETE FROM words WHERE game_id IN (SELECT value FROM json_each(:games));

-- name: purge_former_seats
DELETE FROM former_seats WHERE game_id IN (SELECT value FROM json_each(:games));

-- name: purge_seats
DELETE FROM seats WHERE game_id IN (SELECT value FROM json_each(:games));

-- name: purge_games
DELETE FROM games WHERE id IN (SELECT value FROM json_each(:games));

-- name: purge_totals
DELETE FROM totals WHERE guild_id = :guild_id;

-- name: purge_records
DELETE FROM records WHERE guild_id = :guild_id;

-- name: purge_members
DELETE FROM members WHERE guild_id = :guild_id;

-- name: purge_settings
DELETE FROM settings WHERE guild_id = :guild_id;

-- name: delete_old_interactions
DELETE FROM interactions WHERE id IN (SELECT id FROM interactions WHERE id < :before ORDER BY id LIMIT :limit);

-- name: note_deletion
-- See COMPACTED in bot/store/sqlite/scrub.py; PostgreSQL has no such note.
DELETE FROM meta WHERE key = 'compacted';
