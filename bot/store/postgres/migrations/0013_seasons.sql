-- What SQLite's sixteenth migration does; see there.
CREATE TABLE seasons (
    guild_id BIGINT PRIMARY KEY,
    through BIGINT NOT NULL,
    card BIGINT,
    refused BIGINT
);

CREATE INDEX seasons_with_card ON seasons (guild_id) WHERE card IS NOT NULL;

CREATE TABLE season_lines (
    guild_id BIGINT NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    month BIGINT NOT NULL,
    number BIGINT NOT NULL,
    place BIGINT NOT NULL,
    user_id BIGINT,
    wins BIGINT NOT NULL,
    games BIGINT NOT NULL,
    PRIMARY KEY (guild_id, game, month, number)
);

CREATE INDEX season_lines_of_user ON season_lines (user_id) WHERE user_id IS NOT NULL;
