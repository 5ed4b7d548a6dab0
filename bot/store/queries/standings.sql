-- One page a sort, and how many come before a line: each follows one index from its beginning.

-- name: page_by_rating(guild_id, game, period, since, most, start)
SELECT totals.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, rating AS value
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE
    totals.guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND rating IS NOT NULL
ORDER BY rating DESC, totals.user_id
LIMIT :most OFFSET :start;

-- name: page_by_wins(guild_id, game, period, since, most, start)
SELECT totals.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, wins AS value
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE totals.guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
ORDER BY wins DESC, totals.user_id
LIMIT :most OFFSET :start;

-- name: page_by_rate(guild_id, game, period, since, most, start)
SELECT totals.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, rate AS value
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE
    totals.guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND games >= 5
ORDER BY rate DESC, totals.user_id
LIMIT :most OFFSET :start;

-- name: page_by_best(guild_id, game, period, since, most, start)
SELECT totals.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, best_turn AS value
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE totals.guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
ORDER BY best_turn DESC, totals.user_id
LIMIT :most OFFSET :start;

-- name: page_by_feat(guild_id, game, period, since, most, start)
SELECT totals.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, feat AS value
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE totals.guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
ORDER BY feat DESC, totals.user_id
LIMIT :most OFFSET :start;

-- name: before_by_rating(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE rating > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND rating IS NOT NULL AND rating >= :value AND (rating > :value OR user_id < :user_id);

-- name: before_by_wins(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE wins > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND wins >= :value AND (wins > :value OR user_id < :user_id);

-- name: before_by_rate(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE rate > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND games >= 5 AND rate >= :value AND (rate > :value OR user_id < :user_id);

-- name: before_by_best(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE best_turn > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND best_turn >= :value AND (best_turn > :value OR user_id < :user_id);

-- name: before_by_feat(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE feat > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND feat >= :value AND (feat > :value OR user_id < :user_id);

-- name: ranked_by_rating(guild_id, game, period, since)$
SELECT count(*) FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND rating IS NOT NULL;

-- name: ranked_by_rate(guild_id, game, period, since)$
SELECT count(*) FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND games >= 5;

-- name: ranked(guild_id, game, period, since)$
SELECT count(*) FROM totals
WHERE guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0;

-- name: line_of(guild_id, game, period, since, user_id)^
SELECT
    totals.user_id, coalesce(members.name, '') AS name, hidden, games, wins, score, turns, best_turn, feat, rating, rate,
    streak, longest_streak, first_at
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE
    totals.guild_id = :guild_id AND game = :game AND period = :period AND since = :since
    AND totals.user_id = :user_id;

-- name: feats_of(guild_id, game, user_id)
SELECT feat, total FROM feats WHERE guild_id = :guild_id AND game = :game AND user_id = :user_id;

-- name: opponents_of(guild_id, game, user_id, most)
SELECT pairs.other_id AS user_id, coalesce(members.name, '') AS name, games, ahead
FROM pairs LEFT JOIN members ON members.guild_id = pairs.guild_id AND members.user_id = pairs.other_id
WHERE
    pairs.guild_id = :guild_id AND game = :game AND pairs.user_id = :user_id AND coalesce(members.unlisted, 0) = 0
ORDER BY games DESC, ahead DESC, other_id
LIMIT :most;

-- name: curve_of(guild_id, game, user_id, numbers)
SELECT nth AS number, ended_at AS at, rating FROM results
WHERE
    guild_id = :guild_id AND game = :game AND user_id = :user_id AND rating IS NOT NULL
    AND nth IN (SELECT value FROM json_each(:numbers))
ORDER BY nth;

-- name: record_best_turn(guild_id, game)^
SELECT results.best_turn AS value, results.user_id, members.name, results.game_id, channel_id, message_id, ended_at
FROM results
JOIN members ON members.guild_id = results.guild_id AND members.user_id = results.user_id
JOIN games ON games.id = results.game_id
WHERE results.guild_id = :guild_id AND results.game = :game AND results.user_id IS NOT NULL AND present = 1 AND unlisted = 0
ORDER BY results.best_turn DESC, ended_at, results.game_id
LIMIT 1;

-- name: record_score(guild_id, game)^
SELECT results.score AS value, results.user_id, members.name, results.game_id, channel_id, message_id, ended_at
FROM results
JOIN members ON members.guild_id = results.guild_id AND members.user_id = results.user_id
JOIN games ON games.id = results.game_id
WHERE results.guild_id = :guild_id AND results.game = :game AND results.user_id IS NOT NULL AND present = 1 AND unlisted = 0
ORDER BY results.score DESC, ended_at, results.game_id
LIMIT 1;

-- name: record_feat(guild_id, game)^
SELECT results.feat AS value, results.user_id, members.name, results.game_id, channel_id, message_id, ended_at
FROM results
JOIN members ON members.guild_id = results.guild_id AND members.user_id = results.user_id
JOIN games ON games.id = results.game_id
WHERE results.guild_id = :guild_id AND results.game = :game AND results.user_id IS NOT NULL AND present = 1 AND unlisted = 0
ORDER BY results.feat DESC, ended_at, results.game_id
LIMIT 1;

-- name: record_streak(guild_id, game)^
SELECT longest_streak AS value, totals.user_id, coalesce(members.name, '') AS name
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE totals.guild_id = :guild_id AND game = :game AND period = 'all' AND hidden = 0
ORDER BY longest_streak DESC, totals.user_id
LIMIT 1;
