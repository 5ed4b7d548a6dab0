-- Indexes only where there are many people, records kept instead of looked for, and opponents counted when
-- somebody asks: the end of a game writes half as much.
DROP INDEX results_by_best_turn;

DROP INDEX results_by_score;

DROP INDEX results_by_feat;

DROP TABLE totals;

DROP TABLE pairs;

-- Sums over somebody's results in a period: all, or the month, week or day that began at "since" in the
-- server's time zone. Only "lasting" ones, all and month, have many people and are worth an index for each order.
-- These indexes hold all that their orders ask for, "lasting" too, so that no row is read to skip it.
-- Everything in here and below follows from results and can be built anew.
CREATE TABLE totals (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    period TEXT NOT NULL,
    since INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    lasting INTEGER NOT NULL,
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
    PRIMARY KEY (guild_id, game, period, since, user_id)
) WITHOUT ROWID;

CREATE INDEX totals_of_person ON totals (guild_id, user_id);

CREATE INDEX totals_passed ON totals (since) WHERE since > 0;

CREATE INDEX totals_by_rating ON totals (guild_id, game, period, since, hidden, rating DESC, user_id, lasting)
WHERE lasting = 1 AND rating IS NOT NULL;

CREATE INDEX totals_by_wins ON totals (guild_id, game, period, since, hidden, wins DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_by_rate ON totals (guild_id, game, period, since, hidden, rate DESC, user_id, games, lasting)
WHERE lasting = 1 AND games >= 5;

CREATE INDEX totals_by_best ON totals (guild_id, game, period, since, hidden, best_turn DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_by_feat ON totals (guild_id, game, period, since, hidden, feat DESC, user_id, lasting)
WHERE lasting = 1;

-- The best values of a server, one a person and kind, and the games in which they were reached.
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

-- The sums are made from the results before the store is used.
INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
