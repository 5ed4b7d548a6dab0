"""The program's sources as syntax trees, parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def sources() -> dict[Path, ast.Module]:
    """Return the modules of ``bot`` and ``cogs`` by their paths."""
    paths = [path for folder in ("bot", "cogs") for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path: ast.parse(path.read_text(encoding="utf-8"), str(path)) for path in paths}
