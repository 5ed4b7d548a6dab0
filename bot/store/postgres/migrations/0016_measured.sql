-- What SQLite's nineteenth migration does; see there.
ALTER TABLE results ADD COLUMN measured BIGINT NOT NULL DEFAULT 0;

DROP INDEX results_without_luck;

CREATE INDEX results_measured ON results (game, measured, game_id);

ALTER TABLE results ADD COLUMN judged_errors BIGINT;

UPDATE results SET judged_errors = (skill::json ->> 'skill_errors')::BIGINT
WHERE mu IS NOT NULL AND (skill::json ->> 'skill_choices')::BIGINT >= 10;

UPDATE results SET skill = NULL WHERE skill IS NOT NULL;

INSERT INTO meta (key, value) VALUES ('rebuild', '1') ON CONFLICT (key) DO UPDATE SET value = '1';
