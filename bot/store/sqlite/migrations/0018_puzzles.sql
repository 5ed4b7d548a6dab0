-- Puzzles from finished games: the position before the move of the log that "move" counts from 0, one of a game at most.
CREATE TABLE puzzles (
    game_id INTEGER PRIMARY KEY,
    guild_id INTEGER NOT NULL,
    move INTEGER NOT NULL
);

CREATE INDEX puzzles_of_guild ON puzzles (guild_id, game_id);

-- Which puzzles a person was shown, so that none comes twice until all have come; "puzzle" is a key of bot/store/puzzles.py.
CREATE TABLE puzzles_seen (
    user_id INTEGER NOT NULL,
    puzzle TEXT NOT NULL,
    PRIMARY KEY (user_id, puzzle)
) WITHOUT ROWID;

-- The language of direct messages to somebody who chose them. NULL where they chose something else, or before this
-- migration: then it is that of the server.
ALTER TABLE calls ADD COLUMN locale TEXT;

-- The month whose card the bot has begun to post, so that it looks for it before it tries again.
ALTER TABLE seasons ADD COLUMN tried INTEGER;
