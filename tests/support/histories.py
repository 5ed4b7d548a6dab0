"""Made-up histories: two servers in which hundreds of people have played for years, with all their logs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from bot.games.core import Leave
from bot.games.seats import Seat, ai, person
from bot.registry import find
from bot.standings.counting import Part, verdict
from bot.standings.values import Board
from bot.store import encoding
from bot.store.base import ABORTED, FINISHED, LIVE, Change, GameRow, MoveRow, ResultRow
from bot.store.sql.connection import Connection, Job
from tests.support.records import play_out
from tests.support.rows import a_game

NOW = datetime(2026, 3, 11, 15, 30, tzinfo=ZoneInfo("UTC")).timestamp()
"""A Wednesday afternoon on which the histories are looked at."""

HOUR, DAY = 3600.0, 86_400.0


PEOPLE = 700_000_000_000_005_000
"""Ids of people begin here: long, as Discord's are, so that no other number is taken for one."""


@dataclass(frozen=True)
class Server:
    """A made-up server: how many people, games and years it has, and its time zone."""

    guild_id: int
    zone: str
    people: int
    games: int
    years: float
    seed: int
    first_user: int
    channels: tuple[int, ...] = field(default=())


ALPS = Server(810, "Europe/Zurich", 220, 420, 3.0, 1, PEOPLE, (8101, 8102, 8103))
COAST = Server(820, "America/Los_Angeles", 110, 230, 2.0, 2, PEOPLE + 150, (8201, 8202))
SERVERS = (ALPS, COAST)
"""The last 70 people of the first are the first of the second."""

AT_ONCE = 50
"""Games that are written together."""


async def write(store: Any, server: Server) -> None:
    """Play the games of a server and write them as the bot does, in the order in which they end."""
    await store.set_settings(server.guild_id, {"time_zone": server.zone}, NOW)
    games = [_play(server, number, at) for number, at in enumerate(_ends(server))]
    for start in range(0, len(games), AT_ONCE):
        some = games[start : start + AT_ONCE]
        rows = await asyncio.gather(*(store.create(game.row, None) for game in some))
        logs = [(row.id, game.moves) for row, game in zip(rows, some, strict=True)]
        await store.write(_log(logs))
        ends = [
            store.commit(
                Change(
                    replace(row, status=game.status, version=1, state=game.state, updated_at=game.at),
                    row.version,
                    results=game.results,
                )
            )
            for row, game in zip(rows, some, strict=True)
        ]
        if store.shared:
            # Several connections would change the order, which counts: ratings follow from it.
            for end in ends:
                await end
        else:
            await asyncio.gather(*ends)
        for row in rows:
            await store.mark_shown(replace(row, message_id=row.id * 10, shown_version=1), urgent=False)


@dataclass(frozen=True)
class _Game:
    row: GameRow
    at: float
    status: str
    state: Any
    moves: tuple[MoveRow, ...]
    results: tuple[ResultRow, ...]


def _ends(server: Server) -> list[float]:
    """Return when games ended: over the years, more in the last days, and some at the same moment."""
    rng = Random(server.seed)
    first = NOW - server.years * 365 * DAY
    times = [rng.uniform(first, NOW) for _ in range(server.games * 2 // 3)]
    times += [NOW - rng.expovariate(1 / (9 * DAY)) for _ in range(server.games - len(times))]
    times.sort()
    for number in range(1, len(times), 17):
        times[number] = times[number - 1]
    return times


def _play(server: Server, number: int, at: float) -> _Game:
    rng = Random(f"{server.seed}:{number}")
    entry = find("tutto")
    options = entry.rules.options(
        {"edition": rng.choice(["current", "modern", "classic"]), "target": rng.choice([1000, 1000, 1500])}
    )
    seats = _seats(server, rng)
    seed = rng.randbytes(32)
    unfinished = rng.random() < 0.04
    leaver = rng.randrange(len(seats)) if rng.random() < 0.08 else None
    begun = at - rng.uniform(0.1, 3) * HOUR

    def choose(state: Any, number: int) -> Any:
        if unfinished and number >= 5:
            return None
        move = _choose(entry.rules.legal(state), rng)
        return Leave(leaver) if leaver is not None and number == 7 else move

    played = play_out(entry.rules, options, len(seats), seed, choose)
    sums = entry.rules.stats(played.events, len(seats))
    moves = [
        MoveRow(number + 2, move.seat, move.action, tuple(move.outcomes), begun + number)
        for number, move in enumerate(played.log.moves)
    ]
    result = entry.rules.result(played.state)
    row = a_game(
        1_000_000 + server.guild_id * 1000 + number,
        guild_id=server.guild_id,
        status=LIVE,
        options=options,
        secret=seed,
        state=None,
        draws=played.draws,
        created_at=begun,
        updated_at=begun,
        seats=seats,
        host_id=seats[0].user_id or 0,
        rated=Random(f"rated:{server.seed}:{number}").random() < 0.85,
    )
    row = replace(row, channel_id=rng.choice(server.channels), status="over" if result else "ended")
    results: tuple[ResultRow, ...] = ()
    if result is not None:
        places = result.places()
        own = [
            _own_turns(who, one.turns, f"{server.seed}:{number}:{seat}")
            for seat, (who, one) in enumerate(zip(seats, sums, strict=True))
        ]
        found = verdict(
            [Part(who.human, one.turns, turns) for who, one, turns in zip(seats, sums, own, strict=True)]
        )
        results = tuple(
            ResultRow(
                seat,
                who.user_id,
                places[seat],
                result.scores[seat],
                sums[seat].turns,
                sums[seat].best_turn,
                sums[seat].feats,
                sums[seat].feats[entry.feat],
                own[seat],
                found if isinstance(found, Board) else None,
            )
            for seat, who in enumerate(seats)
        )
    status = FINISHED if result is not None else ABORTED
    return _Game(row, at, status, played.state, tuple(moves), results)


def _own_turns(who: Seat, turns: int, seed: str) -> int:
    """Return how many of their turns a person has played themselves: nearly always all of them."""
    if not who.human:
        return 0
    rng = Random(f"own:{seed}")
    return turns if rng.random() < 0.93 else rng.randrange(turns + 1)


def _seats(server: Server, rng: Random) -> tuple[Seat, ...]:
    """Return two to five seats: a few people play very often, most seldom, and some seats are AIs."""
    number = rng.choice([2, 2, 2, 3, 3, 4, 5])
    chosen: list[int] = []
    while len(chosen) < number:
        user = server.first_user + int(server.people * rng.random() ** 2.5)
        if user not in chosen:
            chosen.append(user)
    seats = [person(user, f"Player {user}") for user in chosen]
    for seat in range(1, number):
        if rng.random() < 0.15:
            seats[seat] = ai("casual")
    rng.shuffle(seats)
    return tuple(seats)


def _choose(legal: tuple[Any, ...], rng: Random) -> Any:
    """Choose to stop more often than not, so that games are short."""
    return legal[-1] if rng.random() < 0.6 else rng.choice(legal)


def _log(games: list[tuple[int, tuple[MoveRow, ...]]]) -> Job[None]:
    async def job(connection: Connection) -> None:
        rows = [
            {"game_id": game_id, **encoding.move_columns("tutto", move)}
            for game_id, moves in games
            for move in moves
        ]
        await connection.execute_many("insert_move", rows)

    return job
