-- name: games_with_puzzle
-- Those whose game may be seen, as in the list of finished games.
SELECT puzzles.game_id FROM puzzles JOIN games ON games.id = puzzles.game_id
WHERE
    puzzles.guild_id = :guild_id
    AND (
        games.channel_id IN (SELECT value FROM json_each(:channels))
        OR EXISTS (SELECT 1 FROM seats WHERE seats.game_id = puzzles.game_id AND seats.user_id = :user_id)
    )
    AND NOT EXISTS (
        SELECT 1 FROM seats
        WHERE
            seats.game_id = puzzles.game_id AND seats.user_id <> :user_id
            AND (
                SELECT unlisted FROM members
                WHERE members.guild_id = :guild_id AND members.user_id = seats.user_id
            ) = 1
    )
ORDER BY puzzles.game_id DESC;

-- name: puzzle_move
SELECT move FROM puzzles WHERE game_id = :game_id;

-- name: insert_puzzle
-- Not from the game of somebody who was erased before it was worked out.
INSERT INTO puzzles (game_id, guild_id, move)
SELECT id, guild_id, CAST(:move AS INTEGER) FROM games
WHERE
    id = :game_id
    AND NOT EXISTS (SELECT 1 FROM seats WHERE game_id = :game_id AND kind = 'human' AND user_id IS NULL)
    AND NOT EXISTS (SELECT 1 FROM former_seats WHERE game_id = :game_id AND user_id IS NULL);

-- name: delete_puzzle
DELETE FROM puzzles WHERE game_id = :game_id;

-- name: delete_old_puzzles
DELETE FROM puzzles WHERE game_id IN (
    SELECT game_id FROM puzzles WHERE guild_id = :guild_id ORDER BY game_id DESC LIMIT 1000 OFFSET :kept
);

-- name: puzzles_seen_by
SELECT puzzle FROM puzzles_seen WHERE user_id = :user_id;

-- name: note_puzzle_seen
INSERT INTO puzzles_seen (user_id, puzzle) VALUES (:user_id, :puzzle)
ON CONFLICT (user_id, puzzle) DO NOTHING;

-- name: forget_puzzle_seen
DELETE FROM puzzles_seen WHERE user_id = :user_id AND puzzle = :puzzle;

-- name: delete_puzzles_of
DELETE FROM puzzles WHERE game_id IN (
    SELECT game_id FROM seats WHERE user_id = :user_id
    UNION SELECT game_id FROM former_seats WHERE user_id = :user_id
);

-- name: delete_puzzles_seen_by
DELETE FROM puzzles_seen WHERE user_id = :user_id;

-- name: export_puzzles
SELECT game_id, guild_id, move FROM puzzles WHERE game_id IN (
    SELECT game_id FROM seats WHERE user_id = :user_id
    UNION SELECT game_id FROM former_seats WHERE user_id = :user_id
)
ORDER BY game_id;

-- name: purge_puzzles
DELETE FROM puzzles WHERE guild_id = :guild_id;
