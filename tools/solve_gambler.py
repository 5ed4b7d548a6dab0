"""``python -m tools.solve_gambler``: compute the tables of Gambler's round for two seats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from time import perf_counter

from bot.games.gambler.boards import BOARDS
from bot.strategy.gambler import tables

INSTALL = "pip install numba numpy"


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve and write; the exit code."""
    parser = argparse.ArgumentParser(
        prog=tables.COMMAND,
        description="Compute the chance to end a round of Gambler ahead, for two seats. Takes seconds "
        f"to minutes a board, and needs numba and numpy: {INSTALL}",
    )
    parser.add_argument("--board", choices=list(BOARDS), help="only this one; default: all")
    parser.add_argument(
        "--out", type=Path, default=tables.DIRECTORY, help="directory; default: the shipped one"
    )
    given = parser.parse_args(arguments)
    try:
        from tools import gambler_packing as packing
        from tools import gambler_solver as solver
    except ModuleNotFoundError as error:
        print(f"{error.name} is missing; the solver needs numba and numpy: {INSTALL}", file=sys.stderr)
        return 1
    for board in [given.board] if given.board else BOARDS:
        start = perf_counter()
        rows = tables.table_rows(BOARDS[board])
        solved = solver.solve(solver.Leads(rows))
        fills = prod(len(row.states) for row in rows)
        data, typical, largest = packing.packed(fills, packing.groups(solved))
        tables.write(
            given.out, board, data, {"error": float(f"{typical:.2e}"), "largest": float(f"{largest:.2e}")}
        )
        worth = solver.lead_gained(solved)
        print(
            f"{board}: starting it is worth {worth:.1f} points; rounding changes chances by {typical:.4f} "
            f"(root mean square), at most {largest:.3f}; {perf_counter() - start:.0f} s",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
