-- Seasons are months in UTC, counted from January 1970. "through" is the last one that was closed for a server. "card" is
-- one whose card is still to be posted, "refused" one whose card Discord did not take.
CREATE TABLE seasons (
    guild_id INTEGER PRIMARY KEY,
    through INTEGER NOT NULL,
    card INTEGER,
    refused INTEGER
);

CREATE INDEX seasons_with_card ON seasons (guild_id) WHERE card IS NOT NULL;

-- The best of a season. Whoever is erased keeps the place without a name.
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
