-- What SQLite's eleventh migration does; see there.
CREATE TABLE former_seats (
    game_id BIGINT NOT NULL REFERENCES games (id),
    number BIGINT NOT NULL,
    seat BIGINT NOT NULL,
    user_id BIGINT,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    handed SMALLINT NOT NULL,
    turns BIGINT NOT NULL,
    own_turns BIGINT NOT NULL,
    mu DOUBLE PRECISION,
    sigma DOUBLE PRECISION,
    against TEXT COLLATE "C",
    rating BIGINT,
    nth BIGINT,
    ended_at DOUBLE PRECISION,
    PRIMARY KEY (game_id, number)
);

CREATE INDEX former_seats_of_user ON former_seats (user_id) WHERE user_id IS NOT NULL;

CREATE INDEX former_seats_rated ON former_seats (ended_at) WHERE ended_at IS NOT NULL;

ALTER TABLE games ADD COLUMN ending TEXT COLLATE "C" NOT NULL DEFAULT '[]';
