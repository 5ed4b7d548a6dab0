-- What SQLite's thirteenth migration does; see there.
CREATE TABLE daily_days (
    day BIGINT PRIMARY KEY,
    secret BYTEA NOT NULL,
    rules_version BIGINT NOT NULL,
    par BIGINT
);

CREATE TABLE daily_plays (
    user_id BIGINT NOT NULL,
    day BIGINT NOT NULL REFERENCES daily_days (day),
    choices TEXT COLLATE "C" NOT NULL DEFAULT '',
    made BIGINT NOT NULL DEFAULT 0,
    begun_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    turns BIGINT,
    lost DOUBLE PRECISION,
    PRIMARY KEY (user_id, day)
);

CREATE INDEX daily_plays_of_day ON daily_plays (day, turns) WHERE turns IS NOT NULL;

CREATE TABLE daily_servers (
    guild_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    PRIMARY KEY (guild_id, day, user_id)
);

CREATE INDEX daily_servers_of_user ON daily_servers (user_id);

CREATE TABLE daily_listed (
    user_id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL
);
