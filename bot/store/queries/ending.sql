-- name: set_finish(game_id)!
-- Without the condition the index of those that have ended would not be used.
UPDATE games SET finish = (SELECT coalesce(max(finish), 0) + 1 FROM games WHERE finish IS NOT NULL)
WHERE id = :game_id;

-- name: careers(guild_id, game, users)
SELECT person.value AS user_id, coalesce(totals.games, 0) AS games, ratings.mu, ratings.sigma
FROM json_each(:users) AS person
LEFT JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = 'all' AND totals.since = 0
    AND totals.user_id = person.value
LEFT JOIN ratings ON
    ratings.guild_id = :guild_id AND ratings.game = :game AND ratings.user_id = person.value;

-- name: insert_results(game_id, seat, guild_id, game, user_id, place, score, turns, best_turn, feats, feat, ended_at, mu, sigma, rating, nth)*!
INSERT INTO results (
    game_id, seat, guild_id, game, user_id, place, score, turns, best_turn, feats, feat, ended_at, mu, sigma,
    rating, nth
) VALUES (
    :game_id, :seat, :guild_id, :game, :user_id, :place, :score, :turns, :best_turn, :feats, :feat, :ended_at, :mu,
    :sigma, :rating, :nth
);

-- name: insert_unknown_members(guild_id, user_id, name)*!
INSERT INTO members (guild_id, user_id, name) VALUES (:guild_id, :user_id, :name)
ON CONFLICT (guild_id, user_id) DO NOTHING;

-- name: set_ratings(guild_id, game, user_id, mu, sigma)*!
INSERT INTO ratings (guild_id, game, user_id, mu, sigma) VALUES (:guild_id, :game, :user_id, :mu, :sigma)
ON CONFLICT (guild_id, game, user_id) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma;

-- name: add_totals(guild_id, game, period, since, user_id, games, wins, score, turns, best_turn, feat, rating, streak, longest_streak, first_at)*!
INSERT INTO totals (
    guild_id, game, period, since, user_id, hidden, games, wins, score, turns, best_turn, feat, rating, streak,
    longest_streak, first_at
) VALUES (
    :guild_id, :game, :period, :since, :user_id,
    coalesce((
        SELECT present = 0 OR unlisted = 1 FROM members WHERE guild_id = :guild_id AND user_id = :user_id
    ), 0),
    :games, :wins, :score, :turns, :best_turn, :feat, :rating, :streak, :longest_streak, :first_at
)
ON CONFLICT (guild_id, game, period, since, user_id) DO UPDATE SET
    games = games + excluded.games,
    wins = wins + excluded.wins,
    score = score + excluded.score,
    turns = turns + excluded.turns,
    best_turn = max(best_turn, excluded.best_turn),
    feat = feat + excluded.feat,
    rating = excluded.rating,
    streak = CASE WHEN excluded.wins > 0 THEN streak + 1 ELSE 0 END,
    longest_streak = max(longest_streak, CASE WHEN excluded.wins > 0 THEN streak + 1 ELSE 0 END);

-- name: add_feats(guild_id, game, user_id, feat, total)*!
INSERT INTO feats (guild_id, game, user_id, feat, total) VALUES (:guild_id, :game, :user_id, :feat, :total)
ON CONFLICT (guild_id, game, user_id, feat) DO UPDATE SET total = total + excluded.total;

-- name: add_pairs(guild_id, game, user_id, other_id, games, ahead)*!
INSERT INTO pairs (guild_id, game, user_id, other_id, games, ahead)
VALUES (:guild_id, :game, :user_id, :other_id, :games, :ahead)
ON CONFLICT (guild_id, game, user_id, other_id) DO UPDATE SET
    games = games + excluded.games, ahead = ahead + excluded.ahead;

-- name: games_without_luck(games, most)
SELECT id FROM games
WHERE
    finish IS NOT NULL AND game IN (SELECT value FROM json_each(:games))
    AND EXISTS (SELECT 1 FROM results WHERE results.game_id = games.id AND luck IS NULL)
ORDER BY finish DESC LIMIT :most;

-- name: results_without_luck(game_id)
SELECT seat, guild_id, game, user_id FROM results WHERE game_id = :game_id AND luck IS NULL ORDER BY seat;

-- name: set_luck(luck, game_id, seat)*!
UPDATE results SET luck = :luck WHERE game_id = :game_id AND seat = :seat;

-- name: results_since(guild_id, since)
SELECT results.*, games.finish FROM results JOIN games ON games.id = results.game_id
WHERE results.guild_id = :guild_id AND results.ended_at >= :since AND results.user_id IS NOT NULL
ORDER BY games.finish, results.seat;

-- name: shown_ratings(guild_id)
SELECT game, user_id, rating FROM totals WHERE guild_id = :guild_id AND period = 'all' AND since = 0;

-- name: delete_passing_totals(guild_id)!
DELETE FROM totals WHERE guild_id = :guild_id AND since > 0;

-- name: delete_passed_totals(before, most)!
DELETE FROM totals WHERE (guild_id, game, period, since, user_id) IN (
    SELECT guild_id, game, period, since, user_id FROM totals
    WHERE
        (period = 'day' AND since BETWEEN 1 AND :before)
        OR (period = 'week' AND since BETWEEN 1 AND :before - 604800)
        OR (period = 'month' AND since BETWEEN 1 AND :before - 2764800)
    LIMIT :most
);

-- name: unnumbered_games()
SELECT id FROM games WHERE status = 'over' AND finish IS NULL ORDER BY updated_at, id;

-- name: last_finish()^
SELECT coalesce(max(finish), 0) AS finish FROM games WHERE finish IS NOT NULL;

-- name: results_in_order(after, upto)
SELECT
    results.game_id, results.seat, results.guild_id, results.game, results.user_id, place, score, turns, best_turn,
    feats, feat, ended_at, mu, sigma, rating, nth, luck
FROM games JOIN results ON results.game_id = games.id
WHERE games.finish > :after AND games.finish <= :upto
ORDER BY games.finish, results.seat;

-- name: update_results(mu, sigma, rating, nth, game_id, seat)*!
UPDATE results SET mu = :mu, sigma = :sigma, rating = :rating, nth = :nth
WHERE game_id = :game_id AND seat = :seat;

-- name: all_ratings()
SELECT guild_id, game, user_id, mu, sigma FROM ratings;

-- name: all_time_zones()
SELECT guild_id, value FROM settings WHERE name = 'time_zone';

-- name: delete_all_ratings()!
DELETE FROM ratings;

-- name: delete_all_totals()!
DELETE FROM totals;

-- name: delete_all_feats()!
DELETE FROM feats;

-- name: delete_all_pairs()!
DELETE FROM pairs;

-- name: count_pairs()!
INSERT INTO pairs (guild_id, game, user_id, other_id, games, ahead)
SELECT own.guild_id, own.game, own.user_id, other.user_id, count(*), sum(own.place < other.place)
FROM results AS own JOIN results AS other ON other.game_id = own.game_id AND other.seat <> own.seat
WHERE own.user_id IS NOT NULL AND other.user_id IS NOT NULL
GROUP BY own.guild_id, own.game, own.user_id, other.user_id;
