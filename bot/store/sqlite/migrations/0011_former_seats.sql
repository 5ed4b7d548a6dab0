-- People who have given up a seat of a running game: their seat has left, or somebody else has it ("handed"). "version" is
-- that of the game after it; "turns" had been finished in the seat, "own_turns" of them by the person themselves. When a
-- rated game ends they may be rated as last: then "mu" and "sigma" were their rating before, "against" are those of the
-- others as JSON, "rating" is what is shown after it, and "nth" the number of the game among their own.
CREATE TABLE former_seats (
    game_id INTEGER NOT NULL REFERENCES games (id),
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    user_id INTEGER,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    handed INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    own_turns INTEGER NOT NULL,
    mu REAL,
    sigma REAL,
    against TEXT,
    rating INTEGER,
    nth INTEGER,
    ended_at REAL,
    PRIMARY KEY (game_id, number)
) WITHOUT ROWID;

CREATE INDEX former_seats_of_user ON former_seats (user_id) WHERE user_id IS NOT NULL;

CREATE INDEX former_seats_rated ON former_seats (ended_at) WHERE ended_at IS NOT NULL;

-- The seats that agree to end the game without a result, first the one that has asked.
ALTER TABLE games ADD COLUMN ending TEXT NOT NULL DEFAULT '[]';
