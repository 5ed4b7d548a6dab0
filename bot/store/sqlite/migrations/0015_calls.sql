-- How a person wants to be called when it is their turn; who has chosen nothing has no row. "way" and "moment" are words of
-- bot/store/calls.py. While the clock in "zone" stands between the hours "quiet_from" and "quiet_to", nothing calls them.
CREATE TABLE calls (
    user_id INTEGER PRIMARY KEY,
    way TEXT NOT NULL,
    moment TEXT NOT NULL,
    quiet_from INTEGER,
    quiet_to INTEGER,
    zone TEXT NOT NULL
);
