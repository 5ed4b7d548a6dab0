"""``python -m bot.probe``: the old name of ``python -m bot healthcheck``, which deployments may still use."""

from __future__ import annotations

import sys

from bot.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["healthcheck"]))
