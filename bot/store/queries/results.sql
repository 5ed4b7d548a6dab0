-- name: insert_result(game_id, seat, guild_id, game, user_id, place, score, turns, best_turn, feats, ended_at)!
INSERT INTO results (
    game_id, seat, guild_id, game, user_id, place, score, turns, best_turn, feats, ended_at
) VALUES (
    :game_id, :seat, :guild_id, :game, :user_id, :place, :score, :turns, :best_turn, :feats, :ended_at
);

-- name: results_of_game(game_id)
SELECT seat, user_id, place, score, turns, best_turn, feats FROM results WHERE game_id = :game_id ORDER BY seat;

-- name: upsert_member(guild_id, user_id, name)!
INSERT INTO members (guild_id, user_id, name) VALUES (:guild_id, :user_id, :name)
ON CONFLICT (guild_id, user_id) DO UPDATE SET name = excluded.name WHERE name <> excluded.name;

-- name: standings_by_wins(guild_id, game, most, start)
SELECT
    results.user_id, coalesce(members.name, '') AS name, count(*) AS games,
    sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) AS wins, max(best_turn) AS best_turn,
    rank() OVER (ORDER BY sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) DESC) AS place
FROM results LEFT JOIN members USING (guild_id, user_id)
WHERE results.guild_id = :guild_id AND game = :game AND results.user_id IS NOT NULL
GROUP BY results.user_id
ORDER BY place, games, results.user_id
LIMIT :most OFFSET :start;

-- name: standings_by_games(guild_id, game, most, start)
SELECT
    results.user_id, coalesce(members.name, '') AS name, count(*) AS games,
    sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) AS wins, max(best_turn) AS best_turn,
    rank() OVER (ORDER BY count(*) DESC) AS place
FROM results LEFT JOIN members USING (guild_id, user_id)
WHERE results.guild_id = :guild_id AND game = :game AND results.user_id IS NOT NULL
GROUP BY results.user_id
ORDER BY place, wins DESC, results.user_id
LIMIT :most OFFSET :start;

-- name: standings_by_rate(guild_id, game, most, start)
SELECT
    results.user_id, coalesce(members.name, '') AS name, count(*) AS games,
    sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) AS wins, max(best_turn) AS best_turn,
    rank() OVER (ORDER BY sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) * 1.0 / count(*) DESC) AS place
FROM results LEFT JOIN members USING (guild_id, user_id)
WHERE results.guild_id = :guild_id AND game = :game AND results.user_id IS NOT NULL
GROUP BY results.user_id
ORDER BY place, games DESC, results.user_id
LIMIT :most OFFSET :start;

-- name: standings_by_best(guild_id, game, most, start)
SELECT
    results.user_id, coalesce(members.name, '') AS name, count(*) AS games,
    sum(CASE WHEN place = 1 THEN 1 ELSE 0 END) AS wins, max(best_turn) AS best_turn,
    rank() OVER (ORDER BY max(best_turn) DESC) AS place
FROM results LEFT JOIN members USING (guild_id, user_id)
WHERE results.guild_id = :guild_id AND game = :game AND results.user_id IS NOT NULL
GROUP BY results.user_id
ORDER BY place, games, results.user_id
LIMIT :most OFFSET :start;

-- name: players_of_guild(guild_id, game)$
SELECT count(DISTINCT user_id) FROM results
WHERE guild_id = :guild_id AND game = :game AND user_id IS NOT NULL;

-- name: meta_value(key)$
SELECT value FROM meta WHERE key = :key;

-- name: set_meta(key, value)!
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;
