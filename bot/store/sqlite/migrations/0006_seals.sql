-- The seal of a game's secret as the lobby showed it, and what is mixed with the secret when the game begins;
-- '' for games that began before there was one.
ALTER TABLE games ADD COLUMN seal TEXT NOT NULL DEFAULT '';

ALTER TABLE games ADD COLUMN start TEXT NOT NULL DEFAULT '';

-- The words that people at the table have added. "seat" is where they sat at the start.
CREATE TABLE words (
    game_id INTEGER NOT NULL REFERENCES games (id),
    seat INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (game_id, seat)
) WITHOUT ROWID;

CREATE INDEX words_of_user ON words (user_id);
