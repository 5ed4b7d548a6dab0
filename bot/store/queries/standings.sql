-- Leaderboards of lasting periods. A page first follows the index of its order, then looks up the few lines it shows. How many come
-- before a line follows the same index from its beginning.

-- name: page_by_rating(guild_id, game, period, since, most, start)
WITH page AS (
    SELECT user_id, rating AS value FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
        AND rating IS NOT NULL
    ORDER BY rating DESC, user_id LIMIT :most OFFSET :start
)
SELECT page.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, page.value
FROM page
JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: page_by_wins(guild_id, game, period, since, most, start)
WITH page AS (
    SELECT user_id, wins AS value FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    ORDER BY wins DESC, user_id LIMIT :most OFFSET :start
)
SELECT page.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, page.value
FROM page
JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: page_by_rate(guild_id, game, period, since, most, start)
WITH page AS (
    SELECT user_id, rate AS value FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
        AND games >= 5
    ORDER BY rate DESC, user_id LIMIT :most OFFSET :start
)
SELECT page.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, page.value
FROM page
JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: page_by_best(guild_id, game, period, since, most, start)
WITH page AS (
    SELECT user_id, best_turn AS value FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    ORDER BY best_turn DESC, user_id LIMIT :most OFFSET :start
)
SELECT page.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, page.value
FROM page
JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: page_by_feat(guild_id, game, period, since, most, start)
WITH page AS (
    SELECT user_id, feat AS value FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    ORDER BY feat DESC, user_id LIMIT :most OFFSET :start
)
SELECT page.user_id, coalesce(members.name, '') AS name, games, wins, best_turn, feat, rating, page.value
FROM page
JOIN totals ON
    totals.guild_id = :guild_id AND totals.game = :game AND totals.period = :period AND totals.since = :since
    AND totals.user_id = page.user_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = page.user_id
ORDER BY page.value DESC, page.user_id;

-- name: before_by_rating(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE rating > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    AND rating IS NOT NULL AND rating >= :value AND (rating > :value OR user_id < :user_id);

-- name: before_by_wins(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE wins > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    AND wins >= :value AND (wins > :value OR user_id < :user_id);

-- name: before_by_rate(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE rate > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    AND games >= 5 AND rate >= :value AND (rate > :value OR user_id < :user_id);

-- name: before_by_best(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE best_turn > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    AND best_turn >= :value AND (best_turn > :value OR user_id < :user_id);

-- name: before_by_feat(guild_id, game, period, since, value, user_id)^
SELECT count(*) FILTER (WHERE feat > :value) AS better, count(*) AS earlier FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    AND feat >= :value AND (feat > :value OR user_id < :user_id);

-- name: ranked_by_rating(guild_id, game, period, since)$
SELECT count(*) FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1
    AND rating IS NOT NULL;

-- name: ranked_by_rate(guild_id, game, period, since)$
SELECT count(*) FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1 AND games >= 5;

-- name: ranked(guild_id, game, period, since)$
SELECT count(*) FROM totals
WHERE guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0 AND lasting = 1;

-- Leaderboards of a day or a week, which have few people: all lines are looked at.

-- name: passing_page(guild_id, game, period, since, sort, most, start)
WITH line AS (
    SELECT
        user_id, games, wins, best_turn, feat, rating,
        CASE :sort
            WHEN 'rating' THEN rating
            WHEN 'wins' THEN wins
            WHEN 'rate' THEN CASE WHEN games >= 5 THEN rate END
            WHEN 'best' THEN best_turn
            WHEN 'feat' THEN feat
        END AS value
    FROM totals
    WHERE guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
)
SELECT line.*, coalesce(members.name, '') AS name, place FROM (
    SELECT *, rank() OVER (ORDER BY value DESC) AS place FROM line WHERE value IS NOT NULL
    ORDER BY value DESC, user_id LIMIT :most OFFSET :start
) AS line
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = line.user_id
ORDER BY value DESC, line.user_id;

-- name: passing_before(guild_id, game, period, since, sort, value, user_id)^
WITH line AS (
    SELECT
        user_id,
        CASE :sort
            WHEN 'rating' THEN rating
            WHEN 'wins' THEN wins
            WHEN 'rate' THEN CASE WHEN games >= 5 THEN rate END
            WHEN 'best' THEN best_turn
            WHEN 'feat' THEN feat
        END AS value
    FROM totals
    WHERE guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
)
SELECT
    count(*) FILTER (WHERE value > :value) AS better,
    count(*) FILTER (WHERE value > :value OR (value = :value AND user_id < :user_id)) AS earlier
FROM line;

-- name: passing_ranked(guild_id, game, period, since, sort)$
SELECT count(*) FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND period = :period AND since = :since AND hidden = 0
    AND (:sort <> 'rating' OR rating IS NOT NULL) AND (:sort <> 'rate' OR games >= 5);

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

-- name: opponents_of(guild_id, game, user_id, lately, most)
WITH own AS (
    SELECT game_id, place FROM results
    WHERE guild_id = :guild_id AND game = :game AND user_id = :user_id
    ORDER BY nth DESC LIMIT :lately
)
SELECT
    other.user_id, coalesce(members.name, '') AS name, count(*) AS games, count(*) FILTER (WHERE own.place < other.place) AS ahead
FROM own
JOIN results AS other ON other.game_id = own.game_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = other.user_id
WHERE other.user_id IS NOT NULL AND other.user_id <> :user_id AND coalesce(members.unlisted, 0) = 0
GROUP BY other.user_id, members.name
ORDER BY games DESC, ahead DESC, other.user_id
LIMIT :most;

-- name: curve_of(guild_id, game, user_id, numbers)
SELECT nth AS number, ended_at AS at, rating FROM results
WHERE
    guild_id = :guild_id AND game = :game AND user_id = :user_id AND rating IS NOT NULL
    AND nth IN (SELECT value FROM json_each(:numbers))
ORDER BY nth;

-- name: records_of_guild(guild_id, game)
SELECT
    kind, value, records.user_id, members.name, records.game_id, games.channel_id, games.message_id, at
FROM records
JOIN members ON members.guild_id = records.guild_id AND members.user_id = records.user_id
LEFT JOIN games ON games.id = records.game_id
WHERE records.guild_id = :guild_id AND records.game = :game AND present = 1 AND unlisted = 0
ORDER BY kind, value DESC, at, records.game_id, records.user_id;
