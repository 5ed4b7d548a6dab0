"""The expected standings, calculated slowly and plainly: replay every log, then count."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from openskill.models import PlackettLuce

from bot.games.core import Leave, ScriptedChance, play
from bot.games.tutto import Tutto
from bot.games.tutto.state import Banked, CloverleafWon, LeaderMissed, Nulled, StopCardHit, TuttoMade
from bot.standings.values import Period, Sort
from tests.support.databases import Database, opened
from tests.support.values import not_none

RULES = Tutto()


@dataclass
class Seat:
    user: int | None
    place: int
    score: int
    turns: int = 0
    best: int = 0
    tuttos: int = 0
    nulls: int = 0
    own_turns: int = 0


@dataclass
class Game:
    id: int
    guild: int
    channel: int
    at: float
    rated: bool
    seats: list[Seat]

    @property
    def board(self) -> str | None:
        """Where the game counts: half of the turns of two people, or of the only one, are their own."""
        people = [seat for seat in self.seats if seat.user is not None]
        played = [seat for seat in people if seat.own_turns and seat.own_turns / max(seat.turns, 1) >= 0.5]
        if len(people) == 1:
            return "ai" if played else None
        return "people" if len(played) >= 2 else None


@dataclass
class Person:
    """One person's finished games on a board, oldest first."""

    user: int
    games: list[tuple[Game, Seat]] = field(default_factory=list)
    shown: int | None = None
    curve: list[int | None] = field(default_factory=list)

    @property
    def wins(self) -> int:
        return sum(seat.place == 1 for _, seat in self.games)

    def longest_streak(self) -> int:
        text = "".join("w" if seat.place == 1 else " " for _, seat in self.games)
        return max(map(len, text.split()), default=0)

    def streak(self) -> int:
        text = "".join("w" if seat.place == 1 else " " for _, seat in self.games)
        return len(text) - len(text.rstrip("w"))


def games(place: Database, guild: int) -> list[Game]:
    """All finished games of a server in the order in which they ended, each replayed from its log."""
    with opened(place) as connection:
        return list(_games(connection, guild))


def _games(connection: Any, guild: int) -> Iterator[Game]:
    rows = connection.execute(
        "SELECT id, guild_id, channel_id, updated_at, options, rated FROM games"
        " WHERE status = 'over' AND guild_id = ? ORDER BY finish",
        (guild,),
    ).fetchall()
    for game_id, guild_id, channel, at, options, rated in rows:
        users = [
            user
            for (user,) in connection.execute(
                "SELECT user_id FROM seats WHERE game_id = ? ORDER BY seat", (game_id,)
            )
        ]
        state = RULES.initial(RULES.options(json.loads(options)), len(users))
        seats = [Seat(user, 0, 0) for user in users]
        for seat, action, chance in connection.execute(
            "SELECT seat, action, chance FROM moves WHERE game_id = ? ORDER BY number", (game_id,)
        ):
            raw = json.loads(action)
            move = Leave(seat) if raw == {"type": "leave"} else RULES.action_from_json(raw)
            outcomes = [RULES.outcome_from_json(one) for one in json.loads(chance)]
            played = play(RULES, state, move, ScriptedChance(outcomes))
            state = played.state
            for event in played.events:
                _count(seats, event)
        result = not_none(RULES.result(state))
        own_turns = connection.execute(
            "SELECT own_turns FROM results WHERE game_id = ? ORDER BY seat", (game_id,)
        ).fetchall()
        for number, seat in enumerate(seats):
            seat.own_turns = own_turns[number][0]
            better = [other for other in range(len(seats)) if _key(result, other) < _key(result, number)]
            seat.place, seat.score = 1 + len(better), result.scores[number]
        yield Game(game_id, guild_id, channel, at, bool(rated), seats)


def _key(result: Any, seat: int) -> tuple[bool, bool, int]:
    return seat not in result.winners, seat in result.left, -result.scores[seat]


def _count(seats: list[Seat], event: Any) -> None:
    if isinstance(event, TuttoMade):
        seats[event.seat].tuttos += 1
    if isinstance(event, Banked | Nulled | StopCardHit | LeaderMissed | CloverleafWon):
        seats[event.seat].turns += 1
    if isinstance(event, Nulled):
        seats[event.seat].nulls += 1
    if isinstance(event, Banked):
        seats[event.seat].best = max(seats[event.seat].best, event.points)


def people(played: list[Game], board: str = "people", *, weighed_from: float = 0.0) -> dict[int, Person]:
    """Everybody on a board, with their games there and their rating after each.

    Games that ended before ``weighed_from`` count in full, however often their people have played each other.
    """
    model = PlackettLuce(beta=30, gamma=lambda *_: 1)
    found: dict[int, Person] = {}
    ratings: dict[int, Any] = {}
    before: list[Game] = []
    for game in played:
        if game.board != board:
            continue
        humans = [seat for seat in game.seats if seat.user is not None]
        if len(humans) > 1 and game.rated:
            teams = [[ratings.setdefault(seat.user or 0, model.rating())] for seat in humans]
            for seat, (new,) in zip(
                humans, model.rate(teams, ranks=[float(seat.place) for seat in humans]), strict=True
            ):
                old = ratings[seat.user or 0]
                share = weight(game, seat, before) if game.at >= weighed_from else 1.0
                if share < 1:
                    new.mu = old.mu + share * (new.mu - old.mu)
                    new.sigma = (old.sigma**2 + share * (new.sigma**2 - old.sigma**2)) ** 0.5
                ratings[seat.user or 0] = new
            before.append(game)
        for seat in humans:
            assert seat.user is not None
            person = found.setdefault(seat.user, Person(seat.user))
            person.games.append((game, seat))
            rating = ratings.get(seat.user)
            person.shown = max(0, round(1000 + 40 * (rating.mu - 3 * rating.sigma))) if rating else None
            person.curve.append(person.shown)
    return found


def weight(game: Game, seat: Seat, before: list[Game]) -> float:
    """How much a rated game counts for a person, after the rated games ``before``.

    The n-th game within 30 days with the most frequent opponent counts what the first n are worth, as n games
    of which each two correlate by 0.1, less what the first n - 1 are.
    """
    lately = [{one.user for one in other.seats} for other in before if other.at > game.at - 30 * 24 * 3600]
    opponents = [one.user for one in game.seats if one.user not in (None, seat.user)]
    number = 1 + max(sum({seat.user, other} <= users for users in lately) for other in opponents)
    return number / (1 + 0.1 * (number - 1)) - (number - 1) / (1 + 0.1 * (number - 2))


def began(period: Period, now: float, zone: str) -> float:
    here = datetime.fromtimestamp(now, ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    if period is Period.ALL:
        return 0.0
    if period is Period.MONTH:
        here = here.replace(day=1)
    if period is Period.WEEK:
        while here.isoweekday() != 1:
            here = (here - timedelta(hours=2)).replace(hour=0)
    return here.timestamp()


Line = tuple[int, int, int, int, int, int, int | None]
"""Place, person, games, wins, best turn, Tuttos, rating."""


def board(
    everybody: dict[int, Person],
    period: Period,
    sort: Sort,
    now: float,
    zone: str,
    hidden: frozenset[int] = frozenset(),
) -> list[Line]:
    """A whole leaderboard."""
    since = began(period, now, zone)
    lines = []
    for user, person in everybody.items():
        seats = [seat for game, seat in person.games if game.at >= since]
        if not seats or user in hidden:
            continue
        wins, number = sum(seat.place == 1 for seat in seats), len(seats)
        best, tuttos = max(seat.best for seat in seats), sum(seat.tuttos for seat in seats)
        value: Any = {
            Sort.RATING: person.shown,
            Sort.WINS: wins,
            Sort.RATE: wins / number if number >= 5 else None,
            Sort.BEST: best,
            Sort.FEAT: tuttos,
        }[sort]
        if value is None:
            continue
        lines.append(((-value, user), (user, number, wins, best, tuttos, person.shown)))
    lines.sort()
    values = [key[0] for key, _ in lines]
    return [(1 + sum(other < key[0] for other in values), *line) for key, line in lines]


def opponents(person: Person) -> list[tuple[int, int, int]]:
    """Whom somebody has played with most: person, games, games in which they were placed before them."""
    found: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
    for game, own in person.games:
        for seat in game.seats:
            if seat.user is not None and seat.user != person.user:
                found[seat.user][0] += 1
                found[seat.user][1] += own.place < seat.place
    return sorted(
        ((user, games, ahead) for user, (games, ahead) in found.items()),
        key=lambda one: (-one[1], -one[2], one[0]),
    )
