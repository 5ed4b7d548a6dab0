-- What the events of a running game add up to so far, so that its end need not replay it; '' for games that
-- began before there was one.
ALTER TABLE games ADD COLUMN tally TEXT NOT NULL DEFAULT '';

-- In which order games ended, which is the order in which they change ratings.
ALTER TABLE games ADD COLUMN finish INTEGER;

CREATE UNIQUE INDEX games_in_order_of_end ON games (finish) WHERE finish IS NOT NULL;

CREATE INDEX games_over_in_guild ON games (guild_id, finish) WHERE status = 'over';

CREATE INDEX games_over_in_channel ON games (channel_id, finish) WHERE status = 'over';

CREATE INDEX games_of_guild ON games (guild_id, id);

CREATE INDEX games_of_host ON games (host_id);

-- The game's own count that leaderboards can be sorted by, e.g. Tuttos.
ALTER TABLE results ADD COLUMN feat INTEGER NOT NULL DEFAULT 0;

UPDATE results SET feat = coalesce(json_extract(feats, '$.tuttos'), 0);

-- The rating of the seat before the game, and as shown after it; NULL where nothing was rated. A seat whose
-- person was erased keeps mu and sigma: the others' ratings follow from them.
ALTER TABLE results ADD COLUMN mu REAL;

ALTER TABLE results ADD COLUMN sigma REAL;

ALTER TABLE results ADD COLUMN rating INTEGER;

-- The how-manieth finished game of its person in this server this was.
ALTER TABLE results ADD COLUMN nth INTEGER;

DROP INDEX results_of_guild;

CREATE INDEX results_of_person ON results (guild_id, game, user_id, nth) WHERE user_id IS NOT NULL;

CREATE INDEX results_in_time ON results (guild_id, ended_at);

CREATE INDEX results_by_best_turn ON results (guild_id, game, best_turn DESC, ended_at) WHERE user_id IS NOT NULL;

CREATE INDEX results_by_score ON results (guild_id, game, score DESC, ended_at) WHERE user_id IS NOT NULL;

CREATE INDEX results_by_feat ON results (guild_id, game, feat DESC, ended_at) WHERE user_id IS NOT NULL;

-- present: whether they were in the server when Discord was last asked; unlisted: whether they want to be on
-- no leaderboard.
ALTER TABLE members ADD COLUMN present INTEGER NOT NULL DEFAULT 1;

ALTER TABLE members ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;

ALTER TABLE members ADD COLUMN checked_at REAL NOT NULL DEFAULT 0;

CREATE INDEX members_by_user ON members (user_id);

CREATE INDEX members_absent ON members (guild_id, checked_at) WHERE present = 0;

CREATE TABLE ratings (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    PRIMARY KEY (guild_id, game, user_id)
) WITHOUT ROWID;

-- Sums over somebody's results in a period: all, or the month, week or day that began at "since" in the
-- server's time zone. Everything in here and below follows from results and can be built anew.
CREATE TABLE totals (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    period TEXT NOT NULL,
    since INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    score INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    best_turn INTEGER NOT NULL,
    feat INTEGER NOT NULL,
    rating INTEGER,
    streak INTEGER NOT NULL,
    longest_streak INTEGER NOT NULL,
    first_at REAL NOT NULL,
    rate REAL GENERATED ALWAYS AS (wins * 1.0 / games) VIRTUAL,
    PRIMARY KEY (guild_id, game, period, since, user_id)
) WITHOUT ROWID;

CREATE INDEX totals_of_person ON totals (guild_id, user_id);

CREATE INDEX totals_passed ON totals (since) WHERE since > 0;

CREATE INDEX totals_by_rating ON totals (guild_id, game, period, since, hidden, rating DESC, user_id)
WHERE rating IS NOT NULL;

CREATE INDEX totals_by_wins ON totals (guild_id, game, period, since, hidden, wins DESC, user_id);

CREATE INDEX totals_by_rate ON totals (guild_id, game, period, since, hidden, rate DESC, user_id)
WHERE games >= 5;

CREATE INDEX totals_by_best ON totals (guild_id, game, period, since, hidden, best_turn DESC, user_id);

CREATE INDEX totals_by_feat ON totals (guild_id, game, period, since, hidden, feat DESC, user_id);

CREATE INDEX totals_by_streak ON totals (guild_id, game, hidden, longest_streak DESC, user_id)
WHERE period = 'all';

CREATE TABLE feats (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    feat TEXT NOT NULL,
    total INTEGER NOT NULL,
    PRIMARY KEY (guild_id, game, user_id, feat)
) WITHOUT ROWID;

-- Who has played with whom: how many games, and in how many user_id was placed before other_id.
CREATE TABLE pairs (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    other_id INTEGER NOT NULL,
    games INTEGER NOT NULL,
    ahead INTEGER NOT NULL,
    PRIMARY KEY (guild_id, game, user_id, other_id)
) WITHOUT ROWID;

-- What servers have chosen differently from the defaults; values are JSON.
CREATE TABLE settings (
    guild_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (guild_id, name)
) WITHOUT ROWID;

-- Servers that the bot was taken out of, and since when: their data goes some time later.
CREATE TABLE departures (
    guild_id INTEGER PRIMARY KEY,
    at REAL NOT NULL
);

-- The sums are made from the results before the store is used.
INSERT INTO meta (key, value) VALUES ('rebuild', '1');
