-- In how many turns the person of each seat made a move themselves, as a JSON list; '[]' for games that began before
-- this was counted. own_turn is the last turn that was counted, as a number of finished turns.
ALTER TABLE games ADD COLUMN own_turns TEXT NOT NULL DEFAULT '[]';

ALTER TABLE games ADD COLUMN own_turn INTEGER NOT NULL DEFAULT -1;

ALTER TABLE results ADD COLUMN own_turns INTEGER NOT NULL DEFAULT 0;

ALTER TABLE results ADD COLUMN board TEXT;

-- Where a game counts: on the boards of games among people, of games of one person against AIs, or nowhere (NULL). How
-- often the person of a seat was to play and did so themselves was not stored before, so older games count if at least
-- two people finished a turn.
UPDATE results SET
    own_turns = CASE WHEN (
        SELECT kind FROM seats WHERE seats.game_id = results.game_id AND seats.seat = results.seat
    ) = 'human' THEN turns ELSE 0 END;

UPDATE results SET
    board = CASE
        WHEN (
            SELECT count(*) FROM seats WHERE seats.game_id = results.game_id AND kind = 'human'
        ) < 2 THEN (
            SELECT CASE WHEN max(played.own_turns) > 0 THEN 'ai' END FROM results AS played
            WHERE played.game_id = results.game_id
        )
        WHEN (
            SELECT count(*) FROM results AS played WHERE played.game_id = results.game_id AND played.own_turns > 0
        ) >= 2 THEN 'people'
    END;

DROP TABLE totals;

-- As before, once for each board. Everything in here follows from results and can be built anew.
CREATE TABLE totals (
    guild_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    board TEXT NOT NULL,
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
    mu REAL,
    sigma REAL,
    feats TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (guild_id, game, board, period, since, user_id)
) WITHOUT ROWID;

CREATE INDEX totals_of_person ON totals (guild_id, user_id);

CREATE INDEX totals_passed ON totals (since) WHERE since > 0;

CREATE INDEX totals_by_rating ON totals (guild_id, game, board, period, since, hidden, rating DESC, user_id, lasting)
WHERE lasting = 1 AND rating IS NOT NULL;

CREATE INDEX totals_by_wins ON totals (guild_id, game, board, period, since, hidden, wins DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_by_rate ON totals (guild_id, game, board, period, since, hidden, rate DESC, user_id, games, lasting)
WHERE lasting = 1 AND games >= 5;

CREATE INDEX totals_by_best ON totals (guild_id, game, board, period, since, hidden, best_turn DESC, user_id, lasting)
WHERE lasting = 1;

CREATE INDEX totals_by_feat ON totals (guild_id, game, board, period, since, hidden, feat DESC, user_id, lasting)
WHERE lasting = 1;

-- The sums are made from the results before the store is used.
INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
