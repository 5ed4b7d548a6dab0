-- Queries that PostgreSQL has to be asked in other words; the parameters are those of the shared ones.

-- name: lock_memory()$
-- The number is arbitrary and means this lock alone.
SELECT pg_advisory_xact_lock(4242001);

-- A game and its seats in one statement: what is read belongs together although others write.

-- name: game_by_id(id)^
SELECT
    games.*,
    (SELECT json_agg(seats ORDER BY seats.seat) FROM seats WHERE seats.game_id = games.id) AS seats
FROM games WHERE id = :id;

-- name: active_game(channel_id)^
SELECT
    games.*,
    (SELECT json_agg(seats ORDER BY seats.seat) FROM seats WHERE seats.game_id = games.id) AS seats
FROM games WHERE channel_id = :channel_id AND status IN ('lobby', 'live');

-- name: latest_game(channel_id)^
SELECT
    games.*,
    (SELECT json_agg(seats ORDER BY seats.seat) FROM seats WHERE seats.game_id = games.id) AS seats
FROM games WHERE channel_id = :channel_id ORDER BY id DESC LIMIT 1;

-- name: child_game(parent_id)^
SELECT
    games.*,
    (SELECT json_agg(seats ORDER BY seats.seat) FROM seats WHERE seats.game_id = games.id) AS seats
FROM games WHERE parent_id = :parent_id;

-- name: update_game(host_id, locale, status, version, options, state, draws, first_chance, news, tally, acted, ai_to_move, turn_seconds, hints, since, reminded, missed, votes, deadline, updated_at, id, expected, untouched, touched)!
UPDATE games SET
    host_id = :host_id, locale = :locale, status = :status, version = :version, options = :options,
    state = :state, draws = :draws, first_chance = :first_chance, news = :news, tally = :tally, acted = :acted,
    ai_to_move = :ai_to_move, turn_seconds = :turn_seconds, hints = :hints, since = :since, reminded = :reminded,
    missed = :missed, votes = :votes, deadline = :deadline, updated_at = :updated_at, touched = :touched
WHERE id = :id AND version = :expected AND touched = :untouched;

-- A move in one statement, which is a transaction by itself. Where the game has moved on nothing is written, and 0
-- comes back; an interaction that was noted before breaks the rule of its table, and undoes it all.

-- name: write_move(host_id, locale, status, version, options, state, draws, first_chance, news, tally, acted, ai_to_move, turn_seconds, hints, since, reminded, missed, votes, deadline, updated_at, id, expected, untouched, touched, interaction, number, seat, action, chance, at)$
WITH
changed AS (
    UPDATE games SET
        host_id = :host_id, locale = :locale, status = :status, version = :version, options = :options,
        state = :state, draws = :draws, first_chance = :first_chance, news = :news, tally = :tally, acted = :acted,
        ai_to_move = :ai_to_move, turn_seconds = :turn_seconds, hints = :hints, since = :since, reminded = :reminded,
        missed = :missed, votes = :votes, deadline = :deadline, updated_at = :updated_at, touched = :touched
    WHERE id = :id AND version = :expected AND touched = :untouched
    RETURNING id
),
noted AS (
    INSERT INTO interactions (id, game_id)
    SELECT CAST(:interaction AS BIGINT), id FROM changed WHERE CAST(:interaction AS BIGINT) IS NOT NULL
),
moved AS (
    INSERT INTO moves (game_id, number, seat, action, chance, at)
    SELECT
        id, CAST(:number AS BIGINT), CAST(:seat AS BIGINT), CAST(:action AS TEXT), CAST(:chance AS TEXT),
        CAST(:at AS DOUBLE PRECISION)
    FROM changed WHERE CAST(:number AS BIGINT) IS NOT NULL
)
SELECT count(*) FROM changed;

-- name: interaction_game(id)$
SELECT game_id FROM interactions WHERE id = :id;

-- name: mark_all_shown(games, messages, times, versions, turns)!
UPDATE games SET
    message_id = new.message_id, posted_at = new.posted_at, shown_version = new.version, shown_turn = new.turn
FROM unnest(
    CAST(:games AS BIGINT[]), CAST(:messages AS BIGINT[]), CAST(:times AS DOUBLE PRECISION[]),
    CAST(:versions AS BIGINT[]), CAST(:turns AS BIGINT[])
) AS new (id, message_id, posted_at, version, turn)
WHERE games.id = new.id AND games.shown_version <= new.version;

-- name: totals_of(guild_id, game, users, periods)
SELECT
    totals.period, totals.user_id, games, wins, score, turns, best_turn, feat, rating, streak, longest_streak, first_at,
    mu, sigma, feats
FROM totals
JOIN json_array_elements(:periods) AS period ON
    totals.period = period.value ->> 0 AND totals.since = CAST(period.value ->> 1 AS BIGINT)
WHERE
    totals.guild_id = :guild_id AND totals.game = :game
    AND totals.user_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:users) AS value);

-- name: finished_in_guild(guild_id, channels, user_id, most, start)
SELECT id, game, channel_id, updated_at FROM games
WHERE
    guild_id = :guild_id AND status = 'over' AND finish IS NOT NULL
    AND (
        channel_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:channels) AS value)
        OR EXISTS (SELECT 1 FROM seats WHERE seats.game_id = games.id AND seats.user_id = :user_id)
    )
ORDER BY finish DESC LIMIT :most OFFSET :start;

-- name: count_finished_in_guild(guild_id, channels, user_id)$
SELECT count(*) FROM games
WHERE
    guild_id = :guild_id AND status = 'over' AND finish IS NOT NULL
    AND (
        channel_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:channels) AS value)
        OR EXISTS (SELECT 1 FROM seats WHERE seats.game_id = games.id AND seats.user_id = :user_id)
    );

-- name: places_of_games(games)
SELECT seats.game_id, seats.seat, kind, name, policy, seats.user_id, place
FROM seats JOIN results ON results.game_id = seats.game_id AND results.seat = seats.seat
WHERE seats.game_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:games) AS value)
ORDER BY seats.game_id, seats.seat;

-- name: curve_of(guild_id, game, user_id, numbers)
SELECT nth AS number, ended_at AS at, rating FROM results
WHERE
    guild_id = :guild_id AND game = :game AND user_id = :user_id AND rating IS NOT NULL
    AND nth IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:numbers) AS value)
ORDER BY nth;

-- Somebody may take a seat in another process while they are erased: that game is played on and not touched.

-- name: anonymous_host(user_id)!
UPDATE games SET host_id = 0 WHERE host_id = :user_id AND status NOT IN ('lobby', 'live');

-- name: anonymous_seats(user_id)!
UPDATE seats SET user_id = NULL, name = ''
FROM games
WHERE seats.user_id = :user_id AND games.id = seats.game_id AND games.status NOT IN ('lobby', 'live');

-- name: delete_records_of(guild_id, user_id, games)!
DELETE FROM records
WHERE
    guild_id = :guild_id AND user_id = :user_id
    AND game IN (SELECT value FROM json_array_elements_text(:games) AS value);

-- name: purge_moves(games)!
DELETE FROM moves
WHERE game_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:games) AS value);

-- name: purge_results(games)!
DELETE FROM results
WHERE game_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:games) AS value);

-- name: purge_shares(games)!
DELETE FROM shares
WHERE game_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:games) AS value);

-- name: purge_seats(games)!
DELETE FROM seats
WHERE game_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:games) AS value);

-- name: purge_games(games)!
DELETE FROM games
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:games) AS value);

-- What happens by itself is found for the servers of which this process takes care; see bot/leases.py.

-- name: unshown_games(shards, shard_count)
SELECT id FROM games
WHERE
    shown_version < version
    AND (guild_id >> 22) % :shard_count IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:shards) AS value)
ORDER BY id;

-- name: games_waiting_for_ai(shards, shard_count)
SELECT id FROM games
WHERE
    ai_to_move = 1
    AND (guild_id >> 22) % :shard_count IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:shards) AS value)
ORDER BY id;

-- name: due_games(now, most, shards, shard_count)
SELECT id FROM games
WHERE
    deadline IS NOT NULL AND deadline <= :now
    AND (guild_id >> 22) % :shard_count IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:shards) AS value)
ORDER BY deadline, id LIMIT :most;

-- name: next_deadline(shards, shard_count)$
SELECT deadline FROM games
WHERE
    deadline IS NOT NULL
    AND (guild_id >> 22) % :shard_count IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:shards) AS value)
ORDER BY deadline LIMIT 1;

-- name: games_without_luck(game, before, most, shards, shard_count)
SELECT DISTINCT game_id FROM results
WHERE
    game = :game AND luck IS NULL AND game_id < :before
    AND (guild_id >> 22) % :shard_count IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(:shards) AS value)
ORDER BY game_id DESC LIMIT :most;

-- Times are those of the server's clock, so that the processes' own need not agree.

-- name: beat(id, shard_count, shards, seconds)!
INSERT INTO processes (id, shard_count, shards, started_at, until)
VALUES (
    :id, :shard_count, :shards, extract(epoch FROM clock_timestamp()),
    extract(epoch FROM clock_timestamp()) + CAST(:seconds AS DOUBLE PRECISION)
)
ON CONFLICT (id) DO UPDATE SET until = excluded.until;

-- name: alive()
SELECT id, shard_count, shards FROM processes
WHERE until > extract(epoch FROM clock_timestamp()) ORDER BY started_at, id;

-- name: bury_dead()!
DELETE FROM processes WHERE until < extract(epoch FROM clock_timestamp()) - 3600;

-- name: leave(id)!
DELETE FROM processes WHERE id = :id;
