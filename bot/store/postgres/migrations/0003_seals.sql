-- What SQLite's sixth migration does; see there.
ALTER TABLE games ADD COLUMN seal TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE games ADD COLUMN start TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE TABLE words (
    game_id BIGINT NOT NULL REFERENCES games (id),
    seat BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (game_id, seat)
);

CREATE INDEX words_of_user ON words (user_id);
