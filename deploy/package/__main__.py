"""``python -m dicebot``, the same as the command."""

import sys

from dicebot import main

if __name__ == "__main__":
    sys.exit(main())
