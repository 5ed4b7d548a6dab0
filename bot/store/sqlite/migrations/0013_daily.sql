-- The daily game. A day is counted from 1970-01-01 (UTC); "secret" is what its dice follow from, "par" how many turns the
-- grandmaster takes with them, once that is known.
CREATE TABLE daily_days (
    day INTEGER PRIMARY KEY,
    secret BLOB NOT NULL,
    rules_version INTEGER NOT NULL,
    par INTEGER
);

-- One try of a person: their choices, as bot/daily/choices.py writes them, and how many they are. When it is over, "turns"
-- is its result, and "lost" how many turns the choices cost on average, once that is known.
CREATE TABLE daily_plays (
    user_id INTEGER NOT NULL,
    day INTEGER NOT NULL REFERENCES daily_days (day),
    choices TEXT NOT NULL DEFAULT '',
    made INTEGER NOT NULL DEFAULT 0,
    begun_at REAL NOT NULL,
    ended_at REAL,
    turns INTEGER,
    lost REAL,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;

CREATE INDEX daily_plays_of_day ON daily_plays (day, turns) WHERE turns IS NOT NULL;

-- The servers on whose list of a day a person stands: those in which they have asked for the daily game on that day.
CREATE TABLE daily_servers (
    guild_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    PRIMARY KEY (guild_id, day, user_id)
) WITHOUT ROWID;

CREATE INDEX daily_servers_of_user ON daily_servers (user_id);

-- Who agrees to stand on the list of all servers, and the name there.
CREATE TABLE daily_listed (
    user_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);
