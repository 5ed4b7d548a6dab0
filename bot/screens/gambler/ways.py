"""Ways to place several dice of a roll with one click."""

from __future__ import annotations

from functools import lru_cache

from bot.games.dice import minus
from bot.games.gambler.fitting import placements
from bot.games.gambler.state import Place, State, board_of
from bot.games.values import replace


def placed(state: State, places: tuple[Place, ...]) -> State:
    """Return the position after placing dice, as far as what fits next and what can follow are concerned.

    Neither points nor the end of the turn are reckoned.
    """
    for place in places:
        rows = list(state.rows)
        rows[place.row] = (*rows[place.row], place.die)
        state = replace(
            state,
            rows=tuple(rows),
            roll=minus(state.roll, (place.die,)),
            hand=state.hand - 1,
            placed=state.placed + 1,
        )
    return state


def turn_goes_on(state: State) -> bool:
    """Return whether the seat may roll again after the placements that led here."""
    return state.hand > 0 and sum(map(len, state.rows)) < board_of(state).boxes


@lru_cache(maxsize=4096)
def only_way(state: State) -> tuple[Place, ...]:
    """Return how to place all dice that can be placed, if all orders lead to the same board; else nothing."""
    ends: dict[State, tuple[Place, ...]] = {}
    waiting, seen = [(state, tuple[Place, ...]())], {state}
    while waiting:
        here, way = waiting.pop()
        next_places = placements(here)
        if not next_places:
            ends[here] = way
            if len(ends) > 1:
                return ()
        for place in next_places:
            there = placed(here, (place,))
            if there not in seen:
                seen.add(there)
                waiting.append((there, (*way, place)))
    (way,) = ends.values()
    return way


def fillings(state: State) -> tuple[tuple[Place, ...], ...]:
    """Return how to complete a row that pays with two or more dice of the roll, for each such row."""
    filled = []
    for number, row in enumerate(board_of(state).rows):
        here, places = state, tuple[Place, ...]()
        if row.black:
            continue
        while here.roll and (ways := [place for place in placements(here) if place.row == number]):
            # A free row takes the number of which there are most.
            best = max(ways, key=lambda place: here.roll.count(place.die))
            here, places = placed(here, (best,)), (*places, best)
        if len(places) > 1 and len(here.rows[number]) == len(row.boxes):
            filled.append(places)
    return tuple(filled)
