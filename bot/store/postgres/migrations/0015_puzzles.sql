-- What SQLite's eighteenth migration does; see there.
CREATE TABLE puzzles (
    game_id BIGINT PRIMARY KEY,
    guild_id BIGINT NOT NULL,
    move BIGINT NOT NULL
);

CREATE INDEX puzzles_of_guild ON puzzles (guild_id, game_id);

CREATE TABLE puzzles_seen (
    user_id BIGINT NOT NULL,
    puzzle TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, puzzle)
);

ALTER TABLE calls ADD COLUMN locale TEXT COLLATE "C";

ALTER TABLE seasons ADD COLUMN tried BIGINT;
