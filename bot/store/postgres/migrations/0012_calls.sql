-- What SQLite's fifteenth migration does; see there.
CREATE TABLE calls (
    user_id BIGINT PRIMARY KEY,
    way TEXT COLLATE "C" NOT NULL,
    moment TEXT COLLATE "C" NOT NULL,
    quiet_from BIGINT,
    quiet_to BIGINT,
    zone TEXT COLLATE "C" NOT NULL
);
