"""The command ``dicebot`` of the installed package.

In a wheel, the folders of the program lie beside this file. They keep the names that they have in a checkout,
but only while the command runs: an installed ``bot`` or ``cogs`` could be that of another program. See
docs/decisions/package.md.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run the command line of the bot; return the exit code."""
    sys.path.insert(0, str(Path(__file__).parent))
    sys.argv[0] = "dicebot"
    from bot.__main__ import main as run

    return run()
