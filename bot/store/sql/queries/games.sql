-- name: delete_seats
DELETE FROM seats WHERE game_id = :game_id;

-- name: insert_seat
INSERT INTO seats (game_id, seat, kind, user_id, name, policy)
VALUES (:game_id, :seat, :kind, :user_id, :name, :policy);

-- name: insert_former_seat
INSERT INTO former_seats (game_id, number, seat, user_id, name, version, handed, turns, own_turns)
VALUES (:game_id, :number, :seat, :user_id, :name, :version, :handed, :turns, :own_turns);

-- name: forget_former_seat
UPDATE former_seats SET user_id = NULL, name = '' WHERE game_id = :game_id AND number = :number;

-- name: set_seal
UPDATE games SET seal = :seal WHERE id = :id;

-- name: delete_words
DELETE FROM words WHERE game_id = :game_id;

-- name: insert_word
INSERT INTO words (game_id, seat, user_id, word) VALUES (:game_id, :seat, :user_id, :word);

-- name: insert_move
INSERT INTO moves (game_id, number, seat, action, chance, at)
VALUES (:game_id, :number, :seat, :action, :chance, :at);

-- name: moves_of_game
SELECT games.game, moves.number, moves.seat, moves.action, moves.chance, moves.at
FROM moves JOIN games ON games.id = moves.game_id WHERE moves.game_id = :game_id ORDER BY moves.number;

-- name: insert_interaction
INSERT INTO interactions (id, game_id) VALUES (:id, :game_id) ON CONFLICT (id) DO NOTHING;

-- name: youngest_interaction
SELECT max(id) FROM interactions;

-- name: mark_shown
UPDATE games SET message_id = :message_id, posted_at = :posted_at, shown_version = :version, shown_turn = :turn
WHERE id = :id AND shown_version <= :version;

-- Background jobs find only the games in this process's shards; see bot/services/leases.py.

-- name: games_to_repaint
SELECT id FROM games
WHERE
    shown_version < version
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY id;

-- name: forget_shown
UPDATE games SET shown_version = -1
WHERE
    status IN ('lobby', 'live')
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards));

-- name: games_waiting_for_ai
SELECT id FROM games
WHERE
    ai_to_move = 1
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY id;

-- name: stopped_games
SELECT id FROM games
WHERE
    deadline IS NOT NULL AND deadline >= :never
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY deadline, id;

-- name: due_games
SELECT id FROM games
WHERE
    deadline IS NOT NULL AND deadline <= :now
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY deadline, id LIMIT :limit;

-- name: next_deadline
SELECT deadline FROM games
WHERE
    deadline IS NOT NULL AND deadline > :after
    AND (guild_id >> 22) % :shard_count IN (SELECT value FROM json_each(:shards))
ORDER BY deadline LIMIT 1;

-- name: active_counts
SELECT game, status, count(*) AS number FROM games WHERE status IN ('lobby', 'live') GROUP BY game, status;
