"""``python -m bot.probe``: the old name of ``python -m bot healthcheck``, which deployments may still use."""

from __future__ import annotations

import argparse
import sys

from bot.cli import healthcheck
from bot.settings import Settings, WrongSetting, load


def main() -> int:
    """Check the running bot; return the exit code."""
    settings: Settings | WrongSetting
    try:
        settings = load()
    except WrongSetting as error:
        settings = error
    return healthcheck.run(argparse.Namespace(), settings)


if __name__ == "__main__":
    sys.exit(main())
