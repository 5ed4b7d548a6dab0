-- What SQLite's seventh migration does; see there.
ALTER TABLE games ADD COLUMN own_turns TEXT COLLATE "C" NOT NULL DEFAULT '[]';

ALTER TABLE games ADD COLUMN own_turn BIGINT NOT NULL DEFAULT -1;

ALTER TABLE results ADD COLUMN own_turns BIGINT NOT NULL DEFAULT 0;

ALTER TABLE results ADD COLUMN board TEXT COLLATE "C";

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

CREATE TABLE totals (
    guild_id BIGINT NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    board TEXT COLLATE "C" NOT NULL,
    period TEXT COLLATE "C" NOT NULL,
    since BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    lasting SMALLINT NOT NULL,
    hidden SMALLINT NOT NULL,
    games BIGINT NOT NULL,
    wins BIGINT NOT NULL,
    score BIGINT NOT NULL,
    turns BIGINT NOT NULL,
    best_turn BIGINT NOT NULL,
    feat BIGINT NOT NULL,
    rate DOUBLE PRECISION NOT NULL,
    rating BIGINT,
    streak BIGINT NOT NULL,
    longest_streak BIGINT NOT NULL,
    first_at DOUBLE PRECISION NOT NULL,
    mu DOUBLE PRECISION,
    sigma DOUBLE PRECISION,
    feats TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    PRIMARY KEY (guild_id, game, board, period, since, user_id)
);

CREATE INDEX totals_of_person ON totals (guild_id, user_id);

CREATE INDEX totals_passed ON totals (since) WHERE since > 0;

CREATE INDEX totals_by_rating ON totals (guild_id, game, board, period, since, hidden, rating DESC, user_id)
WHERE lasting = 1 AND rating IS NOT NULL;

CREATE INDEX totals_by_wins ON totals (guild_id, game, board, period, since, hidden, wins DESC, user_id)
WHERE lasting = 1;

CREATE INDEX totals_by_rate ON totals (guild_id, game, board, period, since, hidden, rate DESC, user_id)
WHERE lasting = 1 AND games >= 5;

CREATE INDEX totals_by_best ON totals (guild_id, game, board, period, since, hidden, best_turn DESC, user_id)
WHERE lasting = 1;

CREATE INDEX totals_by_feat ON totals (guild_id, game, board, period, since, hidden, feat DESC, user_id)
WHERE lasting = 1;

-- The sums are made from the results before the store is used.
INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
