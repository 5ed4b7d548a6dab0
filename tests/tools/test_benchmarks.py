"""What measures clicks still runs, in its smallest form. What it measures then says nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest


# On a busy machine the first command is acknowledged first, which these don't wait for.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("steps --games 2 --rounds 1", "| a click |"),
        ("click --games 3 --rounds 1", "| all at once |"),
        ("instructions --games 2 --rounds 1", "| the floor |"),
    ],
)
def test_a_benchmark_runs(command: str, row: str) -> None:
    module, *arguments = command.split()
    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.splitlines()[-1].startswith(row)
