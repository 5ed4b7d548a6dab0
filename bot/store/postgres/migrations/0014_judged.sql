-- What SQLite's migration of this name does; see there.
ALTER TABLE results ADD COLUMN judged BIGINT;

CREATE INDEX results_judged ON results (judged) WHERE judged IS NOT NULL;

INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';

INSERT INTO meta (key, value) VALUES ('new_rating_model', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
