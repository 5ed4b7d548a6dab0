-- Leaderboards. Those of lasting periods are in bot/store/sql/leaderboard_queries.py.

-- Leaderboards of a day or a week, which have few people: all lines are looked at.

-- name: current_page
WITH line AS (
    SELECT
        user_id, games, wins, best_turn, feat, rating,
        CASE :sort
            WHEN 'rating' THEN rating
            WHEN 'wins' THEN wins
            WHEN 'rate' THEN CASE WHEN games >= :min_games THEN rate END
            WHEN 'best' THEN best_turn
            WHEN 'feat' THEN feat
        END AS value
    FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since AND hidden = 0
)
SELECT line.*, coalesce(members.name, '') AS name, place FROM (
    SELECT *, rank() OVER (ORDER BY value DESC) AS place FROM line WHERE value IS NOT NULL
    ORDER BY value DESC, user_id LIMIT :limit OFFSET :start
) AS line
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = line.user_id
ORDER BY value DESC, line.user_id;

-- name: current_before
WITH line AS (
    SELECT
        user_id,
        CASE :sort
            WHEN 'rating' THEN rating
            WHEN 'wins' THEN wins
            WHEN 'rate' THEN CASE WHEN games >= :min_games THEN rate END
            WHEN 'best' THEN best_turn
            WHEN 'feat' THEN feat
        END AS value
    FROM totals
    WHERE
        guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since AND hidden = 0
)
SELECT
    count(*) FILTER (WHERE value > :value) AS better,
    count(*) FILTER (WHERE value > :value OR (value = :value AND user_id < :user_id)) AS earlier
FROM line;

-- name: current_ranked
SELECT count(*) FROM totals
WHERE
    guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since AND hidden = 0
    AND (:sort <> 'rating' OR rating IS NOT NULL) AND (:sort <> 'rate' OR games >= :min_games);

-- name: line_of
SELECT
    totals.user_id, coalesce(members.name, '') AS name, hidden, games, wins, score, turns, best_turn, feat, rating, rate,
    streak, longest_streak, first_at, feats, mu, sigma
FROM totals LEFT JOIN members USING (guild_id, user_id)
WHERE
    totals.guild_id = :guild_id AND game = :game AND board = :board AND period = :period AND since = :since
    AND totals.user_id = :user_id;

-- name: games_of_person
SELECT DISTINCT game FROM totals WHERE guild_id = :guild_id AND user_id = :user_id;

-- name: opponents_of
WITH own AS (
    SELECT game_id, place FROM results
    WHERE guild_id = :guild_id AND game = :game AND user_id = :user_id AND nth IS NOT NULL
    ORDER BY nth DESC LIMIT :lately
)
SELECT
    other.user_id, coalesce(members.name, '') AS name, count(*) AS games,
    count(*) FILTER (WHERE own.place < other.place) AS ahead
FROM own
JOIN results AS other ON other.game_id = own.game_id
LEFT JOIN members ON members.guild_id = :guild_id AND members.user_id = other.user_id
WHERE other.user_id IS NOT NULL AND other.user_id <> :user_id AND coalesce(members.unlisted, 0) = 0
GROUP BY other.user_id, members.name
ORDER BY games DESC, ahead DESC, other.user_id
LIMIT :limit;

-- name: duel_of
SELECT
    count(*) FILTER (WHERE own.place < other.place) AS ahead,
    count(*) FILTER (WHERE own.place > other.place) AS behind
FROM results AS latest
JOIN results AS own
    ON
        own.guild_id = latest.guild_id AND own.game = latest.game AND own.user_id = latest.user_id
        AND own.nth <= latest.nth AND own.nth > latest.nth - :lately
JOIN results AS other ON other.game_id = own.game_id
WHERE latest.game_id = :game_id AND latest.user_id = :user_id AND other.user_id = :other;

-- name: strengths_of
-- CROSS JOIN keeps SQLite to a look-up for each person.
SELECT totals.user_id, mu, sigma
FROM (SELECT value FROM json_each(:users)) AS person CROSS JOIN totals
WHERE
    totals.guild_id = :guild_id AND game = :game AND board = 'people' AND period = 'all' AND since = 0
    AND totals.user_id = person.value AND mu IS NOT NULL AND (hidden = 0 OR totals.user_id = :user_id);

-- name: curve_of
SELECT nth AS number, ended_at AS at, rating FROM results
WHERE
    guild_id = :guild_id AND game = :game AND user_id = :user_id AND rating IS NOT NULL
    AND nth IN (SELECT value FROM json_each(:numbers))
UNION ALL
SELECT nth, ended_at, rating FROM former_seats JOIN games ON games.id = former_seats.game_id
WHERE
    guild_id = :guild_id AND game = :game AND user_id = :user_id
    AND nth IN (SELECT value FROM json_each(:numbers))
ORDER BY number;

-- name: skills_of
SELECT nth AS number, skill FROM results
WHERE guild_id = :guild_id AND game = :game AND user_id = :user_id AND nth IS NOT NULL AND skill IS NOT NULL
ORDER BY nth DESC LIMIT :limit;

-- name: records_of_guild
SELECT
    kind, value, records.user_id, members.name, records.game_id, games.channel_id, games.message_id, at
FROM records
JOIN members ON members.guild_id = records.guild_id AND members.user_id = records.user_id
LEFT JOIN games ON games.id = records.game_id
WHERE records.guild_id = :guild_id AND records.game = :game AND present = 1 AND unlisted = 0
ORDER BY kind, value DESC, at, records.game_id, records.user_id;
