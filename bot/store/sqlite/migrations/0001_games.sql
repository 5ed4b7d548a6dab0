-- AUTOINCREMENT: an id is never used again, so an old button can't reach a newer game.
CREATE TABLE games (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    game TEXT NOT NULL,
    guild_id INTEGER NOT NULL,
    channel_id INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    locale TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('lobby', 'live', 'over', 'ended')),
    version INTEGER NOT NULL,
    rules_version INTEGER NOT NULL,
    options TEXT NOT NULL,
    state TEXT,
    seed BLOB NOT NULL,
    draws INTEGER NOT NULL,
    first_chance TEXT NOT NULL,
    news TEXT NOT NULL,
    acted TEXT NOT NULL,
    ai_to_move INTEGER NOT NULL,
    turn_seconds INTEGER NOT NULL,
    hints INTEGER NOT NULL DEFAULT 1,
    since REAL NOT NULL,
    reminded INTEGER NOT NULL,
    missed TEXT NOT NULL,
    votes TEXT NOT NULL,
    deadline REAL,
    parent_id INTEGER UNIQUE REFERENCES games (id),
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    message_id INTEGER,
    posted_at REAL NOT NULL DEFAULT 0,
    shown_version INTEGER NOT NULL DEFAULT -1,
    shown_turn INTEGER NOT NULL DEFAULT -1
);

CREATE UNIQUE INDEX games_one_a_channel ON games (channel_id) WHERE status IN ('lobby', 'live');

CREATE INDEX games_deadlines ON games (deadline) WHERE deadline IS NOT NULL;

CREATE INDEX games_unshown ON games (id) WHERE shown_version < version;

CREATE INDEX games_waiting_for_ai ON games (id) WHERE ai_to_move = 1;

CREATE INDEX games_of_channel ON games (channel_id, id);

CREATE TABLE seats (
    game_id INTEGER NOT NULL REFERENCES games (id),
    seat INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('human', 'ai')),
    user_id INTEGER,
    name TEXT NOT NULL,
    policy TEXT NOT NULL,
    PRIMARY KEY (game_id, seat),
    UNIQUE (game_id, user_id)
) WITHOUT ROWID;

CREATE INDEX seats_of_user ON seats (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE moves (
    game_id INTEGER NOT NULL REFERENCES games (id),
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    action TEXT NOT NULL,
    chance TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (game_id, number)
) WITHOUT ROWID;

-- Every interaction that changed a game, so that one delivered twice changes it once.
CREATE TABLE interactions (
    id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL
);

CREATE TABLE results (
    game_id INTEGER NOT NULL REFERENCES games (id),
    seat INTEGER NOT NULL,
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    user_id INTEGER,
    place INTEGER NOT NULL,
    score INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    best_turn INTEGER NOT NULL,
    feats TEXT NOT NULL,
    ended_at REAL NOT NULL,
    PRIMARY KEY (game_id, seat)
) WITHOUT ROWID;

CREATE INDEX results_of_guild ON results (guild_id, game, user_id) WHERE user_id IS NOT NULL;

-- The name under which somebody was last seen in a server.
CREATE TABLE members (
    guild_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (guild_id, user_id)
) WITHOUT ROWID;

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
