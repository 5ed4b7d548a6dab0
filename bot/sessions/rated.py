"""Rated games: their results change ratings, and only spectators may look at odds. Pure.

A person who gives up a seat of a rated game is rated as last when the game ends, however it ends. A rated
game can't be ended without a result against the others' will. All other games are friendly. See
docs/decisions/rated-games.md for the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import SeatStats, Unreadable
from bot.games.values import replace
from bot.records.sealing import rated_of
from bot.registry import find
from bot.sessions import absence
from bot.standings.counting import Part, enough_played
from bot.store.base import FINISHED, LIVE, Damaged, FormerSeat, GameRow, LastPlace, intact

BINDING_TURNS = 2
"""Once each person has finished this many turns, a rated game can't be ended against the others' will."""


def is_rated(row: GameRow) -> bool:
    """Return whether a game is rated, or would be if it began now: the host's choice, and two people.

    That is fixed with the start. Games of earlier versions have no such entry.
    """
    fixed = rated_of(row.start)
    if fixed is not None:
        return fixed
    return row.rated and sum(seat.human for seat in row.seats) > 1


def may_be_advised(row: GameRow, user_id: int) -> bool:
    """Return whether a person may see odds and reviews of a game: not while they play it and it is rated.

    Raises :class:`~bot.games.core.Unreadable` for a damaged state.
    """
    if row.status != LIVE or not is_rated(row):
        return True
    return user_id not in [row.seats[seat].user_id for seat in _people(row)]


def with_former(row: GameRow, seat: int, *, handed: bool) -> GameRow:
    """Return the game with the person of ``seat`` noted as one who gives it up in the next step."""
    who, stats = row.seats[seat], _stats(row)
    turns = stats[seat].turns if stats else 0
    own_turns = row.own_turns[seat] if row.own_turns else turns
    former = FormerSeat(seat, who.user_id, who.name, row.version + 1, handed, turns, own_turns)
    ending = () if row.ending[:1] == (seat,) else tuple(one for one in row.ending if one != seat)
    return replace(row, former=(*row.former, former), ending=ending)


def gave_up(row: GameRow, user_id: int) -> bool:
    """Return whether a person has given up a seat of a rated game: they can't come back to it."""
    return is_rated(row) and any(one.user_id == user_id for one in row.former)


def last_places(row: GameRow) -> tuple[LastPlace, ...]:
    """Return who is rated as last for having given up a seat, when ``row`` has ended.

    Each is rated against all other people who have had a seat, if at least two of all these have played.
    People who left a game that has a result are in the result already.
    """
    stats = _stats(row)
    if not row.former or not stats or not is_rated(row):
        return ()
    handed = [former for former in row.former if former.handed]
    parts = parts_of(row, stats)
    parts += [Part(True, former.turns, former.own_turns) for former in handed]
    if not enough_played(parts):
        return ()
    people = [seat.user_id for seat in row.seats] + [former.user_id for former in handed]
    places = []
    for number, former in enumerate(row.former):
        others = tuple(user for user in people if user is not None and user != former.user_id)
        if former.user_id is not None and others and (former.handed or row.status != FINISHED):
            places.append(LastPlace(number, others))
    return tuple(places)


def parts_of(row: GameRow, stats: Sequence[SeatStats]) -> list[Part]:
    """Return by seat how much of a game its person has played."""
    # Games that began before these turns were counted get the benefit of the doubt.
    own_turns = row.own_turns or tuple(
        one.turns if who.human else 0 for who, one in zip(row.seats, stats, strict=True)
    )
    return [
        Part(who.human, one.turns, own) for who, one, own in zip(row.seats, stats, own_turns, strict=True)
    ]


def binds(row: GameRow, seat: int | None) -> bool:
    """Return whether the person of ``seat`` needs the others' consent to end the game without a result."""
    stats = _stats(row)
    if row.status != LIVE or seat is None or not stats or not is_rated(row):
        return False
    try:
        people = _people(row)
    except Unreadable:
        return False
    return seat in people and all(stats[one].turns >= BINDING_TURNS for one in people)


def agreed(row: GameRow) -> bool:
    """Return whether all people who are still in the game want to end it."""
    return set(_people(row)) <= set(row.ending)


def consent(row: GameRow) -> tuple[int, int]:
    """Return how many of the people who are still in the game want to end it, and how many these are."""
    people = _people(row)
    return len(set(people) & set(row.ending)), len(people)


def _people(row: GameRow) -> tuple[int, ...]:
    return absence.people(row, find(row.game).rules.left(intact(row.state)))


def _stats(row: GameRow) -> tuple[SeatStats, ...]:
    """Return the statistics of a game; none if they are unknown or damaged."""
    return () if isinstance(row.stats, Damaged) else row.stats
