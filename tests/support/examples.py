"""Helpers of property tests: settings, options of each game, random walks, arbitrary JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from bot.games.core import CHANCE, OVER, AnyGame, Leave
from bot.games.options import Choice, Flag, GameOptions, Number, Value, declared

# Two busy cores make any deadline a source of chance failures; in CI the same examples come every time.
# `make fuzz` tries many times as many.
_TIMES = int(os.environ.get("FUZZ", "1"))


def examples(number: int) -> int:
    """Return the number of examples for a property test: ``number``, or a multiple of it in long runs."""
    return number * _TIMES


settings.register_profile(
    "dicebot", deadline=None, derandomize="CI" in os.environ and _TIMES == 1, max_examples=examples(100)
)
settings.load_profile("dicebot")

MAX_MOVES = 20_000
"""No random game between few seats takes longer."""


def variants(options: type[GameOptions], *, largest: bool = False) -> Iterator[dict[str, Value]]:
    """Yield every combination of choices and flags, each with the smallest of all numbers, or the largest."""
    found: list[dict[str, Value]] = [{}]
    for name, option in declared(options).items():
        values: tuple[Value, ...]
        match option:
            case Number(least=least, most=most):
                values = (most if largest else least,)
            case Choice(values=words):
                values = words
            case Flag():
                values = (False, True)
        found = [{**others, name: value} for others in found for value in values]
    yield from found


def options_of(game: AnyGame, *, largest: bool = False) -> Sequence[Any]:
    """Return every combination of choices, with the smallest of all numbers, so that games are short."""
    return [game.options(raw) for raw in variants(game.options_type, largest=largest)]


def shortest(game: AnyGame) -> dict[str, Any]:
    """Return the options of a short game by name."""
    return dict(next(variants(game.options_type)))


def setups(game: AnyGame) -> st.SearchStrategy[tuple[Any, int, int]]:
    """Return a strategy for options, a number of seats (mostly few) and the seed of a random walk."""
    most = min(game.max_seats, 4)
    seats = st.integers(game.min_seats, most) | st.just(game.max_seats)
    return st.tuples(st.sampled_from(options_of(game)), seats, st.integers(0, 2**32 - 1))


def random_move(game: AnyGame, state: Any, rng: Random, leaving: float = 0.0) -> Any:
    """Return a random legal action or outcome, or with probability ``leaving`` that a seat leaves."""
    if leaving and rng.random() < leaving:
        present = [seat for seat in range(len(game.scores(state))) if seat not in game.left(state)]
        return Leave(rng.choice(present))
    if game.to_move(state) == CHANCE:
        outcomes = game.chance(state)
        return rng.choices([o for o, _ in outcomes], [weight for _, weight in outcomes])[0]
    return rng.choice(game.legal(state))


def walk(
    game: AnyGame, options: Any, seats: int, seed: int, leaving: float = 0.0
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield ``(state, move, step)`` for each move of a random game. Fails if it takes too long."""
    rng = Random(seed)
    state = game.initial(options, seats)
    for _ in range(MAX_MOVES):
        if game.to_move(state) == OVER:
            return
        move = random_move(game, state, rng, leaving)
        step = game.apply(state, move)
        yield state, move, step
        state = step.state
    raise AssertionError(f"{game.key} with {options} and {seats} seats does not end (seed {seed})")


json_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.sampled_from([2**63, -(2**63), 10**30])
    | st.floats()
    | st.text(max_size=8)
)

json_values = st.recursive(
    json_scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=6)
            | st.sampled_from(["type", "dice", "card", "seat", "kind", "action", "chance", "schema"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
"""Anything JSON can hold, with the keys that matter now and then."""


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values inside a JSON value, that of itself first."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths(item, (*path, index))


def replaced(value: Any, path: Sequence[Any], new: Any) -> Any:
    """Return a copy of a JSON value with another one at ``path``."""
    if not path:
        return new
    first, *rest = path
    if isinstance(value, dict):
        return {**value, first: replaced(value[first], rest, new)}
    return [*value[:first], replaced(value[first], rest, new), *value[first + 1 :]]


def removed(value: Any, path: Sequence[Any]) -> Any:
    """Return a copy of a JSON value without the one at ``path``."""
    first, *rest = path
    if isinstance(value, dict):
        if not rest:
            return {key: item for key, item in value.items() if key != first}
        return {**value, first: removed(value[first], rest)}
    inner = [removed(value[first], rest)] if rest else []
    return [*value[:first], *inner, *value[first + 1 :]]
