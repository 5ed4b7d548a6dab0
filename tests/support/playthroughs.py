"""Whole games as text, move by move, and numbers of paths: ``make playthroughs`` writes them again.

Whatever changes the rules changes these files in ``tests/games``, where the change can be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bot.games.codec import dumps
from bot.games.core import CHANCE, OVER, AnyGame, perft
from bot.games.options import Flag, Number, Value, declared
from bot.records.seeds import SeededChance
from bot.registry import GAMES
from tests.support.examples import variants
from tests.support.values import not_none

FOLDER = Path(__file__).parents[1] / "games"
SEATS = 2
MAX_LISTED = 12
"""More actions or outcomes than these are counted instead of listed."""

MAX_PATHS = 3000
"""Paths are counted up to the depth at which there are more than this."""

MIDDLE = 25
"""After so many moves of the playthrough paths are counted once more."""


def editions(game: AnyGame) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield each combination of a game's choices with a short name, e.g. ``tutto-classic``.

    Flags that were added later are all on in one more, in which the other options have their defaults.
    """
    known = declared(game.options_type)
    usual = {name: option.default for name, option in known.items() if isinstance(option, Number)}
    for smallest in variants(game.options_type):
        raw = game.options({**smallest, **usual}).to_json()
        on = sum(isinstance(option, Flag) and option.added for option in map(known.__getitem__, raw))
        if on and (len(raw) < len(known) or raw | game.options({}).to_json() != raw):
            continue
        words = [
            value if isinstance(value, str) else f"{name}-{value}".lower()
            for name, value in raw.items()
            if not isinstance(known[name], Number)
        ]
        yield "-".join([game.key, *words]), raw


def moves(game: AnyGame, state: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield ``(state, move, step)`` of a game in which seats choose evenly among what is legal.

    Each edition has dice of its own, so that the games are not all the same but for a few moves.
    """
    seed = hashlib.sha256(dumps(state.options.to_json()).encode()).digest()
    chance, choices = SeededChance(seed), SeededChance(hashlib.sha256(seed).digest())
    while game.to_move(state) != OVER:
        if game.to_move(state) == CHANCE:
            move = chance.draw(game.chance(state))
        else:
            move = choices.draw([(action, 1) for action in game.legal(state)])
        step = game.apply(state, move)
        yield state, move, step
        state = step.state


def playthrough(game: AnyGame, raw: dict[str, Value]) -> str:
    """Return the text of one whole game."""
    state = game.initial(game.options(raw), SEATS)
    lines = [f"game {game.key}, rules version {game.rules_version}, {SEATS} seats", f"options {dumps(raw)}"]
    lines += ["", *_fields({}, game.state_to_json(state))]
    for number, (before, move, step) in enumerate(moves(game, state), start=1):
        lines += ["", f"move {number}"]
        if game.to_move(before) == CHANCE:
            outcomes = game.chance(before)
            weighed = [f"{dumps(game.outcome_to_json(one))} x{weight}" for one, weight in outcomes]
            lines += _listed("could fall", weighed)
            lines.append(f"  falls: {dumps(game.outcome_to_json(move))}")
        else:
            lines += _listed("legal", [dumps(game.action_to_json(one)) for one in game.legal(before)])
            lines.append(f"  seat {game.to_move(before)}: {dumps(game.action_to_json(move))}")
        lines += [f"  event: {event}" for event in step.events]
        lines += _fields(game.state_to_json(before), game.state_to_json(step.state))
        state = step.state
    result = not_none(game.result(state))
    lines += ["", f"{result}", f"places {result.places()}"]
    return "\n".join(lines) + "\n"


def _listed(what: str, texts: list[str]) -> list[str]:
    if len(texts) > MAX_LISTED:
        return [f"  {what}: {len(texts)}, from {texts[0]} to {texts[-1]}"]
    return [f"  {what}: {', '.join(texts)}"]


def _fields(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The fields of a state that have changed."""
    return [f"  {name} = {dumps(value)}" for name, value in after.items() if before.get(name, ...) != value]


def paths(game: AnyGame) -> str:
    """Return how many paths of each length begin in some positions of a game, in all its editions."""
    lines = [f"# {game.key}: paths of 0, 1, 2, ... moves, from the start and from move {MIDDLE} on"]
    for name, raw in editions(game):
        start = game.initial(game.options(raw), SEATS)
        middle = next(
            (step.state for number, (_, _, step) in enumerate(moves(game, start), 1) if number == MIDDLE),
            start,
        )
        assert game.to_move(middle) != OVER
        for where, state in (("start", start), ("middle", middle)):
            lines.append(f"{name} {where}: {' '.join(map(str, _counts(game, state)))}")
    return "\n".join(lines) + "\n"


def _counts(game: AnyGame, state: Any) -> Iterator[int]:
    for depth in range(20):
        number = perft(game, state, depth)
        yield number
        if number > MAX_PATHS:
            return


def files() -> dict[Path, Callable[[], str]]:
    """Return all files by path, each with the function that makes its text."""
    found: dict[Path, Callable[[], str]] = {}
    for entry in GAMES.values():
        found[FOLDER / "perft" / f"{entry.rules.key}.txt"] = partial(paths, entry.rules)
        for name, raw in editions(entry.rules):
            found[FOLDER / "playthroughs" / f"{name}.txt"] = partial(playthrough, entry.rules, raw)
    return found


def main() -> None:
    """Write all files, and remove those that belong to no game."""
    wanted = files()
    for folder in ("perft", "playthroughs"):
        for path in (FOLDER / folder).glob("*.txt"):
            if path not in wanted:
                path.unlink()
    for path, text in wanted.items():
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
