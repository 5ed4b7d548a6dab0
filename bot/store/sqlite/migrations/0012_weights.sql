-- How much a game counted for the rating of a person: less if they had played the same people often lately, see
-- bot/standings/repeats.py. Games up to now counted in full, and ratings stay as they are.
ALTER TABLE results ADD COLUMN weight REAL NOT NULL DEFAULT 1;

-- Where somebody was asked to take over a seat: few games, and only open ones.
CREATE INDEX games_with_offers ON games (id) WHERE offers <> '[]';
