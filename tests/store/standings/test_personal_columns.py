"""Each column of the database is in the export of a person and gone after a deletion, or says why not.

A new column fails here until it is in one of the lists.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

from bot.store.base import DECLINED, LIVE, Offer, Store
from bot.store.notifications import HALF, MESSAGE, NotificationPreferences
from bot.store.personal_export import export
from tests.store.standings.test_personal_data import Everybody, busiest, columns
from tests.support.databases import Database, opened
from tests.support.histories import ALPS, COAST
from tests.support.rows import a_game

EXPORTED: dict[str, dict[str, str]] = {
    "members": {
        "guild_id": "server",
        "name": "name",
        "present": "in_server",
        "unlisted": "on_leaderboards",
        "checked_at": "asked_at",
    },
    "totals": {
        name: name
        for name in (
            *(
                "guild_id",
                "game",
                "board",
                "period",
                "since",
                "hidden",
                "games",
                "wins",
                "score",
                "turns",
                "best_turn",
            ),
            *("feat", "rate", "rating", "streak", "longest_streak", "first_at", "mu", "sigma", "feats"),
        )
    },
    "records": {name: name for name in ("guild_id", "game", "kind", "value", "game_id", "at")},
    "games": {
        "id": "game_id",
        "host_id": "hosted",
        "votes": "voted",
        "offers": "offers",
        **{
            name: name
            for name in (
                *("game", "guild_id", "channel_id", "status", "options", "state", "acted", "missed"),
                *("created_at", "updated_at"),
            )
        },
    },
    "seats": {"game_id": "game_id", "seat": "seat", "name": "name"},
    "results": {
        name: name
        for name in (
            *("game_id", "seat", "guild_id", "game", "place", "score", "turns", "best_turn", "feats", "feat"),
            *("own_turns", "board"),
            *("mu", "sigma", "rating", "nth", "weight", "luck", "skill", "ended_at"),
            *("judged", "judged_errors"),
        )
    },
    "words": {"game_id": "game_id", "seat": "seat", "word": "word"},
    "former_seats": {
        name: name
        for name in (
            *("game_id", "seat", "name", "version", "handed", "turns", "own_turns"),
            *("mu", "sigma", "against", "rating", "nth", "ended_at"),
        )
    },
    "moves": {"game_id": "game_id", "number": "moves", "action": "moves", "at": "moves"},
    "daily_plays": {
        name: name for name in ("day", "choices", "made", "begun_at", "ended_at", "turns", "lost")
    },
    "daily_servers": {"guild_id": "guild_id", "day": "day"},
    "daily_listed": {"name": "name_on_the_list_of_all"},
    "season_lines": {name: name for name in ("guild_id", "game", "month", "place", "wins", "games")},
    "calls": {name: name for name in ("way", "moment", "quiet_from", "quiet_to", "zone", "locale")},
    "puzzles": {name: name for name in ("game_id", "guild_id", "move")},
    "puzzles_seen": {"puzzle": "puzzle"},
}
"""For each table and column the key under which a person's export has it."""

NOT_EXPORTED = {
    "user_id": "stands once at the beginning of the export",
    "totals.lasting": "follows from the period",
    "seats.kind": "always human",
    "seats.policy": "always empty for people",
    "former_seats.number": "their order",
    "games.ending": "seats that agree to end a running game",
    "results.measured": "about the program",
    "moves.seat": "that of the game's entry",
    "moves.chance": "dice and cards, which are in the game's record",
    "games.seed": "a secret until the game ends, then in its record",
    "games.seal": "about the dice",
    "games.start": "about the dice, with fingerprints of words",
    "games.draws": "about the dice",
    "games.first_chance": "about the dice",
    "games.news": "follows from the moves",
    "games.tally": "follows from the moves",
    **dict.fromkeys(("games.own_turns", "games.own_turn"), "stands in the result when the game ends"),
    "games.parent_id": "another game, not a person",
    "games.locale": "the channel's language",
    "games.finish": "the order of games",
    **dict.fromkeys(
        (
            "games.version",
            "games.rules_version",
            "games.turn_seconds",
            "games.rated",
            "games.begins",
        ),
        "about the game",
    ),
    **dict.fromkeys(
        ("games.ai_to_move", "games.since", "games.reminded", "games.deadline"), "what the bot does next"
    ),
    **dict.fromkeys(
        ("games.message_id", "games.posted_at", "games.shown_version", "games.shown_turn"),
        "what the channel shows",
    ),
    "interactions": "clicks, without a person",
    "daily_days": "the days and their dice, no person",
    "shares": "games and channels, no person",
    "season_lines.number": "their order",
    "seasons": "of a server, no person",
    "settings": "of a server, no person",
    "departures": "of a server, no person",
    "meta": "about the bot",
}
"""The columns and tables that an export leaves out, and why."""


def test_each_column_is_exported_or_says_why_not() -> None:
    found = columns()
    exported = {f"{table}.{name}" for table, names in EXPORTED.items() for name in names}
    assert exported <= found, "these are no columns any more"
    left_out = {
        name
        for name in found
        if {name, name.partition(".")[0], name.rpartition(".")[2]} & NOT_EXPORTED.keys()
    }
    assert found - exported - left_out == set(), "these are in neither list"
    assert exported & left_out == set()


def test_each_column_that_names_a_person_belongs_to_a_table_that_is_exported() -> None:
    found = {name.partition(".")[0] for name in columns() if name.endswith((".user_id", ".host_id"))}
    assert found <= EXPORTED.keys()


async def test_the_export_has_every_row_and_column(
    store: Store, path: Database, everybody: Everybody
) -> None:
    """What the database has in the rows of a person, value by value."""
    user = busiest(everybody)
    running = a_game(
        5,
        user,
        1,
        guild_id=ALPS.guild_id,
        status=LIVE,
        acted=(77.5, 1.0),
        missed=(3, 0),
        votes=(0,),
        offers=(Offer(8, user, 2, 9.5), Offer(9, 1, 2, 9.5), Offer(10, 1, user, 7.5, DECLINED)),
    )
    created = await store.create(running, None)
    with opened(path) as connection:
        connection.execute("INSERT INTO words VALUES (?, 0, ?, 'plum')", (created.id, user))
        connection.execute(
            "INSERT INTO former_seats VALUES"
            " (?, 0, 1, ?, 'Somebody', 3, 1, 5, 4, 25.5, 8.25, '[[25.0,8.0]]', 900, 7, 1000.5)",
            (created.id, user),
        )
        connection.execute("INSERT INTO season_lines VALUES (810, 'tutto', 600, 1, 1, ?, 4, 7)", (user,))
    await store.set_unlisted(COAST.guild_id, user, "Somebody", True)
    await store.daily.make_day(20_000, b"secret", 1)
    begun = await store.daily.begin(user, 20_000, 5.5)
    assert await store.daily.write(replace(begun, choices="t", made=1, ended_at=6.5, turns=1), 0)
    await store.daily.set_lost(user, 20_000, 0.25)
    await store.daily.put_on_list(ALPS.guild_id, 20_000, user)
    await store.daily.set_listed(user, "Somebody")
    await store.notifications.choose(
        user, NotificationPreferences(MESSAGE, HALF, (22, 7), "Europe/Zurich", "de")
    )
    await store.puzzles.note_seen(user, "g.1")
    with opened(path) as connection:
        connection.execute("INSERT INTO puzzles VALUES (?, 810, 3)", (created.id,))
    (data,) = [json.loads(data) async for _, data in export(store, user, asyncio.to_thread)]
    entries: dict[str, list[dict[str, Any]]] = {
        "members": [one | {"on_leaderboards": not one["on_leaderboards"]} for one in data["servers"]],
        "totals": data["totals"],
        "records": data["records"],
        "words": data["words"],
        "former_seats": data["former_seats"],
        "daily_plays": data["daily"]["plays"],
        "daily_servers": data["daily"]["servers"],
        "daily_listed": [data["daily"]],
        "calls": [data["calls"]],
        "puzzles_seen": data["puzzles"]["seen"],
        "season_lines": data["seasons"],
        "seats": data["games"],
        "results": [game for game in data["games"] if game["place"] is not None],
    }
    # Games, their puzzles and moves are compared below.
    assert entries.keys() == EXPORTED.keys() - {"games", "moves", "puzzles"}
    with opened(path) as connection:
        for table, found in entries.items():
            names = list(EXPORTED[table])
            rows = connection.execute(f"SELECT {', '.join(names)} FROM {table} WHERE user_id = ?", (user,))
            stored = [dict(zip(names, row, strict=True)) for row in rows]
            shown = [{name: entry[EXPORTED[table][name]] for name in names} for entry in found]
            assert sorted(map(plain, shown)) == sorted(map(plain, stored)), table
            assert stored, table
        (moves,) = connection.execute(
            "SELECT count(*) FROM moves JOIN seats USING (game_id, seat) WHERE user_id = ?", (user,)
        ).fetchone()
    assert sum(len(game["moves"]) for game in data["games"]) == moves
    assert data["puzzles"]["from_games"] == [{"game_id": created.id, "guild_id": "810", "move": 3}]
    last = data["games"][-1]
    assert {EXPORTED["games"][name] for name in EXPORTED["games"]} - {"offers"} <= last.keys()
    assert data["offers"] == [
        {"game_id": created.id, "asked": False, "until": 9.5, "answer": ""},
        {"game_id": created.id, "asked": True, "until": 7.5, "answer": DECLINED},
    ]
    assert (last["acted"], last["missed"], last["voted"], last["hosted"]) == (77.5, 3, True, 1)


def plain(row: dict[str, Any]) -> str:
    """A row as text, alike whether it comes from the database or the export."""
    about = dict(row)
    for name, value in about.items():
        if isinstance(value, str) and value.startswith(("{", "[")):
            about[name] = json.loads(value)
        elif name in ("present", "unlisted"):
            about[name] = bool(value)
        elif name == "guild_id":
            about[name] = str(value)
    return json.dumps(about, sort_keys=True)
