"""``python -m bot.probe``, under which supervisors and containers know :mod:`bot.cli.healthcheck`."""

from __future__ import annotations

import sys

from bot.cli.healthcheck import main

if __name__ == "__main__":
    sys.exit(main())
