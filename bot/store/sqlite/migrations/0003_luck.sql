-- Points by which chance was kinder to the seat than the odds; NULL until it is worked out after the game.
ALTER TABLE results ADD COLUMN luck INTEGER;
