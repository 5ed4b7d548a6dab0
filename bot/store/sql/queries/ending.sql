-- name: set_finish
-- Without the conditions the indexes would not be used.
UPDATE games SET finish = (
    SELECT max(number) + 1 FROM (
        SELECT coalesce(max(finish), 0) AS number FROM games WHERE finish IS NOT NULL
        UNION ALL SELECT coalesce(max(judged), 0) FROM results WHERE judged IS NOT NULL
    ) AS latest
)
WHERE id = :game_id;

-- name: insert_results
INSERT INTO results (
    game_id, seat, guild_id, game, user_id, place, score, turns, own_turns, best_turn, feats, feat, ended_at, board, mu,
    sigma, rating, nth, weight
) VALUES (
    :game_id, :seat, :guild_id, :game, :user_id, :place, :score, :turns, :own_turns, :best_turn, :feats, :feat,
    :ended_at, :board, :mu, :sigma, :rating, :nth, :weight
);

-- name: former_seats_of_game
SELECT number, user_id FROM former_seats WHERE game_id = :game_id ORDER BY number;

-- name: set_last_place
UPDATE former_seats SET
    mu = :mu, sigma = :sigma, against = :against, rating = :rating, nth = :nth, ended_at = :ended_at
WHERE game_id = :game_id AND number = :number;

-- In how many rated games since a time others played with a person, as far as these are among the person's latest.

-- name: games_with
WITH own AS (
    SELECT game_id, ended_at, mu FROM results
    WHERE guild_id = :guild_id AND game = :game AND user_id = :user_id AND nth IS NOT NULL
    ORDER BY nth DESC LIMIT :lately
)
SELECT other.user_id, count(*) AS games
FROM own JOIN results AS other ON other.game_id = own.game_id
WHERE own.ended_at > :after AND own.mu IS NOT NULL AND other.user_id IN (SELECT value FROM json_each(:others))
GROUP BY other.user_id;

-- name: insert_unknown_members
INSERT INTO members (guild_id, user_id, name) VALUES (:guild_id, :user_id, :name)
ON CONFLICT (guild_id, user_id) DO NOTHING;

-- name: totals_of
-- CROSS JOIN keeps SQLite to this order: a look-up for each person and period, not a scan of all.
SELECT
    totals.period, totals.user_id, games, wins, score, turns, best_turn, feat, rating, streak, longest_streak, first_at,
    mu, sigma, feats
FROM
    (SELECT value FROM json_each(:users)) AS person
    CROSS JOIN (
        SELECT 'all' AS period, 0 AS since
        UNION ALL SELECT 'month', CAST(:month AS BIGINT)
        UNION ALL SELECT 'week', CAST(:week AS BIGINT)
        UNION ALL SELECT 'day', CAST(:day AS BIGINT)
    ) AS present
    CROSS JOIN totals
WHERE
    totals.guild_id = :guild_id AND totals.game = :game AND totals.board = :board
    AND totals.period = present.period AND totals.since = present.since AND totals.user_id = person.value;

-- name: insert_totals
INSERT INTO totals (
    guild_id, game, board, period, since, user_id, lasting, hidden, games, wins, score, turns, best_turn, feat, rate, rating,
    streak, longest_streak, first_at, mu, sigma, feats
) VALUES (
    :guild_id, :game, :board, :period, :since, :user_id, :lasting,
    coalesce((
        SELECT CAST(present = 0 OR unlisted = 1 AS INTEGER) FROM members WHERE guild_id = :guild_id AND user_id = :user_id
    ), 0),
    :games, :wins, :score, :turns, :best_turn, :feat, :rate, :rating, :streak, :longest_streak, :first_at, :mu, :sigma,
    :feats
);

-- Each of these touches only the indexes whose order may have changed.

-- name: update_totals
UPDATE totals SET
    games = :games, score = :score, turns = :turns, rate = :rate, rating = :rating, streak = :streak,
    longest_streak = :longest_streak, mu = :mu, sigma = :sigma, feats = :feats
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since
    AND user_id = :user_id;

-- name: update_wins
UPDATE totals SET wins = :wins
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since
    AND user_id = :user_id;

-- name: update_best_turn
UPDATE totals SET best_turn = :best_turn
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since
    AND user_id = :user_id;

-- name: update_feat
UPDATE totals SET feat = :feat
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since
    AND user_id = :user_id;

-- name: records_of
SELECT kind, user_id, value, game_id, at FROM records WHERE guild_id = :guild_id AND game = :game;

-- name: least_records
SELECT kind, count(*) AS people, min(value) AS least FROM records
WHERE guild_id = :guild_id AND game = :game GROUP BY kind;

-- name: delete_record
DELETE FROM records WHERE guild_id = :guild_id AND game = :game AND kind = :kind AND user_id = :user_id;

-- name: set_record
INSERT INTO records (guild_id, game, kind, user_id, value, game_id, at)
VALUES (:guild_id, :game, :kind, :user_id, :value, :game_id, :at)
ON CONFLICT (guild_id, game, kind, user_id) DO UPDATE SET
    value = excluded.value, game_id = excluded.game_id, at = excluded.at;

-- name: games_measured_by
SELECT DISTINCT game_id FROM results
WHERE
    game = :game AND measured = :version AND game_id < :before
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY game_id DESC LIMIT :limit;

-- name: results_measured_before
SELECT seat, guild_id, game, board, user_id, turns, own_turns, mu, luck, skill, judged, judged_errors FROM results
WHERE game_id = :game_id AND measured < :version ORDER BY seat;

-- name: set_luck
UPDATE results SET
    luck = :luck, skill = :skill, measured = :version, judged = :judged, judged_errors = :judged_errors
WHERE game_id = :game_id AND seat = :seat;

-- name: note_measured
UPDATE results SET measured = :version WHERE game_id = :game_id AND measured < :version;

-- name: standing_before
SELECT feats, mu, sigma FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = 'all' AND since = 0 AND user_id = :user_id;

-- name: set_feats
UPDATE totals SET feats = :feats
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = 'all' AND since = 0 AND user_id = :user_id;

-- name: set_strength
UPDATE totals SET mu = :mu, sigma = :sigma
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = 'all' AND since = 0 AND user_id = :user_id;

-- name: set_shown
UPDATE totals SET rating = :rating
WHERE guild_id = :guild_id AND game = :game AND board = :board AND user_id = :user_id;

-- name: results_since
SELECT * FROM (
    SELECT
        games.finish, 0 AS given_up, results.seat AS number, results.guild_id, results.game, board, results.user_id,
        place, score, turns, best_turn, feat, ended_at, rating
    FROM results JOIN games ON games.id = results.game_id
    WHERE
        results.guild_id = :guild_id AND results.ended_at >= :since AND results.user_id IS NOT NULL
        AND results.board IS NOT NULL
    UNION ALL
    SELECT
        games.finish, 1, number, games.guild_id, games.game, 'people', user_id, 2, 0, 0, 0, 0, ended_at, rating
    FROM former_seats JOIN games ON games.id = former_seats.game_id
    WHERE games.guild_id = :guild_id AND ended_at >= :since AND user_id IS NOT NULL
) AS counted
ORDER BY finish, given_up, number;

-- name: refresh_current_ratings
UPDATE totals SET rating = (
    SELECT lasting.rating FROM totals AS lasting
    WHERE
        lasting.guild_id = totals.guild_id AND lasting.game = totals.game AND lasting.board = totals.board
        AND lasting.period = 'all' AND lasting.since = 0 AND lasting.user_id = totals.user_id
)
WHERE guild_id = :guild_id AND since > 0;

-- name: delete_current_totals
DELETE FROM totals WHERE guild_id = :guild_id AND since > 0;

-- name: delete_past_totals
DELETE FROM totals WHERE (guild_id, game, board, period, since, user_id) IN (
    SELECT guild_id, game, board, period, since, user_id FROM totals
    WHERE
        (period = 'day' AND since BETWEEN 1 AND :before)
        OR (period = 'week' AND since BETWEEN 1 AND :before - 604800)
        OR (period = 'month' AND since BETWEEN 1 AND :before - 2764800)
    LIMIT :limit
);

-- name: unnumbered_games
SELECT id FROM games WHERE status = 'over' AND finish IS NULL ORDER BY updated_at, id;

-- name: last_number
SELECT max(number) AS number FROM (
    SELECT coalesce(max(finish), 0) AS number FROM games WHERE finish IS NOT NULL
    UNION ALL SELECT coalesce(max(judged), 0) FROM results WHERE judged IS NOT NULL
) AS latest;

-- name: last_places_in_order
SELECT
    games.finish, game_id, number, guild_id, game, user_id, mu, sigma, against, rating, nth, ended_at
FROM games JOIN former_seats ON former_seats.game_id = games.id
WHERE games.finish > :after AND games.finish <= :upto AND against IS NOT NULL AND user_id IS NOT NULL
ORDER BY games.finish, number;

-- name: results_in_order
SELECT
    games.finish, results.game_id, results.seat, results.guild_id, results.game, results.user_id, place, score, turns,
    best_turn, feats, feat, ended_at, board, mu, sigma, rating, nth, weight, luck, skill, judged,
    judged_errors, games.rated
FROM games JOIN results ON results.game_id = games.id
WHERE games.finish > :after AND games.finish <= :upto
ORDER BY games.finish, results.seat;

-- name: judged_in_order
SELECT
    judged, seat, guild_id, game, board, user_id, judged_errors,
    (SELECT count(*) FROM results AS other WHERE other.game_id = results.game_id) AS seats
FROM results
WHERE judged > :after AND judged <= :upto AND user_id IS NOT NULL
ORDER BY judged, seat;

-- name: update_results
UPDATE results SET mu = :mu, sigma = :sigma, rating = :rating, nth = :nth
WHERE game_id = :game_id AND seat = :seat;

-- name: all_ratings
SELECT guild_id, game, board, user_id, mu, sigma FROM totals WHERE period = 'all' AND mu IS NOT NULL;

-- name: all_time_zones
SELECT guild_id, value FROM settings WHERE name = 'time_zone';

-- name: delete_all_totals
DELETE FROM totals;

-- name: delete_all_records
DELETE FROM records;
