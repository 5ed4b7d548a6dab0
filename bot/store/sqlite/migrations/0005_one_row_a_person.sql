-- A person's rating and counts stand in their sums of all time: the end of a game writes a row where it wrote five.
-- Other periods have neither.
ALTER TABLE totals ADD COLUMN mu REAL;

ALTER TABLE totals ADD COLUMN sigma REAL;

-- JSON with sorted keys, as the bot writes it.
ALTER TABLE totals ADD COLUMN feats TEXT NOT NULL DEFAULT '{}';

UPDATE totals SET
    (mu, sigma) = (
        SELECT ratings.mu, ratings.sigma FROM ratings
        WHERE ratings.guild_id = totals.guild_id AND ratings.game = totals.game AND ratings.user_id = totals.user_id
    ),
    feats = (
        SELECT json_group_object(feat, total) FROM (
            SELECT feat, total FROM feats
            WHERE feats.guild_id = totals.guild_id AND feats.game = totals.game AND feats.user_id = totals.user_id
            ORDER BY feat
        )
    )
WHERE period = 'all';

DROP TABLE ratings;

DROP TABLE feats;

-- Where luck is still to be worked out, by kind of game.
CREATE INDEX results_without_luck ON results (game, game_id) WHERE luck IS NULL;

-- Reviews that somebody has shown to all, and where.
CREATE TABLE shares (
    game_id INTEGER NOT NULL REFERENCES games (id),
    channel_id INTEGER NOT NULL,
    PRIMARY KEY (game_id, channel_id)
) WITHOUT ROWID;
