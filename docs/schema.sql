-- Schema 19 of SQLite, written by `python -m tools.schema`.

-- How each person wants to be notified of their turn; the page /notifications.
CREATE TABLE calls (
    user_id INTEGER PRIMARY KEY,
    way TEXT NOT NULL,
    moment TEXT NOT NULL,
    quiet_from INTEGER,
    quiet_to INTEGER,
    zone TEXT NOT NULL,
    locale TEXT
);

-- The daily games, with their secrets; days are counted from 1970.
CREATE TABLE daily_days (
    day INTEGER PRIMARY KEY,
    secret BLOB NOT NULL,
    rules_version INTEGER NOT NULL,
    par INTEGER
);

-- Who agrees to be on the list of all servers in the daily game, and the name there.
CREATE TABLE daily_listed (
    user_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

-- What each person has chosen in a daily game.
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

-- On which servers' lists of a day a person is: where they asked for the daily game.
CREATE TABLE daily_servers (
    guild_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    PRIMARY KEY (guild_id, day, user_id)
) WITHOUT ROWID;

CREATE INDEX daily_servers_of_user ON daily_servers (user_id);

-- The servers that removed the bot, whose data is deleted after 30 days.
CREATE TABLE departures (
    guild_id INTEGER PRIMARY KEY,
    at REAL NOT NULL
);

-- The people who have given up a seat, and what that did to their rating.
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
    against TEXT,  -- the people they are rated against as last, as JSON
    rating INTEGER,
    nth INTEGER,
    ended_at REAL,
    PRIMARY KEY (game_id, number)
) WITHOUT ROWID;

CREATE INDEX former_seats_of_user ON former_seats (user_id) WHERE user_id IS NOT NULL;

CREATE INDEX former_seats_rated ON former_seats (ended_at) WHERE ended_at IS NOT NULL;

-- Lobbies and games, running, finished and aborted.
CREATE TABLE games (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    game TEXT NOT NULL,
    guild_id INTEGER NOT NULL,
    channel_id INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    locale TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('lobby', 'live', 'over', 'ended')),  -- 'over' has a result, 'ended' has none
    version INTEGER NOT NULL,
    rules_version INTEGER NOT NULL,
    options TEXT NOT NULL,
    state TEXT,
    seed BLOB NOT NULL,  -- the secret of the dice
    draws INTEGER NOT NULL,
    first_chance TEXT NOT NULL,
    news TEXT NOT NULL,  -- the narration of the latest turns, or why the game was aborted
    acted TEXT NOT NULL,
    ai_to_move INTEGER NOT NULL,
    turn_seconds INTEGER NOT NULL,
    since REAL NOT NULL,
    reminded INTEGER NOT NULL,
    missed TEXT NOT NULL,
    votes TEXT NOT NULL,
    deadline REAL,  -- when a background job must act
    parent_id INTEGER UNIQUE REFERENCES games (id),
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    message_id INTEGER,
    posted_at REAL NOT NULL DEFAULT 0,
    shown_version INTEGER NOT NULL DEFAULT -1,
    shown_turn INTEGER NOT NULL DEFAULT -1,
    tally TEXT NOT NULL DEFAULT '',  -- the events so far by seat
    finish INTEGER,  -- counts finished games in the order in which they ended
    seal TEXT NOT NULL DEFAULT '',
    start TEXT NOT NULL DEFAULT '',
    own_turns TEXT NOT NULL DEFAULT '[]',
    own_turn INTEGER NOT NULL DEFAULT -1,
    rated INTEGER NOT NULL DEFAULT 1,
    offers TEXT NOT NULL DEFAULT '[]',
    ending TEXT NOT NULL DEFAULT '[]',
    begins INTEGER NOT NULL DEFAULT -1
);

CREATE INDEX games_deadlines ON games (deadline) WHERE deadline IS NOT NULL;

CREATE UNIQUE INDEX games_in_order_of_end ON games (finish) WHERE finish IS NOT NULL;

CREATE INDEX games_of_channel ON games (channel_id, id);

CREATE INDEX games_of_guild ON games (guild_id, id);

CREATE INDEX games_of_host ON games (host_id);

CREATE UNIQUE INDEX games_one_a_channel ON games (channel_id) WHERE status IN ('lobby', 'live');

CREATE INDEX games_over_in_channel ON games (channel_id, finish) WHERE status = 'over';

CREATE INDEX games_over_in_guild ON games (guild_id, finish) WHERE status = 'over';

CREATE INDEX games_unshown ON games (id) WHERE shown_version < version;

CREATE INDEX games_waiting_for_ai ON games (id) WHERE ai_to_move = 1;

CREATE INDEX games_with_offers ON games (id) WHERE offers <> '[]';

-- The clicks and commands that were carried out lately, so that none is twice.
CREATE TABLE interactions (
    id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL
);

-- The name that each person last had in a server, and whether they are still there.
CREATE TABLE members (
    guild_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    present INTEGER NOT NULL DEFAULT 1,
    unlisted INTEGER NOT NULL DEFAULT 0,
    checked_at REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (guild_id, user_id)
) WITHOUT ROWID;

CREATE INDEX members_absent ON members (guild_id, checked_at) WHERE present = 0;

CREATE INDEX members_by_user ON members (user_id);

-- What the bot remembers apart from games, by key.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- The log of each game: an action a row, with the chance outcomes that followed.
CREATE TABLE moves (
    game_id INTEGER NOT NULL REFERENCES games (id),
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    action TEXT NOT NULL,
    chance TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (game_id, number)
) WITHOUT ROWID;

-- The moves of finished games that make puzzles.
CREATE TABLE puzzles (
    game_id INTEGER PRIMARY KEY,
    guild_id INTEGER NOT NULL,
    move INTEGER NOT NULL
);

CREATE INDEX puzzles_of_guild ON puzzles (guild_id, game_id);

-- Which puzzles a person was shown.
CREATE TABLE puzzles_seen (
    user_id INTEGER NOT NULL,
    puzzle TEXT NOT NULL,
    PRIMARY KEY (user_id, puzzle)
) WITHOUT ROWID;

-- The best results of a server, of several kinds.
CREATE TABLE records (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    kind TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    value INTEGER NOT NULL,
    game_id INTEGER NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (guild_id, game, kind, user_id)
) WITHOUT ROWID;

-- The result of each seat of a finished game, and how luckily and how well it was played.
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
    feat INTEGER NOT NULL DEFAULT 0,
    mu REAL,
    sigma REAL,
    rating INTEGER,
    nth INTEGER,  -- the person's nth game of this kind in the server
    luck INTEGER,
    own_turns INTEGER NOT NULL DEFAULT 0,
    board TEXT,
    skill TEXT,  -- luck and errors in winning chance, as JSON
    weight REAL NOT NULL DEFAULT 1,
    judged INTEGER,  -- the place in which its errors have changed the rating
    measured INTEGER NOT NULL DEFAULT 0,  -- the version of the estimates in luck and skill
    judged_errors INTEGER,
    PRIMARY KEY (game_id, seat)
) WITHOUT ROWID;

CREATE INDEX results_in_time ON results (guild_id, ended_at);

CREATE INDEX results_judged ON results (judged) WHERE judged IS NOT NULL;

CREATE INDEX results_measured ON results (game, measured, game_id);

CREATE INDEX results_of_person ON results (guild_id, game, user_id, nth) WHERE user_id IS NOT NULL;

-- The boards of months that are over.
CREATE TABLE season_lines (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    month INTEGER NOT NULL,
    number INTEGER NOT NULL,
    place INTEGER NOT NULL,
    user_id INTEGER,
    wins INTEGER NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (guild_id, game, month, number)
) WITHOUT ROWID;

CREATE INDEX season_lines_of_user ON season_lines (user_id) WHERE user_id IS NOT NULL;

-- Which month of a server was closed last, and whether its card was posted.
CREATE TABLE seasons (
    guild_id INTEGER PRIMARY KEY,
    through INTEGER NOT NULL,  -- the last month that is closed, counted from January 1970
    card INTEGER,
    refused INTEGER,
    tried INTEGER
);

CREATE INDEX seasons_with_card ON seasons (guild_id) WHERE card IS NOT NULL;

-- Who plays in a game.
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

-- What members have chosen for their server in /settings.
CREATE TABLE settings (
    guild_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (guild_id, name)
) WITHOUT ROWID;

-- The reviews that somebody has shown to all, and in which channels.
CREATE TABLE shares (
    game_id INTEGER NOT NULL REFERENCES games (id),
    channel_id INTEGER NOT NULL,
    PRIMARY KEY (game_id, channel_id)
) WITHOUT ROWID;

-- Sums of results, by server, game, board, period and person: what leaderboards read.
CREATE TABLE totals (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    board TEXT NOT NULL,
    period TEXT NOT NULL,
    since INTEGER NOT NULL,  -- when the period began; 0: of all time
    user_id INTEGER NOT NULL,
    lasting INTEGER NOT NULL,  -- whether the period is a month or all time, whose orders have indexes
    hidden INTEGER NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    score INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    best_turn INTEGER NOT NULL,
    feat INTEGER NOT NULL,
    rate REAL NOT NULL,
    rating INTEGER,
    streak INTEGER NOT NULL,
    longest_streak INTEGER NOT NULL,
    first_at REAL NOT NULL,
    mu REAL,
    sigma REAL,
    feats TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (guild_id, game, board, period, since, user_id)
) WITHOUT ROWID;

CREATE INDEX totals_by_best ON totals (guild_id, game, board, period, since, hidden, best_turn DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_by_feat ON totals (guild_id, game, board, period, since, hidden, feat DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_by_rate ON totals (guild_id, game, board, period, since, hidden, rate DESC, user_id, games, lasting)
WHERE lasting = 1 AND games >= 5;

CREATE INDEX totals_by_rating ON totals (guild_id, game, board, period, since, hidden, rating DESC, user_id, lasting)
WHERE lasting = 1 AND rating IS NOT NULL;

CREATE INDEX totals_by_wins ON totals (guild_id, game, board, period, since, hidden, wins DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_of_person ON totals (guild_id, user_id);

CREATE INDEX totals_passed ON totals (since) WHERE since > 0;

-- What people have added to the dice of a game before it started.
CREATE TABLE words (
    game_id INTEGER NOT NULL REFERENCES games (id),
    seat INTEGER NOT NULL,  -- the seat before it was decided who begins
    user_id INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (game_id, seat)
) WITHOUT ROWID;

CREATE INDEX words_of_user ON words (user_id);
