"""``python -m tools.solve_tutto``: compute the tables of the two-player game that the AI players read."""

from __future__ import annotations

import argparse
import sys
from array import array
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from tqdm import tqdm

from bot.games.core import GameError
from bot.games.tutto import Tutto
from bot.games.tutto.state import Edition, Options
from bot.strategy.tutto import tables

TOLERANCE = 1e-9
INSTALL = "pip install numba numpy"


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve and write; the exit code."""
    parser = argparse.ArgumentParser(
        prog=tables.COMMAND,
        description="Compute the chance to win of every pair of scores in two-player Tutto. Takes minutes "
        f"and needs numba and numpy: {INSTALL}",
    )
    parser.add_argument(
        "--edition", default=Edition.CURRENT.value, choices=[edition.value for edition in Edition]
    )
    parser.add_argument("--target", type=int, default=Options().target, help="default: %(default)s")
    parser.add_argument("--all", action="store_true", help="every table that is shipped")
    parser.add_argument(
        "--tolerance", type=float, default=TOLERANCE, help="largest residual; default: %(default)s"
    )
    parser.add_argument(
        "--out", type=Path, default=tables.DIRECTORY, help="directory; default: the shipped one"
    )
    given = parser.parse_args(arguments)
    try:
        games = [Tutto().options({"edition": given.edition, "target": given.target})]
    except GameError as error:
        parser.error(str(error))
    try:
        from tools import tutto_solver as solver
    except ModuleNotFoundError as error:
        print(f"{error.name} is missing; the solver needs numba and numpy: {INSTALL}", file=sys.stderr)
        return 1
    if given.all:
        games = [Options(edition, target) for edition, target in tables.SHIPPED]
    for game in games:
        _solve(solver, game, given.tolerance, given.out)
    return 0


def _solve(solver: Any, game: Options, tolerance: float, out: Path) -> None:
    start = perf_counter()
    with tqdm(desc=f"{game.edition} {game.target}", unit=" sweeps") as bar:

        def progress(sweep: int, change: float) -> None:
            bar.set_postfix_str(f"largest change {change:.1e}")
            bar.update()

        solution = solver.solve(game.edition, game.target, tolerance, progress)
    parts = [solution.wins[0]]
    if solution.shape.last:
        parts += [solution.wins[1], solution.beats]
    facts = {"residual": float(f"{solution.residual:.2e}"), "sweeps": solution.sweeps}
    tables.write(out, solution.shape, [array("f", part.ravel().tolist()) for part in parts], facts)
    print(
        f"{out / solution.shape.file}: residual {solution.residual:.1e} after {solution.sweeps} sweeps, "
        f"{perf_counter() - start:.0f} s",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(main())
