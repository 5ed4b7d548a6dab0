-- What SQLite's fifth migration does; see there.
ALTER TABLE totals ADD COLUMN mu DOUBLE PRECISION;

ALTER TABLE totals ADD COLUMN sigma DOUBLE PRECISION;

ALTER TABLE totals ADD COLUMN feats TEXT COLLATE "C" NOT NULL DEFAULT '{}';

UPDATE totals SET mu = ratings.mu, sigma = ratings.sigma
FROM ratings
WHERE
    totals.period = 'all' AND ratings.guild_id = totals.guild_id AND ratings.game = totals.game
    AND ratings.user_id = totals.user_id;

UPDATE totals SET feats = counted.feats
FROM (
    SELECT guild_id, game, user_id, '{' || string_agg('"' || feat || '":' || total, ',' ORDER BY feat) || '}' AS feats
    FROM feats GROUP BY guild_id, game, user_id
) AS counted
WHERE
    totals.period = 'all' AND counted.guild_id = totals.guild_id AND counted.game = totals.game
    AND counted.user_id = totals.user_id;

DROP TABLE ratings;

DROP TABLE feats;

DROP INDEX results_without_luck;

CREATE INDEX results_without_luck ON results (game, game_id) WHERE luck IS NULL;

CREATE TABLE shares (
    game_id BIGINT NOT NULL REFERENCES games (id),
    channel_id BIGINT NOT NULL,
    PRIMARY KEY (game_id, channel_id)
);
