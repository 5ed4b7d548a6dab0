-- When what a person gave away in a game changed their rating, as a number in the order of "finish" of games. NULL if it
-- did not, and in games from before this migration, where it counts right after the game.
ALTER TABLE results ADD COLUMN judged INTEGER;

CREATE INDEX results_judged ON results (judged) WHERE judged IS NOT NULL;

-- The model of ratings is another one: all of them are calculated again.
INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';

INSERT INTO meta (key, value) VALUES ('new_rating_model', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
