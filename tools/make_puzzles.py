"""``python -m tools.make_puzzles``: find puzzles in simulated games of Tutto, and write their file.

AI players of several strengths play against each other. Each game gives one puzzle at most, and there are few
of each kind. The same seed finds the same puzzles.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from tqdm import tqdm

from bot.games.core import OVER, play
from bot.games.tutto.state import Options, Phase, State
from bot.records.seeds import SeededChance
from bot.strategy.tutto import Beginner, Casual, Expert
from bot.strategy.tutto.puzzles import COMMAND, FILE, Puzzle, puzzle_of, text
from bot.strategy.tutto.reasons import reason
from bot.strategy.tutto.tables import DIRECTORY
from bot.strategy.tutto.values import RULES

A_KIND = 12
"""How many puzzles at most have the same card, reason and number of choices."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, find and write; return the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Find puzzles in simulated games.")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=DIRECTORY)
    given = parser.parse_args(arguments)
    rng, kinds = Random(given.seed), Counter[object]()
    found: list[Puzzle] = []
    with tqdm(total=given.number, desc="puzzles") as bar:
        while len(found) < given.number:
            puzzle = _found(_positions(rng), kinds)
            if puzzle is not None:
                kinds[_kind(puzzle)] += 1
                found.append(puzzle)
                bar.update()
    # Neighbours should not resemble each other because rare kinds were found last.
    rng.shuffle(found)
    (given.out / FILE).write_text(text(found), "utf-8")
    return 0


def _positions(rng: Random) -> list[State]:
    """Play a game and return the positions with a choice, in random order."""
    policies = [rng.choice((Beginner(), Casual(), Expert(), Expert())) for _ in range(2)]
    chance, state = SeededChance(rng.randbytes(32)), RULES.initial(Options(), 2)
    positions = []
    while (seat := RULES.to_move(state)) != OVER:
        if state.phase is not Phase.START and len(RULES.legal(state)) > 1:
            positions.append(state)
        state = play(RULES, state, policies[seat].choose(state, rng), chance).state
    rng.shuffle(positions)
    return positions


def _found(positions: Sequence[State], kinds: Counter[object]) -> Puzzle | None:
    puzzles: Iterator[Puzzle | None] = map(puzzle_of, positions)
    return next((one for one in puzzles if one is not None and kinds[_kind(one)] < A_KIND), None)


def _kind(puzzle: Puzzle) -> object:
    return puzzle.state.card, reason(puzzle.decision(puzzle.usual)).habit, len(puzzle.choices)


if __name__ == "__main__":
    raise SystemExit(main())
