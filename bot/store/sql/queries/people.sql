-- name: upsert_member
-- A new name only beside something else of that person: they may have been erased since they were seen.
INSERT INTO members (guild_id, user_id, name)
SELECT CAST(:guild_id AS BIGINT), CAST(:user_id AS BIGINT), CAST(:name AS TEXT)
WHERE
    EXISTS (SELECT 1 FROM members WHERE guild_id = :guild_id AND user_id = :user_id)
    OR EXISTS (
        SELECT 1 FROM seats JOIN games ON games.id = seats.game_id
        WHERE seats.user_id = :user_id AND games.guild_id = :guild_id
    )
    OR EXISTS (
        SELECT 1 FROM former_seats JOIN games ON games.id = former_seats.game_id
        WHERE former_seats.user_id = :user_id AND games.guild_id = :guild_id
    )
    OR EXISTS (SELECT 1 FROM daily_plays WHERE user_id = :user_id)
ON CONFLICT (guild_id, user_id) DO UPDATE SET name = excluded.name, present = 1
WHERE members.name <> excluded.name OR members.present = 0;

-- name: member
SELECT name, present, unlisted FROM members WHERE guild_id = :guild_id AND user_id = :user_id;

-- name: unlisted_members
SELECT user_id FROM members
WHERE guild_id = :guild_id AND unlisted = 1 AND user_id IN (SELECT value FROM json_each(:users));

-- name: refresh_hidden
UPDATE totals SET hidden = CAST(members.present = 0 OR members.unlisted = 1 AS INTEGER)
FROM members
WHERE
    totals.guild_id = :guild_id AND totals.user_id = :user_id
    AND members.guild_id = :guild_id AND members.user_id = :user_id;

-- name: set_present
UPDATE members SET present = :present, checked_at = :at WHERE guild_id = :guild_id AND user_id = :user_id;

-- name: set_unlisted
INSERT INTO members (guild_id, user_id, name, unlisted) VALUES (:guild_id, :user_id, :name, :unlisted)
ON CONFLICT (guild_id, user_id) DO UPDATE SET unlisted = excluded.unlisted;

-- name: absent_members
SELECT user_id FROM members WHERE guild_id = :guild_id AND present = 0 ORDER BY checked_at, user_id LIMIT :limit;

-- name: active_games_of
SELECT games.id FROM seats JOIN games ON games.id = seats.game_id
WHERE seats.user_id = :user_id AND games.status IN ('lobby', 'live')
UNION
SELECT id FROM games WHERE offers <> '[]' AND offers LIKE :offered
ORDER BY id;

-- name: open_tables
SELECT id FROM games
WHERE status IN ('lobby', 'live') AND channel_id IN (SELECT value FROM json_each(:channels))
ORDER BY id DESC;

-- name: anonymous_results
UPDATE results SET user_id = NULL, rating = NULL, nth = NULL
WHERE user_id = :user_id AND game_id IN (SELECT game_id FROM seats WHERE user_id = :user_id);

-- Somebody may take a seat in another process while they are erased: that game is played on and not touched.

-- name: anonymous_host
UPDATE games SET host_id = 0 WHERE host_id = :user_id AND status NOT IN ('lobby', 'live');

-- name: anonymous_seats
UPDATE seats SET user_id = NULL, name = ''
FROM games
WHERE seats.user_id = :user_id AND games.id = seats.game_id AND games.status NOT IN ('lobby', 'live');

-- name: anonymous_former_seats
UPDATE former_seats SET
    user_id = NULL, name = '', mu = NULL, sigma = NULL, against = NULL, rating = NULL, nth = NULL, ended_at = NULL
WHERE user_id = :user_id;

-- Games that were closed without a result keep the names of their people for a while only.

-- name: latest_game_id
SELECT coalesce(max(id), 0) AS id FROM games;

-- name: closed_games_with_names
SELECT id FROM games
WHERE
    id > :after AND id <= :upto AND status = 'ended' AND updated_at < :before
    AND (
        host_id <> 0
        OR EXISTS (
            SELECT 1 FROM seats
            WHERE seats.game_id = games.id AND (seats.user_id IS NOT NULL OR seats.name <> '')
        )
        OR EXISTS (SELECT 1 FROM words WHERE words.game_id = games.id)
        OR EXISTS (
            SELECT 1 FROM former_seats
            WHERE former_seats.game_id = games.id AND (name <> '' OR (user_id IS NOT NULL AND against IS NULL))
        )
    )
ORDER BY id;

-- name: forget_hosts_of_closed
UPDATE games SET host_id = 0 WHERE status = 'ended' AND id IN (SELECT value FROM json_each(:games));

-- name: forget_seats_of_closed
UPDATE seats SET user_id = NULL, name = '' WHERE kind = 'human' AND game_id IN (
    SELECT id FROM games WHERE status = 'ended' AND id IN (SELECT value FROM json_each(:games))
);

-- name: forget_former_seats_of_closed
-- A last place is a result, and stays.
UPDATE former_seats SET name = '', user_id = CASE WHEN against IS NULL THEN NULL ELSE user_id END
WHERE game_id IN (
    SELECT id FROM games WHERE status = 'ended' AND id IN (SELECT value FROM json_each(:games))
);

-- name: forget_words_of_closed
DELETE FROM words WHERE game_id IN (
    SELECT id FROM games WHERE status = 'ended' AND id IN (SELECT value FROM json_each(:games))
);

-- What a word was mixed in as stays in the game's start; see bot/records/sealing.py.

-- name: delete_words_of
DELETE FROM words WHERE user_id = :user_id;

-- name: guilds_of_user
SELECT guild_id FROM members WHERE user_id = :user_id ORDER BY guild_id;

-- name: delete_totals_of
DELETE FROM totals WHERE guild_id = :guild_id AND user_id = :user_id;

-- name: delete_records_of
DELETE FROM records
WHERE
    guild_id = :guild_id AND user_id = :user_id
    AND game IN (SELECT game FROM totals WHERE guild_id = :guild_id AND user_id = :user_id);

-- name: delete_member_everywhere
DELETE FROM members WHERE user_id = :user_id;

-- What is known about somebody, for their eyes. Rows come in pieces, as there may be very many.

-- name: export_members
SELECT guild_id, name, present, unlisted, checked_at FROM members WHERE user_id = :user_id ORDER BY guild_id;

-- name: export_totals
SELECT
    totals.guild_id, game, board, period, since, hidden, games, wins, score, turns, best_turn, feat, rate, rating,
    streak, longest_streak, first_at, mu, sigma, feats
FROM members JOIN totals USING (guild_id, user_id)
WHERE members.user_id = :user_id ORDER BY totals.guild_id, game, board, period, since;

-- name: export_records
SELECT records.guild_id, game, kind, value, game_id, at
FROM members JOIN records USING (guild_id, user_id)
WHERE members.user_id = :user_id ORDER BY records.guild_id, game, kind;

-- name: export_former_seats
SELECT
    game_id, seat, name, version, handed, turns, own_turns, mu, sigma, against, rating, nth, ended_at
FROM former_seats WHERE user_id = :user_id ORDER BY game_id, number;

-- name: export_words
SELECT game_id, seat, word FROM words WHERE user_id = :user_id ORDER BY game_id;

-- name: export_offers
SELECT id, offers FROM games WHERE offers <> '[]' AND offers LIKE :offered ORDER BY id;

-- name: export_games
SELECT
    games.id AS game_id, games.game, games.guild_id, games.channel_id, games.status, games.options, games.state,
    CAST(games.host_id = :user_id AS INTEGER) AS hosted, games.created_at, games.updated_at, games.acted, games.missed,
    games.votes, seats.seat, seats.name, results.place, results.score, results.turns, results.own_turns,
    results.board, results.best_turn, results.feats, results.feat, results.mu, results.sigma, results.rating,
    results.nth, results.weight, results.luck, results.skill, results.judged, results.judged_errors,
    results.ended_at
FROM seats
JOIN games ON games.id = seats.game_id
LEFT JOIN results ON results.game_id = seats.game_id AND results.seat = seats.seat
WHERE seats.user_id = :user_id AND seats.game_id > :after
ORDER BY seats.game_id LIMIT :limit;

-- name: export_moves
SELECT moves.game_id, moves.number, moves.action, moves.at
FROM seats JOIN moves ON moves.game_id = seats.game_id AND moves.seat = seats.seat
WHERE seats.user_id = :user_id AND seats.game_id > :after AND seats.game_id <= :upto
ORDER BY moves.game_id, moves.number;
