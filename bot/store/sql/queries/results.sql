-- name: results_of_game
SELECT seat, user_id, place, score, turns, best_turn, feats, feat, own_turns, board
FROM results WHERE game_id = :game_id ORDER BY seat;

-- name: meta_value
SELECT value FROM meta WHERE key = :key;

-- name: meta_like
SELECT key FROM meta WHERE key LIKE :pattern ORDER BY key;

-- name: set_meta
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: forget_meta
DELETE FROM meta WHERE key = :key;
